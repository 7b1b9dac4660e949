import { clock } from '../api/clock';
import { getRequestFailure, type NodeError } from '../api/errors';
import { EARLY_TOLERANCE_MS, HOUR_MS, hasElapsed, MINUTE_MS } from './requestBudget';
import type { ReadingKind } from './responses/planReading';

/* Decides how long polls wait after a failure, and which error the user sees. */

/**
 * The subject of a failure: the account, the parameters, the list of forms, a form in this list, or a reading
 * of a form.
 */
export type FailureSubject = Readonly<
	| { kind: 'account' | 'parameters' | 'formList' }
	/**
	 * A form whose record the trigger reads in the list of all forms. The trigger does not read the responses of
	 * such a form.
	 */
	| { kind: 'listedForm'; formId: string }
	| { kind: ReadingKind; formId: string }
>;

/** A number above the number of every page. `clear` with this number clears all failures of the subject. */
export const HIGHEST_PAGE_NUMBER = Infinity;

/** The failures in a row (a streak) of one subject. */
type FailureStreak = {
	readonly subject: FailureSubject;
	readonly count: number;
	/** The number of the page that failed, from 0. A failure of a later page starts a new streak: `count` is 1 again. */
	readonly page: number;
	/** The time of the first failure. */
	readonly firstFailedAtMs: number;
	/** The time of the last failure. */
	readonly lastFailedAtMs: number;
	readonly backoffMs: number;
	readonly error: NodeError;
	isReported: boolean;
};

/** How many failures in a row a subject has, and when the first of these failures was. */
export type FailureCount = Readonly<{ count: number; firstFailedAtMs: number }>;

/**
 * How many failures in a row a subject must have before the user sees the error. One or two failures are often
 * temporary.
 */
const REPORT_THRESHOLD = 3;

/** The maximum wait after a failure if the service asks for a wait. n8n has the same maximum. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

const RETRY_NOTICE = 'The trigger keeps trying, and no response is lost.';

/** The failures in a row of a trigger, in this n8n process. Each subject has its own count, see `FailureSubject`. */
export class Failures {
	private readonly streaks = new Map<string, FailureStreak>();
	private reportedAtMs = -Infinity;

	/**
	 * Records a failure. During the backoff, polls skip the subject, see `computeBackoffMs`. If the service
	 * asks for a longer wait, the backoff is as long as the service asks, up to an hour.
	 *
	 * @param page the number of the page that failed, from 0; 0 if the subject has no pages
	 * @param startsElsewhere whether the next poll reads another page. If so, the backoff is only the wait that
	 * the service asks for
	 * @returns the number of failures in a row
	 */
	record(subject: FailureSubject, error: NodeError, page = 0, startsElsewhere = false): number {
		const lastFailedAtMs = clock.now();
		const { retryAtMs = lastFailedAtMs } = getRequestFailure(error) ?? {};
		// add a millisecond for rounding, so that the request queue sends the next request immediately
		const askedMs = Math.min(retryAtMs - lastFailedAtMs + 1, MAX_RETRY_AFTER_MS);
		const { count, firstFailedAtMs } = this.countWithNew(subject, page);
		const backoffMs = startsElsewhere ? askedMs : Math.max(askedMs, computeBackoffMs(count));
		const isReported = count > 1 && this.find(subject)!.isReported;
		const times = { firstFailedAtMs, lastFailedAtMs, backoffMs };
		this.streaks.set(toKey(subject), { subject, count, page, ...times, error, isReported });
		return count;
	}

	/** Returns the failure count that `record` would store for a failure of this page. */
	countWithNew(subject: FailureSubject, page: number): FailureCount {
		const last = this.find(subject);
		if (last === undefined || page > last.page) return { count: 1, firstFailedAtMs: clock.now() };
		return { count: last.count + 1, firstFailedAtMs: last.firstFailedAtMs };
	}

	/**
	 * Clears the failures of a subject after its pages up to `page` were read. Keeps the failures of a later
	 * page.
	 *
	 * @param page the number of the last page that was read, from 0, or `HIGHEST_PAGE_NUMBER`
	 */
	clear(subject: FailureSubject, page: number): void {
		if (page >= (this.find(subject)?.page ?? 0)) this.streaks.delete(toKey(subject));
	}

	clearAll(): void {
		this.streaks.clear();
	}

	has(subject: FailureSubject): boolean {
		return this.find(subject) !== undefined;
	}

	/** Whether the subject is still in its backoff. */
	isInBackoff(subject: FailureSubject): boolean {
		const streak = this.find(subject);
		return (
			streak !== undefined && !hasElapsed(streak.lastFailedAtMs, streak.backoffMs, clock.now())
		);
	}

	/**
	 * Returns the error that a poll without items shows to the user, and marks the error as reported. Adds a
	 * notice that the trigger keeps trying. Returns undefined if an error was reported less than an hour ago,
	 * or if the following rules allow no error:
	 *
	 * - An error is reported only after at least three failures in a row.
	 * - A reported error is reported again only if the subject has failed again in this poll.
	 * - If the trigger watches several forms, the error of a form is reported only once.
	 *
	 * @param polledAtMs when the poll started
	 * @param isOneOfSeveral whether the trigger watches several forms
	 */
	takeErrorToReport(polledAtMs: number, isOneOfSeveral = false): NodeError | undefined {
		const nowMs = clock.now();
		if (!hasElapsed(this.reportedAtMs, HOUR_MS, nowMs)) return undefined;
		const streak = [...this.streaks.values()].find(
			({ count, lastFailedAtMs, subject, isReported }) => {
				const isOnce = isOneOfSeveral && 'formId' in subject;
				// an unreported error can be from an earlier poll, because a poll with items reports no error
				const isDone = isReported && (isOnce || lastFailedAtMs < polledAtMs);
				return count >= REPORT_THRESHOLD && !isDone;
			},
		);
		if (streak === undefined) return undefined;
		streak.isReported = true;
		this.reportedAtMs = nowMs;
		const { error } = streak;
		const notice = RETRY_NOTICE;
		// the account and a form can share an error, so the notice may already be there
		const description = (error.description ?? '').replace(notice, '').trim();
		error.description = `${description} ${notice}`.trim();
		return error;
	}

	private find(subject: FailureSubject): FailureStreak | undefined {
		return this.streaks.get(toKey(subject));
	}
}

/**
 * Computes the backoff after failures in a row: 20 seconds after the first failure, then 40 seconds, 80
 * seconds, and so on, up to 30 minutes. Subtracts `EARLY_TOLERANCE_MS`, because a poll can start early.
 */
function computeBackoffMs(failures: number): number {
	return Math.min(20_000 * 2 ** (failures - 1), 30 * MINUTE_MS) - EARLY_TOLERANCE_MS;
}

function toKey(subject: FailureSubject): string {
	return 'formId' in subject ? `${subject.kind} ${subject.formId}` : subject.kind;
}
