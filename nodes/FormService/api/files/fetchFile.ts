import type { IBinaryData, IHttpRequestOptions } from 'n8n-workflow';
import { CREDENTIAL } from '../account';
import { clock, unlessAborted } from '../clock';
import { NotSent } from '../errors';
import { retryAfterSeconds } from '../rateLimiter/limits';
import type { Headers } from '../rateLimiter/limits';
import { connectionProblems, problemOf } from '../request/connectionProblems';
import { dropBody, dropLateReply, timeoutOf } from '../request/http';
import type { Readable } from '../request/http';
import { isLogin, isRedirect, MAX_REDIRECTS } from '../request/redirects';
import { stopSignal } from '../request/request';
import type { RequestContext } from '../requestContext';
import { parseUrl } from '../url';
import { checkLink } from './links';

export type LinkedFile = {
	url: string;
	/** The name that the file gets. */
	name: string;
	/** The media type, if it is known; otherwise the host or the name decides. */
	mimeType?: string;
	/** The service itself made the link, so the token is sent to the account's origin. */
	isOfService: boolean;
	/**
	 * What the content is instead of the file that was asked for; undefined if it may be that file.
	 *
	 * @param start the first `START_BYTES` bytes, or all of a shorter file
	 */
	mismatch?: (start: Buffer) => string | undefined;
};

/** How much may still be read, from which every file is deducted, and until when. */
export type FileLimits = { bytesLeft: number; readonly deadline: AbortSignal };

export type FetchedFile =
	| { kind: 'file'; binary: IBinaryData }
	| { kind: 'tooLarge' }
	| { kind: 'tooLate' }
	/** Something else came; see `LinkedFile.mismatch`. */
	| { kind: 'mismatch'; found: string }
	| FileProblem;

/** Why the file cannot be downloaded. */
export type FileProblem = {
	kind: 'problem';
	message: string;
	detail?: string;
	status?: number;
	/** The host may give the file later, after so many seconds if it says so. */
	mayPass?: boolean;
	retryAfterS?: number;
};

/** The bytes from the beginning of a file that show what it is. */
const START_BYTES = 1024;

/**
 * Follows a link to its file and streams the file into n8n's binary data. Redirects are checked like the
 * link itself. The token is sent only with a link that the service made, and only as long as that stays on
 * the account's origin. A file takes no part in the account's rate limit: it waits for no turn, and its
 * failures say nothing about the API.
 *
 * @throws NotSent if the caller gave up
 */
export async function fetchFile(
	context: RequestContext,
	file: LinkedFile,
	limits: FileLimits,
): Promise<FetchedFile> {
	const { account } = context;
	let link = file.url;
	let base = account.baseUrl;
	let { isOfService } = file;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const checked = checkLink(link, base, account.origin, isOfService);
		if ('reason' in checked) {
			return problem(`The link to the file was not followed: ${checked.reason}`);
		}
		// where another host leads to is not the service's choice
		isOfService &&= checked.isOwn;
		const fetched = await fetchOnce(context, { ...file, url: checked.url, isOfService }, limits);
		if (fetched.kind !== 'redirect') return fetched;
		const target = parseUrl(fetched.location, checked.url);
		if (target !== undefined && isLogin(target)) {
			return problem(`The file at ${new URL(checked.url).host} requires a login`);
		}
		link = fetched.location;
		base = checked.url;
	}
	return problem('The link to the file redirects in a loop');
}

/** A reply of n8n's helpers, its body as a stream. */
type FileReply = { statusCode: number; headers: Headers; body: Readable };

async function fetchOnce(
	context: RequestContext,
	file: LinkedFile,
	limits: FileLimits,
): Promise<FetchedFile | { kind: 'redirect'; location: string }> {
	if (limits.deadline.aborted) return { kind: 'tooLate' };
	const { host } = new URL(file.url);
	const ending = new AbortController();
	const sending = send(context, file, ending.signal);
	let body: Readable | undefined;
	try {
		const reply = await inTime(context, sending, limits.deadline);
		const { statusCode: status, headers } = reply;
		({ body } = reply);
		// an error that nobody listens to would end n8n's process
		body.on('error', () => {});
		if (isRedirect(status) && typeof headers.location === 'string') {
			return { kind: 'redirect', location: headers.location };
		}
		if (status >= 200 && status < 300) return await store(context, headers, body, file, limits);
		return problem(`The file at ${host} could not be fetched (status ${status})`, {
			status,
			mayPass: status >= 500 || MAY_PASS.includes(status),
			retryAfterS: retryAfterSeconds(headers, clock.now()),
		});
	} catch (error) {
		return brokenFile(context, error, host, limits.deadline);
	} finally {
		ending.abort();
		// with the credential, n8n puts a signal of its own in the place of this one
		if (body === undefined) sending.then(dropLateReply).catch(() => {});
		else dropBody(body);
	}
}

function brokenFile(
	context: RequestContext,
	error: unknown,
	host: string,
	deadline: AbortSignal,
): FetchedFile {
	if (stopSignal(context)?.aborted) throw new NotSent(context.n8n.getNode(), context.itemIndex);
	if (deadline.aborted) return { kind: 'tooLate' };
	const { problem: why, detail } = problemOf(error);
	const mayPass = connectionProblems[why].isSetting !== true;
	return problem(`The file at ${host} could not be fetched`, { detail, mayPass });
}

/** Statuses below 500 of a host that may have the file later (RFC 9110 and RFC 6585). */
const MAY_PASS = [408, 425, 429];

function problem(message: string, more: Partial<FileProblem> = {}): FileProblem {
	return { kind: 'problem', message, ...more };
}

async function send(
	{ n8n, transport = {} }: RequestContext,
	{ url, isOfService: withToken }: LinkedFile,
	abortSignal: AbortSignal,
): Promise<FileReply> {
	const { helpers } = n8n;
	const { timeout, proxy, skipSslCertificateValidation } = transport;
	const options: IHttpRequestOptions = {
		// the other request options are meant for the API
		...(withToken ? transport : { proxy, skipSslCertificateValidation }),
		...{ url, method: 'GET', headers: { Accept: '*/*' }, timeout: timeoutOf(timeout), abortSignal },
		...{ baseURL: undefined, qs: undefined, body: undefined },
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		sendCredentialsOnCrossOriginRedirect: false,
	};
	const sending: Promise<unknown> = withToken
		? helpers.httpRequestWithAuthentication.call(n8n, CREDENTIAL, options)
		: helpers.httpRequest(options);
	return (await sending) as FileReply;
}

/** Streams a body into n8n's binary data; n8n removes a file that it could not finish. */
async function store(
	context: RequestContext,
	headers: Headers,
	body: Readable,
	{ url, name, mimeType, mismatch }: LinkedFile,
	limits: FileLimits,
): Promise<FetchedFile> {
	const { helpers } = context.n8n;
	if (!('prepareBinaryData' in helpers)) throw new Error('Not while the editor loads its lists');
	const { bytesLeft, deadline } = limits;
	if (Number(headers['content-length'] ?? 0) > bytesLeft) return { kind: 'tooLarge' };
	let bytes = 0;
	let start = Buffer.alloc(0);
	const failed = (isAll: boolean): FetchedFile | undefined => {
		if (bytes > bytesLeft) return { kind: 'tooLarge' };
		const found = isAll || start.length === START_BYTES ? mismatch?.(start) : undefined;
		return found === undefined ? undefined : { kind: 'mismatch', found };
	};
	const checked = body.map((chunk: Uint8Array) => {
		bytes += chunk.length;
		start = Buffer.concat([start, chunk.subarray(0, START_BYTES - start.length)]);
		if (failed(false) !== undefined) throw new Error('The rest of the file is not read');
		return chunk;
	});
	checked.on('error', () => {});
	const storing = helpers.prepareBinaryData(checked, name, mimeType ?? mimeTypeOf(headers));
	const stored = await inTime(context, storing, deadline).catch(asError);
	checked.destroy();
	if (stored instanceof Error) {
		return failed(false) ?? brokenFile(context, stored, new URL(url).host, deadline);
	}
	limits.bytesLeft -= bytes;
	return failed(true) ?? { kind: 'file', binary: stored };
}

function asError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}

/** The media type without its parameters, if the host says more than "some bytes". */
function mimeTypeOf(headers: Headers): string | undefined {
	const type = String(headers['content-type'] ?? '')
		.split(';')[0]
		.trim()
		.toLowerCase();
	return /^[\w.+-]+\/[\w.+-]+$/.test(type) && type !== 'application/octet-stream'
		? type
		: undefined;
}

/** The result of the work, unless the caller gives up or the time is over: then it is not waited for. */
async function inTime<T>(
	context: RequestContext,
	work: Promise<T>,
	deadline: AbortSignal,
): Promise<T> {
	const stopped = () => new NotSent(context.n8n.getNode(), context.itemIndex);
	const until = unlessAborted(work, stopSignal(context), stopped);
	return await unlessAborted(until, deadline, () => new Error('The time is over'));
}
