import { createHash } from 'crypto';
import type { BinaryHelperFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { CREDENTIAL } from '../account';
import type { N8nContext } from '../account';
import { clock, unlessAborted } from '../clock';
import type { Headers } from '../rateLimiter/limits';
import { isSetting, problemOf } from './connectionProblems';
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
	/** A setting of n8n or of this node, or a canceled execution: it says nothing about the service. */
	isOurs?: boolean;
};

/** How a reply is read. */
type ReadOptions = {
	/** The most bytes of the body that are read. */
	maxBytes: number;
	/** Whether the digest of the body is computed. */
	withDigest?: boolean;
	signal?: AbortSignal;
	/** Milliseconds. Anything but a positive number means 30 seconds. */
	timeout?: unknown;
};

/** A reply of n8n's helpers, its body as a stream. */
export type N8nReply = { statusCode: number; headers: Headers; body: Readable };

/** A body as n8n's helpers give it. */
export type Readable = Exclude<Parameters<BinaryHelperFunctions['prepareBinaryData']>[0], Buffer>;

/** How long a reply may take to begin, and again to end, unless the node's Timeout option says otherwise. */
const REPLY_TIMEOUT_MS = 30_000;

/** Timers accept no more than 24 days, and end at once beyond. */
const LONGEST_TIMEOUT_MS = 24 * 60 * 60_000;

/** Added to the timeout for n8n's own work on the request before it is sent. */
const GRACE_MS = 5_000;

/** Returns replies of any status with a stream for the body, and follows no redirects. */
const AS_STREAM: Partial<IHttpRequestOptions> = {
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
	sendCredentialsOnCrossOriginRedirect: false,
};

/**
 * Sends one request by n8n's helper, which gives the reply once its headers are there.
 *
 * @param withToken whether the credential's token is sent
 */
export async function send(
	n8n: N8nContext,
	request: IHttpRequestOptions,
	withToken: boolean,
): Promise<N8nReply> {
	const { helpers } = n8n;
	const options = { ...request, ...AS_STREAM };
	const sending: Promise<unknown> = withToken
		? helpers.httpRequestWithAuthentication.call(n8n, CREDENTIAL, options)
		: helpers.httpRequest(options);
	return (await sending) as N8nReply;
}

/** Sends one request with the credential's token and reads the whole reply. It never rejects. */
export async function sendOnce(
	n8n: N8nContext,
	request: Omit<IHttpRequestOptions, 'timeout'> & ReadOptions,
): Promise<Reply | Broken> {
	const { maxBytes, withDigest, signal, timeout: given, ...options } = request;
	const timeout = timeoutOf(given);
	const sending = send(n8n, { ...options, timeout, abortSignal: signal }, true);
	return await resultOf(sending, { maxBytes, withDigest, signal, timeout });
}

/**
 * Waits for a request that one of n8n's helpers is sending, and reads the reply. The helpers end at their
 * timeout, with one exception: after a reply that switches protocols (status 101), they would wait
 * forever. It never rejects.
 */
export async function resultOf(
	sending: Promise<N8nReply>,
	{ timeout: given, signal, ...how }: ReadOptions,
): Promise<Reply | Broken> {
	const timeout = timeoutOf(given);
	let reply: N8nReply | undefined;
	try {
		reply = await unlessAborted(sending, clock.timeout(timeout + GRACE_MS), tooLate);
		const { statusCode: status, headers, body } = reply;
		const reading = unlessAborted(readBody(body, how), signal, tooLate);
		const read = await unlessAborted(reading, clock.timeout(timeout), tooLate);
		return { kind: 'reply', status, headers, ...read };
	} catch (error) {
		dropReply(sending, reply !== undefined);
		if (signal?.aborted) return { kind: 'broken', problem: 'interrupted', isOurs: true };
		const problem = problemOf(error);
		// a person's short Timeout says nothing about the service
		const isShort = problem.problem === 'timeout' && timeout < REPLY_TIMEOUT_MS;
		const isOurs = isShort || isSetting(problem.problem);
		return { kind: 'broken', ...problem, isOurs };
	}
}

/** n8n takes a Timeout of 0 for its own default. An expression can give any other value as well. */
export function timeoutOf(given: unknown): number {
	const timeout = Math.trunc(Number(given));
	return timeout > 0 ? Math.min(timeout, LONGEST_TIMEOUT_MS) : REPLY_TIMEOUT_MS;
}

function tooLate(): Error {
	return Object.assign(new Error('The reply did not come in time'), { code: 'ETIMEDOUT' });
}

/**
 * Closes the connection of a reply that nobody waits for any more, should it still come.
 *
 * @param isRead the body is being read
 */
export function dropReply(sending: Promise<N8nReply>, isRead = false): void {
	const drop = ({ body }: N8nReply) => {
		// an error that nobody listens to would end n8n's process
		body.on('error', () => {});
		// n8n's stream closes the connection only once it is read from
		if (isRead) body.destroy();
		else body.once('data', () => body.destroy());
	};
	sending.then(drop).catch(() => {});
}

async function readBody(
	stream: Readable,
	{ maxBytes, withDigest }: Pick<ReadOptions, 'maxBytes' | 'withDigest'>,
): Promise<Pick<Reply, 'body' | 'tooLarge' | 'digest'>> {
	const hash = withDigest ? createHash('sha256') : undefined;
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of stream as AsyncIterable<Uint8Array>) {
		size += chunk.length;
		// leaving the loop destroys the stream
		if (size > maxBytes) break;
		chunks.push(chunk);
		hash?.update(chunk);
	}
	const digest = hash?.digest('base64');
	return { body: Buffer.concat(chunks), tooLarge: size > maxBytes, digest };
}
