/** The rate limit of an account, and what the headers of replies show of it. */

/** Headers of a reply with lower-case names, as n8n's helpers return them. */
export type ReplyHeaders = Readonly<Record<string, unknown>>;

/** Added to `Retry-After`, which the service rounds down to whole seconds. */
export const RETRY_AFTER_MARGIN_MS = 1_000;

/** The longest wait that is believed: no day's limit lasts longer. */
const MAX_WAIT_MS = 24 * 60 * 60_000;

/**
 * Parses how long the service asks to wait, from now: `Retry-After` has seconds or a date (RFC 9110, section
 * 10.2.3). The service's clock can differ, so a date counts from the reply's own `Date`.
 *
 * @returns undefined if the service asks for no wait
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

/**
 * Parses a header such as `x-ratelimit-remaining`: `59`, or `60, 60;w=60` of a proxy, whose first number counts. A
 * negative number means that nothing is left.
 */
export function parseLimitHeader(headers: ReplyHeaders, name: string): number | undefined {
	const [text] = String(headers[name] ?? '').split(/[,;]/);
	const number = text.trim() === '' ? NaN : Number(text);
	return Number.isNaN(number) ? undefined : Math.max(number, 0);
}

/** Requests that the service allows an account in a minute and in a day (specification, section 8). */
export const REQUESTS_PER_MINUTE = 60;
export const REQUESTS_PER_DAY = 1440;

/**
 * The service's window: its minute starts with the first request after the last window ended. The
 * margin is for timers, which fire up to a millisecond early, and for a service that rounds.
 */
export const WINDOW_MS = 60_000 + 25;

/** What a reply at `atMs` has shown of the service's window, which ends by `endsByMs`. */
export type ServerWindow = {
	readonly perMinute: number;
	readonly remaining: number;
	readonly atMs: number;
	readonly endsByMs: number;
};

export const UNKNOWN_WINDOW: ServerWindow = {
	perMinute: REQUESTS_PER_MINUTE,
	remaining: Infinity,
	atMs: -Infinity,
	endsByMs: -Infinity,
};

/**
 * Returns the state of the service's window after a reply, also after requests of other clients. If a request
 * that was sent after an earlier reply finds as much or more remaining, it is in a new window.
 */
export function updateServerWindow(
	window: ServerWindow,
	{ startedAtMs, headers, nowMs }: { startedAtMs: number; headers: ReplyHeaders; nowMs: number },
): ServerWindow {
	const perMinute = parseLimitHeader(headers, 'x-ratelimit-limit');
	const remaining = parseLimitHeader(headers, 'x-ratelimit-remaining');
	// the limit of the day says nothing about the minute
	if (!perMinute || remaining === undefined || perMinute === REQUESTS_PER_DAY) return window;
	const { remaining: remainingBefore, atMs, endsByMs } = window;
	const isNew = startedAtMs >= endsByMs || (startedAtMs >= atMs && remaining >= remainingBefore);
	return isNew
		? { perMinute, remaining, atMs: nowMs, endsByMs: nowMs + WINDOW_MS }
		: { perMinute, remaining: Math.min(remaining, remainingBefore), atMs: nowMs, endsByMs };
}
