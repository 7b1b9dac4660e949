import { clamp, partition, sumBy } from 'lodash';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * One form of one trigger, or the list of forms of one, among all that send requests on an account from
 * this process.
 */
export type Sharer = {
	readonly requestsPerDay: number;
	/** How often it is read beside the others. */
	readonly weight: number;
	/** The most requests a day that it needs. */
	readonly maxPerDay: number;
	/** When n8n last polled the trigger, in epoch milliseconds. */
	readonly polledAtMs: number;
	/** How long after the poll before; 0 if the trigger was not active then. */
	readonly intervalMs: number;
};

/**
 * A trigger whose next poll is this late takes no share: it is switched off. The intervals vary, and a
 * trigger that was just switched on has none yet.
 */
const LATE_INTERVALS = 2.5;
const MIN_ACTIVE_MS = 3 * MINUTE_MS;

/**
 * How long each request of a sharer waits, in milliseconds, so that all sharers together send about
 * Requests per Day in 24 hours. If triggers differ in that number, the highest applies.
 *
 * @param sharers all on the account, the own one included
 */
export function computeSpacingMs(sharers: readonly Sharer[], own: Sharer, nowMs: number): number {
	const active = sharers.filter((one) => {
		const activeMs = Math.max(LATE_INTERVALS * one.intervalMs, MIN_ACTIVE_MS);
		return one === own || nowMs - one.polledAtMs < activeMs;
	});
	const limit = Math.max(...active.map(({ requestsPerDay }) => requestsPerDay));
	const even = limit / sumBy(active, 'weight');
	const [modest, others] = partition(active, (one) => one.maxPerDay < even * one.weight);
	if (modest.includes(own)) return DAY_MS / own.maxPerDay;
	const rest = limit - sumBy(modest, 'maxPerDay');
	return (DAY_MS * sumBy(others, 'weight')) / (rest * own.weight);
}

/**
 * n8n's scheduled runs are not exact to the second. One that comes this much early is used, or a reading
 * every two minutes would become one every three; the next one is due as if it had come in time.
 */
const EARLY_MS = 5_000;

/** Whether a wait is over. After the clock was set back, it is: nobody knows how long it was. */
export function isOver(startedAtMs: number, waitMs: number, nowMs: number): boolean {
	return nowMs < startedAtMs || nowMs >= startedAtMs + waitMs - EARLY_MS;
}

/** What readings have cost: requests that are waited for since the last one began. */
export type Cost = { readonly startedAtMs: number; readonly requests: number };

/** Before the first reading, which is due at once. */
export const NO_COST: Cost = { startedAtMs: -Infinity, requests: 0 };

/** The requests of readings so far that have not been waited for yet. */
function computeUnpaid({ startedAtMs, requests }: Cost, spacingMs: number, nowMs: number): number {
	return clamp(requests - (nowMs - startedAtMs) / spacingMs, 0, requests);
}

/** Whether the requests of the last reading have been waited for, so that the next one is due. */
export function isPaid({ startedAtMs, requests }: Cost, spacingMs: number, nowMs: number): boolean {
	return isOver(startedAtMs, requests * spacingMs, nowMs);
}

/**
 * Whether another short reading of a list is due while the last whole one is not paid for yet. Short ones
 * get half of the requests of a form, and whole ones the rest, since a whole one waits for the requests of
 * all.
 */
export function isShortDue(cost: Cost, shortCost: Cost, spacingMs: number, nowMs: number): boolean {
	return (
		isPaid(shortCost, 2 * spacingMs, nowMs) &&
		computeUnpaid(cost, spacingMs, nowMs) + 1 <= computeMaxUnpaid(spacingMs)
	);
}

/** The cost after another reading. What was not waited for yet is added. */
export function addReading(cost: Cost, reading: Cost, spacingMs: number): Cost {
	if (reading.requests === 0) return cost;
	const unpaid = computeUnpaid(cost, spacingMs, reading.startedAtMs);
	return { ...reading, requests: reading.requests + unpaid };
}

/**
 * The part of a day's requests that may be unpaid, so that no 24 hours have more than a tenth too many. A
 * poll can take two requests, however few a form has.
 */
const MAX_PART_OF_DAY = 1 / 10;

const computeMaxUnpaid = (spacingMs: number) => (MAX_PART_OF_DAY * DAY_MS) / spacingMs;

/**
 * The most requests of a reading in one poll. The rest of its pages comes with later polls. A first reading
 * has no such limit.
 *
 * @param reserved requests to leave for other readings
 */
export function computeMaxRequests(
	cost: Cost,
	spacingMs: number,
	nowMs: number,
	reserved: number,
): number {
	const unpaid = computeUnpaid(cost, spacingMs, nowMs) + reserved;
	return Math.max(1, Math.floor(computeMaxUnpaid(spacingMs) - unpaid));
}

/** The wait that is doubled with each failure, at least, and the longest wait. */
const MIN_BACK_OFF_MS = 10_000;
const MAX_BACK_OFF_MS = 30 * MINUTE_MS;

/** How long to wait after so many failures in a row. */
export function computeBackOffMs(failures: number, spacingMs: number): number {
	if (failures === 0) return 0;
	return Math.min(Math.max(spacingMs, MIN_BACK_OFF_MS) * 2 ** failures, MAX_BACK_OFF_MS);
}

/** How many responses have come lately: each counts less as time goes by. */
export type Rate = { readonly count: number; readonly atMs: number };

export const NO_RATE: Rate = { count: 0, atMs: 0 };

/** After this time, a response counts 1 / e: long enough to average over a day, short enough to forget it. */
const RATE_MS = 2 * DAY_MS;

export function addResponses({ count, atMs }: Rate, responses: number, nowMs: number): Rate {
	const age = Math.max(0, nowMs - atMs);
	return { count: count * Math.exp(-age / RATE_MS) + responses, atMs: nowMs };
}

/** A form with fewer responses a day than this is not read less often, or its responses would come late. */
const FEW_PER_DAY = 10;

const MAX_WEIGHT = 4;

/**
 * How often a form is read beside others: in proportion to the square root of its rate, which makes the
 * mean delay of all responses the shortest, and at most four times as often as a quiet one.
 */
export function computeWeight(rate: Rate, nowMs: number): number {
	const perDay = (addResponses(rate, 0, nowMs).count * DAY_MS) / RATE_MS;
	return clamp(Math.sqrt(perDay / FEW_PER_DAY), 1, MAX_WEIGHT);
}
