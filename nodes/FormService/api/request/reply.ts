import type { Account } from '../account';
import { clock } from '../clock';
import type { Endpoint } from '../endpoints';
import { readContent, unwrap } from '../envelope';
import type { Content, Envelope } from '../envelope';
import { readRefusal, TOO_MANY_REQUESTS } from '../rateLimiter/limits';
import type { Headers, Refusal } from '../rateLimiter/limits';
import { isRedirect, leadsToLogin, onOwnOrigin } from '../url';
import type { Broken, Reply } from './http';

/** The most bytes of a reply that are read: well over 100,000 responses, and what n8n's memory can hold. */
export const MAX_REPLY_BYTES = 128 * 1024 * 1024;

/** What identifies a reply, so that the same reply need not be parsed again. */
export type Version = {
	/** SHA-256 of the bytes of the body. */
	digest: string;
	/** The service's name of the version (RFC 9110, section 8.8.3). */
	etag?: string;
};

/** A reply with its content. */
export type ReadReply = Reply & {
	content: Content;
	/** Of a reply in JSON, without the token. */
	envelope?: Envelope;
	/** A status of success with a body that was cut off or never came. */
	isIncomplete: boolean;
	/** The service says that it did not act. */
	saysFailed: boolean;
	/** Of a status 429. */
	refusal?: Refusal;
};

const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

/**
 * Where a redirect is followed to: only for what is safe to send again, and only on the account's own
 * origin. A redirect to a login page is not followed, since the redirect says more than the page.
 *
 * @param url the URL that was requested
 * @returns the whole URL; undefined if no redirect is followed
 */
export function redirectOf(
	{ status, headers: { location } }: Pick<Reply, 'status' | 'headers'>,
	url: string,
	{ effect }: Endpoint,
	{ origin }: Pick<Account, 'origin'>,
): string | undefined {
	const mayFollow = effect.kind === 'safe' && isRedirect(status);
	if (!mayFollow || typeof location !== 'string') return undefined;
	const target = onOwnOrigin(location, url, origin);
	return leadsToLogin(target) ? undefined : target;
}

/**
 * Reads the content of a reply.
 *
 * @param perMinute the account's limit, if a reply has shown it
 */
export function readReply(
	reply: Reply,
	{ conceal }: Pick<Account, 'conceal'>,
	perMinute?: number,
): ReadReply {
	const { status, headers, body, tooLarge } = reply;
	const content = readContent(headers, body);
	const envelope = content.kind === 'json' ? concealed(unwrap(content.value), conceal) : undefined;
	const isCut = content.kind === 'unreadable' && /^\s*[[{]/.test(body.toString('latin1', 0, 64));
	const isEmpty = content.kind === 'empty' && status !== NO_CONTENT;
	return {
		...reply,
		content,
		envelope,
		isIncomplete: isSuccess(status) && !tooLarge && (isCut || isEmpty),
		saysFailed: envelope?.failed === true,
		...(status === TOO_MANY_REQUESTS && { refusal: readRefusal(headers, clock.now(), perMinute) }),
	};
}

/** The token is removed before any text is cut off within it. */
function concealed({ message, details, ...rest }: Envelope, conceal: Account['conceal']): Envelope {
	const shown = message === undefined ? {} : { message: conceal(message) };
	return { ...rest, ...shown, details: details.map(conceal) };
}

function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}

/** The value of a success; undefined for any other reply. */
export function successIn(
	reply: ReadReply | Broken,
): { value: unknown; headers: Headers } | undefined {
	if (reply.kind === 'broken' || !isSuccess(reply.status)) return undefined;
	const { status, headers, content, saysFailed, tooLarge } = reply;
	if (status === NO_CONTENT && content.kind === 'empty') return { value: {}, headers };
	const isValue = content.kind === 'json' && !saysFailed && !tooLarge;
	return isValue ? { value: content.value, headers } : undefined;
}

/** The version of a success, or of a 304 to a request for a known version. */
export function versionOf(
	{ status, headers: { etag }, digest, tooLarge }: Reply,
	known: Version | undefined,
): Version | undefined {
	if (status === NOT_MODIFIED && known?.etag !== undefined) return known;
	if (digest === undefined || tooLarge || !isSuccess(status)) return undefined;
	return { digest, ...(typeof etag === 'string' && { etag }) };
}

/** Whether a 304 names another version than the known one: it says nothing about the known one. */
export function isOfOtherVersion({ status, headers }: Reply, known: Version | undefined): boolean {
	const { etag } = headers;
	if (status !== NOT_MODIFIED || known?.etag === undefined || etag === undefined) return false;
	// weak comparison (RFC 9110, section 8.8.3.2)
	const opaque = (tag: string) => tag.replace(/^W\//, '');
	return typeof etag !== 'string' || opaque(etag) !== opaque(known.etag);
}
