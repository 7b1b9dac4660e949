import { getCause, isCanceled, type NodeError } from '../api/errors';
import { isAccountFailure, type Subject } from './failures';
import type { PollContext } from './pollContext';
import { hasSeveralForms } from './triggerParameters';

/** What became of one reading of a poll. */
export type Outcome = Readonly<{
	subject: Subject;
	/** Whether the service sent a page that can be used. */
	hasPages: boolean;
	/** Why the next page could not be read. */
	readError?: NodeError;
	/** Why the pages could not become items. */
	deliveryError?: NodeError;
	/** The page that failed, or the last page that was read if more pages follow. Counted from 0. */
	page?: number;
}>;

export function getError({ readError, deliveryError }: Outcome): NodeError | undefined {
	return deliveryError ?? readError;
}

/** Whether the poll sends nothing more: the account fails, or has no request left in this minute. */
export function endsPoll(outcome: Outcome): boolean {
	const error = getError(outcome);
	return isCanceled(error) || isAccountFailure(error);
}

/**
 * Records an outcome for the next polls, and logs a failure. A page of any list shows that the account works,
 * even if the page could not become items, unless a later page shows the opposite.
 */
export function recordOutcome({ cache, request }: PollContext, outcome: Outcome): void {
	const { failures } = cache;
	const { subject, hasPages, readError, page } = outcome;
	const { logger } = request.n8n;
	if (hasPages && !isAccountFailure(readError)) failures.clear({ kind: 'account' });
	const error = getError(outcome);
	if (error === undefined) return failures.clear(subject, page);
	if (isCanceled(error)) {
		logger.info("The poll ends early: this account's requests of this minute are used up.");
		return;
	}
	failures.record(subject, error, page);
	if (isAccountFailure(error)) failures.record({ kind: 'account' }, error);
	const what = 'formId' in subject ? `Form ${subject.formId}` : 'The list of forms';
	// the next failure in a row would be one more
	const count = failures.countWith(subject, page) - 1;
	logger.warn(`${what} could not be read: ${error.message}. Failures in a row: ${count}.`);
}

/** Causes that last until the user corrects the credential or the node. */
const ACTIONABLE_CAUSES = ['credential-invalid', 'configuration-invalid'];

/**
 * Finds the error with which an activation fails. An activation succeeds if something was read, now or before,
 * and nothing has failed that the user must correct.
 */
export function findActivationError(
	{ reason, parameters, state }: PollContext,
	outcomes: readonly Outcome[],
): NodeError | undefined {
	const error = outcomes.map(getError).find((one) => one !== undefined);
	if (reason === 'schedule' || error === undefined) return undefined;
	const hasRead = outcomes.some(({ hasPages }) => hasPages);
	if (!hasRead && state.forms.size === 0) return error;
	const isOnly = !hasRead || !hasSeveralForms(parameters.watch);
	const isActionable = ACTIONABLE_CAUSES.includes(getCause(error));
	return reason === 'publish' && isOnly && isActionable ? error : undefined;
}
