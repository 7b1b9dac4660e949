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

/** When a list was last read, and when the budget has paid for its requests. */
export type Schedule = Readonly<{ readAtMs: number; dueAtMs: number }>;

/** n8n's scheduler is not exact to the second: a poll that starts a little early may read the list. */
export const EARLY_TOLERANCE_MS = 5_000;

/** Whether a wait is over. Also true if the clock was set back, because the elapsed time is unknown then. */
export function hasElapsed(waitStartedAtMs: number, waitMs: number, nowMs: number): boolean {
	return nowMs < waitStartedAtMs || nowMs >= waitStartedAtMs + waitMs;
}

/** Whether a poll may read a list. */
export function isDue(schedule: Schedule | undefined, nowMs: number): boolean {
	if (schedule === undefined) return true;
	const { readAtMs, dueAtMs } = schedule;
	return hasElapsed(readAtMs, dueAtMs - readAtMs - EARLY_TOLERANCE_MS, nowMs);
}

/** The share of a list in a poll. */
export type ListBudget = Readonly<{
	intervalMs: number;
	/** When the poll started. */
	nowMs: number;
	/** The last poll of this process. Another process may have used what was left before. */
	lastPollAtMs: number | undefined;
}>;

/** Returns since when the budget has paid for requests that were not sent. */
function getPaidSinceMs(schedule: Schedule | undefined, { nowMs, lastPollAtMs }: ListBudget) {
	const earliestMs = Math.min(lastPollAtMs ?? nowMs, nowMs);
	if (schedule === undefined || nowMs < schedule.readAtMs) return nowMs;
	return Math.max(schedule.dueAtMs, earliestMs);
}

/** Returns when a list is due again after further requests. */
export function computeDueAtMs(
	schedule: Schedule | undefined,
	requests: number,
	budget: ListBudget,
): number {
	return getPaidSinceMs(schedule, budget) + requests * budget.intervalMs;
}

/** Computes how many requests the budget has paid for, at most a tenth of those of a day. */
export function computeAllowance(schedule: Schedule | undefined, budget: ListBudget): number {
	const unusedMs = budget.nowMs - getPaidSinceMs(schedule, budget);
	const requests = 1 + Math.max(0, Math.floor(unusedMs / budget.intervalMs));
	return Math.min(requests, computeMaxRequests(budget));
}

/** Computes the most requests of a list in one poll: a tenth of its requests of a day. */
export function computeMaxRequests({ intervalMs }: ListBudget): number {
	return Math.max(1, Math.floor(DAY_MS / 10 / intervalMs));
}
