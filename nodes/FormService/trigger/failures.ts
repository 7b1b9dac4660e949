import { clock } from '../api/clock';
import {
	asNodeError,
	getCause,
	getRequestFailure,
	hasReason,
	isCanceled,
	type NodeError,
} from '../api/errors';
import type { FailureReason } from '../api/requestFailure';
import { createFormNotFoundError, isFormNotFoundError } from '../parameters/formId';
import type { FailureStreak, TriggerCache } from './triggerCache';
import { EARLY_TOLERANCE_MS, HOUR_MS, hasElapsed, MINUTE_MS } from './requestBudget';
import { hasSeveralForms } from './triggerParameters';
import type { Poll } from './pollContext';

/** What a poll does about failures: how long it waits, what is logged, and which errors people see. */

/** The keys of failures that are not about one form. */
export const PARAMETERS_KEY = 'parameters';
export const ACCOUNT_KEY = 'account';
export const FORM_LIST_KEY = 'list';

/** Failures in a row until the error is reported: fewer may pass by themselves. */
const UNTIL_REPORTED = 3;

const MIN_WAIT_MS = 20_000;
const MAX_WAIT_MS = 30 * MINUTE_MS;

/** The longest wait that the service can ask for; n8n has the same limit. */
const MAX_ASKED_MS = HOUR_MS;

/** Reasons that are about the account, whichever of its forms is polled: no reply, its token, its limits. */
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
];

/** Causes that last until a person corrects the credential or the node. */
const CAUSES_FOR_PERSON = ['credential-invalid', 'configuration-invalid'];

/** Whether polls wait after a failure. A person who publishes the workflow waits for nothing. */
export function isBackingOff({ memory: { failures }, occasion }: Poll, key: string): boolean {
	const failure = failures.get(key);
	if (failure === undefined || occasion !== 'schedule') return false;
	return !hasElapsed(failure.failedAtMs, failure.waitMs, clock.now());
}

/**
 * Takes note of a failure: the next polls wait, and the log says why. After a failure of the account, or
 * without any reply, this poll sends nothing more.
 *
 * @param formId the form that the failure is about
 * @param page the page that failed, counted from 0
 * @returns the failures in a row
 */
export function registerFailure(
	poll: Poll,
	key: string,
	cause: unknown,
	formId?: string,
	page = 0,
): number {
	const { request, memory } = poll;
	const { logger } = request.n8n;
	const error = toNodeError(poll, cause, formId);
	if (isCanceled(cause)) {
		poll.isStopped = true;
		poll.errors.push(error);
		logger.info("The poll ends early: this account's requests of this minute are used up.");
		return 0;
	}
	const isOfAccount = isAccountFailure(error);
	const { count } = startBackoff(memory, key, error, formId, page);
	if (isOfAccount) startBackoff(memory, ACCOUNT_KEY, error);
	poll.isStopped ||= isOfAccount;
	poll.errors.push(error);
	const what = formId === undefined ? 'The list of forms' : `Form ${formId}`;
	logger.warn(`${what} could not be read: ${error.message}. Failures in a row: ${count}.`);
	return count;
}

function toNodeError({ request, memory }: Poll, cause: unknown, formId = ''): NodeError {
	const node = request.n8n.getNode();
	if (!isFormNotFoundError(cause)) return asNodeError(node, cause);
	return createFormNotFoundError(node, formId, { listedName: memory.names.get(formId) });
}

/** Whether the account was rejected, or no reply came. */
function isAccountFailure(error: unknown): boolean {
	return hasReason(error, ...ACCOUNT_REASONS);
}

/** Takes note of a failure of anything, without a word in the log. */
export function startBackoff(
	{ failures }: TriggerCache,
	key: string,
	error: NodeError,
	formId?: string,
	page = 0,
): FailureStreak {
	const failedAtMs = clock.now();
	const { retryAtMs = failedAtMs } = getRequestFailure(error) ?? {};
	// a millisecond later, the request queue agrees, whatever the rounding
	const askedMs = Math.min(retryAtMs - failedAtMs + 1, MAX_ASKED_MS);
	const last = failures.get(key);
	const { count, isReported } = last && page <= last.page ? last : { count: 0 };
	const doubledMs = Math.min(MIN_WAIT_MS * 2 ** count, MAX_WAIT_MS);
	const waitMs = Math.max(askedMs, doubledMs - EARLY_TOLERANCE_MS);
	const failure = { count: count + 1, page, failedAtMs, waitMs, error, formId, isReported };
	failures.set(key, failure);
	return failure;
}

/**
 * Takes note of a good reading.
 *
 * @param page the last page that was read, if there are more: it does not make good for a later page
 */
export function clearFailure({ failures }: TriggerCache, key: string, page = Infinity): void {
	const failure = failures.get(key);
	if (failure !== undefined && page >= failure.page) failures.delete(key);
}

/**
 * The service has sent a good page: what had failed for the account works again, unless a later page failed.
 *
 * @param error why a later page could not be read
 */
export function registerReply(poll: Poll, error?: unknown): void {
	poll.hasRead = true;
	if (!isAccountFailure(error)) clearFailure(poll.memory, ACCOUNT_KEY);
}

/**
 * The error with which an activation fails; undefined if it can go on: something was read, now or before, and
 * nothing has failed that a person must correct.
 */
export function findActivationError(poll: Poll): NodeError | undefined {
	const { occasion, errors, hasRead, parameters, state } = poll;
	const [first] = errors;
	if (occasion === 'schedule' || first === undefined) return undefined;
	if (!hasRead && state.forms.size === 0) return first;
	const isOnly = !hasRead || !hasSeveralForms(parameters.watch);
	const isForPerson = CAUSES_FOR_PERSON.includes(getCause(first));
	return occasion === 'publish' && isOnly && isForPerson ? first : undefined;
}

const KEEPS_TRYING = 'The trigger keeps trying, and no response is lost.';

/**
 * The error to report at the end of a poll without items, if there is one: of what has failed three times in
 * a row, at most one an hour. One of several forms is reported once.
 *
 * @param errors those of this poll
 */
export function takeReportableError(
	memory: TriggerCache,
	errors: readonly NodeError[],
	isOneOfSeveral = false,
): NodeError | undefined {
	const nowMs = clock.now();
	if (!hasElapsed(memory.reportedAtMs, HOUR_MS, nowMs)) return undefined;
	const failure = [...memory.failures.values()].find(({ count, error, formId, isReported }) => {
		// a poll with items reports nothing, so the first report can be of an earlier poll
		const isOnce = isOneOfSeveral && formId !== undefined;
		const isDone = isReported && (isOnce || !errors.includes(error));
		return count >= UNTIL_REPORTED && !isDone;
	});
	if (failure === undefined) return undefined;
	failure.isReported = true;
	memory.reportedAtMs = nowMs;
	const { error } = failure;
	error.description = [error.description ?? '', KEEPS_TRYING].join(' ').trim();
	return error;
}
