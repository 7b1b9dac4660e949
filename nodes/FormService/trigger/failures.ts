import { upperFirst } from 'lodash';
import type { Logger } from 'n8n-workflow';
import { clock } from '../api/clock';
import { getRequestFailure, hasReason, type NodeError } from '../api/errors';
import type { FailureReason } from '../api/failures';
import { EARLY_TOLERANCE_MS, HOUR_MS, hasElapsed, MINUTE_MS } from './requestBudget';

/* Decides how long polls wait after a failure, and which error the user sees. */

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

	/** Whether the subject waits after a failure. */
	isInBackoff(subject: FailureSubject): boolean {
		const streak = this.streaks.get(subject);
		if (streak === undefined) return false;
		return !hasElapsed(streak.lastFailedAtMs, streak.backoffMs, clock.now());
	}

	/**
	 * Returns the error that a poll without items shows: the third in a row, then one an hour while the subject
	 * fails. One of several forms is reported once.
	 *
	 * @param isOneOfSeveral whether the trigger watches several forms
	 */
	takeErrorToReport(pollStartedAtMs: number, isOneOfSeveral: boolean): NodeError | undefined {
		const nowMs = clock.now();
		if (!hasElapsed(this.reportedAtMs, HOUR_MS, nowMs)) return undefined;
		const found = [...this.streaks].find(([subject, streak]) => {
			const isOnce = isOneOfSeveral && subject.startsWith('form ');
			// an unreported failure can be of an earlier poll, because a poll with items reports nothing
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

/** 20 seconds after the first failure, 40 after the second, and so on up to 30 minutes. */
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

/** Clears what has been read, and records and logs the failure, if there is one. */
export function recordOutcome(failures: Failures, outcome: ReadingOutcome, logger: Logger): void {
	const { subject, hasRead, error } = outcome;
	const isOfAccount = isAccountFailure(error);
	if (hasRead) failures.clear(subject);
	if (hasRead && !isOfAccount) failures.clear('account');
	if (error === undefined) return;
	if (isOfAccount) failures.record('account', error);
	// also then, because a page that alone times out would never be reported
	const count = failures.record(subject, error);
	const what = subject === 'formList' ? 'The list of forms' : upperFirst(subject);
	logger.warn(`${what} could not be read: ${error.message}. Failures in a row: ${count}.`);
}
