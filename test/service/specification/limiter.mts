/** The two limits of section 8. */
export type Limits = { perMinute: number; perDay: number };

/** A fixed window: `start` in epoch milliseconds, `used` requests counted in it. */
export type Window = { start: number; used: number };

/** What one user has used; a window that is missing has not begun. */
export type Usage = { minute?: Window; day?: Window };

export type Decision = {
	allowed: boolean;
	usage: Usage;
	headers: Record<string, string>;
	/** set when refused: whose limit it was */
	refusedBy?: 'minute' | 'day';
};

const SECONDS = { minute: 60, day: 86_400 };

/**
 * Decides on one request at `now` (epoch milliseconds) and gives the usage after it and the reply's headers.
 * A window opens with the first request after the last one ended, whatever the hour; the headers carry the
 * pair of the tighter limit.
 */
export function decide(before: Usage, limits: Limits, now: number): Decision {
	const minute = open(before.minute, 'minute', now);
	const day = open(before.day, 'day', now);

	if (day && day.used >= limits.perDay) {
		return refuse({ minute, day }, 'day', limits.perDay, day.start, now);
	}
	if (minute && minute.used >= limits.perMinute) {
		return refuse({ minute, day }, 'minute', limits.perMinute, minute.start, now);
	}

	const usage = { minute: hit(minute, now), day: hit(day, now) };
	const left = {
		minute: Math.max(0, limits.perMinute - usage.minute.used),
		day: Math.max(0, limits.perDay - usage.day.used),
	};
	const tighter = left.day < left.minute ? 'day' : 'minute';
	return {
		allowed: true,
		usage,
		headers: pair(tighter === 'day' ? limits.perDay : limits.perMinute, left[tighter]),
	};
}

function open(window: Window | undefined, length: keyof typeof SECONDS, now: number) {
	return window && now < window.start + SECONDS[length] * 1000 ? window : undefined;
}

function hit(window: Window | undefined, now: number): Window {
	return { start: window?.start ?? now, used: (window?.used ?? 0) + 1 };
}

function pair(limit: number, remaining: number) {
	return { 'x-ratelimit-limit': String(limit), 'x-ratelimit-remaining': String(remaining) };
}

function refuse(
	usage: Usage,
	refusedBy: 'minute' | 'day',
	limit: number,
	start: number,
	now: number,
): Decision {
	// The window ends on a millisecond, but the headers give whole seconds, rounded down. So Retry-After can be
	// 0, or up to a second too short.
	const reset = Math.floor(start / 1000) + SECONDS[refusedBy];
	const retryAfter = Math.max(0, reset - Math.floor(now / 1000));
	return {
		allowed: false,
		refusedBy,
		usage,
		headers: {
			...pair(limit, 0),
			'retry-after': String(retryAfter),
			'x-ratelimit-reset': String(reset),
		},
	};
}
