import { createHash } from 'crypto';
import type { BinaryHelperFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { CREDENTIAL } from '../account';
import type { N8nContext } from '../account';
import { clock, unlessAborted } from '../clock';
import type { Headers } from '../rateLimiter/limits';
import { connectionProblems, problemOf } from './connectionProblems';
import type { ConnectionProblem } from './connectionProblems';

/** A reply of any status. */
export type Reply = {
	kind: 'reply';
	status: number;
	headers: Headers;
	/** Cut off after `maxBytes`. */
	body: Buffer;
	tooLarge: boolean;
	/** SHA-256 of the body, where it was asked for. */
	digest?: string;
};

/** No whole reply came. */
export type Broken = {
	kind: 'broken';
	problem: ConnectionProblem;
	detail?: string;
	/** A setting of n8n or of this node caused it: it says nothing about the service. */
	isSetting?: boolean;
};

/** How one request ended; `canceled` if its execution was. */
export type HttpResult = Reply | Broken | { kind: 'canceled' };

/** How long a reply may take to begin, and again to end, unless the node's Timeout option says otherwise. */
const REPLY_TIMEOUT_MS = 30_000;

/** Timers accept no more than 24 days, and end at once beyond. */
const LONGEST_TIMEOUT_MS = 24 * 60 * 60_000;

/** Added to the timeout for n8n's own work on the request before it is sent. */
const GRACE_MS = 5_000;

/** How a reply is read. */
type ReadOptions = {
	/** The most bytes of the body that are read. */
	maxBytes: number;
	/** Whether the digest of the body is computed. */
	withDigest?: boolean;
	signal?: AbortSignal;
	/** Milliseconds. Anything that is no time means 30 seconds. */
	timeout?: unknown;
};

export type HttpRequest = Omit<IHttpRequestOptions, 'timeout'> & ReadOptions;

/**
 * Sends one request with the credential's token and reads the whole reply. Any status is a reply;
 * redirects are not followed.
 */
export async function sendOnce(
	n8n: N8nContext,
	{ maxBytes, withDigest, signal, timeout: given, ...request }: HttpRequest,
): Promise<HttpResult> {
	const timeout = timeoutOf(given);
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
	const sending = n8n.helpers.httpRequestWithAuthentication.call(n8n, CREDENTIAL, options);
	return await resultOf(sending, { maxBytes, withDigest, signal, timeout });
}

/**
 * How a request ends that one of n8n's helpers is sending. The helpers end at their timeout, but not
 * always: a reply that switches protocols (status 101) would leave them waiting forever.
 *
 * @param sending resolves with n8n's full reply, its body as a stream
 */
export async function resultOf(
	sending: Promise<unknown>,
	{ timeout: given, signal, ...how }: ReadOptions,
): Promise<HttpResult> {
	const timeout = timeoutOf(given);
	let reply: N8nReply | undefined;
	try {
		const beginning = unlessAborted(sending, clock.timeout(timeout + GRACE_MS), tooLate);
		reply = (await beginning) as N8nReply;
		const { statusCode: status, headers, body } = reply;
		const reading = unlessAborted(readBody(body, how), signal, tooLate);
		const read = await unlessAborted(reading, clock.timeout(timeout), tooLate);
		return { kind: 'reply', status, headers, ...read };
	} catch (error) {
		if (reply === undefined) sending.then(dropLateReply).catch(() => {});
		else if (isStream(reply.body)) reply.body.destroy();
		if (signal?.aborted) return { kind: 'canceled' };
		const problem = problemOf(error);
		// a person's short Timeout says nothing about the service
		const isShort = problem.problem === 'timeout' && timeout < REPLY_TIMEOUT_MS;
		const isSetting = isShort || connectionProblems[problem.problem].isSetting === true;
		return { kind: 'broken', ...problem, isSetting };
	}
}

type N8nReply = { statusCode: number; headers: Headers; body: unknown };

/** A body as n8n's helpers give it. */
export type Readable = Exclude<Parameters<BinaryHelperFunctions['prepareBinaryData']>[0], Buffer>;

/** n8n takes a Timeout of 0 for its own default. An expression can give any other value as well. */
export function timeoutOf(given: unknown): number {
	const timeout = Math.trunc(Number(given));
	return timeout > 0 ? Math.min(timeout, LONGEST_TIMEOUT_MS) : REPLY_TIMEOUT_MS;
}

function tooLate(): Error {
	return Object.assign(new Error('The reply did not come in time'), { code: 'ETIMEDOUT' });
}

/** Closes the connection of a reply that nobody waits for any more. */
export function dropLateReply(reply: unknown): void {
	const { body } = reply as N8nReply;
	if (isStream(body)) dropBody(body);
}

/** Closes the connection of a body that is not read: n8n's stream does so only once it is read from. */
export function dropBody(body: Readable): void {
	// an error that nobody listens to would end n8n's process
	body.on('error', () => {});
	body.once('data', () => body.destroy());
}

async function readBody(
	body: unknown,
	{ maxBytes, withDigest }: Pick<ReadOptions, 'maxBytes' | 'withDigest'>,
): Promise<Pick<Reply, 'body' | 'tooLarge' | 'digest'>> {
	const hash = withDigest ? createHash('sha256') : undefined;
	const chunks: Uint8Array[] = [];
	let size = 0;
	const read: AsyncIterable<Uint8Array> | Uint8Array[] = isStream(body) ? body : [asBuffer(body)];
	for await (const chunk of read) {
		size += chunk.length;
		// leaving the loop destroys the stream
		if (size > maxBytes) break;
		chunks.push(chunk);
		hash?.update(chunk);
	}
	const digest = hash?.digest('base64');
	return { body: Buffer.concat(chunks), tooLarge: size > maxBytes, digest };
}

function isStream(body: unknown): body is Readable {
	return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

function asBuffer(body: unknown): Buffer {
	if (Buffer.isBuffer(body)) return body;
	if (typeof body === 'string') return Buffer.from(body);
	return Buffer.from(body === undefined || body === null ? '' : JSON.stringify(body));
}
