import { noop } from 'lodash';
import type { BinaryHelperFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { CREDENTIAL_TYPE } from '../account';
import { clock, waitUnlessAborted } from '../clock';
import type { Target } from '../endpoints';
import type { RequestContext } from '../requestContext';
import type { RequestFailure } from '../requestFailure';
import type { ReplyHeaders } from './replyHeaders';
import { createTransportFailure } from './transportFailure';

/** A reply of any status; without a text if it has more bytes than are read. */
export type Reply = { status: number; headers: ReplyHeaders; text?: string };

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

/** Sends one request with n8n's helper, which a canceled execution ends. It never rejects. */
export async function sendOnce(
	{ n8n, httpOptions }: RequestContext,
	{ endpoint, url, body }: Target,
): Promise<Reply | RequestFailure> {
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
	const { httpRequestWithAuthentication } = n8n.helpers;
	return await readReply(
		httpRequestWithAuthentication.call(n8n, CREDENTIAL_TYPE, options),
		timeout,
	);
}

/**
 * Reads the reply that one of n8n's helpers waits for. n8n's timeout ends with the headers of the reply, so a
 * second timeout runs until its last byte. It never rejects.
 */
export async function readReply(
	sentPromise: Promise<unknown>,
	timeoutMs: number,
): Promise<Reply | RequestFailure> {
	const replyPromise = sentPromise as Promise<StreamedReply>;
	const reading = replyPromise.then(async ({ statusCode: status, headers, body }) => {
		return { status, headers, text: await readText(body) };
	});
	const createTimeout = () =>
		Object.assign(new Error('The reply did not come in time'), { code: 'ETIMEDOUT' });
	try {
		return await waitUnlessAborted(reading, clock.timeout(timeoutMs), createTimeout);
	} catch (error) {
		return createTransportFailure(error);
	} finally {
		closeReply(replyPromise);
	}
}

/** Reads the text of a body; undefined if it is too large. */
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

/** Closes the connection of a reply that is not read to its end, if the reply still comes. */
export function closeReply(replyPromise: Promise<StreamedReply>): void {
	const closeBody = ({ body }: StreamedReply) => {
		// an error without a listener would end n8n's process
		body.on('error', noop);
		// n8n's stream closes the connection only once it is read from
		body.once('data', () => body.destroy());
	};
	replyPromise.then(closeBody).catch(noop);
}

/** Parses the Timeout option in milliseconds. An expression can return any value; 0 means the default. */
export function parseTimeoutMs(httpOptions: RequestContext['httpOptions']): number {
	const timeout = Math.trunc(Number(httpOptions?.timeout));
	return timeout > 0 ? Math.min(timeout, LONGEST_TIMEOUT_MS) : DEFAULT_TIMEOUT_MS;
}
