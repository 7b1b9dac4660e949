import { parseLimitHeader, type ReplyHeaders } from './replyHeaders';

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
