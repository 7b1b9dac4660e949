/* The rate limits of an account, and how the headers of replies show the limits. */

/** The headers of a reply by lowercase name, as n8n's helpers return them. */
export type ReplyHeaders = Readonly<Record<string, unknown>>;

/** How much longer than `Retry-After` to wait, because the service rounds `Retry-After` down to whole seconds. */
export const RETRY_AFTER_MARGIN_MS = 1_000;

/** No limit of the service lasts longer than a day. */
const MAX_WAIT_MS = 24 * 60 * 60_000;

/**
 * Returns how many milliseconds the service asks to wait. `Retry-After` has seconds or a date (RFC 9110,
 * section 10.2.3). A date is compared with the `Date` of the same reply, because the clock of this machine can
 * differ.
 *
 * @returns undefined if the reply has no `Retry-After`
 */
export function parseRetryAfterMs(headers: ReplyHeaders, nowMs: number): number | undefined {
	const text = String(headers['retry-after'] ?? '').trim();
	if (text === '') return undefined;
	const seconds = Number(text);
	const servedAtMs = Date.parse(String(headers.date)) || nowMs;
	const waitMs = Number.isNaN(seconds) ? Date.parse(text) - servedAtMs : seconds * 1_000;
	if (Number.isNaN(waitMs)) return undefined;
	return Math.min(Math.max(waitMs, 0), MAX_WAIT_MS) + RETRY_AFTER_MARGIN_MS;
}

/** Returns the first number of a header, because a proxy can send several: `60, 60;w=60`. */
export function parseLimitHeader(headers: ReplyHeaders, name: string): number | undefined {
	const [text] = String(headers[name] ?? '').split(/[,;]/);
	const number = text.trim() === '' ? NaN : Number(text);
	return Number.isNaN(number) ? undefined : Math.max(number, 0);
}

/** The number of requests that the service allows an account per minute (specification, section 8). */
export const REQUESTS_PER_MINUTE = 60;

/** The number of requests that the service allows an account per day (specification, section 8). */
export const REQUESTS_PER_DAY = 1440;

/** Timers fire up to a millisecond early, and the service may round its times. */
export const WINDOW_MS = 60_000 + 25;

/**
 * The rate limit window, as a reply showed it. At `atMs`, the account could send `remaining` more requests. The
 * window ends at `endsByMs` or earlier.
 */
export type RateLimitWindow = {
	readonly perMinute: number;
	readonly remaining: number;
	readonly atMs: number;
	readonly endsByMs: number;
};

export const UNKNOWN_WINDOW: RateLimitWindow = {
	perMinute: REQUESTS_PER_MINUTE,
	remaining: Infinity,
	atMs: -Infinity,
	endsByMs: -Infinity,
};

/**
 * Returns the state of the rate limit window after a reply. The headers also count requests of other clients.
 * If a request started after the previous reply and the number of remaining requests has not fallen, a new
 * window has started.
 */
export function updateRateLimitWindow(
	window: RateLimitWindow,
	{ startedAtMs, headers, nowMs }: { startedAtMs: number; headers: ReplyHeaders; nowMs: number },
): RateLimitWindow {
	const perMinute = parseLimitHeader(headers, 'x-ratelimit-limit');
	const remaining = parseLimitHeader(headers, 'x-ratelimit-remaining');
	// a reply can show the daily limit, which says nothing about the minute
	if (!perMinute || remaining === undefined || perMinute === REQUESTS_PER_DAY) return window;
	const { remaining: remainingBefore, atMs, endsByMs } = window;
	const isNew = startedAtMs >= endsByMs || (startedAtMs >= atMs && remaining >= remainingBefore);
	return isNew
		? { perMinute, remaining, atMs: nowMs, endsByMs: nowMs + WINDOW_MS }
		: { perMinute, remaining: Math.min(remaining, remainingBefore), atMs: nowMs, endsByMs };
}
