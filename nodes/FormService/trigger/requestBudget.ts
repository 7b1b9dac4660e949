import { maxBy, sumBy } from 'lodash';

/* Decides when a list is due. All triggers of an account in this process share Requests per Day. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** What a trigger takes of the budget: the number of its lists, each with an equal share. */
export type BudgetClaim = {
	accountKey: string;
	requestsPerDay: number;
	lists: number;
	polledAtMs: number;
};

/** With the usual schedules, n8n polls a trigger at least once an hour. Other triggers claim nothing. */
const ACTIVE_MS = HOUR_MS + 10 * MINUTE_MS;

/**
 * Computes the time in which the budget pays for one request of each list. If the triggers have different
 * Requests per Day, the highest number applies.
 *
 * @param own the claim of the trigger that polls now
 */
export function computeIntervalMs(claims: readonly BudgetClaim[], own: BudgetClaim): number {
	const others = claims.filter(
		(claim) =>
			claim !== own &&
			claim.accountKey === own.accountKey &&
			own.polledAtMs - claim.polledAtMs < ACTIVE_MS,
	);
	const active = [...others, own];
	return (DAY_MS * sumBy(active, 'lists')) / maxBy(active, 'requestsPerDay')!.requestsPerDay;
}

/** When a list was last read, and how many requests that took. */
export type LastReading = Readonly<{ atMs: number; requests: number }>;

/** n8n's scheduler is not exact to the second: a poll that starts a little early may read the list. */
export const EARLY_TOLERANCE_MS = 5_000;

/** Whether a wait is over. Also true if the clock was set back, because the elapsed time is unknown then. */
export function hasElapsed(waitStartedAtMs: number, waitMs: number, nowMs: number): boolean {
	return nowMs < waitStartedAtMs || nowMs >= waitStartedAtMs + waitMs;
}

/** Whether the budget has paid for the last reading of a list. */
export function isDue(
	lastReading: LastReading | undefined,
	intervalMs: number,
	nowMs: number,
): boolean {
	if (lastReading === undefined) return true;
	const { atMs, requests } = lastReading;
	return hasElapsed(atMs, requests * intervalMs - EARLY_TOLERANCE_MS, nowMs);
}

/** Computes the most pages of a search: a tenth of the list's requests of a day. */
export function computeMaxSearchPages(intervalMs: number): number {
	// a search of one page would leave new responses for hours
	return Math.max(2, Math.floor(DAY_MS / 10 / intervalMs));
}
