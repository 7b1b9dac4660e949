import type { Failure } from 'n8n-workflow';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The longest wait between two looks at a service that fails. */
export const LONGEST_WAIT_MS = 30 * MINUTE_MS;

/** The shortest time that is doubled with each failure, however large the allowance is. */
const SHORTEST_BACK_OFF_MS = 10_000;

/** Looks that fail in a row before people are told: fewer may be over by themselves. */
export const LOOKS_UNTIL_TOLD = 3;

/** People are told again of the same trouble after this time at the earliest. */
const TELL_AGAIN_MS = HOUR_MS;

/** A service that asks for more than this is asked again all the same; n8n keeps the same bound. */
const LONGEST_RETRY_AFTER_MS = HOUR_MS;

/**
 * n8n's ticks are not exact to the second. A tick that comes this much early is taken, or a look
 * every two minutes would be one every three; the next one is due as if it had come in time.
 */
const EARLY_TICK_MS = 5_000;

/**
 * When one trigger looks next, and how its last looks went. The wait is reckoned at each tick by the
 * spacing of that moment: triggers come and go, and people change Requests per Day. Times in epoch
 * milliseconds.
 */
export type Schedule = {
	/** When the last look began. */
	readonly startedAt: number;
	/** Requests that are to be waited for since then, each for the spacing. */
	readonly owed: number;
	/** Before this time, the service takes no requests. */
	readonly refusedUntil: number;
	/** Looks that have failed since the last one that did not. */
	readonly failures: number;
	/** When the present trouble was last told. */
	readonly toldAt?: number;
	/** Pages that the listing had when it was last read; each takes a request. */
	readonly pages: number;
};

/** Due at once. */
export const freshSchedule: Schedule = {
	startedAt: -Infinity,
	owed: 0,
	refusedUntil: -Infinity,
	failures: 0,
	pages: 1,
};

/** What each request of a trigger has to wait, so that all of them together stay in the allowance. */
export function spacingMs(requestsPerDay: number, triggers: number): number {
	return (DAY_MS * triggers) / requestsPerDay;
}

/** When the next look is due, in epoch milliseconds. */
export function dueAt(
	{ startedAt, owed, refusedUntil, failures }: Schedule,
	spacing: number,
): number {
	const wait = Math.max(owed * spacing, failures > 0 ? backOffMs(failures, spacing) : 0);
	return Math.max(startedAt + wait, refusedUntil);
}

/** Whether a tick is one on which to look. */
export function isDue(schedule: Schedule, spacing: number, now: number): boolean {
	return now >= dueAt(schedule, spacing) - EARLY_TICK_MS;
}

/** After a look that went well. */
export function afterLook(
	schedule: Schedule,
	{ startedAt, pages, spacing }: { startedAt: number; pages: number; spacing: number },
): Schedule {
	const owed = stillOwed(schedule, startedAt, spacing) + pages;
	return { ...freshSchedule, startedAt, owed, pages };
}

/** What a look that came early had not waited for yet. */
function stillOwed(schedule: Schedule, now: number, spacing: number): number {
	return Math.max(0, (dueAt(schedule, spacing) - now) / spacing);
}

function backOffMs(failures: number, spacing: number): number {
	return Math.min(Math.max(spacing, SHORTEST_BACK_OFF_MS) * 2 ** failures, LONGEST_WAIT_MS);
}

/**
 * After a look that failed: waits twice as long each time, up to 30 minutes, and never less than
 * the spacing or what the service asked for.
 *
 * @returns `tell` when people are to be told: the third time in a row, and once an hour from then on
 */
export function afterFailure(
	schedule: Schedule,
	{
		startedAt,
		now,
		spacing,
		failure,
		tellAtOnce,
	}: {
		startedAt: number;
		now: number;
		spacing: number;
		failure: Failure | undefined;
		/** Someone is waiting for it, as when a workflow is activated. */
		tellAtOnce: boolean;
	},
): { schedule: Schedule; tell: boolean } {
	const { toldAt, pages } = schedule;
	const failures = schedule.failures + 1;
	const asked = Math.min(retryAfterMs(failure, now), LONGEST_RETRY_AFTER_MS);
	const refusedUntil = Math.max(schedule.refusedUntil, startedAt + asked);
	const owed = Math.max(pages, stillOwed(schedule, startedAt, spacing));
	const lasts = failures >= LOOKS_UNTIL_TOLD;
	const tell = tellAtOnce || (lasts && (toldAt === undefined || now - toldAt >= TELL_AGAIN_MS));
	const next = { startedAt, owed, refusedUntil, failures, pages, toldAt: tell ? now : toldAt };
	return { schedule: next, tell };
}

/** What the service asked to wait, as n8n's `failure` says it. */
function retryAfterMs(failure: Failure | undefined, now: number): number {
	if (failure === undefined || !('retryAfterMs' in failure || 'resetsAtEpochMs' in failure))
		return 0;
	const { retryAfterMs: wait, resetsAtEpochMs: resetsAt } = failure;
	return wait ?? (resetsAt === undefined ? 0 : resetsAt - now);
}
