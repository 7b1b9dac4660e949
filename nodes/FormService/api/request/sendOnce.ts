import { noop } from 'lodash';
import type { BinaryHelperFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { CREDENTIAL_TYPE } from '../account';
import { clock, waitUnlessAborted } from '../clock';
import type { Target } from '../endpoints';
import type { RequestContext } from '../requestContext';

/** Headers of a reply with lower-case names, as n8n's helpers give them. */
export type ReplyHeaders = Readonly<Record<string, unknown>>;

/** A reply of any status; without a text if it has more bytes than are read. */
export type Reply = { status: number; headers: ReplyHeaders; text?: string };

/** No whole reply came: the code or the message of the error, and whether n8n itself refused to send. */
export type TransportFailure = { code: string; isRefusedByN8n: boolean };

/** The body of a reply as a stream. */
export type ReplyStream = Exclude<
	Parameters<BinaryHelperFunctions['prepareBinaryData']>[0],
	Buffer
>;

/** A reply as n8n's helpers give it once its headers are there. */
export type StreamedReply = { statusCode: number; headers: ReplyHeaders; body: ReplyStream };

/** How long a request may take until its reply is read, unless the node's Timeout option says otherwise. */
export const DEFAULT_TIMEOUT_MS = 30_000;

/** Timers of Node accept no more, and end at once beyond. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The most bytes of a reply: well over 100,000 responses, and what n8n's memory can hold. */
const MAX_BYTES = 128 * 1024 * 1024;

export const JSON_HEADERS = { Accept: 'application/json', 'Content-Type': 'application/json' };

/** Gives replies of any status as streams, and follows no redirects: the token stays where it is. */
export const STREAM_OPTIONS: Partial<IHttpRequestOptions> = {
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
	sendCredentialsOnCrossOriginRedirect: false,
	// the whole URL has the query already
	qs: undefined,
	baseURL: undefined,
};

/** Sends one request by n8n's helper, which a canceled execution ends. It never rejects. */
export async function sendOnce(
	{ n8n, transport }: RequestContext,
	{ endpoint, url, body }: Target,
): Promise<Reply | TransportFailure> {
	const timeout = parseTimeoutMs(transport);
	const options: IHttpRequestOptions = {
		...{ ...transport, ...STREAM_OPTIONS },
		...{ method: endpoint.method, url, body, timeout },
		headers: { ...JSON_HEADERS, ...transport?.headers },
	};
	const { httpRequestWithAuthentication } = n8n.helpers;
	return await readReply(
		httpRequestWithAuthentication.call(n8n, CREDENTIAL_TYPE, options),
		timeout,
	);
}

/**
 * Reads the reply that one of n8n's helpers waits for. n8n's own timeout ends with the headers of the reply, so
 * one of ours runs until its last byte. It never rejects.
 */
export async function readReply(
	sending: Promise<unknown>,
	timeoutMs: number,
): Promise<Reply | TransportFailure> {
	const opening = sending as Promise<StreamedReply>;
	const reading = opening.then(async ({ statusCode: status, headers, body }) => {
		return { status, headers, text: await readText(body) };
	});
	const createTimeout = () =>
		Object.assign(new Error('The reply did not come in time'), { code: 'ETIMEDOUT' });
	try {
		return await waitUnlessAborted(reading, clock.timeout(timeoutMs), createTimeout);
	} catch (error) {
		return toTransportFailure(error);
	} finally {
		closeReply(opening);
	}
}

/** The text of a body; undefined if it is too large. */
async function readText(body: ReplyStream): Promise<string | undefined> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of body as AsyncIterable<Uint8Array>) {
		size += chunk.length;
		if (size > MAX_BYTES) return undefined;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString();
}

/** Closes the connection of a reply that is not read to its end, should it still come. */
export function closeReply(opening: Promise<StreamedReply>): void {
	const closeBody = ({ body }: StreamedReply) => {
		// an error that nobody listens to would end n8n's process
		body.on('error', noop);
		// n8n's stream closes the connection only once it is read from
		body.once('data', () => body.destroy());
	};
	opening.then(closeBody).catch(noop);
}

/** The Timeout option in milliseconds. An expression can give any value; n8n takes 0 for its own default. */
export function parseTimeoutMs(transport: RequestContext['transport']): number {
	const timeout = Math.trunc(Number(transport?.timeout));
	return timeout > 0 ? Math.min(timeout, LONGEST_TIMEOUT_MS) : DEFAULT_TIMEOUT_MS;
}

/** The errors that n8n throws instead of sending: its protection of private addresses, allowed domains. */
const REFUSED_BY_N8N = /^(Ssrf\w*|UserError|OperationalError|NodeOperationError)$/;

/** Reads why no whole reply came from an error and its causes: the last code is the one of the network. */
export function toTransportFailure(error: unknown): TransportFailure {
	const chain = listCauses(error);
	const refused = chain.find((one) => REFUSED_BY_N8N.test(one.constructor.name));
	if (refused !== undefined) return { code: refused.message, isRefusedByN8n: true };
	const code = chain.map((one) => one.code).findLast((one) => typeof one === 'string');
	return { code: code ?? chain.at(-1)?.message ?? '', isRefusedByN8n: false };
}

/** An error and its causes, outermost first. */
function listCauses(error: unknown): Array<Error & { code?: unknown }> {
	return error instanceof Error ? [error, ...listCauses(error.cause)] : [];
}
