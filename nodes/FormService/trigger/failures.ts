import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Failure } from 'n8n-workflow';
import { HOUR_MS, MINUTE_MS } from './schedule';

/** The longest wait between two polls of a service that fails. */
export const LONGEST_BACK_OFF_MS = 30 * MINUTE_MS;

/** The shortest time that is doubled with each failure, however large the allowance is. */
const SHORTEST_BACK_OFF_MS = 10_000;

/** Failures in a row until the error is reported: fewer may pass by themselves. */
export const FAILURES_UNTIL_REPORTED = 3;

/** The same trouble is reported again after this time at the earliest. */
const REPORT_AGAIN_MS = HOUR_MS;

/** The longest wait that the service can ask for; n8n has the same limit. */
const LONGEST_RETRY_AFTER_MS = HOUR_MS;

/** How the polls of one form, or all requests of an account, have failed lately. Times in epoch milliseconds. */
export type Failures = {
	/** Polls that have failed since the last good one. */
	readonly count: number;
	/** Whole readings that have failed since the last good one, whatever short ones did meanwhile. */
	readonly wholeCount: number;
	/** When the last failed poll began. */
	readonly startedAt: number;
	/** The service has asked not to be sent anything before. Also a good poll does not end that. */
	readonly waitUntil: number;
	/** When the error was last reported. */
	readonly reportedAt?: number;
};

export const noFailures: Failures = {
	count: 0,
	wholeCount: 0,
	startedAt: -Infinity,
	waitUntil: -Infinity,
};

/** When the next poll may begin, in epoch milliseconds. */
export function backOffUntil(failures: Failures, spacing: number): number {
	const { count, startedAt, waitUntil } = failures;
	if (count === 0) return waitUntil;
	const wait = Math.max(spacing, SHORTEST_BACK_OFF_MS) * 2 ** count;
	return Math.max(startedAt + Math.min(wait, LONGEST_BACK_OFF_MS), waitUntil);
}

/** The back-off ends with the failure. A short reading does not show that the whole one works again. */
export function afterSuccess(failures: Failures, isWhole: boolean): Failures {
	const wholeCount = isWhole ? 0 : failures.wholeCount;
	const reportedAt = wholeCount > 0 ? failures.reportedAt : undefined;
	return { ...noFailures, wholeCount, waitUntil: failures.waitUntil, reportedAt };
}

export type FailedPoll = {
	isWhole: boolean;
	startedAt: number;
	now: number;
	failure: Failure | undefined;
	/** Whether a person waits for the result, as when a workflow is activated. */
	isReportedAtOnce: boolean;
	/** Whether the error is reported again while it lasts. */
	isReportedAgain: boolean;
};

/** The error is reported the third time in a row, and then once an hour at most while it lasts. */
export function afterFailure(
	failures: Failures,
	{ isWhole, startedAt, now, failure, isReportedAtOnce, isReportedAgain }: FailedPoll,
): { failures: Failures; isReported: boolean } {
	const { reportedAt, waitUntil } = failures;
	const count = failures.count + 1;
	const wholeCount = failures.wholeCount + (isWhole ? 1 : 0);
	const asked = Math.min(retryAfterMs(failure, now), LONGEST_RETRY_AFTER_MS);
	const isTime =
		reportedAt === undefined || (isReportedAgain && now - reportedAt >= REPORT_AGAIN_MS);
	const isLasting = Math.max(count, wholeCount) >= FAILURES_UNTIL_REPORTED;
	const isReported = isReportedAtOnce || (isLasting && isTime);
	return {
		failures: {
			count,
			wholeCount,
			startedAt,
			waitUntil: Math.max(waitUntil, startedAt + asked),
			reportedAt: isReported ? now : reportedAt,
		},
		isReported,
	};
}

/** The wait that the service asked for, from n8n's `failure`. */
function retryAfterMs(failure: Failure | undefined, now: number): number {
	if (failure === undefined || !('retryAfterMs' in failure || 'resetsAtEpochMs' in failure))
		return 0;
	const { retryAfterMs: wait, resetsAtEpochMs: resetsAt } = failure;
	return wait ?? (resetsAt === undefined ? 0 : resetsAt - now);
}

/** Why an error came about, in n8n's terms. */
export function failureOf(error: unknown): Failure | undefined {
	return error instanceof NodeApiError || error instanceof NodeOperationError
		? error.failure
		: undefined;
}

/** Whether it lasts until somebody corrects the credential or the node. */
export function needsPerson(failure: Failure | undefined): boolean {
	return failure?.cause === 'credential-invalid' || failure?.cause === 'configuration-invalid';
}

/** Whether it is about the account, whichever of its forms is polled. */
export function isAboutAccount(failure: Failure | undefined): boolean {
	return (
		failure?.cause === 'credential-invalid' ||
		failure?.cause === 'rate-limited' ||
		failure?.cause === 'quota-exhausted'
	);
}
