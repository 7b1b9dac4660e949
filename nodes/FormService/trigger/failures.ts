import type { Logger } from 'n8n-workflow';
import { clock } from '../api/clock';
import { getRequestFailure, hasReason, type NodeError } from '../api/errors';
import type { FailureReason } from '../api/requestFailure';
import { EARLY_TOLERANCE_MS, HOUR_MS, hasElapsed, MINUTE_MS } from './requestBudget';
import type { ReadingKind } from './responses/planReading';

/** What follows from the outcome of a reading: how long polls wait after a failure, and which error the user sees. */

/** What has failed: the account, the parameters, the list of forms, a form in this list, or a reading of a form. */
export type Subject = Readonly<
	| { kind: 'account' | 'parameters' | 'formList' }
	/** A form in the list of all forms. The trigger reads only its record, and no responses. */
	| { kind: 'listedForm'; formId: string }
	| { kind: ReadingKind; formId: string }
>;

/** A number after the last page. `clear` with this number means that the whole list works again. */
export const ALL_PAGES = Infinity;

/** The failures in a row of one subject. */
type FailureStreak = {
	readonly subject: Subject;
	readonly count: number;
	/** The number of the page that failed, from 0. If a later page fails, a new streak starts. */
	readonly page: number;
	/** The time of the last failure. */
	readonly failedAtMs: number;
	readonly backoffMs: number;
	readonly error: NodeError;
	isReported: boolean;
};

/** The number of failures in a row after which the user sees the error. One or two failures are often temporary. */
const REPORT_THRESHOLD = 3;

/** The longest wait that the service can ask for. n8n has the same maximum. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

const RETRY_NOTICE = 'The trigger keeps trying, and no response is lost.';

/** The current failures of a trigger by subject, as this process knows them. */
export class Failures {
	private readonly streaks = new Map<string, FailureStreak>();
	private reportedAtMs = -Infinity;

	/**
	 * Records a failure. Polls then wait before they read the subject again, as long as `computeBackoffMs` says.
	 * If the service asks for a longer wait, polls wait longer.
	 *
	 * @param page the number of the page that failed, from 0; 0 if the subject has no pages
	 * @returns the number of failures in a row
	 */
	record(subject: Subject, error: NodeError, page = 0): number {
		const failedAtMs = clock.now();
		const { retryAtMs = failedAtMs } = getRequestFailure(error) ?? {};
		// a millisecond more, so that the request queue does not still wait because of rounding
		const askedMs = Math.min(retryAtMs - failedAtMs + 1, MAX_RETRY_AFTER_MS);
		const count = this.countWithNew(subject, page);
		const backoffMs = Math.max(askedMs, computeBackoffMs(count));
		const isReported = count > 1 && this.find(subject)!.isReported;
		const streak = { subject, count, page, failedAtMs, backoffMs, error, isReported };
		this.streaks.set(toKey(subject), streak);
		return count;
	}

	/** Returns the number of failures in a row of a subject, if this page fails once more. */
	countWithNew(subject: Subject, page: number): number {
		const last = this.find(subject);
		return last !== undefined && page <= last.page ? last.count + 1 : 1;
	}

	/**
	 * Clears the failure of a subject if this page or an earlier page has failed. A later page may still fail.
	 *
	 * @param page the number of the last page that was read, from 0, or `ALL_PAGES`
	 */
	clear(subject: Subject, page: number): void {
		if (page >= (this.find(subject)?.page ?? 0)) this.streaks.delete(toKey(subject));
	}

	clearAll(): void {
		this.streaks.clear();
	}

	has(subject: Subject): boolean {
		return this.find(subject) !== undefined;
	}

	/** Whether polls still wait after a failure of the subject. */
	isWaiting(subject: Subject): boolean {
		const streak = this.find(subject);
		return streak !== undefined && !hasElapsed(streak.failedAtMs, streak.backoffMs, clock.now());
	}

	/**
	 * Returns the error that a poll without items reports to the user, and adds a notice to the error. Undefined
	 * if no subject has failed three times in a row, or if an error was reported less than an hour ago. If the
	 * trigger watches several forms, the error of a form is reported once.
	 *
	 * @param polledAtMs when the poll started; an error is reported again only if it is from this poll
	 */
	takeReport(polledAtMs: number, isOneOfSeveral = false): NodeError | undefined {
		const nowMs = clock.now();
		if (!hasElapsed(this.reportedAtMs, HOUR_MS, nowMs)) return undefined;
		const streak = [...this.streaks.values()].find(({ count, failedAtMs, subject, isReported }) => {
			// a poll with items reports no error, so the error can be from an earlier poll
			const isOnce = isOneOfSeveral && 'formId' in subject;
			const isDone = isReported && (isOnce || failedAtMs < polledAtMs);
			return count >= REPORT_THRESHOLD && !isDone;
		});
		if (streak === undefined) return undefined;
		streak.isReported = true;
		this.reportedAtMs = nowMs;
		const { error } = streak;
		// the account and a form can fail with the same error
		const description = (error.description ?? '').replace(RETRY_NOTICE, '').trim();
		error.description = `${description} ${RETRY_NOTICE}`.trim();
		return error;
	}

	private find(subject: Subject): FailureStreak | undefined {
		return this.streaks.get(toKey(subject));
	}
}

/**
 * Computes how long polls wait after failures in a row: 15 seconds after the first failure, then 35 seconds, 75
 * seconds, and so on, up to 30 minutes. Each wait is shortened by the tolerance for early polls.
 */
function computeBackoffMs(failures: number): number {
	return Math.min(20_000 * 2 ** (failures - 1), 30 * MINUTE_MS) - EARLY_TOLERANCE_MS;
}

function toKey(subject: Subject): string {
	return 'formId' in subject ? `${subject.kind} ${subject.formId}` : subject.kind;
}

/** The reasons that affect all forms of the account: no reply in time, the token, the rate limits, or maintenance. */
const ACCOUNT_REASONS: FailureReason[] = [
	'blockedByN8n',
	'connectionRefused',
	'unknownHost',
	'untrustedCertificate',
	'noEncryption',
	'timedOut',
	'connectionBroken',
	'pollTimedOut',
	'tokenRejected',
	'minuteLimit',
	'dayLimit',
	'unavailable',
];

/** Whether a failure affects the whole account. */
export function isAccountFailure(error: unknown): boolean {
	return hasReason(error, ...ACCOUNT_REASONS);
}

/** The outcome of one reading. */
export type Outcome = Readonly<{
	subject: Subject;
	/** Whether the reading has read at least one page. */
	hasPages: boolean;
	/** Why the next page could not be read. */
	readError?: NodeError;
	/** Why the events could not be delivered. */
	deliveryError?: NodeError;
	/**
	 * The number of the page that failed, from 0. If no page failed, the number of the last page that was read,
	 * or `ALL_PAGES` if no page follows.
	 */
	page: number;
}>;

export function getError({ readError, deliveryError }: Outcome): NodeError | undefined {
	return deliveryError ?? readError;
}

/** Whether the poll stops after this outcome, because the account fails or has no request left in this minute. */
export function endsPoll(outcome: Outcome): boolean {
	const error = getError(outcome);
	return hasReason(error, 'queueTimedOut') || isAccountFailure(error);
}

/**
 * Records an outcome for the next polls, and logs a failure. If a page was read, the failure of the account is
 * cleared, unless a later page failed because of the account.
 */
export function recordOutcome(failures: Failures, outcome: Outcome, logger: Logger): void {
	const { subject, hasPages, readError, page } = outcome;
	if (hasPages && !isAccountFailure(readError)) failures.clear({ kind: 'account' }, ALL_PAGES);
	const error = getError(outcome);
	if (error === undefined) return failures.clear(subject, page);
	// a request that was not sent is not a failure
	if (hasReason(error, 'queueTimedOut')) {
		logger.info("The poll ends early: this account's requests of this minute are used up.");
		return;
	}
	const count = failures.record(subject, error, page);
	if (isAccountFailure(error)) failures.record({ kind: 'account' }, error);
	const what = 'formId' in subject ? `Form ${subject.formId}` : 'The list of forms';
	logger.warn(`${what} could not be read: ${error.message}. Failures in a row: ${count}.`);
}
