import type { Logger } from 'n8n-workflow';
import { hasReason, type NodeError } from '../api/errors';
import type { FailureReason } from '../api/failures';
import { HIGHEST_PAGE_NUMBER, type Failures, type FailureSubject } from './failures';

/* Decides what the outcome of a reading means for the account, for the poll and for later polls. */

/**
 * The failure reasons that affect all forms of the account. For example, the service rejects the token, or a
 * rate limit is reached.
 */
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

/** Whether a failure affects the whole account. */
export function isAccountFailure(error: unknown): boolean {
	return hasReason(error, ...ACCOUNT_REASONS);
}

/** The outcome of one reading. A reading is what one poll reads of one form, or of the list of forms. */
export type ReadingOutcome = Readonly<{
	subject: FailureSubject;
	/** Whether the reading has read at least one page. */
	hasPages: boolean;
	/** The error, if the next page could not be read. */
	readError?: NodeError;
	/** The error, if the events could not be delivered. */
	deliveryError?: NodeError;
	/**
	 * The number of the page for which `recordOutcome` records a failure, or up to which `recordOutcome` clears
	 * failures. The first page is 0.
	 *
	 * - If a page failed: this page.
	 * - If the delivery failed: the first page of the reading.
	 * - If the reading continues in a later poll: the last page that was read.
	 * - Otherwise: `HIGHEST_PAGE_NUMBER`.
	 */
	page: number;
	/** Whether the next poll starts over at an earlier page, instead of reading the failed page again. */
	startsElsewhere?: boolean;
}>;

/**
 * Returns the error of an outcome. If the reading and the delivery have failed, prefers an error that affects
 * the whole account, and otherwise the error of the delivery.
 */
export function getOutcomeError({
	readError,
	deliveryError,
}: ReadingOutcome): NodeError | undefined {
	const error = deliveryError ?? readError;
	return [error, readError].find(isAccountFailure) ?? error;
}

/**
 * Whether the poll stops after this outcome. True if the failure affects the whole account, or if the account
 * has no request left in this minute.
 */
export function isEndOfPoll({ readError, deliveryError }: ReadingOutcome): boolean {
	return [readError, deliveryError].some(
		(error) => hasReason(error, 'queueTimedOut') || isAccountFailure(error),
	);
}

/**
 * Records an outcome for the next polls, and logs the failure, if there is one. Clears the failures of the
 * account if a page was read and no later page failed for a reason that affects the account.
 */
export function recordOutcome(failures: Failures, outcome: ReadingOutcome, logger: Logger): void {
	const { subject, hasPages, readError, page, startsElsewhere } = outcome;
	if (hasPages && !isAccountFailure(readError))
		failures.clear({ kind: 'account' }, HIGHEST_PAGE_NUMBER);
	const error = getOutcomeError(outcome);
	if (error === undefined) return failures.clear(subject, page);
	// a request that was not sent is not a failure
	if (hasReason(error, 'queueTimedOut')) {
		logger.info("The poll ends early: this account's requests of this minute are used up.");
		return;
	}
	const count = failures.record(subject, error, page, startsElsewhere);
	if (isAccountFailure(error)) failures.record({ kind: 'account' }, error, 0, startsElsewhere);
	const what = 'formId' in subject ? `Form ${subject.formId}` : 'The list of forms';
	logger.warn(`${what} could not be read: ${error.message}. Failures in a row: ${count}.`);
}
