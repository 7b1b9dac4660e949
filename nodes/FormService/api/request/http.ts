import type { IHttpRequestOptions } from 'n8n-workflow';
import { CREDENTIAL } from '../account';
import { clock, unlessAborted } from '../clock';
import type { Headers } from '../rateLimiter/limits';
import type { N8nContext } from '../requestContext';
import { problemOf } from './explainConnection';
import type { ConnectionProblem } from './explainConnection';

/** A reply of any status. A body longer than the bound is cut there and marked. */
export type Reply = {
	kind: 'reply';
	status: number;
	headers: Headers;
	body: Buffer;
	tooLarge: boolean;
};

/** No whole reply came. */
export type Broken = { kind: 'broken'; problem: ConnectionProblem; detail?: string };

/** What came of one request; `cancelled` where the execution was. */
export type HttpResult = Reply | Broken | { kind: 'cancelled' };

/** How long a reply may take to begin, and again to end, unless the node's Timeout option says otherwise. */
const REPLY_TIMEOUT_MS = 30_000;

/** The longest time that is waited for; timers take no more than 24 days, and end at once beyond. */
const LONGEST_TIMEOUT_MS = 24 * 60 * 60_000;

/** Added to the time that a reply may take, for n8n's own work on the request before it is sent. */
const GRACE_MS = 5_000;

export type HttpRequest = IHttpRequestOptions & {
	/** Bytes of the body that are read at most. */
	maxBytes: number;
	/** Told of the body's bytes as they come. */
	onBytes?: (bytes: Uint8Array) => void;
	/** Whether the credential's token is sent along. */
	authenticated: boolean;
	signal?: AbortSignal;
};

/** Sends one request and reads its reply whole: any status is a reply, redirects are not followed. */
export async function sendOnce(
	n8n: N8nContext,
	{ maxBytes, onBytes, authenticated, signal, ...request }: HttpRequest,
): Promise<HttpResult> {
	const { helpers } = n8n;
	const send = async (timeout: number) => {
		const options: IHttpRequestOptions = {
			...request,
			timeout,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			sendCredentialsOnCrossOriginRedirect: false,
			abortSignal: signal,
		};
		return authenticated
			? await helpers.httpRequestWithAuthentication.call(n8n, CREDENTIAL, options)
			: await helpers.httpRequest(options);
	};
	return await resultOf(send, { maxBytes, onBytes, timeout: request.timeout, signal });
}

/**
 * What comes of a request that one of n8n's helpers sends. They end by themselves at their timeout,
 * but not always: a reply that switches protocols (status 101) leaves them waiting for ever, and with
 * them all that comes after.
 *
 * @param send gives n8n's whole reply with its body as a stream; it is told the milliseconds to wait
 * @param options.timeout milliseconds; anything that is no time means 30 seconds
 */
export async function resultOf(
	send: (timeout: number) => Promise<unknown>,
	{
		timeout: given,
		signal,
		...how
	}: Pick<HttpRequest, 'maxBytes' | 'onBytes' | 'signal'> & { timeout?: unknown },
): Promise<HttpResult> {
	const timeout = timeoutOf(given);
	const sending = send(timeout) as Promise<N8nReply>;
	try {
		const reply = await unlessAborted(sending, clock.timeout(timeout + GRACE_MS), tooLate);
		const { statusCode: status, headers } = reply;
		const reading = unlessAborted(readBody(reply.body, how), signal, tooLate);
		const body = await unlessAborted(reading, clock.timeout(timeout), tooLate);
		return { kind: 'reply', status, headers, ...body };
	} catch (error) {
		// a reply that comes after all is not read
		sending.then(({ body }) => isStream(body) && body.destroy()).catch(() => {});
		return signal?.aborted ? { kind: 'cancelled' } : { kind: 'broken', ...problemOf(error) };
	}
}

type N8nReply = { statusCode: number; headers: Headers; body: unknown };

type Stream = AsyncIterable<Uint8Array> & { destroy(error?: Error): void };

/** n8n takes a Timeout of 0 for its own default. An expression can give any other value as well. */
function timeoutOf(given: unknown): number {
	const timeout = Math.trunc(Number(given));
	return timeout > 0 ? Math.min(timeout, LONGEST_TIMEOUT_MS) : REPLY_TIMEOUT_MS;
}

function tooLate(): Error {
	return Object.assign(new Error('The reply did not come in time'), { code: 'ETIMEDOUT' });
}

/** The body of a reply, up to a bound. */
async function readBody(
	body: unknown,
	{ maxBytes, onBytes }: Pick<HttpRequest, 'maxBytes' | 'onBytes'>,
) {
	if (!isStream(body)) {
		const whole = asBuffer(body);
		onBytes?.(whole);
		return { body: whole, tooLarge: false };
	}
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of body) {
		size += chunk.length;
		// leaving the loop destroys the stream
		if (size > maxBytes) break;
		chunks.push(chunk);
		onBytes?.(chunk);
	}
	return { body: Buffer.concat(chunks), tooLarge: size > maxBytes };
}

function isStream(body: unknown): body is Stream {
	return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

function asBuffer(body: unknown): Buffer {
	if (Buffer.isBuffer(body)) return body;
	if (typeof body === 'string') return Buffer.from(body);
	return Buffer.from(body === undefined || body === null ? '' : JSON.stringify(body));
}
