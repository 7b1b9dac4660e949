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
	/** Pages that the listing had when it was last read whole; each takes a request. */
	readonly pages: number;
	/** Polls of the whole listing that have failed since the last one that did not. */
	readonly wholeFailures: number;
	/** When the last poll began that read the listing whole. */
	readonly wholeAt: number;
	/** Requests of short polls that are to be waited for since `startedAt`, each for that of their share. */
	readonly shortDebt: number;
};

/** Due at once. */
export const freshSchedule: Schedule = {
	startedAt: -Infinity,
	requestDebt: 0,
	refusedUntil: -Infinity,
	failures: 0,
	pages: 1,
	wholeFailures: 0,
	wholeAt: -Infinity,
	shortDebt: 0,
};

/** When the next poll is due, in epoch milliseconds. */
export function dueAt(schedule: Schedule, spacing: number): number {
	return notBefore(schedule, schedule.requestDebt * spacing, spacing);
}

function notBefore(
	{ startedAt, refusedUntil, failures }: Schedule,
	wait: number,
	spacing: number,
): number {
	const backOff = failures > 0 ? backOffMs(failures, spacing) : 0;
	return Math.max(startedAt + Math.max(wait, backOff), refusedUntil);
}

/** Whether a tick is one on which to poll. */
export function isDue(schedule: Schedule, spacing: number, now: number): boolean {
	return now >= dueAt(schedule, spacing) - EARLY_TICK_MS;
}

/**
 * The part of a form's allowance that goes to short polls, where its listing can be read so. The rest
 * adds up for a poll of the whole listing.
 */
const SHORT_SHARE = 1 / 2;

/** A listing is read whole at least so often, however little changes, as far as the allowance goes. */
export const WHOLE_AT_LEAST_MS = DAY_MS / 2;

/** When the next short poll is due, in epoch milliseconds. */
export function shortDueAt(schedule: Schedule, spacing: number): number {
	return notBefore(schedule, (schedule.shortDebt * spacing) / SHORT_SHARE, spacing);
}

export function isShortDue(schedule: Schedule, spacing: number, now: number): boolean {
	return now >= shortDueAt(schedule, spacing) - EARLY_TICK_MS;
}

/**
 * Which poll of a listing is due. A short one comes as soon as its share of the allowance lets it, and a
 * whole one when all requests since the last have been waited for: at once if there is doubt, and else
 * after as much time again, so that most of the time one can be had at once.
 *
 * @param short undefined where the listing cannot be read so
 */
export function pollDue(
	schedule: Schedule,
	short: { isDoubtful: boolean } | undefined,
	{ spacing, now }: { spacing: number; now: number },
): 'whole' | 'short' | undefined {
	const isPaid = isDue(schedule, spacing, now);
	if (short === undefined) return isPaid ? 'whole' : undefined;
	const paidMs = (schedule.pages * spacing) / (1 - SHORT_SHARE);
	const isTime = now >= schedule.wholeAt + Math.min(2 * paidMs, WHOLE_AT_LEAST_MS);
	if (isPaid && (short.isDoubtful || isTime)) return 'whole';
	return isShortDue(schedule, spacing, now) ? 'short' : undefined;
}

/** After a poll that went well and read the whole listing. */
export function afterPoll(
	schedule: Schedule,
	{ startedAt, pages, spacing }: { startedAt: number; pages: number; spacing: number },
): Schedule {
	const requestDebt = remainingDebt(schedule, startedAt, spacing) + pages;
	return { ...freshSchedule, startedAt, requestDebt, pages, wholeAt: startedAt, shortDebt: 1 };
}

/** After a short poll that went well. That the whole listing cannot be read is told all the same. */
export function afterShortPoll(
	schedule: Schedule,
	{ startedAt, pages: requests, spacing }: { startedAt: number; pages: number; spacing: number },
): Schedule {
	const requestDebt = remainingDebt(schedule, startedAt, spacing) + requests;
	const remaining = ((shortDueAt(schedule, spacing) - startedAt) * SHORT_SHARE) / spacing;
	const shortDebt = Math.max(0, remaining) + requests;
	const { wholeFailures: failures } = schedule;
	const reportedAt = failures > 0 ? schedule.reportedAt : undefined;
	const waits = { startedAt, requestDebt, shortDebt, refusedUntil: -Infinity };
	return { ...schedule, ...waits, failures, reportedAt };
}

/** What a poll that came early had not waited for yet. */
function remainingDebt(schedule: Schedule, now: number, spacing: number): number {
	return Math.max(0, (dueAt(schedule, spacing) - now) / spacing);
}

function backOffMs(failures: number, spacing: number): number {
	return Math.min(Math.max(spacing, SHORTEST_BACK_OFF_MS) * 2 ** failures, LONGEST_WAIT_MS);
}

export type FailedPoll = {
	/** Whether it was to be a short poll. */
	isShort?: boolean;
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
	{ isShort, startedAt, now, spacing, failure, reportAtOnce, reportAgain }: FailedPoll,
): { schedule: Schedule; report: boolean } {
	const { reportedAt } = schedule;
	const failures = schedule.failures + 1;
	const asked = Math.min(retryAfterMs(failure, now), LONGEST_RETRY_AFTER_MS);
	const refusedUntil = Math.max(schedule.refusedUntil, startedAt + asked);
	const remaining = remainingDebt(schedule, startedAt, spacing);
	const requestDebt = isShort ? remaining + 1 : Math.max(schedule.pages, remaining);
	const isTime = reportedAt === undefined || (reportAgain && now - reportedAt >= REPORT_AGAIN_MS);
	const report = reportAtOnce || (failures >= FAILURES_UNTIL_REPORTED && isTime);
	const waits = { startedAt, requestDebt, refusedUntil, shortDebt: 1 };
	const wholeFailures = schedule.wholeFailures + (isShort ? 0 : 1);
	const next = { ...schedule, ...waits, failures, wholeFailures };
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
