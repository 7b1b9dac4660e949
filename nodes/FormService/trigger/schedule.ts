import { maxBy, sumBy, upperFirst } from 'lodash';
import type { Logger } from 'n8n-workflow';
import { clock, DAY_MS, hasElapsed, HOUR_MS, MINUTE_MS } from '../api/clock';
import { getRequestFailure, hasReason, type NodeError } from '../api/errors';
import type { FailureReason } from '../api/failures';

/*
 * Decides when a list may be read: if Requests per Day, which all triggers of an account in this process share,
 * have paid for its last reading, and if it does not wait after a failure.
 */

/** The claim of a trigger on the budget: an equal share for each of its lists. */
export type BudgetClaim = {
	accountKey: string;
	requestsPerDay: number;
	listCount: number;
	polledAtMs: number;
};

/** With the usual schedules, n8n polls a trigger at least once an hour. Other triggers claim nothing. */
const ACTIVE_MS = HOUR_MS + 10 * MINUTE_MS;

/**
 * Computes the time in which the budget pays for one request of each list. If the triggers have different
 * Requests per Day, the highest number applies.
 *
 * @param own the claim of the trigger that polls now
 */
export function computeIntervalMs(claims: readonly BudgetClaim[], own: BudgetClaim): number {
	const others = claims.filter(
		(claim) =>
			claim !== own &&
			claim.accountKey === own.accountKey &&
			own.polledAtMs - claim.polledAtMs < ACTIVE_MS,
	);
	const active = [...others, own];
	return (DAY_MS * sumBy(active, 'listCount')) / maxBy(active, 'requestsPerDay')!.requestsPerDay;
}

/** When a list was last read, and how many requests that took. */
export type LastReading = Readonly<{ atMs: number; requests: number }>;

/** n8n's scheduler is not exact to the second: a poll that starts a little early may read the list. */
const EARLY_TOLERANCE_MS = 5_000;

/** Whether the budget has paid for the last reading of a list. */
export function isDue(
	lastReading: LastReading | undefined,
	intervalMs: number,
	nowMs: number,
): boolean {
	if (lastReading === undefined) return true;
	const { atMs, requests } = lastReading;
	return hasElapsed(atMs, requests * intervalMs - EARLY_TOLERANCE_MS, nowMs);
}

/** Computes the most pages of a search: a tenth of the list's requests of a day. */
export function computeMaxSearchPages(intervalMs: number): number {
	// a search of one page would leave new responses for hours
	return Math.max(2, Math.floor(DAY_MS / 10 / intervalMs));
}

/**
 * What has failed: the whole account, the parameters, the list of forms, or one form. The later pages of a form are
 * a subject of their own, so that their failures do not delay new responses.
 */
export type FailureSubject =
	| 'account'
	| 'parameters'
	| 'formList'
	| `form ${string}`
	| `later pages of form ${string}`;

function isOneForm(subject: FailureSubject): boolean {
	return !['account', 'parameters', 'formList'].includes(subject);
}

/** The consecutive failures of a subject. */
type FailureStreak = Readonly<{
	count: number;
	lastFailedAtMs: number;
	backoffMs: number;
	error: NodeError;
	isReported: boolean;
}>;

/** One or two failures are often temporary. */
export const MIN_FAILURES = 3;

/** The longest wait that the service can ask for. n8n has the same maximum. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

const NOTICE = 'The trigger keeps trying, and no response is lost.';

/** The failures of a trigger in this process. */
export class Failures {
	private readonly streaks = new Map<FailureSubject, FailureStreak>();
	private reportedAtMs = -Infinity;

	/** Records a failure. Returns the number of failures in a row. */
	record(subject: FailureSubject, error: NodeError): number {
		const nowMs = clock.now();
		const last = this.streaks.get(subject);
		const count = (last?.count ?? 0) + 1;
		const { retryAtMs = nowMs } = getRequestFailure(error) ?? {};
		// a millisecond longer, so that the next request does not wait in the account's queue
		const askedMs = Math.min(retryAtMs - nowMs + 1, MAX_RETRY_AFTER_MS);
		this.streaks.set(subject, {
			count,
			lastFailedAtMs: nowMs,
			backoffMs: Math.max(askedMs, computeBackoffMs(count)),
			error,
			isReported: last?.isReported ?? false,
		});
		return count;
	}

	clear(subject: FailureSubject): void {
		this.streaks.delete(subject);
	}

	clearAll(): void {
		this.streaks.clear();
	}

	isFailing(subject: FailureSubject): boolean {
		return this.streaks.has(subject);
	}

	/** Whether the subject waits after a failure. */
	isInBackoff(subject: FailureSubject): boolean {
		const streak = this.streaks.get(subject);
		if (streak === undefined) return false;
		return !hasElapsed(streak.lastFailedAtMs, streak.backoffMs, clock.now());
	}

	/**
	 * Returns the error that a poll without items shows, at most once an hour: that of the subject that has failed
	 * longest, after its third failure in a row. A form is reported once while others can be read.
	 *
	 * @param areOthersRead whether the trigger watches several forms, and some can be read
	 */
	takeErrorToReport(pollStartedAtMs: number, areOthersRead: boolean): NodeError | undefined {
		const nowMs = clock.now();
		if (!hasElapsed(this.reportedAtMs, HOUR_MS, nowMs)) return undefined;
		const found = [...this.streaks].find(([subject, streak]) => {
			const isOnce = areOthersRead && isOneForm(subject);
			// a poll with items reports nothing, so its failure is reported by a later poll
			const isDone = streak.isReported && (isOnce || streak.lastFailedAtMs < pollStartedAtMs);
			return streak.count >= MIN_FAILURES && !isDone;
		});
		if (found === undefined) return undefined;
		const [subject, streak] = found;
		this.streaks.set(subject, { ...streak, isReported: true });
		this.reportedAtMs = nowMs;
		const { error } = streak;
		error.description = `${error.description ?? ''} ${NOTICE}`.trim();
		return error;
	}
}

/** 20 seconds after the first failure, 40 after the second, and so on up to 30 minutes, minus the tolerance. */
function computeBackoffMs(failures: number): number {
	return Math.min(20_000 * 2 ** (failures - 1), 30 * MINUTE_MS) - EARLY_TOLERANCE_MS;
}

/** The reasons that concern all forms of the account, or that look like an outage. */
const ACCOUNT_REASONS: FailureReason[] = [
	'blockedByN8n',
	'insecure',
	'timedOut',
	'connectionFailed',
	'pollTimedOut',
	'tokenRejected',
	'minuteLimit',
	'dayLimit',
	'unavailable',
];

export function isAccountFailure(error: unknown): boolean {
	return hasReason(error, ...ACCOUNT_REASONS);
}

/** What became of one list in a poll. */
export type ReadingOutcome = Readonly<{
	subject: FailureSubject;
	/** Whether a page was read, and its events were delivered. */
	hasRead: boolean;
	error?: NodeError;
}>;

/** Ends the streak of a list that was read. Then records and logs its failure, if there is one. */
export function recordOutcome(failures: Failures, outcome: ReadingOutcome, logger: Logger): void {
	const { subject, hasRead, error } = outcome;
	const isOfAccount = isAccountFailure(error);
	if (hasRead) failures.clear(subject);
	if (hasRead && !isOfAccount) failures.clear('account');
	if (error === undefined) return;
	if (isOfAccount) failures.record('account', error);
	// count it for the subject, too, because other pages end the streak of the account
	const count = failures.record(subject, error);
	const what = subject === 'formList' ? 'The list of forms' : upperFirst(subject);
	logger.warn(`${what} could not be read: ${error.message}. Failures in a row: ${count}.`);
}
