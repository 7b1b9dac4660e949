import { noop, pick } from 'lodash';
import type { IBinaryData, IHttpRequestOptions } from 'n8n-workflow';
import { CREDENTIAL_TYPE } from '../account';
import { clock, waitUnlessAborted } from '../clock';
import type { ServiceError } from '../errors';
import {
	STREAM_OPTIONS,
	closeReply,
	parseTimeoutMs,
	type StreamedReply,
} from '../request/sendOnce';
import { createTransportFailure } from '../request/classify';
import { createRequestError, getAbortSignal, type RequestContext } from '../requestContext';
import { createFailure } from '../failures';
import { checkLink } from './checkLink';

/*
 * Streams files into n8n's binary data, outside the account's request queue. Respondents choose the links to their
 * uploads, so a request for an upload has no token. A request for a PDF has the token only on the account's origin.
 */

type LinkedFile = { url: string; name: string };

type FileKind = 'upload' | 'pdf';

/** What the files of one response have in common. The signal aborts when the time is up. */
type Download = {
	readonly context: RequestContext;
	readonly kind: FileKind;
	readonly signal: AbortSignal;
	remainingBytes: number;
};

/** A file, or why it is missing. */
type Downloaded = IBinaryData | string;

const MAX_FILES = 20;
const MAX_MEGABYTES = 256;

/** The maximum time for all files of one response, unless the node's Timeout is longer. */
const MAX_TIME_MS = 60_000;

/** The maximum number of redirects to follow for one file. */
const MAX_REDIRECTS = 5;

/** The number of responses whose files are downloaded at the same time, in all workflows of this process. */
const LANE_COUNT = 4;

/** Each lane resolves when the last download in it has ended. The lanes are used in turn. */
const lanes = Array<Promise<void>>(LANE_COUNT).fill(Promise.resolve());

/**
 * Downloads the files of one response, one after another. Returns each file, or the error that says why it is
 * missing.
 *
 * @throws ServiceError with the reason `canceled` if the caller aborted
 */
export async function downloadFiles(
	context: RequestContext,
	files: readonly LinkedFile[],
	kind: FileKind,
): Promise<Array<IBinaryData | ServiceError>> {
	if (files.length === 0) return [];
	const previous = lanes.shift()!;
	const abortSignal = getAbortSignal(context);
	const createCanceledError = () => createRequestError(context, createFailure('canceled'));
	const turn = waitUnlessAborted(previous, abortSignal, createCanceledError);
	const work = turn.then(async () => await downloadInOrder(context, files, kind));
	lanes.push(Promise.allSettled([previous, work]).then(noop));
	const downloaded = await work;
	if (abortSignal?.aborted) throw createCanceledError();
	return downloaded.map((file) =>
		typeof file === 'string'
			? createRequestError(context, createFailure('fileFailed', { detail: file }))
			: file,
	);
}

async function downloadInOrder(
	context: RequestContext,
	files: readonly LinkedFile[],
	kind: FileKind,
): Promise<Downloaded[]> {
	const timeoutMs = Math.max(MAX_TIME_MS, parseTimeoutMs(context.httpOptions));
	const signal = clock.timeout(timeoutMs, getAbortSignal(context));
	const download = { context, kind, signal, remainingBytes: MAX_MEGABYTES * 1024 * 1024 };
	const downloaded: Downloaded[] = [];
	for (const file of files.slice(0, MAX_FILES)) {
		downloaded.push(await followLink(download, file));
	}
	const tooMany = `Only the first ${MAX_FILES} files of a response are downloaded`;
	return [...downloaded, ...files.slice(MAX_FILES).map(() => tooMany)];
}

/** Fetches the file that a link leads to. Checks the link and every redirect. */
async function followLink(download: Download, { url, name }: LinkedFile): Promise<Downloaded> {
	const { kind } = download;
	const { baseUrl, origin } = download.context.account;
	let withToken = kind === 'pdf';
	let base = baseUrl;
	let link = url;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const checked = checkLink(link, base, origin, kind);
		if ('reason' in checked) return `The link to the file was not followed: ${checked.reason}`;
		// after another host, no request gets the token, even if a redirect leads back
		withToken &&= checked.hasAccountOrigin;
		base = checked.url;
		const fetched = await requestFile(download, { url: base, name }, withToken);
		if ('file' in fetched) return fetched.file;
		link = fetched.redirectsTo;
	}
	return 'The link to the file redirects in a loop';
}

async function requestFile(
	download: Download,
	{ url, name }: LinkedFile,
	withToken: boolean,
): Promise<{ file: Downloaded } | { redirectsTo: string }> {
	const { n8n, httpOptions } = download.context;
	const options: IHttpRequestOptions = {
		// all other options are meant for the API alone
		...(withToken ? httpOptions : pick(httpOptions, ['proxy', 'skipSslCertificateValidation'])),
		...STREAM_OPTIONS,
		method: 'GET',
		url,
		body: undefined,
		headers: { Accept: '*/*' },
		timeout: parseTimeoutMs(httpOptions),
		abortSignal: download.signal,
	};
	const sentPromise: Promise<unknown> = withToken
		? n8n.helpers.httpRequestWithAuthentication.call(n8n, CREDENTIAL_TYPE, options)
		: n8n.helpers.httpRequest(options);
	const replyPromise = sentPromise as Promise<StreamedReply>;
	try {
		const reply = await waitUnlessAborted(replyPromise, download.signal);
		const { statusCode: status, headers } = reply;
		if (status >= 300 && status < 400 && typeof headers.location === 'string') {
			return { redirectsTo: headers.location };
		}
		if (status >= 200 && status < 300) {
			return { file: await storeFile(download, reply, name) };
		}
		return { file: describeFailedFetch(url, `status ${status}`) };
	} catch (error) {
		return { file: describeError(error, download, url) };
	} finally {
		closeReply(replyPromise);
	}
}

/** Streams the body of a reply into n8n's binary data. If the stream fails, n8n removes the incomplete file. */
async function storeFile(
	download: Download,
	{ headers, body }: StreamedReply,
	name: string,
): Promise<Downloaded> {
	const { context, kind, signal } = download;
	const { helpers } = context.n8n;
	if (!('prepareBinaryData' in helpers)) throw new Error('Not while the editor loads its lists');
	const type = String(headers['content-type']);
	const isHtml = /\bhtml\b/i.test(type) && !/\.html?$/i.test(name);
	if (isHtml || (kind === 'pdf' && /\bjson\b/i.test(type))) {
		return 'The link to the file returned a web page or JSON';
	}
	if (Number(headers['content-length']) > download.remainingBytes) return TOO_LARGE;
	const counted = body.map((chunk: Uint8Array) => {
		download.remainingBytes -= chunk.length;
		if (download.remainingBytes < 0) throw new Error(TOO_LARGE);
		return chunk;
	});
	counted.on('error', noop);
	const mimeType = kind === 'pdf' ? 'application/pdf' : undefined;
	try {
		return await waitUnlessAborted(helpers.prepareBinaryData(counted, name, mimeType), signal);
	} finally {
		counted.destroy();
	}
}

const TOO_LARGE = `The files of this response exceed ${MAX_MEGABYTES} MB in total`;

function describeError(error: unknown, { remainingBytes, signal }: Download, url: string): string {
	if (remainingBytes < 0) return TOO_LARGE;
	if (signal.aborted) return 'The files of this response could not be downloaded in time';
	const { detail = 'unknown' } = createTransportFailure(error);
	return describeFailedFetch(url, detail);
}

function describeFailedFetch(url: string, reason: string | number): string {
	return `The file at ${new URL(url).host} could not be fetched (${reason})`;
}
