import { maxBy, sumBy } from 'lodash';

/** When a list is due. All triggers of an account in this process share Requests per Day. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The share of an account's requests that one trigger needs. */
export type BudgetClaim = {
	accountKey: string;
	requestsPerDay: number;
	/** The sum of the weights of the lists that the trigger reads. */
	weight: number;
	/** The time when n8n last polled the trigger. */
	polledAtMs: number;
};

/**
 * A trigger that n8n has not polled for this time counts as switched off. Users choose up to an hour between
 * polls.
 */
const ACTIVE_MS = HOUR_MS + 10 * MINUTE_MS;

/**
 * Computes how long a list of weight 1 waits for each of its requests, in milliseconds. If triggers differ in
 * Requests per Day, the highest number applies.
 *
 * @param claims the claims of all triggers of this process; the newest claim may be among them
 */
export function computeBaseIntervalMs(claims: readonly BudgetClaim[], newest: BudgetClaim): number {
	const active = claims.filter(({ accountKey, polledAtMs }) => {
		return accountKey === newest.accountKey && newest.polledAtMs - polledAtMs < ACTIVE_MS;
	});
	const counted = [...active.filter((claim) => claim !== newest), newest];
	return (DAY_MS * sumBy(counted, 'weight')) / maxBy(counted, 'requestsPerDay')!.requestsPerDay;
}

/** A form that delivered a response within a day is read this many times as often as other forms. */
const BUSY_WEIGHT = 4;

/**
 * Computes the weight of a form.
 *
 * @param deliveredAtMs when the form last delivered a response, in epoch milliseconds
 */
export function computeWeight(deliveredAtMs: number | undefined, nowMs: number): number {
	return deliveredAtMs === undefined || hasElapsed(deliveredAtMs, DAY_MS, nowMs) ? 1 : BUSY_WEIGHT;
}

/** The requests that a list has to wait for. */
export type RequestDebt = Readonly<{
	/** When a poll last requested the list, in epoch milliseconds. */
	atMs: number;
	/** The requests of that poll, and the requests that the list still waited for then. */
	requests: number;
}>;

/**
 * A tolerance for n8n's scheduler, which is not exact to the second. Without it, a poll that comes a second
 * early would be skipped, and a list would be read every three minutes instead of every two.
 */
export const EARLY_TOLERANCE_MS = 5_000;

/** Whether a wait is over. If the clock was set back, the wait is over, because its length is unknown. */
export function hasElapsed(startedAtMs: number, waitMs: number, nowMs: number): boolean {
	return nowMs < startedAtMs || nowMs >= startedAtMs + waitMs;
}

/** Whether the debt of a list is paid, so that the list may be read. */
export function isDue({ atMs, requests }: RequestDebt, intervalMs: number, nowMs: number): boolean {
	return hasElapsed(atMs, requests * intervalMs - EARLY_TOLERANCE_MS, nowMs);
}

/** Returns the debt of a list after more requests, which were sent from a time on. */
export function addDebt(
	debt: RequestDebt | undefined,
	requests: number,
	intervalMs: number,
	startedAtMs: number,
): RequestDebt {
	const { atMs, requests: before } = debt ?? { atMs: -Infinity, requests: 0 };
	const isSetBack = startedAtMs < atMs;
	const waiting = isSetBack ? 0 : Math.max(0, before - (startedAtMs - atMs) / intervalMs);
	return { atMs: startedAtMs, requests: waiting + requests };
}

/** The requests that one form may send in one poll. */
export type FormBudget = Readonly<{
	/** How long the form waits for each request. */
	intervalMs: number;
	/** Requests that the form could have sent since it was due, because n8n polls rarely. */
	unusedRequests: number;
	/** The most requests of one poll: a tenth of the form's requests of a day. */
	maxRequests: number;
}>;

/**
 * Computes what a form may request. Requests from before the last poll of this process do not count as unused:
 * an earlier process may have sent them.
 *
 * @param form the state before the poll; undefined for a new form
 * @param baseIntervalMs see `computeBaseIntervalMs`
 * @param lastPollAtMs undefined on the first poll of the process
 */
export function computeFormBudget(
	form: { debt?: RequestDebt; deliveredAtMs?: number } | undefined,
	baseIntervalMs: number,
	lastPollAtMs: number | undefined,
	nowMs: number,
): FormBudget {
	const { debt, deliveredAtMs } = { ...form };
	const { atMs, requests } = debt ?? { atMs: 0, requests: 0 };
	const intervalMs = baseIntervalMs / computeWeight(deliveredAtMs, nowMs);
	const unusedSinceMs = Math.max(atMs + requests * intervalMs, lastPollAtMs ?? nowMs);
	return {
		intervalMs,
		unusedRequests: Math.max(0, Math.floor((nowMs - unusedSinceMs) / intervalMs)),
		maxRequests: Math.max(1, Math.floor(DAY_MS / 10 / intervalMs)),
	};
}
