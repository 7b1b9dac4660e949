import type { Endpoint, NamedField, Target } from '../endpoints';
import type { Envelope } from '../envelope';
import { createFailure, type FailureReason, type RequestFailure } from '../requestFailure';
import {
	parseLimitHeader,
	parseRetryAfterMs,
	REQUESTS_PER_DAY,
	REQUESTS_PER_MINUTE,
	RETRY_AFTER_MARGIN_MS,
	type ReplyHeaders,
} from './rateLimit';
import type { Reply } from './sendOnce';

/**
 * Determines from the reply why a request failed.
 *
 * @param envelope the JSON of the reply; undefined if the reply is not JSON
 * @param nowMs epoch milliseconds
 */
export function createReplyFailure(
	reply: Reply,
	envelope: Envelope | undefined,
	{ endpoint, fields }: Pick<Target, 'endpoint' | 'fields'>,
	nowMs: number,
): RequestFailure {
	const { status, headers } = reply;
	const mayHaveActed = canHaveActed(reply, envelope);
	if (status === 429) return { ...createRateLimitFailure(headers, nowMs), mayHaveActed };
	const retryAfterMs = parseRetryAfterMs(headers, nowMs);
	if (status === 503 && retryAfterMs !== undefined) {
		return createFailure('unavailable', { status, retryAtMs: nowMs + retryAfterMs, mayHaveActed });
	}
	const reason = findReason(reply, envelope, endpoint);
	const hasQuote = reason !== 'tokenRejected' && status !== 404;
	return createFailure(reason, {
		status,
		mayHaveActed,
		noun: endpoint.noun,
		location: reason === 'redirected' ? String(headers.location || 'nowhere') : undefined,
		serverMessage: hasQuote ? nameFields(envelope?.message ?? '', fields) : undefined,
	});
}

/** The statuses with which a server ends a request that took too long: 408 (RFC 9110), and nginx's 499. */
export const TIMEOUT_STATUSES: readonly number[] = [408, 499];

/** The reasons that `findReason` can return. */
type ReplyReason = Extract<
	FailureReason,
	| 'replyTooLarge'
	| 'serverError'
	| 'serverTimedOut'
	| 'tokenRejected'
	| 'accessDenied'
	| 'redirected'
	| 'webPage'
	| 'wrongAddress'
	| 'notFound'
	| 'rejected'
	| 'incompleteReply'
	| 'unconfirmed'
	| 'contradictory'
>;

function findReason(
	reply: Reply,
	envelope: Envelope | undefined,
	{ noun, effect }: Endpoint,
): ReplyReason {
	const { status, text } = reply;
	if (text === undefined) return 'replyTooLarge';
	if (status >= 500) return 'serverError';
	if (TIMEOUT_STATUSES.includes(status)) return 'serverTimedOut';
	const isRejected = isRejection(reply) || envelope?.isFailure;
	// a contradiction only matters if the request must not be sent again
	const canActTwice = effect === 'nonIdempotent';
	if (canActTwice && isRejected && envelope?.hasSuccessSign) return 'contradictory';
	if (status === 401 || isLoginRedirect(reply)) return 'tokenRejected';
	if (status === 403) return 'accessDenied';
	if (isRedirect(reply)) return 'redirected';
	// with another status, such as 413, a proxy may have sent the web page
	if (/^\s*</.test(text) && [200, 404, 405].includes(status)) return 'webPage';
	if (status === 404) return noun === undefined ? 'wrongAddress' : 'notFound';
	if (status >= 400 || envelope?.isFailure) return 'rejected';
	return envelope === undefined ? 'incompleteReply' : 'unconfirmed';
}

/**
 * Whether the service may have acted before the reply. docs/responses.md lists the cases in the table of
 * "Never twice".
 */
function canHaveActed(reply: Reply, envelope: Envelope | undefined): boolean {
	// the unread end of a reply that is too long can say that the service has acted
	if (reply.text === undefined || envelope?.hasSuccessSign) return true;
	const isSuccess = reply.status >= 200 && reply.status < 300;
	return isSuccess ? !envelope?.isFailure : !isRejection(reply);
}

/**
 * Whether the status shows that the service has not acted. A 503 with `Retry-After` is a rejection, because a
 * service in maintenance has not handled the request. These statuses are not rejections:
 *
 * - a timeout (408, 499), because a proxy can time out while the service still acts
 * - a failure (such as 500), because the service can fail after it has acted
 */
function isRejection(reply: Reply): boolean {
	const { status, headers } = reply;
	if (status === 503) return parseRetryAfterMs(headers, 0) !== undefined;
	const isClientError = status >= 400 && status < 500;
	return isLoginRedirect(reply) || (isClientError && !TIMEOUT_STATUSES.includes(status));
}

function isRedirect({ status }: Reply): boolean {
	return status >= 300 && status < 400;
}

function isLoginRedirect(reply: Reply): boolean {
	return isRedirect(reply) && LOGIN_PATH.test(String(reply.headers.location));
}

/** Matches the path of a login page, such as `/en/login?to=x`, not `/f/login-survey`. */
const LOGIN_PATH = /^[^?#]*\b(?<![-.])(log|sign)[-_]?in\/?([?#]|$)/i;

/**
 * The maximum wait for the per-minute limit, if the headers do not show which limit is reached. A longer wait
 * is for the daily limit.
 */
const MAX_MINUTE_WAIT_MS = 60_000 + RETRY_AFTER_MARGIN_MS;

/**
 * The maximum wait for the per-minute limit, if the headers show a limit: `x-ratelimit-limit: 60`. A longer
 * wait is for the daily limit.
 */
const MAX_SHOWN_MINUTE_WAIT_MS = 10 * 60_000;

/**
 * Returns the failure for a reply with status 429. The reason is `dayLimit` if the headers show the daily
 * limit, or if the wait is too long for the per-minute limit. Otherwise, the reason is `minuteLimit`.
 */
export function createRateLimitFailure(headers: ReplyHeaders, nowMs: number): RequestFailure {
	const waitMs = parseRetryAfterMs(headers, nowMs) ?? MAX_MINUTE_WAIT_MS;
	const limit = parseLimitHeader(headers, 'x-ratelimit-limit') || undefined;
	const maxMinuteWaitMs = limit === undefined ? MAX_MINUTE_WAIT_MS : MAX_SHOWN_MINUTE_WAIT_MS;
	const isDailyLimit = limit === REQUESTS_PER_DAY || waitMs > maxMinuteWaitMs;
	return createFailure(isDailyLimit ? 'dayLimit' : 'minuteLimit', {
		status: 429,
		retryAtMs: nowMs + waitMs,
		limit: limit ?? REQUESTS_PER_MINUTE,
	});
}

/**
 * Matches the path of an answer: `data.9b1f…`, `data[9b1f…]` or `"data.9b1f….0"`. The part after `data` is the
 * UUID or ID of a field. Also matches a UUID without `data`.
 */
const FIELD_PATH =
	/(["'])?(?:\bdata(?:\.|\[["']?)([\w-]+)(?:["']?\])?|\b([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\b)(?:\.\d+)?\1/gi;

/**
 * Replaces the paths of answers in a message of the service by the titles of fields: `The data.9b1f… must be a
 * valid email address.` → `The "Email address" must be a valid email address.`
 */
export function nameFields(message: string, fields: readonly NamedField[] = []): string {
	return message.replace(FIELD_PATH, (path, _quote, name?: string, uuid?: string) => {
		const wanted = (name ?? uuid ?? '').toLowerCase();
		const found = fields.find((field) => field.uuid.toLowerCase() === wanted);
		return found === undefined ? path : `"${found.title}"`;
	});
}
