export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * n8n's scheduled runs are not exact to the second. One that comes this much early is used, or a poll
 * every two minutes would become one every three; the next one is due as if it had come in time.
 */
const EARLY_MS = 5_000;

/** While a listing is read in part, each request waits for twice its share: the rest pays for reading it whole. */
const SHORT_FACTOR = 2;

/** The same for reading it whole: 1 / 2 + 1 / 2.2 of the share is used. */
const WHOLE_FACTOR = 2.2;

/** However little changes, a listing is read whole about this often, if the daily allowance permits. */
const WHOLE_EVERY_MS = DAY_MS / 2;

/**
 * When a form was polled, and what is still to be waited for. The waits are computed at each poll from
 * the present spacing, since triggers come and go, and people change Requests per Day. Times in epoch
 * milliseconds.
 */
export type Schedule = {
	/** When the last poll of the form began. */
	readonly startedAt: number;
	/** Requests that are to be waited for since then, each for the spacing. */
	readonly debt: number;
	/** Requests that it takes to read the listing whole. */
	readonly pages: number;
	/** When the last attempt to read it whole began, and how many requests that took. */
	readonly wholeAt: number;
	readonly wholeRequests: number;
};

/** Due at once. */
export const freshSchedule: Schedule = {
	startedAt: -Infinity,
	debt: 0,
	pages: 1,
	wholeAt: -Infinity,
	wholeRequests: 0,
};

/** How a form can be polled now, and how long each of its requests waits. */
export type Pace = {
	/** Milliseconds that each request waits, so that all forms stay within the daily allowance. */
	spacing: number;
	/** Whether a part of the listing is enough for most polls. */
	isShort: boolean;
	/** Whether the whole listing is needed as soon as it is paid for. */
	isUrgent: boolean;
};

/** When the next poll is due, in epoch milliseconds. */
export function dueAt({ startedAt, debt }: Schedule, { spacing, isShort }: Pace): number {
	return startedAt + debt * spacing * (isShort ? SHORT_FACTOR : 1);
}

/** When the listing is to be read whole, in epoch milliseconds: not before the last whole reading is paid for. */
export function wholeDueAt(schedule: Schedule, pace: Pace): number {
	const { wholeAt, wholeRequests } = schedule;
	const factor = pace.isShort ? WHOLE_FACTOR : 1;
	const paidAt = wholeAt + wholeRequests * pace.spacing * factor;
	const wantedAt = pace.isShort && !pace.isUrgent ? wholeAt + WHOLE_EVERY_MS : -Infinity;
	return Math.max(dueAt(schedule, pace), paidAt, wantedAt);
}

/** How many short readings are due in a time, in milliseconds. */
export function shortReadingsIn(ms: number, { spacing }: Pace): number {
	return Math.ceil(ms / (spacing * SHORT_FACTOR));
}

/** Whether a scheduled run of n8n is one on which to poll. */
export function isDue(at: number, now: number): boolean {
	return now >= at - EARLY_MS;
}

/** One reading of a form's listing, good or failed. */
export type Sent = { startedAt: number; requests: number; isWhole: boolean };

/**
 * After a reading, which is paid for by waiting.
 *
 * @param before how the form could be polled until now
 * @param canBeShort whether a part of the listing is enough from now on: a whole reading is then paid for
 * by the wait for the next whole one
 */
export function afterReading(
	schedule: Schedule,
	{ startedAt, requests, isWhole }: Sent,
	before: Pace,
	canBeShort: boolean,
): Schedule {
	const factor = before.isShort ? SHORT_FACTOR : 1;
	// a poll that came early had not waited for all of its debt
	const rest = Math.max(0, (dueAt(schedule, before) - startedAt) / (before.spacing * factor));
	const debt = rest + (isWhole && canBeShort ? Math.min(1, requests) : requests);
	const whole = isWhole ? { wholeAt: startedAt, wholeRequests: requests } : {};
	return { ...schedule, startedAt, debt, ...whole };
}

/** How many responses have come lately: each counts less as time goes by. */
export type Rate = { readonly count: number; readonly at: number };

export const noRate: Rate = { count: 0, at: 0 };

/** After this time, a response counts 1 / e: long enough to average over a day, short enough to forget it. */
const RATE_MS = 2 * DAY_MS;

export function withResponses({ count, at }: Rate, responses: number, now: number): Rate {
	return { count: count * Math.exp(-(now - at) / RATE_MS) + responses, at: now };
}

/**
 * How often a form is polled beside others: in proportion to the square root of its rate, which makes
 * the mean delay of all responses the shortest. A form without responses counts as one a day.
 */
export function weightOf(rate: Rate, now: number): number {
	const { count } = withResponses(rate, 0, now);
	return Math.sqrt(1 + count / (RATE_MS / DAY_MS));
}
