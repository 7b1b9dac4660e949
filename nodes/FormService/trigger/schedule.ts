import type { Failure } from 'n8n-workflow';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The longest wait between two polls of a service that fails. */
export const LONGEST_WAIT_MS = 30 * MINUTE_MS;

/** The shortest time that is doubled with each failure, however large the budget is. */
const SHORTEST_BACK_OFF_MS = 10_000;

/** Polls that fail in a row before the error is reported: fewer may be over by themselves. */
export const FAILURES_UNTIL_REPORTED = 3;

/** The same trouble is reported again after this time at the earliest. */
const REPORT_AGAIN_MS = HOUR_MS;

/** A service that asks for more than this is asked again all the same; n8n keeps the same bound. */
const LONGEST_RETRY_AFTER_MS = HOUR_MS;

/**
 * n8n's ticks are not exact to the second. A tick that comes this much early is taken, or a poll
 * every two minutes would be one every three; the next one is due as if it had come in time.
 */
const EARLY_TICK_MS = 5_000;

/**
 * When one form is polled next, and how its last polls went. The wait is reckoned at each tick by the
 * spacing of that moment: triggers come and go, and people change Requests per Day. Times in epoch
 * milliseconds.
 */
export type Schedule = {
	/** When the last poll began. */
	readonly startedAt: number;
	/** Requests that are to be waited for since then, each for the spacing. */
	readonly requestDebt: number;
	/** Before this time, the service takes no requests. */
	readonly refusedUntil: number;
	/** Polls that have failed since the last one that did not. */
	readonly failures: number;
	/** When the error was last reported. */
	readonly reportedAt?: number;
	/** Pages that the listing had when it was last read; each takes a request. */
	readonly pages: number;
};

/** Due at once. */
export const freshSchedule: Schedule = {
	startedAt: -Infinity,
	requestDebt: 0,
	refusedUntil: -Infinity,
	failures: 0,
	pages: 1,
};

/** When the next poll is due, in epoch milliseconds. */
export function dueAt(
	{ startedAt, requestDebt, refusedUntil, failures }: Schedule,
	spacing: number,
): number {
	const wait = Math.max(requestDebt * spacing, failures > 0 ? backOffMs(failures, spacing) : 0);
	return Math.max(startedAt + wait, refusedUntil);
}

/** Whether a tick is one on which to poll. */
export function isDue(schedule: Schedule, spacing: number, now: number): boolean {
	return now >= dueAt(schedule, spacing) - EARLY_TICK_MS;
}

/** After a poll that went well. */
export function afterPoll(
	schedule: Schedule,
	{ startedAt, pages, spacing }: { startedAt: number; pages: number; spacing: number },
): Schedule {
	const requestDebt = remainingDebt(schedule, startedAt, spacing) + pages;
	return { ...freshSchedule, startedAt, requestDebt, pages };
}

/** What a poll that came early had not waited for yet. */
function remainingDebt(schedule: Schedule, now: number, spacing: number): number {
	return Math.max(0, (dueAt(schedule, spacing) - now) / spacing);
}

function backOffMs(failures: number, spacing: number): number {
	return Math.min(Math.max(spacing, SHORTEST_BACK_OFF_MS) * 2 ** failures, LONGEST_WAIT_MS);
}

export type FailedPoll = {
	startedAt: number;
	now: number;
	spacing: number;
	failure: Failure | undefined;
	/** Someone is waiting for it, as when a workflow is activated. */
	reportAtOnce: boolean;
	/** Whether the error is reported again while it lasts. */
	reportAgain: boolean;
};

/**
 * After a poll that failed: waits twice as long each time, up to 30 minutes, and never less than the
 * spacing or what the service asked for.
 *
 * @returns `report` when people are to be told: the third time in a row, and where the error is
 * reported again, once an hour from then on
 */
export function afterFailure(
	schedule: Schedule,
	{ startedAt, now, spacing, failure, reportAtOnce, reportAgain }: FailedPoll,
): { schedule: Schedule; report: boolean } {
	const { reportedAt, pages } = schedule;
	const failures = schedule.failures + 1;
	const asked = Math.min(retryAfterMs(failure, now), LONGEST_RETRY_AFTER_MS);
	const refusedUntil = Math.max(schedule.refusedUntil, startedAt + asked);
	const requestDebt = Math.max(pages, remainingDebt(schedule, startedAt, spacing));
	const isTime = reportedAt === undefined || (reportAgain && now - reportedAt >= REPORT_AGAIN_MS);
	const report = reportAtOnce || (failures >= FAILURES_UNTIL_REPORTED && isTime);
	const next = { startedAt, requestDebt, refusedUntil, failures, pages };
	return { schedule: { ...next, reportedAt: report ? now : reportedAt }, report };
}

/** What the service asked to wait, as n8n's `failure` says it. */
function retryAfterMs(failure: Failure | undefined, now: number): number {
	if (failure === undefined || !('retryAfterMs' in failure || 'resetsAtEpochMs' in failure))
		return 0;
	const { retryAfterMs: wait, resetsAtEpochMs: resetsAt } = failure;
	return wait ?? (resetsAt === undefined ? 0 : resetsAt - now);
}

/** How many responses have come of late: each counts less as time goes by. */
export type Rate = { readonly count: number; readonly at: number };

export const noRate: Rate = { count: 0, at: 0 };

/** What came so long ago counts 1 / e: long enough to know the rate of a day, and short to forget it. */
const RATE_MS = 2 * DAY_MS;

export function withResponses({ count, at }: Rate, responses: number, now: number): Rate {
	return { count: count * Math.exp(-(now - at) / RATE_MS) + responses, at: now };
}

/**
 * How often a form is polled, next to others: in proportion to the square root of its rate, which
 * makes the mean delay of all responses the shortest. A form without responses counts as one a day.
 */
export function weightOf(rate: Rate, now: number): number {
	const { count } = withResponses(rate, 0, now);
	return Math.sqrt(1 + count / (RATE_MS / DAY_MS));
}
