/** The per-minute limit and the daily limit of an account (specification, section 8). */
export type Limits = { perMinute: number; perDay: number };

/** The requests of a rate limit's window, which ends at a time in epoch milliseconds. */
type Window = { endMs: number; used: number };

export type Usage = { minute: Window; day: Window };

export type Decision = { isAllowed: boolean; usage?: Usage; headers: Record<string, string> };

/**
 * Decides whether a request is allowed. Only an allowed request is counted. A window starts with the first
 * request after the last window has ended. The headers show the limit that has fewer requests left.
 *
 * @param now epoch milliseconds
 */
export function decide(before: Usage | undefined, limits: Limits, now: number): Decision {
	const minute = openWindow(before?.minute, 60_000, now);
	const day = openWindow(before?.day, 86_400_000, now);
	if (day.used >= limits.perDay) return rejectRequest(before, day, limits.perDay, now);
	if (minute.used >= limits.perMinute) return rejectRequest(before, minute, limits.perMinute, now);

	const usage = { minute: addRequest(minute), day: addRequest(day) };
	const remaining = limits.perMinute - usage.minute.used;
	const leftOfDay = limits.perDay - usage.day.used;
	const headers =
		leftOfDay < remaining
			? formatLimitHeaders(limits.perDay, leftOfDay)
			: formatLimitHeaders(limits.perMinute, remaining);
	return { isAllowed: true, usage, headers };
}

const openWindow = (window: Window | undefined, lengthMs: number, now: number): Window =>
	window && now < window.endMs ? window : { endMs: now + lengthMs, used: 0 };

const addRequest = ({ endMs, used }: Window): Window => ({ endMs, used: used + 1 });

const formatLimitHeaders = (limit: number, remaining: number) => ({
	'x-ratelimit-limit': String(limit),
	'x-ratelimit-remaining': String(remaining),
});

function rejectRequest(
	usage: Usage | undefined,
	{ endMs }: Window,
	limit: number,
	now: number,
): Decision {
	// `Retry-After` has whole seconds, so the wait can be up to a second too short
	const retryAfter = Math.max(0, Math.floor(endMs / 1000) - Math.floor(now / 1000));
	const headers = { ...formatLimitHeaders(limit, 0), 'retry-after': String(retryAfter) };
	return { isAllowed: false, usage, headers };
}
