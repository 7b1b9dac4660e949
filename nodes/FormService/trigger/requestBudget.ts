import { maxBy, sumBy } from 'lodash';

/* Decides when a list is due. All triggers of an account in this process share Requests per Day. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * A trigger's claim to a share of the request budget. A trigger with `weight` 6 gets twice the share of a trigger
 * with `weight` 3.
 */
export type BudgetClaim = {
	accountKey: string;
	requestsPerDay: number;
	/** The sum of the weights of all lists that the trigger reads, see `computeWeight`. */
	weight: number;
	/** When n8n last polled the trigger. */
	polledAtMs: number;
};

/**
 * How long a trigger stays active after its last poll. An inactive trigger gets no share of the request
 * budget. With the usual schedules, n8n polls a trigger at least once an hour.
 */
const ACTIVE_MS = HOUR_MS + 10 * MINUTE_MS;

/**
 * Computes the request interval of a list with weight 1: the time in which the budget covers one request of
 * the list, in milliseconds. If the triggers have different Requests per Day, the highest number applies.
 *
 * @param claims the `BudgetClaim` of each trigger of this process; can include `newest`
 * @param newest the claim of the trigger that polls now
 */
export function computeBaseIntervalMs(claims: readonly BudgetClaim[], newest: BudgetClaim): number {
	const active = claims.filter(({ accountKey, polledAtMs }) => {
		return accountKey === newest.accountKey && newest.polledAtMs - polledAtMs < ACTIVE_MS;
	});
	const counted = [...active.filter((claim) => claim !== newest), newest];
	return (DAY_MS * sumBy(counted, 'weight')) / maxBy(counted, 'requestsPerDay')!.requestsPerDay;
}

/**
 * The weight of a form that has delivered a response within a day. The trigger reads such a form four times as
 * often as other forms.
 */
const BUSY_WEIGHT = 4;

/**
 * Computes the weight of a form. The trigger reads a form with weight 4 four times as often as a form with
 * weight 1.
 *
 * @param deliveredAtMs when the form last delivered a response
 */
export function computeWeight(deliveredAtMs: number | undefined, nowMs: number): number {
	return deliveredAtMs === undefined || hasElapsed(deliveredAtMs, DAY_MS, nowMs) ? 1 : BUSY_WEIGHT;
}

/**
 * The request debt of a list: the requests that the budget has not covered yet. The budget covers one request
 * in each request interval. When the budget has covered all requests, the list is due.
 */
export type RequestDebt = Readonly<{
	/** The time at which the debt was computed, in epoch milliseconds. */
	atMs: number;
	/** The number of requests that the budget had not covered at `atMs`. */
	requests: number;
}>;

/**
 * How much earlier than planned a poll may read a list. n8n's scheduler is not exact to the second. Without
 * this tolerance, a poll that starts a second early could not read a list that is due every two minutes. The
 * list would then be read every three minutes.
 */
export const EARLY_TOLERANCE_MS = 5_000;

/**
 * Whether a wait is over. Also true if the clock was set back to a time before the start of the wait, because
 * the elapsed time is unknown.
 */
export function hasElapsed(waitStartedAtMs: number, waitMs: number, nowMs: number): boolean {
	return nowMs < waitStartedAtMs || nowMs >= waitStartedAtMs + waitMs;
}

/** Whether the budget has covered the debt of a list, so that a poll may read the list. */
export function isDue({ atMs, requests }: RequestDebt, intervalMs: number, nowMs: number): boolean {
	return hasElapsed(atMs, requests * intervalMs - EARLY_TOLERANCE_MS, nowMs);
}

/**
 * Adds requests to the debt of a list at the time `addedAtMs`. First subtracts the requests that the budget
 * has covered since the last addition.
 */
export function addDebt(
	debt: RequestDebt | undefined,
	requests: number,
	intervalMs: number,
	addedAtMs: number,
): RequestDebt {
	const { atMs, requests: requestsBefore } = debt ?? { atMs: -Infinity, requests: 0 };
	const isSetBack = addedAtMs < atMs;
	const uncovered = isSetBack ? 0 : Math.max(0, requestsBefore - (addedAtMs - atMs) / intervalMs);
	return { atMs: addedAtMs, requests: uncovered + requests };
}

/** The number of requests that a poll may send for a form. */
export type FormBudget = Readonly<{
	/**
	 * The request interval of the form: the time in which the budget covers one request of the form, in
	 * milliseconds.
	 */
	intervalMs: number;
	/**
	 * How many requests the budget has covered since the form became due or n8n last polled the trigger, whichever
	 * was later. If n8n polls every 10 minutes and `intervalMs` is 2 minutes: up to 5 requests.
	 */
	unusedRequests: number;
	/** The maximum number of requests in one poll: a tenth of the form's daily requests. */
	maxRequests: number;
}>;

/**
 * Computes how many requests a poll may send for a form. Counts unused requests only since the last poll of
 * this process, because another process may have used earlier requests.
 *
 * @param form the state before the poll; undefined for a new form
 * @param baseIntervalMs see `computeBaseIntervalMs`
 * @param lastPollAtMs undefined in the first poll of the process
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
