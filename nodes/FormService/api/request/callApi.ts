import { noop } from 'lodash';
import type { BinaryHelperFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { clock, waitUnlessAborted } from '../clock';
import type { Target } from '../endpoints';
import { createRequestError, type RequestContext } from '../requestContext';
import { createFailure, type FailureCause, type RequestFailure } from '../failures';
import {
	parseReply,
	createTransportFailure,
	type Reply,
	type RawReply,
	type ReplyHeaders,
} from './parseReply';
import { getQueue, type Priority } from './requestQueue';
import { CREDENTIAL_TYPE } from '../account';

/** Sends a request, and retries temporary failures. `sentAtMs` is when the request left the queue. */
export async function callApi(
	context: RequestContext,
	target: Target,
): Promise<Reply & { sentAtMs: number }> {
	const { account, priority, signal, retry = true } = context;
	const queue = getQueue(account.key);
	const failures: RequestFailure[] = [];
	for (;;) {
		// a slot, or the reason why there is none
		const slot = await queue.acquireSlot(priority, signal);
		if ('reason' in slot) throw createRequestError(context, slot, failures.length);
		const sentAtMs = clock.now();
		let reply: Reply | undefined;
		try {
			reply = parseReply(await sendOnce(context, target), target.endpoint, clock.now());
		} finally {
			queue.releaseSlot(slot, reply);
		}
		const { requestFailure } = reply;
		if (requestFailure === undefined) return { ...reply, sentAtMs };
		failures.push(requestFailure);
		const retryDelayMs = retry ? computeRetryDelayMs(failures, priority, Math.random()) : undefined;
		if (retryDelayMs === undefined) {
			throw createRequestError(context, requestFailure, failures.length);
		}
		await clock.sleep(retryDelayMs, signal);
	}
}

/** Other clients can use up a new minute first, but hardly ten in a row. */
const MAX_ATTEMPTS: Record<FailureCause, number> = { temporary: 4, rateLimit: 10, credential: 1 };

/** The delay before the first retry is at most this long, and doubles with each further retry. */
const FIRST_RETRY_DELAY_MS = 1_000;

/**
 * Returns how long to wait before the next attempt. Undefined if the request is not sent again.
 *
 * @param failures the failures of all attempts, at least one. Each cause has its own attempts
 * @param random a number from 0 up to 1, so that clients do not all retry at the same moment
 */
export function computeRetryDelayMs(
	failures: readonly RequestFailure[],
	priority: Priority,
	random: number,
): number | undefined {
	const { reason, cause, mayHaveActed } = failures[failures.length - 1];
	if (mayHaveActed) return undefined;
	// items are sent again at once, because the queue makes them wait; triggers and the editor fail
	if (reason === 'unavailable') return priority === 'low' ? 0 : undefined;
	const attempts = failures.filter((failure) => failure.cause === cause).length;
	if (cause === undefined || attempts >= MAX_ATTEMPTS[cause]) return undefined;
	// the queue waits for the next minute
	if (cause === 'rateLimit') return 0;
	return FIRST_RETRY_DELAY_MS * 2 ** (attempts - 1) * (0.5 + random / 2);
}

type ReplyStream = Exclude<Parameters<BinaryHelperFunctions['prepareBinaryData']>[0], Buffer>;

export type StreamedReply = { statusCode: number; headers: ReplyHeaders; body: ReplyStream };

/** For a request and its whole reply. */
export const DEFAULT_TIMEOUT_MS = 30_000;

/** A timer of Node.js with a longer time ends immediately. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** 128 MB are well over 100,000 responses, and n8n can hold them in memory. */
const MAX_BYTES = 128 * 1024 * 1024;

export const JSON_HEADERS = { Accept: 'application/json', 'Content-Type': 'application/json' };

/** Every reply comes as a stream. Redirects are not followed, so that no other host gets the token. */
export const STREAM_OPTIONS: Partial<IHttpRequestOptions> = {
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
	sendCredentialsOnCrossOriginRedirect: false,
	// the URL already has the query
	qs: undefined,
	baseURL: undefined,
};

/** Sends one request with n8n's helper. If n8n cancels the execution, the helper ends the request. Never rejects. */
export async function sendOnce(
	{ n8n, httpOptions }: RequestContext,
	{ endpoint, url, body }: Target,
): Promise<RawReply | RequestFailure> {
	const timeout = parseTimeoutMs(httpOptions);
	const options: IHttpRequestOptions = {
		...httpOptions,
		...STREAM_OPTIONS,
		method: endpoint.method,
		url,
		body,
		timeout,
		headers: { ...JSON_HEADERS, ...httpOptions?.headers },
	};
	const sent = n8n.helpers.httpRequestWithAuthentication.call(n8n, CREDENTIAL_TYPE, options);
	return await readReply(sent, timeout);
}

/** Reads a reply to its end, with a second timeout, because n8n's ends when the headers arrive. Never rejects. */
export async function readReply(
	sentPromise: Promise<unknown>,
	timeoutMs: number,
): Promise<RawReply | RequestFailure> {
	const replyPromise = sentPromise as Promise<StreamedReply>;
	const reading = replyPromise.then(async ({ statusCode: status, headers, body }) => {
		return { status, headers, text: await readText(body) };
	});
	const signal = clock.timeout(timeoutMs);
	try {
		return await waitUnlessAborted(reading, signal);
	} catch (error) {
		if (signal.aborted) return createFailure('timedOut', { mayHaveActed: true });
		return createTransportFailure(error);
	} finally {
		closeReply(replyPromise);
	}
}

/** Removes a byte order mark. Undefined if the body has more than `MAX_BYTES`. */
async function readText(body: ReplyStream): Promise<string | undefined> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of body as AsyncIterable<Uint8Array>) {
		size += chunk.length;
		if (size > MAX_BYTES) return undefined;
		chunks.push(chunk);
	}
	return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Closes the connection of a reply, even if the reply has not arrived yet or was not read to its end. */
export function closeReply(replyPromise: Promise<StreamedReply>): void {
	const closeBody = ({ body }: StreamedReply) => {
		// an error without a listener would end n8n's process
		body.on('error', noop);
		// n8n's stream closes the connection only after the first read
		body.once('data', () => body.destroy());
	};
	replyPromise.then(closeBody).catch(noop);
}

/** An expression can return any value for the Timeout option. */
export function parseTimeoutMs(httpOptions: RequestContext['httpOptions']): number {
	const timeout = Math.trunc(Number(httpOptions?.timeout));
	return timeout > 0 ? Math.min(timeout, LONGEST_TIMEOUT_MS) : DEFAULT_TIMEOUT_MS;
}
