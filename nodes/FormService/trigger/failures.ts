import type { IPollFunctions } from 'n8n-workflow';
import { clock } from '../api/clock';
import { asNodeError, NotSent, ServiceError } from '../api/errors';
import { listKnownIds, readCause, readFailure, readSpacingMs } from './input';
import type { Occasion, PollInput } from './input';
import { NO_FAILURES } from './memory';
import type { Failing, Failures, ListMemory, TriggerMemory } from './memory';
import { computeBackOffMs, HOUR_MS, isOver, MINUTE_MS } from './schedule';
import type { Content } from './state';

/** Failures in a row until the error is reported: fewer may pass by themselves. */
export const FAILURES_UNTIL_REPORTED = 3;

/** The same trouble is reported again after this time at the earliest. */
const REPORT_AGAIN_MS = HOUR_MS;

/** The longest wait that the service can ask for; n8n has the same limit. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

/** Forms in a row that the service cannot give now: from then on it is the service that fails. */
const FORMS_UNTIL_SERVICE_FAILS = 2;

/** Causes that are about the account, whichever of its forms is polled. */
const CAUSES_OF_ACCOUNT = ['credential-invalid', 'rate-limited', 'quota-exhausted'];

/** Causes that last until a person corrects the credential or the node. */
const CAUSES_FOR_PERSON = ['credential-invalid', 'configuration-invalid'];

/** What has failed: a reading, or the delivery of what was read, which is about its form alone. */
export type Failed = {
	list: ListMemory;
	step: 'whole' | 'short' | 'delivery';
	/** Epoch milliseconds. */
	startedAtMs: number;
	cause: unknown;
};

/** How the readings of one poll have gone so far. If it is stopped, nothing more is sent. */
export type Progress = { failed: Failed[]; failedInARow: number; isStopped: boolean };

/** Whether a list may be read: failures are waited out, and so is what the service has asked for. */
export function isBackOffOver(input: PollInput, list: ListMemory): boolean {
	const spacingMs = readSpacingMs(input, list);
	return [list, input.memory.account].every(({ failures }) => isWaitOver(failures, spacingMs));
}

/** Whether a person who publishes the workflow sees at once if what has failed works again. */
export function isRetryWanted({ memory, occasion }: PollInput, { failures }: ListMemory): boolean {
	if (occasion !== 'publish') return false;
	const both = [failures, memory.account.failures];
	const nowMs = clock.now();
	return both.some(({ count }) => count > 0) && both.every((one) => nowMs >= one.waitUntilMs);
}

function isWaitOver({ count, startedAtMs, waitUntilMs }: Failures, spacingMs: number): boolean {
	const nowMs = clock.now();
	return isOver(startedAtMs, computeBackOffMs(count, spacingMs), nowMs) && nowMs >= waitUntilMs;
}

/**
 * Takes note of a failure: the next poll backs off, the log says why, and the error is reported if it
 * lasts. After a failure of the account or the service, this poll sends nothing more.
 */
export function recordFailure(input: PollInput, progress: Progress, failed: Failed): void {
	const { memory, context, parameters } = input;
	const { list, step, cause } = failed;
	const { logger } = context.n8n;
	progress.failed.push(failed);
	if (cause instanceof NotSent) {
		progress.isStopped = true;
		logger.info(
			'The poll was skipped: other nodes have used up the per-minute limit of this account. The next poll tries again.',
		);
		return;
	}
	const error = toNodeError(input, cause);
	const failing = step === 'delivery' ? list : findFailing(input, progress, list, readCause(error));
	progress.isStopped ||= failing === memory.account;
	const { watch } = parameters;
	const isOneOfSeveral =
		failing.subject.kind === 'form' && (watch.kind === 'all' || watch.formIds.length > 1);
	const againMs = isOneOfSeveral ? Infinity : REPORT_AGAIN_MS;
	const { pendingError } = memory;
	const isReported = addFailure(failing, failed, pendingError === undefined ? againMs : 'never');
	if (isReported) memory.pendingError = { subject: failing.subject, error };
	const what = list.subject.kind === 'form' ? `Form ${list.subject.id}` : 'The list of forms';
	logger.warn(
		`${what} could not be read: ${error.message}. Failures in a row: ${failing.failures.count}. The next poll backs off.`,
	);
}

/** What a reading shows to fail: the list, or the account, or the service for several forms in a row. */
function findFailing(
	{ memory }: PollInput,
	progress: Progress,
	list: ListMemory,
	cause: string,
): Failing {
	if (cause === 'temporarily-unavailable') progress.failedInARow += 1;
	const isServiceDown = progress.failedInARow >= FORMS_UNTIL_SERVICE_FAILS;
	return isServiceDown || CAUSES_OF_ACCOUNT.includes(cause) ? memory.account : list;
}

/** The error of a failure, for people: of a request that was not sent, why its turn did not come. */
function toNodeError({ context }: PollInput, cause: unknown) {
	const node = context.n8n.getNode();
	if (!(cause instanceof NotSent)) return asNodeError(node, cause);
	return new ServiceError(node, {
		message: "This account's per-minute limit is used up; the poll was skipped and will be retried",
		description:
			'Other nodes or tools that use this account have sent too many requests in this minute.',
		failure: { cause: 'rate-limited' },
	});
}

/** The wait that the service asked for; only some of n8n's failures have these attributes. */
type Retry = { retryAfterMs?: number; resetsAtEpochMs?: number };

/**
 * Adds a failed poll to what is remembered.
 *
 * @param againMs the time after which the same trouble is reported again
 * @returns whether people are to see the error, from the third failure in a row on
 */
function addFailure(
	failing: Pick<Failing, 'failures'>,
	{ step, startedAtMs, cause }: Omit<Failed, 'list'>,
	againMs: number | 'never',
): boolean {
	const { count, wholeCount, waitUntilMs, reportedAtMs } = failing.failures;
	const nowMs = clock.now();
	const { retryAfterMs, resetsAtEpochMs = nowMs } = { ...readFailure(cause) } as Retry;
	const askedMs = Math.min(retryAfterMs ?? resetsAtEpochMs - nowMs, MAX_RETRY_AFTER_MS);
	const counts = { count: count + 1, wholeCount: wholeCount + (step === 'whole' ? 1 : 0) };
	const most = Math.max(counts.count, counts.wholeCount);
	const isReported =
		againMs !== 'never' && most >= FAILURES_UNTIL_REPORTED && nowMs - reportedAtMs >= againMs;
	failing.failures = {
		...counts,
		startedAtMs,
		waitUntilMs: Math.max(waitUntilMs, startedAtMs + askedMs),
		reportedAtMs: isReported ? nowMs : reportedAtMs,
	};
	return isReported;
}

/** The service has answered: what had failed for the account works again, whatever becomes of the form. */
export function recordAnswer({ memory }: PollInput, progress: Progress): void {
	progress.failedInARow = 0;
	const { waitUntilMs } = memory.account.failures;
	memory.account.failures = { ...NO_FAILURES, waitUntilMs };
	if (memory.pendingError?.subject.kind === 'account') memory.pendingError = undefined;
}

/**
 * Takes note of a good poll of a list: what had failed works again. A short reading does not show that a
 * whole one works again.
 */
export function recordSuccess({ memory }: PollInput, list: ListMemory, step: 'whole' | 'short') {
	const { waitUntilMs, wholeCount } = list.failures;
	if (step === 'short' && wholeCount > 0) {
		list.failures = { ...list.failures, count: 0 };
		return;
	}
	list.failures = { ...NO_FAILURES, waitUntilMs };
	if (memory.pendingError?.subject === list.subject) memory.pendingError = undefined;
}

/**
 * The error with which an activation fails; undefined if it can go on. If a form is known, the trigger
 * has something to continue from, and only an error that a person must correct ends the activation.
 *
 * @param after what is known at the end of the poll
 */
export function findActivationError(input: PollInput, { failed }: Progress, after: Content) {
	const { occasion, content, parameters } = input;
	if (occasion === 'schedule') return undefined;
	const knownIds = listKnownIds(parameters, after);
	const fatal = failed.find(({ list: { subject }, cause }) => {
		const id = subject.kind === 'form' ? subject.id : undefined;
		const others = knownIds.filter((one) => one !== id);
		if (id !== undefined && others.length > 0) return false;
		const known = id === undefined ? content.listedSinceMs : content.forms.get(id)?.known;
		if (known === undefined && others.length === 0) return true;
		return occasion === 'publish' && CAUSES_FOR_PERSON.includes(readCause(cause));
	});
	return fatal && toNodeError(input, fatal.cause);
}

const KEEPS_TRYING = 'The trigger keeps trying, and no response is lost.';

/** The error to report at the end of a scheduled poll without items, if there is one. */
export function takePendingError({ memory, occasion }: PollInput) {
	const error = occasion === 'schedule' ? memory.pendingError?.error : undefined;
	if (error === undefined) return undefined;
	memory.pendingError = undefined;
	error.description = [error.description ?? '', KEEPS_TRYING].join(' ').trim();
	return error;
}

/**
 * Takes note of parameters or a credential that cannot be used.
 *
 * @throws the error, at an activation at once, and otherwise like any failure, not at each poll
 */
export function recordInputFailure(
	memory: TriggerMemory,
	n8n: IPollFunctions,
	occasion: Occasion,
	cause: unknown,
): void {
	const error = asNodeError(n8n.getNode(), cause);
	if (occasion !== 'schedule') throw error;
	if (!isWaitOver(memory.input.failures, MINUTE_MS)) return;
	const failed = { step: 'delivery', startedAtMs: clock.now(), cause } as const;
	if (addFailure(memory.input, failed, REPORT_AGAIN_MS)) throw error;
	n8n.logger.warn(`The forms cannot be polled: ${error.message}`);
}
