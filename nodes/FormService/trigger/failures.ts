import type { Logger } from 'n8n-workflow';
import { clock } from '../api/clock';
import { getRequestFailure, hasReason, type NodeError } from '../api/errors';
import type { FailureReason } from '../api/failures';
import { EARLY_TOLERANCE_MS, HOUR_MS, hasElapsed, MINUTE_MS } from './requestBudget';

/* Decides how long polls wait after a failure, and which error the user sees. */

/** What has failed: all of the account, the parameters, the list of forms, or one form. */
export type FailureSubject = 'account' | 'parameters' | 'formList' | `form ${string}`;

/** The consecutive failures of a subject. */
export type FailureStreak = Readonly<{
	count: number;
	/**
	 * The query of the page that failed last, how often in a row, and since when. Other pages of the form can be read
	 * meanwhile, or fail, too.
	 */
	page: string;
	pageCount: number;
	pageFailedAtMs: number;
	lastFailedAtMs: number;
	backoffMs: number;
	error: NodeError;
	isReported: boolean;
}>;

/** A page is identified by the query of its URL. The first page of a list has none. */
export const FIRST_PAGE = '';

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
	record(subject: FailureSubject, error: NodeError, page = FIRST_PAGE): number {
		const nowMs = clock.now();
		const last = this.streaks.get(subject);
		const count = (last?.count ?? 0) + 1;
		const lastOfPage = last?.page === page ? last : undefined;
		const { retryAtMs = nowMs } = getRequestFailure(error) ?? {};
		// a millisecond more, so that the queue sends the next request immediately
		const askedMs = Math.min(retryAtMs - nowMs + 1, MAX_RETRY_AFTER_MS);
		this.streaks.set(subject, {
			count,
			page,
			pageCount: (lastOfPage?.pageCount ?? 0) + 1,
			pageFailedAtMs: lastOfPage?.pageFailedAtMs ?? nowMs,
			lastFailedAtMs: nowMs,
			backoffMs: Math.max(askedMs, computeBackoffMs(count)),
			error,
			isReported: last?.isReported ?? false,
		});
		return count;
	}

	get(subject: FailureSubject): FailureStreak | undefined {
		return this.streaks.get(subject);
	}

	clear(subject: FailureSubject): void {
		this.streaks.delete(subject);
	}

	/** Ends the streak of a form if the page that failed last has now been read. */
	clearPage(subject: FailureSubject, page: string): void {
		if (this.streaks.get(subject)?.page === page) this.streaks.delete(subject);
	}

	clearAll(): void {
		this.streaks.clear();
	}

	/** Whether the subject waits after a failure. Pages other than the one that failed do not wait. */
	isInBackoff(subject: FailureSubject, page = FIRST_PAGE): boolean {
		const streak = this.streaks.get(subject);
		if (streak?.page !== page) return false;
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
		// the account and a form can share an error, which has the notice then
		const description = (error.description ?? '').replace(NOTICE, '').trim();
		error.description = `${description} ${NOTICE}`.trim();
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
	'unreachable',
	'insecure',
	'timedOut',
	'connectionBroken',
	'pollTimedOut',
	'tokenRejected',
	'minuteLimit',
	'dayLimit',
	'unavailable',
];

export function isAccountFailure(error: unknown): boolean {
	return hasReason(error, ...ACCOUNT_REASONS);
}

/** What a poll has read of one list. */
export type ReadingOutcome = Readonly<{
	subject: FailureSubject;
	/** The pages that were read and whose events were delivered. */
	readPages: readonly string[];
	/** Whether the whole list has been read, by this reading and earlier ones. */
	isWhole: boolean;
	error?: NodeError;
	/** The page that the error is about. */
	failedPage?: string;
	/** Whether the next reading leaves this page, and so need not wait. */
	startsOver?: boolean;
}>;

/** Clears what has been read, and records and logs the failure, if there is one. */
export function recordOutcome(failures: Failures, outcome: ReadingOutcome, logger: Logger): void {
	const { subject, readPages, isWhole, error, failedPage, startsOver } = outcome;
	if (readPages.length > 0 && !isAccountFailure(error)) failures.clear('account');
	for (const page of readPages) failures.clearPage(subject, page);
	if (isWhole) failures.clear(subject);
	if (error === undefined) return;
	const count = failures.record(subject, error, failedPage);
	if (isAccountFailure(error) && !startsOver) failures.record('account', error);
	const what = subject === 'formList' ? 'The list of forms' : subject.replace('form', 'Form');
	logger.warn(`${what} could not be read: ${error.message}. Failures in a row: ${count}.`);
}
