import { clamp, maxBy, partition, sumBy } from 'lodash';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** What a list of a trigger needs: the responses of a form, or the list of forms. */
export type Demand = {
	readonly requestsPerDay: number;
	/** How often it is read, relative to the others. */
	readonly weight: number;
	/** The most requests a day that it needs. */
	readonly maxPerDay: number;
	/** When n8n last polled the trigger, in epoch milliseconds. */
	readonly polledAtMs: number;
	/** How long after the poll before; 0 if the trigger was not active then. */
	readonly intervalMs: number;
};

/**
 * A trigger whose next poll is this late gets no requests: it is switched off. The intervals vary, and a
 * trigger that was just switched on has none yet.
 */
const LATE_INTERVALS = 2.5;
const MIN_ACTIVE_MS = 3 * MINUTE_MS;

/**
 * The requests a day for a list of weight 1, so that all lists of an account that this process reads
 * together send about Requests per Day in 24 hours. If triggers differ in that number, the highest applies.
 * A list that needs less leaves the rest to the others.
 */
export function computeRequestsPerWeight(demands: readonly Demand[], nowMs: number): number {
	const active = demands.filter(({ polledAtMs, intervalMs }) => {
		return nowMs - polledAtMs < Math.max(LATE_INTERVALS * intervalMs, MIN_ACTIVE_MS);
	});
	const limit = maxBy(active, 'requestsPerDay')?.requestsPerDay ?? 0;
	const even = limit / sumBy(active, 'weight');
	const [modest, others] = partition(active, (one) => one.maxPerDay < even * one.weight);
	return (limit - sumBy(modest, 'maxPerDay')) / sumBy(others, 'weight');
}

/** How long a list has for each of its requests, in milliseconds. */
export function computeSpacingMs({ weight, maxPerDay }: Demand, perWeight: number): number {
	return DAY_MS / Math.min(maxPerDay, perWeight * weight);
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

/**
 * The requests of a list as a leaky bucket: each request adds one, and one leaks out in the time that the
 * list had for a request when the bucket was filled, or has now if that is shorter.
 */
export type Bucket = {
	readonly filledAtMs: number;
	readonly requests: number;
	/** How long the list had for a request when the bucket was filled. */
	readonly spacingMs: number;
};

/** Before the first reading, which is due at once. */
export const EMPTY_BUCKET: Bucket = { filledAtMs: -Infinity, requests: 0, spacingMs: Infinity };

const computeLeakMs = (bucket: Bucket, spacingMs: number) => Math.min(spacingMs, bucket.spacingMs);

function computeLevel(bucket: Bucket, spacingMs: number, nowMs: number): number {
	const { filledAtMs, requests } = bucket;
	const leaked = (nowMs - filledAtMs) / computeLeakMs(bucket, spacingMs);
	return clamp(requests - leaked, 0, requests);
}

/** Whether all requests have leaked out, so that the next reading is due. */
export function isEmpty(bucket: Bucket, spacingMs: number, nowMs: number): boolean {
	return isOver(bucket.filledAtMs, bucket.requests * computeLeakMs(bucket, spacingMs), nowMs);
}

/** The bucket after a reading that began at a time. */
export function addRequests(
	bucket: Bucket,
	requests: number,
	spacingMs: number,
	startedAtMs: number,
): Bucket {
	if (requests === 0) return bucket;
	const level = computeLevel(bucket, spacingMs, startedAtMs);
	// if the list has fewer requests than before, the earlier ones take no longer for that
	const earlier = (level * computeLeakMs(bucket, spacingMs)) / spacingMs;
	return { filledAtMs: startedAtMs, requests: earlier + requests, spacingMs };
}

/**
 * The part of a day's requests that may be in the bucket, so that no 24 hours have more than a tenth too
 * many. A poll can take two requests, however few a form has.
 */
const MAX_PART_OF_DAY = 1 / 10;

/** What the bucket of a list can hold. */
export const computeCapacity = (spacingMs: number) => (MAX_PART_OF_DAY * DAY_MS) / spacingMs;

/**
 * Whether another reading of the newest pages is due while the bucket is not empty. Such readings get half
 * of the requests of a form, and whole ones the rest, since a whole one waits for the requests of all.
 *
 * @param newest the bucket of the readings of the newest pages alone
 */
export function isNewestDue(
	bucket: Bucket,
	newest: Bucket,
	spacingMs: number,
	nowMs: number,
): boolean {
	// where a form has few requests a day, the bucket can hold less than one
	const hasRoom =
		isEmpty(bucket, spacingMs, nowMs) ||
		computeLevel(bucket, spacingMs, nowMs) + 1 <= computeCapacity(spacingMs);
	return hasRoom && isEmpty({ ...newest, requests: 2 * newest.requests }, spacingMs, nowMs);
}

/** Requests that a whole reading leaves to the readings of the newest pages that come before the next. */
const RESERVED = { whole: 2, newest: 0 };

/** The most requests of a reading in one poll. The rest of its pages comes with later polls. */
export function computeMaxRequests(
	bucket: Bucket,
	scope: 'whole' | 'newest',
	spacingMs: number,
	nowMs: number,
): number {
	const level = computeLevel(bucket, spacingMs, nowMs) + RESERVED[scope];
	return Math.max(1, Math.floor(computeCapacity(spacingMs) - level));
}

/** The wait that is doubled with each failure, at least, and the longest wait. */
const MIN_BACK_OFF_MS = 10_000;
const MAX_BACK_OFF_MS = 30 * MINUTE_MS;

/** The most requests a day of a list that keeps failing. */
export const MAX_FAILING_PER_DAY = DAY_MS / MAX_BACK_OFF_MS;

/** How long to wait after so many failures in a row. */
export function computeBackOffMs(failures: number, spacingMs: number): number {
	if (failures === 0) return 0;
	return Math.min(Math.max(spacingMs, MIN_BACK_OFF_MS) * 2 ** failures, MAX_BACK_OFF_MS);
}

/** The number of recent responses; the older a response is, the less it counts. */
export type Rate = { readonly count: number; readonly atMs: number };

export const NO_RATE: Rate = { count: 0, atMs: 0 };

/** After this time, a response counts 1 / e: long enough to average over a day, short enough to forget that day. */
const RATE_MS = 2 * DAY_MS;

export function addResponses({ count, atMs }: Rate, responses: number, nowMs: number): Rate {
	const age = Math.max(0, nowMs - atMs);
	return { count: count * Math.exp(-age / RATE_MS) + responses, atMs: nowMs };
}

/** A form with fewer responses a day than this is not read less often, or its responses would come late. */
const FEW_PER_DAY = 10;

const MAX_WEIGHT = 4;

/**
 * How often a form is read among others: in proportion to the square root of its rate, which makes the
 * mean delay of all responses the shortest, and at most four times as often as a quiet one.
 */
export function computeWeight(rate: Rate, nowMs: number): number {
	const perDay = (addResponses(rate, 0, nowMs).count * DAY_MS) / RATE_MS;
	return clamp(Math.sqrt(perDay / FEW_PER_DAY), 1, MAX_WEIGHT);
}
