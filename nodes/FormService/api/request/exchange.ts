import type { IHttpRequestOptions } from 'n8n-workflow';
import { CREDENTIAL } from '../account';
import { problemOf } from './connectionProblem';
import type { ConnectionProblem } from './connectionProblem';
import type { Headers } from '../gate/rateHeaders';
import type { Context } from '../sender';

/** What came of one request. A body longer than the bound is cut there and marked. */
export type Exchange =
	| { kind: 'reply'; status: number; headers: Headers; body: Buffer; tooLarge: boolean }
	| { kind: 'broken'; problem: ConnectionProblem; detail?: string }
	/** The execution was cancelled. */
	| { kind: 'cancelled' };

/** An exchange that has come to its end. */
export type Outcome = Exclude<Exchange, { kind: 'cancelled' }>;

/** How long a reply may take to begin, and again to end, unless the node's Timeout option says otherwise. */
export const REPLY_TIMEOUT_MS = 30_000;

export type ExchangeOptions = IHttpRequestOptions & {
	/** Bytes of the body that are read at most. */
	maxBytes: number;
	/** Whether the credential's token is sent along. */
	authenticated: boolean;
	signal?: AbortSignal;
};

/** Sends one request and reads its reply whole: any status is a reply, redirects are not followed. */
export async function exchange(
	context: Context,
	{ maxBytes, authenticated, signal, ...request }: ExchangeOptions,
): Promise<Exchange> {
	const timeout = timeoutOf(request.timeout);
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
	try {
		const { httpRequest, httpRequestWithAuthentication } = context.helpers;
		const { statusCode, headers, body } = (await inTime<unknown>(
			authenticated
				? httpRequestWithAuthentication.call(context, CREDENTIAL, options)
				: httpRequest(options),
			timeout,
			destroyBody,
		)) as Reply;
		return {
			kind: 'reply',
			status: statusCode,
			headers,
			...(await readBody(body, maxBytes, timeout, signal)),
		};
	} catch (error) {
		return signal?.aborted ? { kind: 'cancelled' } : { kind: 'broken', ...problemOf(error) };
	}
}

/** The longest time that is waited for; timers take no more than 24 days, and end at once beyond. */
const LONGEST_TIMEOUT_MS = 24 * 60 * 60_000;

/** n8n takes a Timeout of 0 for its own default. An expression can give any other value as well. */
function timeoutOf(given: unknown): number {
	const timeout = Math.trunc(Number(given));
	return timeout > 0 ? Math.min(timeout, LONGEST_TIMEOUT_MS) : REPLY_TIMEOUT_MS;
}

type Reply = { statusCode: number; headers: Headers; body: unknown };

type Body = AsyncIterable<Uint8Array> & { destroy(error?: Error): void };

/** Added to the time that a reply may take, for n8n's own work on the request before it is sent. */
const GRACE_MS = 5_000;

/**
 * What a request gives, if in time. n8n's helpers end by themselves at their timeout, but not always:
 * a reply that switches protocols (status 101) leaves them waiting for ever, and with them the gate.
 *
 * @param timeout milliseconds
 * @param discard does away with what comes too late
 */
export async function inTime<T>(
	request: Promise<T>,
	timeout: number,
	discard: (late: T) => void = () => {},
): Promise<T> {
	const deadline = AbortSignal.timeout(timeout + GRACE_MS);
	return await new Promise<T>((resolve, reject) => {
		const giveUp = () => {
			request.then(discard, () => {});
			reject(tooLate());
		};
		deadline.addEventListener('abort', giveUp);
		request.then(resolve, reject).finally(() => deadline.removeEventListener('abort', giveUp));
	});
}

/** Does away with a reply that is not read. */
export function destroyBody(late: unknown): void {
	const { body } = late as Reply;
	if (isStream(body)) body.destroy();
}

function tooLate(): Error {
	return Object.assign(new Error('The reply did not come in time'), { code: 'ETIMEDOUT' });
}

/**
 * The body of a reply, up to a bound.
 *
 * @param timeout milliseconds until its end
 * @throws Error when it breaks or does not end in time
 */
export async function readBody(
	body: unknown,
	maxBytes: number,
	timeout: number,
	signal?: AbortSignal,
): Promise<{ body: Buffer; tooLarge: boolean }> {
	if (!isStream(body)) return { body: asBuffer(body), tooLarge: false };
	const late = AbortSignal.timeout(timeout);
	const stop = () => body.destroy(tooLate());
	late.addEventListener('abort', stop);
	signal?.addEventListener('abort', stop);
	const chunks: Uint8Array[] = [];
	let size = 0;
	try {
		for await (const chunk of body) {
			size += chunk.length;
			// leaving the loop destroys the stream
			if (size > maxBytes) break;
			chunks.push(chunk);
		}
	} finally {
		late.removeEventListener('abort', stop);
		signal?.removeEventListener('abort', stop);
	}
	return { body: Buffer.concat(chunks), tooLarge: size > maxBytes };
}

function isStream(body: unknown): body is Body {
	return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

function asBuffer(body: unknown): Buffer {
	if (Buffer.isBuffer(body)) return body;
	if (typeof body === 'string') return Buffer.from(body);
	return Buffer.from(body === undefined || body === null ? '' : JSON.stringify(body));
}
