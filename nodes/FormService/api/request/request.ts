import { createHash } from 'crypto';
import type { Account } from '../account';
import { clock } from '../clock';
import type { Endpoint, Target } from '../endpoints';
import { readContent, unwrap } from '../envelope';
import type { Content, Envelope } from '../envelope';
import { asSentence, requestError } from '../errors';
import type { Explanation } from '../errors';
import type { Headers } from '../rateLimiter/limits';
import type { RequestContext } from '../requestContext';
import { onOwnOrigin } from '../url';
import { explainConnection } from './explainConnection';
import { explainStatus, isLogin } from './explainStatus';
import type { Broken, Reply } from './http';
import { mayHaveBeenTaken } from './retry';
import { repeating, sendUntilSettled, toService } from './send';

/** Bytes of a reply that are read at most: well over 100,000 responses, and what n8n's memory stands. */
export const MAX_REPLY_BYTES = 128 * 1024 * 1024;

/** The JSON of a successful reply, and its headers. */
export type Received = { value: unknown; headers: Headers };

/** By what a reply that was read before can be told from another, without reading it again. */
export type Version = {
	/** Of the bytes of its body. */
	digest: string;
	/** What the service calls it (RFC 9110, section 8.8.3). */
	etag?: string;
};

/** In place of the JSON of a reply: it is the one that was read before. */
export const unchanged = Symbol('unchanged');

/**
 * The only way to the service: waits for the account's rate limiter, sends, repeats what may be
 * repeated, and gives what a successful reply holds.
 *
 * @param versions for a reply that may be one that was read before; its value is then `unchanged`
 * @throws NodeApiError that says what happened and what to do
 * @throws NotSent when the caller gave up first
 */
export async function request(
	context: RequestContext,
	target: Target,
	versions?: Versions,
): Promise<Received> {
	const { account, transport } = context;
	const { endpoint, body } = target;
	const { method, effect } = endpoint;
	const etag = versions?.known?.etag;
	const condition = etag === undefined ? {} : { 'If-None-Match': etag };
	const headers = { ...JSON_HEADERS, ...transport?.headers, ...condition };
	const outgoing = { method, headers, body, maxBytes: MAX_REPLY_BYTES };
	const { ended, sent } = await sendUntilSettled(target.url, {
		send: async (url, isRetry) => {
			const hash = versions && createHash('sha256');
			const onBytes = hash && ((bytes: Uint8Array) => hash.update(bytes));
			const reply = await toService(context, isRetry, { ...outgoing, url, onBytes });
			const digest = () => hash!.digest('base64');
			const known = versions && unchangedReply(reply, versions, digest);
			return known ?? (await readReply(reply));
		},
		follow: followOf(endpoint, account),
		...repeating(context, effect),
	});
	const outcome = outcomeOf(ended, { endpoint, account, sent });
	if ('value' in outcome) return outcome;
	throw requestError(context, outcome);
}

const JSON_HEADERS = { Accept: 'application/json', 'Content-Type': 'application/json' };

/** A reply with what it holds. */
type Read = Broken | (Reply & { content: Content; incomplete: boolean });

/** The version that is known, if any, and where the version of the reply goes. */
export type Versions = { known?: Version; onVersion(version: Version): void };

/** A reply that need not be read; undefined for any other. */
function unchangedReply(
	reply: Broken | Reply,
	{ known, onVersion }: Versions,
	digest: () => string,
): Read | undefined {
	if (reply.kind === 'broken' || reply.tooLarge) return undefined;
	const isNotModified = reply.status === NOT_MODIFIED && known?.etag !== undefined;
	if (!isNotModified && !isSuccess(reply.status)) return undefined;
	const { etag } = reply.headers;
	const version = isNotModified
		? known
		: { digest: digest(), ...(typeof etag === 'string' && { etag }) };
	onVersion(version);
	if (version.digest !== known?.digest) return undefined;
	return { ...reply, status: 200, content: { kind: 'json', value: unchanged }, incomplete: false };
}

const NOT_MODIFIED = 304;

/** Reads a reply, once. */
export async function readReply(ended: Broken | Reply): Promise<Read> {
	if (ended.kind === 'broken') return ended;
	const content = await readContent(ended.headers, ended.body);
	const isCut =
		content.kind === 'unreadable' && /^\s*[[{]/.test(ended.body.toString('latin1', 0, 64));
	const isEmpty = content.kind === 'empty' && ended.status !== NO_CONTENT;
	const incomplete = isSuccess(ended.status) && !ended.tooLarge && (isCut || isEmpty);
	return { ...ended, content, incomplete };
}

const NO_CONTENT = 204;

function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}

/**
 * A redirect of what only reads is followed on the account's own origin. A login page has no data: the
 * redirect to it tells more.
 */
export function followOf({ effect }: Endpoint, { origin }: Account) {
	return (location: string, url: string): string | undefined => {
		const target = effect === 'read' ? onOwnOrigin(location, url, origin) : undefined;
		return target === undefined || isLogin(new URL(target)) ? undefined : target;
	};
}

/** What a reply gives, or why it gives nothing. */
export function outcomeOf(
	ended: Read,
	asked: { endpoint: Endpoint; account: Account; sent: number },
): Received | Explanation {
	const { endpoint, account, sent } = asked;
	if (ended.kind === 'broken') {
		const isUncertain = endpoint.effect === 'once' && mayHaveBeenTaken(ended);
		const explanation = explainConnection(ended, account.origin);
		return isUncertain ? uncertain(explanation) : withTries(explanation, sent);
	}
	const { content, headers, status, tooLarge } = ended;
	if (status === NO_CONTENT && content.kind === 'empty') return { value: {}, headers };
	const envelope = content.kind === 'json' ? concealed(unwrap(content.value), account) : undefined;
	if (isSuccess(status) && !tooLarge && content.kind === 'json' && !envelope?.failed) {
		return { value: content.value, headers };
	}
	const failed = { status, headers, content, envelope, tooLarge };
	const explanation = explainStatus(failed, asked, clock.now());
	// a service that breaks down (5xx) can have acted before, whatever its envelope says
	const saysNotDone = envelope?.failed === true && status < 500;
	const isUncertain = endpoint.effect === 'once' && mayHaveBeenTaken(ended) && !saysNotDone;
	return isUncertain ? uncertain(explanation) : withTries(explanation, sent);
}

/** The service's words as they can be shown: before any of them is cut off within the token. */
function concealed({ message, details, ...rest }: Envelope, { conceal }: Account): Envelope {
	const shown = message === undefined ? {} : { message: conceal(message) };
	return { ...rest, ...shown, details: details.map(conceal) };
}

function withTries(explanation: Explanation, sent: number): Explanation {
	const description = `${explanation.description} Tried ${sent} times.`;
	return sent > 1 ? { ...explanation, description } : explanation;
}

/** Nobody knows whether the response was added. */
function uncertain(explanation: Explanation): Explanation {
	return {
		...explanation,
		message: `${asSentence(explanation.message)} The response may or may not have been added`,
		description:
			"It was not sent again, so that no response is added twice. Check the form's responses before you run this item again.",
		mayHaveActed: true,
	};
}
