import { NodeApiError } from 'n8n-workflow';
import type { NodeOperationError } from 'n8n-workflow';
import { getCause } from '../api/errors';
import { REQUESTS_PER_MINUTE } from '../api/request/limits';
import { computeBackOffMs, HOUR_MS, isOver } from './budget';

/**
 * How the readings of a list, its deliveries, the account or the node's parameters have failed: whether
 * they may be tried now, and which error a person sees. Only this file writes a `health`.
 */

export type NodeError = NodeApiError | NodeOperationError;

export type Health = {
	/** Polls that have failed since the last good one. */
	readonly count: number;
	/** Whole readings that have failed since the last good one, whatever others did meanwhile. */
	readonly wholeCount: number;
	/** When the last failed poll began. */
	readonly failedAtMs: number;
	/** The service asked for no request before this time. */
	readonly waitUntilMs: number;
	/** When the error was last reported. */
	readonly reportedAtMs: number;
	/** The error that the next poll without items reports. */
	readonly pendingError?: NodeError;
};

/** What can fail. */
export type Failing = { health: Health };

/** What fails with the account, whichever of its lists is read. */
export type AccountHealth = Failing & {
	/** Lists that had no reply, or a temporary error, since the last good page of any list. */
	outage: ReadonlyMap<string, 'silent' | 'temporary'>;
	/** When the error of one form was last reported. */
	formReportedAtMs?: number;
};

export const HEALTHY: Health = {
	count: 0,
	wholeCount: 0,
	failedAtMs: -Infinity,
	waitUntilMs: -Infinity,
	reportedAtMs: -Infinity,
};

/** Failures in a row until the error is reported: fewer may pass by themselves. */
export const FAILURES_UNTIL_REPORTED = 3;

/** The longest wait that the service can ask for; n8n has the same limit. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

/** Causes that are about the account, whichever of its forms is polled. */
const CAUSES_OF_ACCOUNT = ['credential-invalid', 'rate-limited', 'quota-exhausted'];

/** Whether an error is about the account, so that no other list can be read either. */
export function isAboutAccount(error: unknown): boolean {
	return CAUSES_OF_ACCOUNT.includes(getCause(error));
}

/** Causes that last until a person corrects the credential or the node. */
export const CAUSES_FOR_PERSON = ['credential-invalid', 'configuration-invalid'];

/**
 * Whether failures are waited out, and so is what the service has asked for.
 *
 * @param isWhole whether for a reading of a whole list
 */
export function isBackOffOver(
	{ health }: Failing,
	spacingMs: number,
	nowMs: number,
	isWhole = false,
): boolean {
	const { count, wholeCount, failedAtMs } = health;
	const failures = isWhole ? Math.max(count, wholeCount) : count;
	const backOffMs = computeBackOffMs(failures, spacingMs);
	return isOver(failedAtMs, backOffMs, nowMs) && hasWaited(health, nowMs);
}

/** Whether a person who publishes the workflow sees at once if what has failed works again. */
export function isRetryWanted(failing: readonly Failing[], nowMs: number): boolean {
	const all = failing.map(({ health }) => health);
	return all.some(({ count }) => count > 0) && all.every((one) => hasWaited(one, nowMs));
}

/** After the clock was set back, the wait is over: nobody knows how long it was. */
function hasWaited({ failedAtMs, waitUntilMs }: Health, nowMs: number): boolean {
	return nowMs < failedAtMs || nowMs >= waitUntilMs;
}

/** A failed reading or delivery. */
export type Failed = {
	error: NodeError;
	/** When its poll began, and when it failed. Epoch milliseconds. */
	startedAtMs: number;
	failedAtMs: number;
	isWhole: boolean;
};

/** The wait that the service asked for; only some of n8n's failures have these attributes. */
type Retry = { retryAfterMs?: number; resetsAtEpochMs?: number };

/**
 * Adds a failed poll. From the third failure in a row on, people are to see the error.
 *
 * @param reportAgainMs the time after which the same failure is reported again
 */
export function recordFailure(
	failing: Failing,
	{ error, startedAtMs, failedAtMs, isWhole }: Failed,
	reportAgainMs: number,
): void {
	const { count, wholeCount, waitUntilMs, reportedAtMs, pendingError } = failing.health;
	const { retryAfterMs, resetsAtEpochMs = failedAtMs } = { ...error.failure } as Retry;
	const askedMs = Math.min(retryAfterMs ?? resetsAtEpochMs - failedAtMs, MAX_RETRY_AFTER_MS);
	const earlierMs = hasWaited(failing.health, failedAtMs) ? -Infinity : waitUntilMs;
	// a millisecond later, the rate limiter agrees, whatever the rounding
	const askedUntilMs = askedMs > 0 ? Math.ceil(failedAtMs + askedMs) + 1 : -Infinity;
	const counts = { count: count + 1, wholeCount: wholeCount + (isWhole ? 1 : 0) };
	const most = Math.max(counts.count, counts.wholeCount);
	const sinceReportMs = failedAtMs < reportedAtMs ? Infinity : failedAtMs - reportedAtMs;
	const isDue = most >= FAILURES_UNTIL_REPORTED && sinceReportMs >= reportAgainMs;
	failing.health = {
		...counts,
		failedAtMs: startedAtMs,
		waitUntilMs: Math.max(earlierMs, askedUntilMs),
		reportedAtMs: isDue ? failedAtMs : reportedAtMs,
		pendingError: isDue ? error : pendingError,
	};
}

/**
 * Takes note of a good reading or delivery. A reading of the newest pages, or of a part, does not show that
 * a whole reading works again.
 */
export function recordSuccess(failing: Failing, isWhole: boolean): void {
	const { health } = failing;
	// the wait is over; kept, it would begin again a day after the clock was set back by a day
	failing.health =
		!isWhole && health.wholeCount > 0 ? { ...health, count: 0, waitUntilMs: -Infinity } : HEALTHY;
}

/** A page has come that could not be read before: whole readings get on. */
export function recordProgress(failing: Failing): void {
	failing.health = { ...failing.health, wholeCount: 0 };
}

/** The service has sent a good page: what had failed for the account works again. */
export function recordAnswer(account: AccountHealth): void {
	const { health, outage } = account;
	if (health.count > 0) recordSuccess(account, true);
	if (outage.size > 0) account.outage = new Map();
}

/** Lists without any reply from which on the service counts as down. */
const MIN_SILENT = 2;

/** Lists with a temporary error from which on it does; an activation tries a minute's requests. */
const MIN_TEMPORARY = { schedule: 10, activation: REQUESTS_PER_MINUTE };

/**
 * What a failed reading shows to fail: the list, or the account. The service counts as down if, since the
 * last good page of any list, two lists had no reply at all, or ten (or all) a temporary error.
 *
 * @param listId the list that failed
 * @param watchedCount how many lists are read
 */
export function findFailing<T extends Failing>(
	account: AccountHealth,
	list: T,
	listId: string,
	error: NodeError,
	watchedCount: number,
	occasion: keyof typeof MIN_TEMPORARY,
): T | AccountHealth {
	if (isAboutAccount(error)) return account;
	if (getCause(error) !== 'temporarily-unavailable') return list;
	const hasStatus = error instanceof NodeApiError && Boolean(error.httpCode);
	const outage = new Map(account.outage).set(listId, hasStatus ? 'temporary' : 'silent');
	account.outage = outage;
	const silent = [...outage.values()].filter((kind) => kind === 'silent').length;
	const isDown =
		silent >= MIN_SILENT || outage.size >= Math.min(MIN_TEMPORARY[occasion], watchedCount);
	// if a single list is read, its own failures say the same
	return isDown && watchedCount > 1 ? account : list;
}

/** The first error of a form to report: if several forms fail, one error an hour is enough. */
export function takeErrorOfForm(
	account: AccountHealth,
	all: readonly Failing[],
	nowMs: number,
	reportAgainMs: number,
): NodeError | undefined {
	const { formReportedAtMs = -Infinity } = account;
	if (Math.abs(nowMs - formReportedAtMs) < reportAgainMs) return undefined;
	const error = takePendingError(all);
	if (error !== undefined) account.formReportedAtMs = nowMs;
	return error;
}

const KEEPS_TRYING = 'The trigger keeps trying, and no response is lost.';

/** The first error to report, if there is one; it counts as reported then. */
export function takePendingError(all: readonly Failing[]): NodeError | undefined {
	const failing = all.find(({ health }) => health.pendingError !== undefined);
	if (failing === undefined) return undefined;
	const { pendingError: error, ...rest } = failing.health;
	failing.health = rest;
	error!.description = [error!.description ?? '', KEEPS_TRYING].join(' ').trim();
	return error;
}
