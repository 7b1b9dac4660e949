import { clamp } from 'lodash';

/** By lowercase name. */
export type ReplyHeaders = Readonly<Record<string, unknown>>;

/** The service rounds `Retry-After` down to whole seconds. */
const RETRY_AFTER_MARGIN_MS = 1_000;

/** No limit of the service lasts longer than a day. */
const MAX_WAIT_MS = 24 * 60 * 60_000;

/** Parses seconds or a date, which the service's own clock has set. Undefined for anything else. */
export function parseRetryAfterMs(headers: ReplyHeaders, nowMs: number): number | undefined {
	const text = String(headers['retry-after']);
	const servedAtMs = Date.parse(String(headers.date)) || nowMs;
	const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - servedAtMs;
	if (Number.isNaN(waitMs)) return undefined;
	return clamp(waitMs, 0, MAX_WAIT_MS) + RETRY_AFTER_MARGIN_MS;
}

export function parseLimitHeader(headers: ReplyHeaders, name: string): number | undefined {
	const text = String(headers[name]);
	return /^\d+$/.test(text) ? Number(text) : undefined;
}

// for an account (specification, section 8)
export const REQUESTS_PER_MINUTE = 60;
export const REQUESTS_PER_DAY = 1440;

/** Timers fire up to a millisecond early, and the service may round its times. */
export const WINDOW_MS = 60_000 + 25;

/** At `atMs`, the account could send `remaining` more requests. The window ends at `endsByMs` or earlier. */
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
 * The headers also count requests of other clients. If a request started after the previous reply and the number
 * of remaining requests has not fallen, a new window has started.
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
