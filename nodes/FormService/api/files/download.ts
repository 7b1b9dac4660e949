import { mapValues, noop, pick } from 'lodash';
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
import { createTransportFailure, TIMEOUT_STATUSES } from '../request/classify';
import { computeRetryDelayMs } from '../request/callApi';
import { createRequestError, getAbortSignal, type RequestContext } from '../requestContext';
import { createFailure, type RequestFailure } from '../failures';
import { checkLink } from '../url';

/*
 * Streams files into n8n's binary data. Downloads do not use the account's request queue, so a failed download
 * never delays a request to the API.
 *
 * Respondents choose the links to their uploads, so a request for an upload has no token. The service creates
 * the links to its PDFs, and a PDF can be on another host. A request for a PDF has the token only if the PDF is
 * on the account's origin.
 */

type LinkedFile = {
	url: string;
	/** The name that the file gets in n8n. */
	name: string;
	kind: 'upload' | 'pdf';
};

/**
 * The limits for all files of one response together. `remainingBytes` is the number of bytes that may still be
 * downloaded. `signal` aborts when the time is up.
 */
type Limits = { remainingBytes: number; readonly signal: AbortSignal };

type Fetched = { binary: IBinaryData } | RequestFailure;

/** The limits for the files of one response, which n8n may keep in memory. */
const MAX_FILES = 20;
const MAX_MEGABYTES = 256;

/** The maximum time for all files of one response, unless the node's Timeout is longer. */
const MAX_TIME_MS = 60_000;

/** The maximum number of redirects to follow for one file. */
const MAX_REDIRECTS = 5;

/**
 * The number of download lanes in this process. In a lane, the files of one response are downloaded after the
 * files of another response. Triggers (`high`) have their own lanes, so that triggers do not wait for items
 * (`low`).
 */
const LANE_COUNTS = { high: 2, low: 4 };

/**
 * Downloads the uploaded files of one response, one after another. Returns each file, or why it is missing.
 *
 * @throws ServiceError if the caller aborted
 */
export async function downloadUploads(
	context: RequestContext,
	files: ReadonlyArray<{ url: string; name: string }>,
): Promise<Array<IBinaryData | ServiceError>> {
	if (files.length === 0) return [];
	const uploads = files.slice(0, MAX_FILES).map((file) => ({ ...file, kind: 'upload' as const }));
	const fetched = await fetchInLane(context, uploads);
	return files.map((_file, index) => {
		const result = fetched[index] ?? TOO_MANY;
		return 'binary' in result ? result.binary : createRequestError(context, result);
	});
}

/**
 * Downloads the PDF of a response from the link that the service created.
 *
 * @throws ServiceError if the download failed or the caller aborted
 */
export async function downloadPdf(
	context: RequestContext,
	url: string,
	name: string,
): Promise<IBinaryData> {
	const [fetched] = await fetchInLane(context, [{ url, name, kind: 'pdf' }]);
	if ('binary' in fetched) return fetched.binary;
	throw createRequestError(context, fetched);
}

/** The download lanes. Each lane is a promise that resolves when the last download in the lane has ended. */
const downloadLanes = mapValues(LANE_COUNTS, (count) =>
	Array<Promise<void>>(count).fill(Promise.resolve()),
);

/**
 * Fetches the files of one response in a download lane. First waits until the earlier downloads in this lane
 * have ended. The lanes are used in turn.
 */
async function fetchInLane(context: RequestContext, files: LinkedFile[]): Promise<Fetched[]> {
	const queue = downloadLanes[context.priority];
	const previous = queue.shift()!;
	const abortSignal = getAbortSignal(context);
	const createCanceledError = () => createRequestError(context, createFailure('canceled'));
	const turn = waitUnlessAborted(previous, abortSignal, createCanceledError);
	const work = turn.then(async () => {
		const timeoutMs = Math.max(MAX_TIME_MS, parseTimeoutMs(context.httpOptions));
		const signal = clock.timeout(timeoutMs, abortSignal);
		const limits = { remainingBytes: MAX_MEGABYTES * 1024 * 1024, signal };
		const fetched: Fetched[] = [];
		for (const file of files) fetched.push(await fetchWithRetries(context, file, limits));
		return fetched;
	});
	queue.push(Promise.allSettled([previous, work]).then(noop));
	const fetched = await work;
	if (abortSignal?.aborted) throw createCanceledError();
	return fetched;
}

/** Fetches a file, and retries after a temporary failure. */
async function fetchWithRetries(
	context: RequestContext,
	file: LinkedFile,
	limits: Limits,
): Promise<Fetched> {
	const failures: RequestFailure[] = [];
	for (;;) {
		const fetched = await fetchFile(context, file, limits);
		const mayRetry = context.retry !== false && !limits.signal.aborted;
		if ('binary' in fetched || !mayRetry) return fetched;
		failures.push(fetched);
		const retryDelayMs = computeRetryDelayMs(failures, context.priority, Math.random());
		if (retryDelayMs === undefined) return fetched;
		await clock.sleep(retryDelayMs, limits.signal);
	}
}

/** Fetches the file that a link leads to. Follows redirects. Checks the link and every redirect. */
async function fetchFile(
	context: RequestContext,
	file: LinkedFile,
	limits: Limits,
): Promise<Fetched> {
	const { baseUrl, origin } = context.account;
	let withToken = file.kind === 'pdf';
	let base = baseUrl;
	let link = file.url;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const checked = checkLink(link, base, origin, file.kind);
		if ('reason' in checked) {
			return createFailure('fileFailed', {
				detail: `The link to the file was not followed: ${checked.reason}`,
			});
		}
		// once a redirect has left the account's origin, no later request gets the token, even if a redirect leads
		// back
		withToken &&= checked.hasAccountOrigin;
		base = checked.url;
		const fetched = await requestFile(context, { ...file, url: base }, withToken, limits);
		if (!('redirectsTo' in fetched)) return fetched;
		link = fetched.redirectsTo;
	}
	return createFailure('fileFailed', { detail: 'The link to the file redirects in a loop' });
}

async function requestFile(
	{ n8n, httpOptions }: RequestContext,
	file: LinkedFile,
	withToken: boolean,
	limits: Limits,
): Promise<Fetched | { redirectsTo: string }> {
	const options: IHttpRequestOptions = {
		// without the token, send only these request options, because all other options are meant for the API
		...(withToken ? httpOptions : pick(httpOptions, ['proxy', 'skipSslCertificateValidation'])),
		...STREAM_OPTIONS,
		method: 'GET',
		url: file.url,
		body: undefined,
		headers: { Accept: '*/*' },
		timeout: parseTimeoutMs(httpOptions),
		abortSignal: limits.signal,
	};
	const sentPromise: Promise<unknown> = withToken
		? n8n.helpers.httpRequestWithAuthentication.call(n8n, CREDENTIAL_TYPE, options)
		: n8n.helpers.httpRequest(options);
	const replyPromise = sentPromise as Promise<StreamedReply>;
	try {
		const reply = await waitUnlessAborted(replyPromise, limits.signal);
		const { statusCode: status, headers } = reply;
		if (status >= 300 && status < 400 && typeof headers.location === 'string') {
			return { redirectsTo: headers.location };
		}
		if (status >= 200 && status < 300) return await storeFile(n8n, reply, file, limits);
		const isTemporary = status >= 500 || [429, ...TIMEOUT_STATUSES].includes(status);
		const detail = `The file at ${new URL(file.url).host} could not be fetched (status ${status})`;
		return createFailure('fileFailed', { detail, status, ...(isTemporary && TEMPORARY) });
	} catch (error) {
		return toFileFailure(error, file, limits);
	} finally {
		closeReply(replyPromise);
	}
}

/** Streams the body of a reply into n8n's binary data. If the stream fails, n8n removes the incomplete file. */
async function storeFile(
	{ helpers }: RequestContext['n8n'],
	{ headers, body }: StreamedReply,
	file: LinkedFile,
	limits: Limits,
): Promise<Fetched> {
	if (!('prepareBinaryData' in helpers)) throw new Error('Not while the editor loads its lists');
	const { name, kind } = file;
	const type = String(headers['content-type']);
	const isHtml = /\bhtml\b/i.test(type) && !/\.html?$/i.test(name);
	if (isHtml || (kind === 'pdf' && /\bjson\b/i.test(type))) return NOT_A_FILE;
	if (Number(headers['content-length']) > limits.remainingBytes) return TOO_LARGE;
	const counted = body.map((chunk: Uint8Array) => {
		limits.remainingBytes -= chunk.length;
		if (limits.remainingBytes < 0) throw new Error('The rest of the file is not read');
		return chunk;
	});
	counted.on('error', noop);
	const mimeType = kind === 'pdf' ? 'application/pdf' : undefined;
	try {
		const storing = helpers.prepareBinaryData(counted, name, mimeType);
		return { binary: await waitUnlessAborted(storing, limits.signal) };
	} catch (error) {
		return limits.remainingBytes < 0 ? TOO_LARGE : toFileFailure(error, file, limits);
	} finally {
		counted.destroy();
	}
}

const TEMPORARY = { cause: 'temporarily-unavailable' } as const;

const TOO_MANY = createFailure('fileFailed', {
	detail: `Only the first ${MAX_FILES} files of a response are downloaded`,
});
const TOO_LARGE = createFailure('fileFailed', {
	detail: `The files of this response exceed ${MAX_MEGABYTES} MB in total`,
});
const TIMED_OUT = createFailure('fileFailed', {
	detail: 'The files of this response could not be downloaded in time',
	...TEMPORARY,
});
const NOT_A_FILE = createFailure('fileFailed', {
	detail: 'The link to the file returned a web page or JSON',
});

function toFileFailure(error: unknown, { url }: LinkedFile, limits: Limits): RequestFailure {
	if (limits.signal.aborted) return TIMED_OUT;
	const { cause, detail: problem } = createTransportFailure(error);
	const detail = `The file at ${new URL(url).host} could not be fetched (${problem})`;
	return createFailure('fileFailed', { detail, ...(cause === TEMPORARY.cause && TEMPORARY) });
}
