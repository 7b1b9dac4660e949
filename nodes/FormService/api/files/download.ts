import { mapValues, noop, pick } from 'lodash';
import type { IBinaryData, IHttpRequestOptions } from 'n8n-workflow';
import { CREDENTIAL_TYPE } from '../account';
import { clock, waitUnlessAborted } from '../clock';
import { NotSentError, type ServiceError, type RequestFailure } from '../errors';
import {
	STREAM_OPTIONS,
	closeReply,
	toTransportFailure,
	parseTimeoutMs,
	type StreamedReply,
} from '../request/sendOnce';
import { computeRetryDelayMs, createTransportFailure } from '../request/requestFailure';
import { createRequestError, getAbortSignal, type RequestContext } from '../requestContext';
import { checkLink } from '../url';

/*
 * Files are streamed into n8n's binary data. They wait for no turn in the account's queue, and their failures
 * say nothing about the API. Respondents choose the links to their uploads, which are followed without the
 * token. The service makes the links to its PDFs: these are followed wherever they lead, with the token as
 * long as they stay on the account's origin.
 */

type LinkedFile = {
	url: string;
	/** The name that the file gets. */
	name: string;
	kind: 'upload' | 'pdf';
};

/** What the files of one response may still take together. The signal aborts when they are given up. */
type Limits = { bytesLeft: number; readonly signal: AbortSignal };

type Fetched = { binary: IBinaryData } | { trouble: RequestFailure };

/** The most files of one response, and the most bytes of them together: n8n may keep them in memory. */
const MAX_FILES = 20;
const MAX_BYTES = 256 * 1024 * 1024;

/** How long the files of one response may take together, unless the node's Timeout is longer. */
const TIME_MS = 60_000;

/** The most redirects that are followed to one file. */
const MAX_REDIRECTS = 5;

/** Responses whose files are downloaded at a time in this process; triggers do not wait for items. */
const MAX_AT_A_TIME = { prompt: 2, bulk: 4 };

/**
 * Downloads the uploaded files of one response, one after another.
 *
 * @returns one entry for each file, in order. A ServiceError says why a file is missing, also a file beyond
 * the limits; its cause is `temporarily-unavailable` if its host may have the file later
 * @throws NotSent if the caller gave up
 */
export async function downloadUploads(
	context: RequestContext,
	files: ReadonlyArray<{ url: string; name: string }>,
): Promise<Array<IBinaryData | ServiceError>> {
	if (files.length === 0) return [];
	const uploads = files.slice(0, MAX_FILES).map((file) => ({ ...file, kind: 'upload' as const }));
	const fetched = await fetchInTurn(context, uploads);
	return files.map((_file, index) => {
		const one = fetched[index] ?? TOO_MANY;
		return 'binary' in one ? one.binary : createRequestError(context, one.trouble);
	});
}

/**
 * Downloads the PDF of a response from the link that the service made.
 *
 * @throws ServiceError that says why there is no PDF; NotSent if the caller gave up
 */
export async function downloadPdf(
	context: RequestContext,
	url: string,
	name: string,
): Promise<IBinaryData> {
	const [fetched] = await fetchInTurn(context, [{ url, name, kind: 'pdf' }]);
	if ('binary' in fetched) return fetched.binary;
	throw createRequestError(context, fetched.trouble);
}

/** The places for responses: each has the files of one response after another. */
const places = mapValues(MAX_AT_A_TIME, (count) =>
	Array<Promise<void>>(count).fill(Promise.resolve()),
);

/** Fetches the files of one response once the earlier ones at its place have ended. */
async function fetchInTurn(context: RequestContext, files: LinkedFile[]): Promise<Fetched[]> {
	const queue = places[context.urgency];
	const before = queue.shift()!;
	const stop = getAbortSignal(context);
	const createNotSent = () => new NotSentError(context.n8n.getNode(), context.itemIndex);
	const turn = waitUnlessAborted(before, stop, createNotSent);
	const work = turn.then(async () => {
		const signal = clock.timeout(Math.max(TIME_MS, parseTimeoutMs(context.transport)), stop);
		const limits = { bytesLeft: MAX_BYTES, signal };
		const fetched: Fetched[] = [];
		for (const file of files) fetched.push(await fetchPatiently(context, file, limits));
		return fetched;
	});
	queue.push(Promise.allSettled([before, work]).then(noop));
	const fetched = await work;
	if (stop?.aborted) throw createNotSent();
	return fetched;
}

/** Fetches a file, and again while it fails for a reason that can pass. */
async function fetchPatiently(
	context: RequestContext,
	file: LinkedFile,
	limits: Limits,
): Promise<Fetched> {
	for (let tries = 1; ; tries++) {
		const fetched = await fetchFile(context, file, limits);
		const mayRetry = context.retry !== false && !limits.signal.aborted;
		if ('binary' in fetched || !mayRetry) return fetched;
		const pauseMs = computeRetryDelayMs('safe', fetched.trouble, tries, Math.random());
		if (pauseMs === undefined) return fetched;
		await clock.sleep(pauseMs, limits.signal);
	}
}

/** Follows a link to its file. Redirects are checked like the link itself. */
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
			return createTrouble(`The link to the file was not followed: ${checked.reason}`);
		}
		// where another host redirects is not the service's choice: it must not direct the token
		withToken &&= checked.isOwn;
		base = checked.url;
		const fetched = await fetchOnce(context, { ...file, url: base }, withToken, limits);
		if (!('location' in fetched)) return fetched;
		link = fetched.location;
	}
	return createTrouble('The link to the file redirects in a loop');
}

async function fetchOnce(
	{ n8n, transport }: RequestContext,
	file: LinkedFile,
	withToken: boolean,
	limits: Limits,
): Promise<Fetched | { location: string }> {
	const options: IHttpRequestOptions = {
		// the other request options are meant for the API
		...(withToken ? transport : pick(transport, ['proxy', 'skipSslCertificateValidation'])),
		...{ ...STREAM_OPTIONS, method: 'GET', url: file.url, body: undefined },
		...{
			headers: { Accept: '*/*' },
			timeout: parseTimeoutMs(transport),
			abortSignal: limits.signal,
		},
	};
	const sending: Promise<unknown> = withToken
		? n8n.helpers.httpRequestWithAuthentication.call(n8n, CREDENTIAL_TYPE, options)
		: n8n.helpers.httpRequest(options);
	const opening = sending as Promise<StreamedReply>;
	try {
		const reply = await waitUnlessAborted(opening, limits.signal);
		const { statusCode: status, headers } = reply;
		if (status >= 300 && status < 400 && typeof headers.location === 'string') {
			return { location: headers.location };
		}
		if (status >= 200 && status < 300) return await storeFile(n8n, reply, file, limits);
		const message = `The file at ${new URL(file.url).host} could not be fetched (status ${status})`;
		const more = status >= 500 || status === 429 ? { failure: PASSING } : {};
		return createTrouble(message, { httpCode: String(status), ...more });
	} catch (error) {
		return explainError(error, file, limits);
	} finally {
		closeReply(opening);
	}
}

/** Streams a body into n8n's binary data; n8n removes a file that it could not finish. */
async function storeFile(
	{ helpers }: RequestContext['n8n'],
	{ headers, body }: StreamedReply,
	file: LinkedFile,
	limits: Limits,
): Promise<Fetched> {
	if (!('prepareBinaryData' in helpers)) throw new Error('Not while the editor loads its lists');
	const { name, kind } = file;
	const type = String(headers['content-type']);
	const isPage = /\bhtml\b/i.test(type) && !/\.html?$/i.test(name);
	if (isPage || (kind === 'pdf' && /\bjson\b/i.test(type))) return NO_FILE;
	if (Number(headers['content-length']) > limits.bytesLeft) return TOO_LARGE;
	const counted = body.map((chunk: Uint8Array) => {
		limits.bytesLeft -= chunk.length;
		if (limits.bytesLeft < 0) throw new Error('The rest of the file is not read');
		return chunk;
	});
	counted.on('error', noop);
	const mimeType = kind === 'pdf' ? 'application/pdf' : undefined;
	try {
		const storing = helpers.prepareBinaryData(counted, name, mimeType);
		return { binary: await waitUnlessAborted(storing, limits.signal) };
	} catch (error) {
		return limits.bytesLeft < 0 ? TOO_LARGE : explainError(error, file, limits);
	} finally {
		counted.destroy();
	}
}

const PASSING = { cause: 'temporarily-unavailable' } as const;

const CHECK_FILE =
	'Run this again, or open the response in Form Service to check whether the file still exists.';

function createTrouble(
	message: string,
	more: Partial<RequestFailure> = {},
): { trouble: RequestFailure } {
	const failure = { cause: 'configuration-invalid' } as const;
	return { trouble: { message, description: CHECK_FILE, failure, ...more } };
}

const TOO_MANY = createTrouble(`Only the first ${MAX_FILES} files of a response are downloaded`);
const TOO_LARGE = createTrouble('The files of this response exceed 256 MB in total');
const TOO_LATE = createTrouble('The files of this response could not be downloaded in time', {
	failure: PASSING,
});
const NO_FILE = createTrouble('The link to the file returned a web page or JSON');

function explainError(error: unknown, { url }: LinkedFile, limits: Limits): Fetched {
	if (limits.signal.aborted) return TOO_LATE;
	const { host } = new URL(url);
	const broken = toTransportFailure(error);
	const { failure } = createTransportFailure(broken, host);
	const description = `${CHECK_FILE} (${broken.code})`;
	const more = failure.cause === PASSING.cause ? { failure } : {};
	return createTrouble(`The file at ${host} could not be fetched`, { description, ...more });
}
