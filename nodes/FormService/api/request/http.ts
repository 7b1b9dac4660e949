import type { BinaryHelperFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { CREDENTIAL } from '../account';
import type { N8nContext } from '../account';
import { clock, waitUnlessAborted } from '../clock';
import type { Headers } from './limits';

/** A reply of any status, as n8n's helpers give it: its body as a stream. */
export type N8nReply = { statusCode: number; headers: Headers; body: Readable };

type Readable = Exclude<Parameters<BinaryHelperFunctions['prepareBinaryData']>[0], Buffer>;

/** A reply of any status that was read. */
export type Reply = {
	kind: 'reply';
	status: number;
	headers: Headers;
	/** Undefined if it has more bytes than are read. */
	body?: Buffer;
};

/** No whole reply came. */
export type Broken = {
	kind: 'broken';
	problem: ConnectionProblem;
	/** The code or the message of the error. */
	detail?: string;
	/** A setting of n8n or of this node, or a canceled execution: it says nothing about the service. */
	isOurs?: boolean;
};

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

/** Sends one request by n8n's helper, which gives the reply once its headers are there. */
export async function sendByN8n(
	n8n: N8nContext,
	request: IHttpRequestOptions,
	withToken: boolean,
): Promise<N8nReply> {
	const options = { ...request, ...AS_STREAM };
	return withToken
		? await n8n.helpers.httpRequestWithAuthentication.call(n8n, CREDENTIAL, options)
		: await n8n.helpers.httpRequest(options);
}

/**
 * Waits for a request that one of n8n's helpers is sending, and reads at most `maxBytes` of the reply. After
 * a reply that switches protocols (status 101), the helpers would wait forever. It never rejects.
 */
export async function readWholeReply(
	sending: Promise<N8nReply>,
	maxBytes: number,
	timeoutMs = REPLY_TIMEOUT_MS,
	signal?: AbortSignal,
): Promise<Reply | Broken> {
	let reply: N8nReply | undefined;
	try {
		reply = await waitUnlessAborted(sending, clock.timeout(timeoutMs + GRACE_MS), createTimeout);
		const { statusCode: status, headers } = reply;
		const reading = waitUnlessAborted(readBody(reply.body, maxBytes), signal, createTimeout);
		const body = await waitUnlessAborted(reading, clock.timeout(timeoutMs), createTimeout);
		return { kind: 'reply', status, headers, body };
	} catch (error) {
		dropReply(sending, reply !== undefined);
		if (signal?.aborted) return { kind: 'broken', problem: 'interrupted', isOurs: true };
		const found = findConnectionProblem(error);
		// a person's short Timeout says nothing about the service
		const isShort = found.problem === 'timeout' && timeoutMs < REPLY_TIMEOUT_MS;
		return { kind: 'broken', ...found, isOurs: isShort || isSetting(found.problem) };
	}
}

/** n8n takes a Timeout of 0 for its own default. An expression can give any other value as well. */
export function parseTimeout(given: unknown): number {
	const timeout = Math.trunc(Number(given));
	return timeout > 0 ? Math.min(timeout, LONGEST_TIMEOUT_MS) : REPLY_TIMEOUT_MS;
}

function createTimeout(): Error {
	return Object.assign(new Error('The reply did not come in time'), { code: 'ETIMEDOUT' });
}

/**
 * Closes the connection of a reply that nobody waits for any more, should it still come.
 *
 * @param isRead the body is being read
 */
export function dropReply(sending: Promise<N8nReply>, isRead = false): void {
	const closeReply = ({ body }: N8nReply) => {
		// an error that nobody listens to would end n8n's process
		body.on('error', () => {});
		// n8n's stream closes the connection only once it is read from
		if (isRead) body.destroy();
		else body.once('data', () => body.destroy());
	};
	sending.then(closeReply).catch(() => {});
}

async function readBody(stream: Readable, maxBytes: number): Promise<Buffer | undefined> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of stream as AsyncIterable<Uint8Array>) {
		size += chunk.length;
		// leaving the loop destroys the stream
		if (size > maxBytes) return undefined;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

/** Why no whole reply came. */
export type ConnectionProblem =
	| 'notAllowed'
	| (typeof CONNECTING)[number][0]
	| (typeof CONNECTED)[number][0];

/** Whether a setting causes a problem: retrying does not help, and other requests may well succeed. */
export function isSetting(problem: ConnectionProblem): boolean {
	return ['certificate', 'encryption', 'notAllowed'].includes(problem);
}

/** Reads why a request got no whole reply from the error and its causes. */
export function findConnectionProblem(error: unknown): Pick<Broken, 'problem' | 'detail'> {
	const chain = listCauses(error);
	const stopped = chain.find((one) => STOPPED_BY_N8N.test(one.constructor.name));
	if (stopped !== undefined) return { problem: 'notAllowed', detail: stopped.message };
	const detail = chain.map(({ code }) => code).findLast((code) => typeof code === 'string');
	if (detail === undefined) return { problem: 'interrupted', detail: chain.at(-1)?.message };
	const codes = chain.some(hasFailedToConnect) ? CONNECTING : CONNECTED;
	const [problem] = codes.find(([, code]) => code.test(detail))!;
	return { problem, detail };
}

/** Codes of errors before a connection was established. */
const CONNECTING = [
	['connectionRefused', /^ECONNREFUSED$/],
	['unknownHost', /^(ENOTFOUND|EAI_AGAIN)$/],
	['unreachable', /^/],
] as const;

/**
 * Codes of Node and OpenSSL. No request was sent where no secure connection was established, as with a
 * server that supports http only, or where the certificate was not accepted; an unreadable record can also
 * follow a request that was sent.
 */
const CONNECTED = [
	['timeout', /^(ECONNABORTED|ETIMEDOUT)$/],
	['encryption', /^(EPROTO$|ERR_SSL_(?!.*(RECORD|DECRYPT)))/],
	['certificate', /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|CRL_|_MISMATCH|INVALID_(CA|PURPOSE)/],
	['interrupted', /^/],
] as const;

/** The errors that n8n throws instead of sending: its protection of private addresses, allowed domains. */
const STOPPED_BY_N8N = /^(Ssrf\w*|UserError|OperationalError|NodeOperationError)$/;

/** What Node's network errors have. Of several addresses that were tried, `errors` has one error each. */
type NetworkError = Error & { code?: unknown; syscall?: unknown; errors?: unknown };

/** Whether no connection came about. The same codes can also come from a connection that was open. */
function hasFailedToConnect({ syscall, errors }: NetworkError): boolean {
	if (Array.isArray(errors) && errors.length > 0) {
		return errors.every((one) => one instanceof Error && hasFailedToConnect(one));
	}
	return syscall === 'connect' || syscall === 'getaddrinfo';
}

/** An error and its causes, outermost first. */
function listCauses(error: unknown): NetworkError[] {
	return error instanceof Error ? [error, ...listCauses(error.cause)] : [];
}
