import { noop, pick } from 'lodash';
import type { IBinaryData, IHttpRequestOptions } from 'n8n-workflow';
import { CREDENTIAL_TYPE } from '../account';
import { clock, MINUTE_MS, waitUnlessAborted } from '../clock';
import type { ServiceError } from '../errors';
import { STREAM_OPTIONS, closeReply, parseTimeoutMs, type StreamedReply } from '../request/callApi';
import { createTransportFailure } from '../request/parseReply';
import { createRequestError, type RequestContext } from '../requestContext';
import { createFailure } from '../failures';
import { checkLink, type FileKind } from './checkLink';

/*
 * Streams files into n8n's binary data, outside the account's request queue. Respondents choose the links to their
 * uploads, so a request for an upload has no token. A request for a PDF has the token only on the account's origin.
 */

type LinkedFile = { url: string; name: string };

/** A file, or why it is missing. */
type DownloadedFile = IBinaryData | ServiceError;

/** What the files of one response have in common. The signal aborts when the time is up. */
type Download = {
	readonly context: RequestContext;
	readonly kind: FileKind;
	readonly signal: AbortSignal;
	remainingBytes: number;
};

const MAX_FILES = 20;
const MAX_MEGABYTES = 256;

/** The maximum time for all files of one response, unless the node's Timeout is longer. */
const MAX_TIME_MS = MINUTE_MS;

const MAX_REDIRECTS = 5;

const TOO_LARGE = `the files of this response exceed ${MAX_MEGABYTES} MB in total`;

/** The number of responses whose files are downloaded at the same time, in all workflows of this process. */
const LANE_COUNT = 4;

/** Each lane resolves when the last download in it has ended. The lanes are used in turn. */
const lanes = Array<Promise<void>>(LANE_COUNT).fill(Promise.resolve());

/** Returns each file or its error. @throws ServiceError with the reason `canceled` if the caller aborted */
export async function downloadFiles(
	context: RequestContext,
	files: readonly LinkedFile[],
	kind: FileKind,
): Promise<DownloadedFile[]> {
	if (files.length === 0) return [];
	const previous = lanes.shift()!;
	const work = downloadInTurn(previous, context, files, kind);
	lanes.push(Promise.allSettled([previous, work]).then(noop));
	return await work;
}

async function downloadInTurn(
	previous: Promise<void>,
	context: RequestContext,
	files: readonly LinkedFile[],
	kind: FileKind,
): Promise<DownloadedFile[]> {
	const createCanceledError = () => createRequestError(context, createFailure('canceled'));
	await waitUnlessAborted(previous, context.signal, createCanceledError);
	const timeoutMs = Math.max(MAX_TIME_MS, parseTimeoutMs(context.httpOptions));
	const signal = clock.timeout(timeoutMs, context.signal);
	const download = { context, kind, signal, remainingBytes: MAX_MEGABYTES * 1024 * 1024 };
	const downloaded: DownloadedFile[] = [];
	for (const [index, file] of files.entries()) {
		try {
			if (index >= MAX_FILES) throw new Error(`only ${MAX_FILES} files of a response are`);
			downloaded.push(await followLink(download, file));
		} catch (error) {
			const detail = signal.aborted ? 'the time is up' : createTransportFailure(error).detail;
			downloaded.push(createRequestError(context, createFailure('fileFailed', { detail })));
		}
	}
	if (context.signal?.aborted) throw createCanceledError();
	return downloaded;
}

/** Fetches the file that a link leads to. Checks the link and every redirect. */
async function followLink(download: Download, { url, name }: LinkedFile): Promise<IBinaryData> {
	const { kind, signal } = download;
	const { baseUrl, origin } = download.context.account;
	let withToken = kind === 'pdf';
	let base = baseUrl;
	let link = url;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const checked = checkLink(link, base, origin, kind);
		// after another host, no request gets the token, even if a redirect leads back
		withToken &&= checked.hasAccountOrigin;
		base = checked.url;
		const replyPromise = sendRequest(download, base, withToken);
		try {
			const reply = await waitUnlessAborted(replyPromise, signal);
			const { statusCode: status, headers } = reply;
			if (status >= 200 && status < 300) return await storeFile(download, reply, name);
			const isRedirect = status >= 300 && status < 400 && typeof headers.location === 'string';
			if (!isRedirect) throw new Error(`status ${status}`);
			link = String(headers.location);
		} finally {
			closeReply(replyPromise);
		}
	}
	throw new Error('its link redirects in a loop');
}

async function sendRequest(
	{ context: { n8n, httpOptions }, signal }: Download,
	url: string,
	withToken: boolean,
): Promise<StreamedReply> {
	const options: IHttpRequestOptions = {
		// another host gets only these two options, because all others are meant for the API
		...(withToken ? httpOptions : pick(httpOptions, ['proxy', 'skipSslCertificateValidation'])),
		...STREAM_OPTIONS,
		method: 'GET',
		url,
		body: undefined,
		headers: { Accept: '*/*' },
		timeout: parseTimeoutMs(httpOptions),
		abortSignal: signal,
	};
	const reply: unknown = withToken
		? await n8n.helpers.httpRequestWithAuthentication.call(n8n, CREDENTIAL_TYPE, options)
		: await n8n.helpers.httpRequest(options);
	return reply as StreamedReply;
}

/** Streams the body of a reply into n8n's binary data. If the stream fails, n8n removes the incomplete file. */
async function storeFile(
	download: Download,
	{ headers, body }: StreamedReply,
	name: string,
): Promise<IBinaryData> {
	const { context, kind, signal } = download;
	const { helpers } = context.n8n;
	if (!('prepareBinaryData' in helpers)) throw new Error('the editor stores no files');
	const type = String(headers['content-type']);
	const isHtml = /\bhtml\b/i.test(type) && !/\.html?$/i.test(name);
	if (isHtml || (kind === 'pdf' && /\bjson\b/i.test(type))) {
		throw new Error('its link leads to a web page or JSON');
	}
	if (Number(headers['content-length']) > download.remainingBytes) throw new Error(TOO_LARGE);
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
