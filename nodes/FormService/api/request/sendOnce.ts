import { noop } from 'lodash';
import type { BinaryHelperFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { CREDENTIAL_TYPE } from '../account';
import { clock, waitUnlessAborted } from '../clock';
import type { Target } from '../endpoints';
import type { RequestContext } from '../requestContext';
import { createFailure, type RequestFailure } from '../failures';
import { createTransportFailure, type RawReply, type ReplyHeaders } from './classify';

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

/**
 * Reads a reply to its end. n8n's timeout ends when the headers arrive, so a second timeout runs until the last
 * byte. Never rejects.
 */
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
