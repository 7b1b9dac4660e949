import type { IBinaryData } from 'n8n-workflow';
import { clock, waitUnlessAborted } from '../clock';
import {
	dropReply,
	findConnectionProblem,
	isSetting,
	parseTimeout,
	sendByN8n,
} from '../request/http';
import type { N8nReply } from '../request/http';
import { parsePauseMs } from '../request/reply';
import { MAX_TRIES, SET_TIMEOUT } from '../request/trouble';
import type { Trouble } from '../request/trouble';
import { createNotSent, getStopSignal } from '../requestContext';
import type { RequestContext } from '../requestContext';
import { checkLink, isRedirect, isLoginLink, MAX_REDIRECTS } from '../url';

export type LinkedFile = {
	url: string;
	/** The name that the file gets. */
	name: string;
	/**
	 * Respondents choose the links to their uploads. The service makes those to its PDFs: these are followed
	 * wherever they lead, with the token on the account's origin.
	 */
	kind: 'upload' | 'pdf';
};

/** How much may still be read, from which every file is deducted, and until when. */
export type FileLimits = { bytesLeft: number; readonly deadline: AbortSignal };

export type FetchedFile = { binary: IBinaryData } | { trouble: Trouble };

/** The most bytes of one response's files together: n8n may keep them in memory. */
const MAX_BYTES = 256 * 1024 * 1024;

/** How long the files of one response may take together, unless the node's Timeout is longer. */
const TIME_MS = 60_000;

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
		if (isLoginLink(link, base)) {
			return createTrouble(`The file at ${new URL(base).host} requires a login`, ADVICE[file.kind]);
		}
	}
	return createTrouble('The link to the file redirects in a loop');
}

async function fetchOnce(
	context: RequestContext,
	file: LinkedFile,
	withToken: boolean,
	limits: FileLimits,
): Promise<FetchedFile | { location: string }> {
	if (limits.deadline.aborted) return explainTooLate(context);
	const { host } = new URL(file.url);
	const ending = new AbortController();
	const { proxy, skipSslCertificateValidation, timeout } = context.transport ?? {};
	const options = {
		// the other request options are meant for the API
		...(withToken ? context.transport : { proxy, skipSslCertificateValidation }),
		...{ url: file.url, method: 'GET' as const, headers: { Accept: '*/*' } },
		...{ timeout: parseTimeout(timeout), abortSignal: ending.signal },
		...{ baseURL: undefined, qs: undefined, body: undefined },
	};
	const sending = sendByN8n(context.n8n, options, withToken);
	try {
		const reply = await waitInTime(context, sending, limits);
		const { statusCode: status, headers, body } = reply;
		// an error that nobody listens to would end n8n's process
		body.on('error', () => {});
		if (isRedirect(status) && typeof headers.location === 'string') {
			return { location: headers.location };
		}
		if (status >= 200 && status < 300) return await storeFile(context, reply, file, limits);
		const passes = status >= 500 || STATUSES_THAT_PASS.includes(status);
		return createTrouble(`The file at ${host} could not be fetched (status ${status})`, {
			...ADVICE[file.kind],
			...(passes && { ...PASSING, maxTries: MAX_TRIES, retryAfterMs: parsePauseMs(headers) }),
			httpCode: String(status),
		});
	} catch (error) {
		return explainBrokenFile(context, error, host, limits);
	} finally {
		// n8n ignores this signal if it sends the credential
		ending.abort();
		dropReply(sending);
	}
}

/** Statuses below 500 of a host that may have the file later (RFC 9110 and RFC 6585). */
const STATUSES_THAT_PASS = [408, 425, 429];

/** The bytes from the beginning of a file in which a PDF has its mark (ISO 32000-1, annex H, note 13). */
const START_BYTES = 1024;

/** Streams a body into n8n's binary data; n8n removes a file that it could not finish. */
async function storeFile(
	context: RequestContext,
	{ headers, body }: N8nReply,
	{ url, name, kind }: LinkedFile,
	limits: FileLimits,
): Promise<FetchedFile> {
	const { helpers } = context.n8n;
	if (!('prepareBinaryData' in helpers)) throw new Error('Not while the editor loads its lists');
	if (Number(headers['content-length'] ?? 0) > limits.bytesLeft) return TOO_LARGE;
	let bytes = 0;
	let start = Buffer.alloc(0);
	let mismatch: FetchedFile | undefined;
	const checked = body.map((chunk: Uint8Array) => {
		bytes += chunk.length;
		start = Buffer.concat([start, chunk.subarray(0, START_BYTES - start.length)]);
		if (bytes > limits.bytesLeft) mismatch = TOO_LARGE;
		else if (start.length === START_BYTES) mismatch ??= findMismatch(kind, start);
		if (mismatch !== undefined) throw new Error('The rest of the file is not read');
		return chunk;
	});
	checked.on('error', () => {});
	const mimeType = kind === 'pdf' ? 'application/pdf' : undefined;
	try {
		const storing = helpers.prepareBinaryData(checked, name, mimeType);
		const binary = await waitInTime(context, storing, limits);
		limits.bytesLeft -= bytes;
		return findMismatch(kind, start) ?? { binary };
	} catch (error) {
		return mismatch ?? explainBrokenFile(context, error, new URL(url).host, limits);
	} finally {
		checked.destroy();
	}
}

/** What came in place of a PDF: a page such as a login, a reply of the API, nothing. */
function findMismatch(kind: LinkedFile['kind'], start: Buffer): FetchedFile | undefined {
	const text = start.toString('latin1');
	if (kind === 'upload' || text.includes('%PDF-')) return undefined;
	const [, found = 'another file'] = STARTS.find(([pattern]) => pattern.test(text.trim())) ?? [];
	return createTrouble(`The link to the PDF returned ${found} instead of a PDF`, {
		description:
			"Form Service may still be creating the PDF; try again later. To open the link in a browser, turn off 'Download PDF'.",
		...PASSING,
	});
}

const STARTS: ReadonlyArray<readonly [RegExp, string]> = [
	[/^$/, 'an empty file'],
	[/^(\xEF\xBB\xBF)?</, 'a web page'],
	[/^(\xEF\xBB\xBF)?[{[]/, 'JSON'],
];

/** The result of the work, unless the caller gives up or the time is over: then it is not waited for. */
async function waitInTime<T>(
	context: RequestContext,
	work: Promise<T>,
	{ deadline }: FileLimits,
): Promise<T> {
	const until = waitUnlessAborted(work, getStopSignal(context), () => createNotSent(context));
	return await waitUnlessAborted(until, deadline, () => new Error('The time is over'));
}

const CHECK_FILE = 'Open the response in Form Service to check whether the file still exists.';
const CHECK_PDF =
	"The link to the PDF may have expired; run this item again to get a new one. To open the link in a browser, turn off 'Download PDF'.";
const ADVICE = { upload: { description: CHECK_FILE }, pdf: { description: CHECK_PDF } };
const PASSING = { failure: { cause: 'temporarily-unavailable' } } as const;

/** @param more replaces the advice to look at the response, or adds to it */
export function createTrouble(message: string, more: Partial<Trouble> = {}): { trouble: Trouble } {
	const failure = { cause: 'configuration-invalid' } as const;
	const base = { description: CHECK_FILE, failure, maxTries: 1, mayHaveActed: false };
	return { trouble: { message, ...base, ...more } };
}

const TOO_LARGE = createTrouble(
	`The files of this response exceed ${MAX_BYTES / 2 ** 20} MB in total`,
);

function explainTooLate(context: RequestContext): FetchedFile {
	const seconds = getTimeMs(context) / 1000;
	return createTrouble(
		`The files of this response could not be downloaded within ${seconds} seconds`,
		{ description: context.transport ? SET_TIMEOUT : CHECK_FILE, ...PASSING },
	);
}

function explainBrokenFile(
	context: RequestContext,
	error: unknown,
	host: string,
	{ deadline }: FileLimits,
): FetchedFile {
	if (getStopSignal(context)?.aborted) throw createNotSent(context);
	if (deadline.aborted) return explainTooLate(context);
	const { problem, detail } = findConnectionProblem(error);
	return createTrouble(`The file at ${host} could not be fetched`, {
		...(detail !== undefined && { description: `${CHECK_FILE} (${detail})` }),
		...(!isSetting(problem) && { ...PASSING, maxTries: MAX_TRIES }),
	});
}
