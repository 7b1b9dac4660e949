/** The requests of an account in a minute, which ends at a time in epoch milliseconds. */
export type Usage = { endMs: number; used: number };

type Decision = { isAllowed: boolean; usage: Usage; headers: Record<string, string> };

/**
 * Decides whether the limit of a minute allows a request (specification, section 8). Only an allowed request is
 * counted. A minute starts with the first request after the last minute has ended.
 *
 * @param now epoch milliseconds
 */
export function decide(before: Usage | undefined, perMinute: number, now: number): Decision {
	const isOver = !before || now >= before.endMs;
	const { endMs, used } = isOver ? { endMs: now + 60_000, used: 0 } : before;
	if (used < perMinute) {
		const headers = formatLimitHeaders(perMinute, perMinute - used - 1);
		return { isAllowed: true, usage: { endMs, used: used + 1 }, headers };
	}
	// `Retry-After` has whole seconds, so the wait can be up to a second too short
	const retryAfter = Math.floor(endMs / 1000) - Math.floor(now / 1000);
	const headers = { ...formatLimitHeaders(perMinute, 0), 'retry-after': String(retryAfter) };
	return { isAllowed: false, usage: { endMs, used }, headers };
}

const formatLimitHeaders = (limit: number, remaining: number) => ({
	'x-ratelimit-limit': String(limit),
	'x-ratelimit-remaining': String(remaining),
});
