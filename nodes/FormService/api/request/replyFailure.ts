import type { Endpoint, Target } from '../endpoints';
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
 * Returns the failure that a reply means.
 *
 * @param envelope the JSON of the reply; undefined if its text is not JSON
 * @param nowMs epoch milliseconds
 */
export function createReplyFailure(
	reply: Reply,
	envelope: Envelope | undefined,
	{ endpoint, fieldTitles }: Pick<Target, 'endpoint' | 'fieldTitles'>,
	nowMs: number,
): RequestFailure {
	const { status, headers } = reply;
	if (status === 429) return createRateLimitFailure(headers, nowMs);
	const retryAfterMs = parseRetryAfterMs(headers, nowMs);
	if (status === 503 && retryAfterMs !== undefined) {
		// the service is in maintenance: it has not handled the request
		return createFailure('unavailable', { status, retryAtMs: nowMs + retryAfterMs });
	}
	const reason = findReason(reply, envelope, endpoint);
	const hasQuote = reason !== 'tokenRejected' && status !== 404;
	return createFailure(reason, {
		status,
		mayHaveActed: mayHaveActed(status, reason, envelope),
		noun: endpoint.noun,
		location: reason === 'redirected' ? String(headers.location || 'nowhere') : undefined,
		serverMessage: hasQuote ? nameFields(envelope?.message ?? '', fieldTitles) : undefined,
	});
}

function findReason(
	{ status, headers, text }: Reply,
	envelope: Envelope | undefined,
	{ noun }: Endpoint,
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

/** Matches where a service sends users who have not logged in, such as `/en/login?to=x`, not `/f/login-survey`. */
const LOGIN_PATH = /^[^?#]*\b(?<![-.])(log|sign)[-_]?in\/?([?#]|$)/i;

/** Whether the service may have acted. It can fail, redirect, or its proxy can time out, after it has acted. */
function mayHaveActed(
	status: number,
	reason: FailureReason,
	envelope: Envelope | undefined,
): boolean {
	if (status >= 400) return status >= 500 || status === 408 || status === 499;
	return reason !== 'tokenRejected' && envelope?.isFailure !== true;
}

/** The minute's limit lasts no longer, unless the headers show that it is the minute's. */
const MAX_MINUTE_WAIT_MS = 60_000 + RETRY_AFTER_MARGIN_MS;

/** A limit that asks to wait longer is not the minute's, whatever number the headers show. */
const MAX_SHOWN_MINUTE_WAIT_MS = 10 * 60_000;

/** Returns the failure of a status 429: the minute's limit is used up, or the day's. */
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

/** Matches `data.9b1f…`, `data[9b1f…]` and `"data.9b1f….0"` with the UUID or ID of a field, and a UUID alone. */
const FIELD_PATH =
	/(["'])?(?:\bdata(?:\.|\[["']?)([\w-]+)(?:["']?\])?|\b([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\b)(?:\.\d+)?\1/gi;

/**
 * Replaces the paths of answers in a message of the service: 'The data.9b1f… must be a valid email address.'
 * becomes 'The "Email address" must be a valid email address.'
 *
 * @param titles the titles of the form's fields by their UUIDs in lower case
 */
export function nameFields(
	message: string,
	titles: ReadonlyMap<string, string> = new Map(),
): string {
	return message.replace(FIELD_PATH, (path, _quote, name?: string, uuid?: string) => {
		const title = titles.get((name ?? uuid ?? '').toLowerCase());
		return title === undefined ? path : `"${title}"`;
	});
}
