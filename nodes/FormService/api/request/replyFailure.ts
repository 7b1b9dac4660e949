import type { Effect } from '../endpoints';
import type { Envelope } from '../envelope';
import { createFailure, type FailureReason, type RequestFailure } from '../requestFailure';
import { REQUESTS_PER_DAY, REQUESTS_PER_MINUTE } from './requestQueue';
import type { Reply, ReplyHeaders } from './sendOnce';

/**
 * Returns the failure that a reply means.
 *
 * @param envelope the JSON of the reply; undefined if its text is not JSON
 * @param nowMs epoch milliseconds
 */
export function createReplyFailure(
	reply: Reply,
	envelope: Envelope | undefined,
	effect: Effect,
	nowMs: number,
): RequestFailure {
	const { status, headers } = reply;
	if (status === 429) return createRateLimitFailure(headers, nowMs);
	const reason = findReason(reply, envelope, effect);
	const hasQuote = reason !== 'tokenRejected' && status !== 404;
	return createFailure(reason, {
		status,
		mayHaveActed: mayHaveActed(status, reason, envelope),
		noun: effect.noun,
		location: reason === 'redirected' ? String(headers.location || 'nowhere') : undefined,
		serverMessage: hasQuote ? envelope?.message : undefined,
	});
}

function findReason(
	{ status, headers, text }: Reply,
	envelope: Envelope | undefined,
	{ noun }: Effect,
): FailureReason {
	if (text === undefined) return 'replyTooLarge';
	if (status >= 500) return 'serverError';
	const isRedirect = status >= 300 && status < 400;
	const isLogin = isRedirect && LOGIN_PATH.test(String(headers.location));
	if (status === 401 || isLogin) return 'tokenRejected';
	if (status === 403) return 'accessDenied';
	if (isRedirect) return 'redirected';
	// a web page with another status, such as 413, can come from a proxy before the service
	if (/^\s*</.test(text) && [200, 404, 405].includes(status)) return 'webPage';
	if (status === 404) return noun === undefined ? 'wrongAddress' : 'notFound';
	if (status >= 400 || envelope?.isFailure) return 'rejected';
	return envelope === undefined ? 'incompleteReply' : 'unconfirmed';
}

/** Where a service sends those who have not logged in, such as `/en/login`, not `/blogging`. */
const LOGIN_PATH = /\b(log|sign)[-_]?in\b/i;

/** Whether the service may have acted. It can fail, redirect, or its proxy can time out, after it has acted. */
function mayHaveActed(
	status: number,
	reason: FailureReason,
	envelope: Envelope | undefined,
): boolean {
	if (status >= 400) return status >= 500 || status === 408 || status === 499;
	return reason !== 'tokenRejected' && envelope?.isFailure !== true;
}

/** A rate limit that asks to wait longer cannot be the minute's, so it is the day's. */
const MAX_MINUTE_WAIT_MS = 60_000;

/** No day's limit lasts longer. */
const MAX_DAY_WAIT_MS = 24 * 60 * 60_000;

/** Added to `Retry-After`, which the service rounds down to whole seconds. */
const RETRY_AFTER_MARGIN_MS = 1_000;

/** Returns the failure of a status 429: the minute's limit is used up, or the day's. */
export function createRateLimitFailure(headers: ReplyHeaders, nowMs: number): RequestFailure {
	// seconds (RFC 9110, section 10.2.3); the service sends no dates
	const askedMs = Number(headers['retry-after'] ?? NaN) * 1_000;
	const waitMs = askedMs >= 0 ? Math.min(askedMs, MAX_DAY_WAIT_MS) : MAX_MINUTE_WAIT_MS;
	const limit = Number(headers['x-ratelimit-limit']) || undefined;
	const isDailyLimit = waitMs > MAX_MINUTE_WAIT_MS || limit === REQUESTS_PER_DAY;
	return createFailure(isDailyLimit ? 'dayLimit' : 'minuteLimit', {
		status: 429,
		retryAtMs: nowMs + waitMs + RETRY_AFTER_MARGIN_MS,
		limit: limit ?? REQUESTS_PER_MINUTE,
	});
}
