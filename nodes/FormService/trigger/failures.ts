import type { Logger } from 'n8n-workflow';
import { clock } from '../api/clock';
import { getRequestFailure, hasReason, type NodeError } from '../api/errors';
import type { FailureReason } from '../api/requestFailure';
import { EARLY_TOLERANCE_MS, HOUR_MS, hasElapsed, MINUTE_MS } from './requestBudget';
import type { ReadingKind } from './responses/planReading';

/** The outcomes of readings, how long polls wait after a failure, and which error the user sees. */

/** The subject of a failure: the account, the parameters, the list of forms, a form in this list, or a reading. */
export type Subject = Readonly<
	| { kind: 'account' | 'parameters' | 'formList' }
	/** A form that is read only as part of the list of all forms. */
	| { kind: 'listedForm'; formId: string }
	| { kind: ReadingKind; formId: string }
>;

/** A page number after all pages: nothing of the list can fail any more. */
export const END_OF_LIST = Infinity;

/** Failures in a row of one subject. */
type FailureStreak = {
	readonly subject: Subject;
	readonly count: number;
	/** The page of the list that failed, counted from 0. A failure of a later page starts a new streak. */
	readonly page: number;
	/** The time of the last failure. */
	readonly failedAtMs: number;
	readonly backoffMs: number;
	readonly error: NodeError;
	isReported: boolean;
};

/** Failures in a row after which the error is reported. One or two are often temporary. */
const REPORT_THRESHOLD = 3;

/** The longest wait that the service can ask for; n8n has the same limit. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

const RETRY_NOTICE = 'The trigger keeps trying, and no response is lost.';

/** The current failures of a trigger, by subject, in this process. */
export class Failures {
	private readonly streaks = new Map<string, FailureStreak>();
	private reportedAtMs = -Infinity;

	/**
	 * Records a failure. Polls then wait before they read the subject again, longer than `computeBackoffMs` if the
	 * service asks for a longer wait.
	 *
	 * @param page the page that failed, counted from 0; 0 if the subject has no pages
	 * @returns the failures in a row
	 */
	record(subject: Subject, error: NodeError, page = 0): number {
		const failedAtMs = clock.now();
		const { retryAtMs = failedAtMs } = getRequestFailure(error) ?? {};
		// a millisecond later, the request queue agrees, whatever the rounding
		const askedMs = Math.min(retryAtMs - failedAtMs + 1, MAX_RETRY_AFTER_MS);
		const count = this.countWithNew(subject, page);
		const backoffMs = Math.max(askedMs, computeBackoffMs(count));
		const isReported = count > 1 && this.find(subject)!.isReported;
		const streak = { subject, count, page, failedAtMs, backoffMs, error, isReported };
		this.streaks.set(toKey(subject), streak);
		return count;
	}

	/** Counts the failures in a row of a subject, including a new failure of the page that is not recorded yet. */
	countWithNew(subject: Subject, page: number): number {
		const last = this.find(subject);
		return last !== undefined && page <= last.page ? last.count + 1 : 1;
	}

	/**
	 * Clears the failure of a page that works again, or of an earlier page. A later page may still fail.
	 *
	 * @param page the last page that was read, counted from 0, or `END_OF_LIST`
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
	 * Returns the error that a poll without items reports, if a subject has failed three times in a row. Marks the error
	 * as reported, and adds a notice. Reports at most one error an hour, and that of one of several forms once.
	 *
	 * @param polledAtMs the start of the poll; only a failure of this poll is reported again
	 */
	takeReport(polledAtMs: number, isOneOfSeveral = false): NodeError | undefined {
		const nowMs = clock.now();
		if (!hasElapsed(this.reportedAtMs, HOUR_MS, nowMs)) return undefined;
		const streak = [...this.streaks.values()].find(({ count, failedAtMs, subject, isReported }) => {
			// a poll with items reports nothing, so the first report can be of an earlier poll
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
 * Computes the wait after failures in a row: 15 seconds after the first failure, then 35, 75 and so on, up to 30
 * minutes less the tolerance for polls that come early.
 */
function computeBackoffMs(failures: number): number {
	return Math.min(20_000 * 2 ** (failures - 1), 30 * MINUTE_MS) - EARLY_TOLERANCE_MS;
}

function toKey(subject: Subject): string {
	return 'formId' in subject ? `${subject.kind} ${subject.formId}` : subject.kind;
}

/** Reasons that affect all forms of the account: no reply (in the poll's time), the token, the limits, maintenance. */
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
	/** Whether at least one page was read. */
	hasPages: boolean;
	/** The error of the next page. */
	readError?: NodeError;
	/** The error of the delivery. */
	deliveryError?: NodeError;
	/** The page that failed; without a failure, the last page that was read, or `END_OF_LIST` if no page follows. */
	page: number;
}>;

export function getError({ readError, deliveryError }: Outcome): NodeError | undefined {
	return deliveryError ?? readError;
}

/** Whether the poll stops, because the account fails or has no request left in this minute. */
export function endsPoll(outcome: Outcome): boolean {
	const error = getError(outcome);
	return hasReason(error, 'queueTimedOut') || isAccountFailure(error);
}

/**
 * Records an outcome for the next polls, and logs a failure. A page of any list shows that the account works, even
 * if the page could not become items, unless a later page fails because of the account.
 */
export function recordOutcome(failures: Failures, outcome: Outcome, logger: Logger): void {
	const { subject, hasPages, readError, page } = outcome;
	if (hasPages && !isAccountFailure(readError)) failures.clear({ kind: 'account' }, END_OF_LIST);
	const error = getError(outcome);
	if (error === undefined) return failures.clear(subject, page);
	// nothing was sent, so nothing has failed
	if (hasReason(error, 'queueTimedOut')) {
		logger.info("The poll ends early: this account's requests of this minute are used up.");
		return;
	}
	const count = failures.record(subject, error, page);
	if (isAccountFailure(error)) failures.record({ kind: 'account' }, error);
	const what = 'formId' in subject ? `Form ${subject.formId}` : 'The list of forms';
	logger.warn(`${what} could not be read: ${error.message}. Failures in a row: ${count}.`);
}
