import type { IBinaryData, IHttpRequestOptions } from 'n8n-workflow';
import { clock, waitUnlessAborted } from '../clock';
import type { Explanation } from '../errors';
import { parseRetryAfter } from '../rateLimiter/limits';
import type { Headers } from '../rateLimiter/limits';
import {
	dropReply,
	findConnectionProblem,
	isSetting,
	parseTimeout,
	sendByN8n,
} from '../request/http';
import type { N8nReply } from '../request/http';
import { SET_TIMEOUT } from '../request/trouble';
import { createNotSent, getStopSignal } from '../requestContext';
import type { RequestContext } from '../requestContext';
import { checkLink, isRedirect, isLoginLink, MAX_REDIRECTS } from '../url';

export type LinkedFile = {
	url: string;
	/** The name that the file gets. */
	name: string;
	/** The media type, if it is known; otherwise the host or the name decides. */
	mimeType?: string;
	/**
	 * Who made the link. Respondents choose the links to their files. The service makes those to its PDFs:
	 * these are followed wherever they lead, with the token on the account's origin.
	 */
	madeBy: 'respondent' | 'service';
	/**
	 * Says what the content is instead of the file that was asked for; undefined if it may be that file.
	 *
	 * @param start the first `START_BYTES` bytes, or all of a shorter file
	 */
	findMismatch?: (start: Buffer) => string | undefined;
};

/** How much may still be read, from which every file is deducted, and until when. */
export type FileLimits = { bytesLeft: number; readonly deadline: AbortSignal };

export type FetchedFile = { kind: 'file'; binary: IBinaryData } | FileProblem;

/** Why there is no file. */
export type FileProblem = {
	kind: 'problem';
	explanation: Explanation;
	/** The host may give the file later, after so many seconds if it says so. */
	mayRetry?: boolean;
	retryAfterS?: number;
};

/** The most bytes of one response's files together: n8n may keep them in memory. */
const MAX_BYTES = 256 * 1024 * 1024;

/** How long the files of one response may take together, unless the node's Timeout is longer. */
const TIME_MS = 60_000;

/** The bytes from the beginning of a file that show what it is. */
const START_BYTES = 1024;

/** What the files of one response may take together. */
export function createLimits(context: RequestContext): FileLimits {
	return { bytesLeft: MAX_BYTES, deadline: clock.timeout(getTimeMs(context)) };
}

function getTimeMs({ transport }: RequestContext): number {
	return Math.max(TIME_MS, parseTimeout(transport?.timeout));
}

/**
 * Follows a link to its file and streams the file into n8n's binary data. Redirects are checked like the
 * link itself. The token is sent only with a link that the service made, and only as long as the link
 * stays on the account's origin. A file takes no part in the account's rate limit: it waits for no turn,
 * and its failures say nothing about the API.
 *
 * @throws NotSent if the caller gave up
 */
export async function fetchFile(
	context: RequestContext,
	file: LinkedFile,
	limits: FileLimits,
): Promise<FetchedFile> {
	const { baseUrl, origin } = context.account;
	const isOfService = file.madeBy === 'service';
	let withToken = isOfService;
	let link = file.url;
	let base = baseUrl;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const checked = checkLink(link, base, origin, isOfService);
		if ('reason' in checked) {
			return createProblem(`The link to the file was not followed: ${checked.reason}`);
		}
		// where another host redirects is not the service's choice: it must not direct the token
		withToken &&= checked.isOwn;
		const fetched = await fetchOnce(context, { ...file, url: checked.url }, withToken, limits);
		if (fetched.kind !== 'redirect') return fetched;
		base = checked.url;
		link = fetched.location;
		if (isLoginLink(link, base)) {
			const more = isOfService ? { description: CHECK_PDF } : {};
			return createProblem(`The file at ${new URL(base).host} requires a login`, more);
		}
	}
	return createProblem('The link to the file redirects in a loop');
}

async function fetchOnce(
	context: RequestContext,
	file: LinkedFile,
	withToken: boolean,
	limits: FileLimits,
): Promise<FetchedFile | { kind: 'redirect'; location: string }> {
	if (limits.deadline.aborted) return createTooLate(context);
	const { host } = new URL(file.url);
	const ending = new AbortController();
	const options = createOptions(context, file.url, withToken, ending.signal);
	const sending = sendByN8n(context.n8n, options, withToken);
	try {
		const reply = await waitInTime(context, sending, limits.deadline);
		const { statusCode: status, headers, body } = reply;
		// an error that nobody listens to would end n8n's process
		body.on('error', () => {});
		if (isRedirect(status) && typeof headers.location === 'string') {
			return { kind: 'redirect', location: headers.location };
		}
		if (status >= 200 && status < 300) return await storeFile(context, reply, file, limits);
		return createProblem(`The file at ${host} could not be fetched (status ${status})`, {
			...(file.madeBy === 'service' && { description: CHECK_PDF }),
			httpCode: String(status),
			mayRetry: status >= 500 || MAY_PASS.includes(status),
			retryAfterS: parseRetryAfter(headers, clock.now()),
		});
	} catch (error) {
		return explainBrokenFile(context, error, host, limits.deadline);
	} finally {
		// n8n ignores this signal if it sends the credential
		ending.abort();
		dropReply(sending);
	}
}

/** Statuses below 500 of a host that may have the file later (RFC 9110 and RFC 6585). */
const MAY_PASS = [408, 425, 429];

function createOptions(
	{ transport = {} }: RequestContext,
	url: string,
	withToken: boolean,
	abortSignal: AbortSignal,
): IHttpRequestOptions {
	const { proxy, skipSslCertificateValidation } = transport;
	const timeout = parseTimeout(transport.timeout);
	return {
		// the other request options are meant for the API
		...(withToken ? transport : { proxy, skipSslCertificateValidation }),
		...{ url, method: 'GET', headers: { Accept: '*/*' }, timeout, abortSignal },
		...{ baseURL: undefined, qs: undefined, body: undefined },
	};
}

/** Streams a body into n8n's binary data; n8n removes a file that it could not finish. */
async function storeFile(
	context: RequestContext,
	{ headers, body }: N8nReply,
	{ url, name, mimeType, findMismatch }: LinkedFile,
	limits: FileLimits,
): Promise<FetchedFile> {
	const { helpers } = context.n8n;
	if (!('prepareBinaryData' in helpers)) throw new Error('Not while the editor loads its lists');
	const { bytesLeft, deadline } = limits;
	if (Number(headers['content-length'] ?? 0) > bytesLeft) return TOO_LARGE;
	let bytes = 0;
	let start = Buffer.alloc(0);
	const findProblem = (isAll: boolean): FileProblem | undefined => {
		if (bytes > bytesLeft) return TOO_LARGE;
		const found = isAll || start.length === START_BYTES ? findMismatch?.(start) : undefined;
		return found === undefined ? undefined : createNotPdf(found);
	};
	const checked = body.map((chunk: Uint8Array) => {
		bytes += chunk.length;
		start = Buffer.concat([start, chunk.subarray(0, START_BYTES - start.length)]);
		if (findProblem(false) !== undefined) throw new Error('The rest of the file is not read');
		return chunk;
	});
	checked.on('error', () => {});
	const storing = helpers.prepareBinaryData(checked, name, mimeType ?? parseMimeType(headers));
	try {
		const binary = await waitInTime(context, storing, deadline);
		limits.bytesLeft -= bytes;
		return findProblem(true) ?? { kind: 'file', binary };
	} catch (error) {
		return findProblem(false) ?? explainBrokenFile(context, error, new URL(url).host, deadline);
	} finally {
		checked.destroy();
	}
}

/** The media type without its parameters, if the host says more than "some bytes". */
function parseMimeType(headers: Headers): string | undefined {
	const type = String(headers['content-type'] ?? '')
		.split(';')[0]
		.trim()
		.toLowerCase();
	const isSpecific = /^[\w.+-]+\/[\w.+-]+$/.test(type) && type !== 'application/octet-stream';
	return isSpecific ? type : undefined;
}

/** The result of the work, unless the caller gives up or the time is over: then it is not waited for. */
async function waitInTime<T>(
	context: RequestContext,
	work: Promise<T>,
	deadline: AbortSignal,
): Promise<T> {
	const until = waitUnlessAborted(work, getStopSignal(context), () => createNotSent(context));
	return await waitUnlessAborted(until, deadline, () => new Error('The time is over'));
}

const CHECK_FILE = 'Open the response in Form Service to check whether the file still exists.';
const CHECK_PDF =
	"The link to the PDF may have expired; run this item again to get a new one. To open the link in a browser, turn off 'Download PDF'.";
const PASSING = { failure: { cause: 'temporarily-unavailable' } } as const;

/** @param more replaces the advice to look at the response, or adds to it */
function createProblem(
	message: string,
	{
		mayRetry,
		retryAfterS,
		...more
	}: Partial<Explanation> & Omit<FileProblem, 'kind' | 'explanation'> = {},
): FileProblem {
	const explanation = { message, description: CHECK_FILE, ...(mayRetry && PASSING), ...more };
	return { kind: 'problem', explanation, mayRetry, retryAfterS };
}

/** A file beyond the number of those that are downloaded. */
export function createTooMany(most: number): FileProblem {
	return createProblem(`Only the first ${most} files of a response are downloaded`);
}

const TOO_LARGE = createProblem(
	`The files of this response exceed ${MAX_BYTES / 2 ** 20} MB in total`,
);

function createTooLate(context: RequestContext): FileProblem {
	const seconds = getTimeMs(context) / 1000;
	return createProblem(
		`The files of this response could not be downloaded within ${seconds} seconds`,
		{ description: context.transport ? SET_TIMEOUT : CHECK_FILE, ...PASSING },
	);
}

function createNotPdf(found: string): FileProblem {
	return createProblem(`The link to the PDF returned ${found} instead of a PDF`, {
		description:
			"Form Service may still be creating the PDF; try again later. To open the link in a browser, turn off 'Download PDF'.",
		...PASSING,
	});
}

function explainBrokenFile(
	context: RequestContext,
	error: unknown,
	host: string,
	deadline: AbortSignal,
): FileProblem {
	if (getStopSignal(context)?.aborted) throw createNotSent(context);
	if (deadline.aborted) return createTooLate(context);
	const { problem, detail } = findConnectionProblem(error);
	return createProblem(`The file at ${host} could not be fetched`, {
		...(detail !== undefined && { description: `${CHECK_FILE} (${detail})` }),
		mayRetry: !isSetting(problem),
	});
}
