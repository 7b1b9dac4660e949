import { maxBy, sumBy } from 'lodash';

/** Decides when a list is due. All triggers of an account in this process share Requests per Day. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The claim of a trigger: how large its share of the account's requests must be. */
export type BudgetClaim = {
	accountKey: string;
	requestsPerDay: number;
	/** The sum of the weights of all lists that the trigger reads. */
	weight: number;
	/** When n8n last polled the trigger. */
	polledAtMs: number;
};

/**
 * A trigger counts as switched off if n8n has not polled it for this time. Users set at most an hour between
 * polls.
 */
const ACTIVE_MS = HOUR_MS + 10 * MINUTE_MS;

/**
 * Computes the request interval of a list with weight 1: how long the list waits for each request, in
 * milliseconds. If the triggers have different Requests per Day, the highest number applies.
 *
 * @param claims the claims of all triggers of this process, with or without the newest claim
 */
export function computeBaseIntervalMs(claims: readonly BudgetClaim[], newest: BudgetClaim): number {
	const active = claims.filter(({ accountKey, polledAtMs }) => {
		return accountKey === newest.accountKey && newest.polledAtMs - polledAtMs < ACTIVE_MS;
	});
	const counted = [...active.filter((claim) => claim !== newest), newest];
	return (DAY_MS * sumBy(counted, 'weight')) / maxBy(counted, 'requestsPerDay')!.requestsPerDay;
}

/**
 * The weight of a form that has delivered a response within a day. The form is read four times as often as
 * other forms.
 */
const BUSY_WEIGHT = 4;

/**
 * Computes the weight of a form: a form with weight 4 is read four times as often as a form with weight 1.
 *
 * @param deliveredAtMs when the form last delivered a response, in epoch milliseconds
 */
export function computeWeight(deliveredAtMs: number | undefined, nowMs: number): number {
	return deliveredAtMs === undefined || hasElapsed(deliveredAtMs, DAY_MS, nowMs) ? 1 : BUSY_WEIGHT;
}

/** The request debt of a list: the requests that the list has to wait for. */
export type RequestDebt = Readonly<{
	/** When a poll last requested the list, in epoch milliseconds. */
	atMs: number;
	/** How many requests that poll sent, plus the requests for which the list was still waiting. */
	requests: number;
}>;

/**
 * How much earlier than planned a list may be read, because n8n's scheduler is not exact to the second. Without
 * this tolerance, a poll that comes a second early would not read the list, and a list would be read every
 * three minutes instead of every two.
 */
export const EARLY_TOLERANCE_MS = 5_000;

/** Whether a wait is over. True if the clock was set back, because the length of the wait is then unknown. */
export function hasElapsed(startedAtMs: number, waitMs: number, nowMs: number): boolean {
	return nowMs < startedAtMs || nowMs >= startedAtMs + waitMs;
}

/** Whether a list has paid its debt, so that a poll may read the list. */
export function isDue({ atMs, requests }: RequestDebt, intervalMs: number, nowMs: number): boolean {
	return hasElapsed(atMs, requests * intervalMs - EARLY_TOLERANCE_MS, nowMs);
}

/** Returns the debt of a list after further requests. The wait for these requests starts at `startedAtMs`. */
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

/** How many requests a poll may send for a form. */
export type FormBudget = Readonly<{
	/** The request interval of the form: how long the form waits for each request, in milliseconds. */
	intervalMs: number;
	/** How many more requests the form could have sent since it was due. Not 0 if n8n polls rarely. */
	unusedRequests: number;
	/** The most requests in one poll: a tenth of the form's requests per day. */
	maxRequests: number;
}>;

/**
 * Computes how many requests a poll may send for a form. Unused requests count only since the last poll of this
 * process, because an earlier process may have sent the requests before.
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
