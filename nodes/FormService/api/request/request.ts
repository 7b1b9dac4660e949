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

/** What a successful reply contains. */
export type ServiceReply = {
	/** The JSON of the body; undefined if the reply `isUnchanged`. */
	value: unknown;
	headers: Headers;
	/** Requests that were sent for it, redirects and retries included. */
	requests: number;
	/** Only where versions were asked for. */
	version?: Version;
	/** The reply is the known version; its body was not parsed. */
	isUnchanged?: true;
};

/** Recognizes a reply that was read before without parsing it. */
export type Version = {
	/** SHA-256 of the bytes of the body. */
	digest: string;
	/** The service's name of the version (RFC 9110, section 8.8.3). */
	etag?: string;
};

/**
 * The only way to the service: waits for the account's rate limiter, sends, repeats what may be
 * repeated, and returns what a successful reply contains.
 *
 * @param versions asks for the version of the reply; if it equals `known`, the body is not parsed
 * @throws ServiceError that says what happened and what to do
 * @throws NotSent if the caller gave up first
 */
export async function request(
	context: RequestContext,
	target: Target,
	versions?: { known?: Version },
): Promise<ServiceReply> {
	const { account, transport } = context;
	const { endpoint, body } = target;
	const { method, effect } = endpoint;
	let known = versions?.known;
	let version: Version | undefined;
	let requests = 0;
	const headers = { ...JSON_HEADERS, ...transport?.headers };
	const send = async (url: string, isRetry: boolean): Promise<Read> => {
		requests++;
		const hash = versions && createHash('sha256');
		const onBytes = hash && ((bytes: Uint8Array) => hash.update(bytes));
		const condition = known?.etag === undefined ? {} : { 'If-None-Match': known.etag };
		const outgoing = { method, url, headers: { ...headers, ...condition }, body };
		const way = { maxBytes: MAX_REPLY_BYTES, onBytes };
		const reply = await toService(context, isRetry, { ...outgoing, ...way });
		if (known !== undefined && isAnotherVersion(reply, known)) {
			known = { digest: known.digest };
			return await send(url, true);
		}
		const digest = () => hash!.digest('base64');
		version = versions && versionOf(reply, known, digest);
		const isKnown = version !== undefined && version.digest === known?.digest;
		return isKnown ? asUnchanged(reply as Reply) : await readReply(reply);
	};
	const follow = followOf(endpoint, account);
	const way = { send, follow, ...repeating(context, effect) };
	const { ended, sent } = await sendUntilSettled(target.url, way);
	const outcome = outcomeOf(ended, { endpoint, account, sent });
	if (!('value' in outcome)) throw requestError(context, outcome);
	const isUnchanged = outcome.value === unchanged;
	return {
		...(isUnchanged ? { value: undefined, isUnchanged } : { value: outcome.value }),
		headers: outcome.headers,
		requests,
		...(version !== undefined && { version }),
	};
}

const JSON_HEADERS = { Accept: 'application/json', 'Content-Type': 'application/json' };

/** A reply with what it holds. */
type Read = Broken | (Reply & { content: Content; incomplete: boolean });

/** In place of the JSON of a reply: it is the one that was read before. */
const unchanged = Symbol('unchanged');

/** A 304 to a condition with one ETag that has another ETag: it says nothing about what is known. */
function isAnotherVersion(reply: Broken | Reply, known: Version): boolean {
	if (reply.kind === 'broken' || reply.status !== NOT_MODIFIED) return false;
	const { etag } = reply.headers;
	return known.etag !== undefined && etag !== undefined && !isSameEtag(known.etag, etag);
}

/** Weak comparison (RFC 9110, section 8.8.3.2). */
function isSameEtag(one: string, other: unknown): boolean {
	const opaque = (etag: string) => etag.replace(/^W\//, '');
	return typeof other === 'string' && opaque(one) === opaque(other);
}

/** The version of a success, or of a 304 that was asked for. */
function versionOf(
	reply: Broken | Reply,
	known: Version | undefined,
	digest: () => string,
): Version | undefined {
	if (reply.kind === 'broken' || reply.tooLarge) return undefined;
	if (reply.status === NOT_MODIFIED && known?.etag !== undefined) return known;
	if (!isSuccess(reply.status)) return undefined;
	const { etag } = reply.headers;
	return { digest: digest(), ...(typeof etag === 'string' && { etag }) };
}

function asUnchanged(reply: Reply): Read {
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
): Pick<ServiceReply, 'value' | 'headers'> | Explanation {
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
