import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Failure, IPollFunctions } from 'n8n-workflow';
import { clock } from '../api/clock';
import { asNodeError, NotSent } from '../api/errors';
import { createQueueError } from './errors';
import { readSpacingMs } from './input';
import type { Occasion, PollInput } from './input';
import { NO_FAILURES } from './memory';
import type { Failures, ListMemory, Subject, TriggerMemory } from './memory';
import { computeBackOffMs, HOUR_MS, isOver, MINUTE_MS } from './schedule';

/** Failures in a row until the error is reported: fewer may pass by themselves. */
export const FAILURES_UNTIL_REPORTED = 3;

/** The same trouble is reported again after this time at the earliest. */
const REPORT_AGAIN_MS = HOUR_MS;

/** The longest wait that the service can ask for; n8n has the same limit. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

/** Causes that are about the account, whichever of its forms is polled. */
const CAUSES_OF_ACCOUNT: ReadonlyArray<Failure['cause'] | undefined> = [
	'credential-invalid',
	'rate-limited',
	'quota-exhausted',
];

/** A reading that has failed. */
export type Failed = {
	subject: Subject;
	list: ListMemory;
	/** Nothing is known of the list yet. */
	isFirst: boolean;
	isWhole: boolean;
	/** Another form would not fail like this. */
	isAboutForm: boolean;
	/** When it began, in epoch milliseconds. */
	startedAtMs: number;
	cause: unknown;
};

/** Why an error came about, in n8n's terms. */
export function readFailure(error: unknown): Failure | undefined {
	return error instanceof NodeApiError || error instanceof NodeOperationError
		? error.failure
		: undefined;
}

/** Whether a list may be read: failures are waited out, and so is what the service has asked for. */
export function isBackOffOver(input: PollInput, list: ListMemory): boolean {
	const spacingMs = readSpacingMs(input, list);
	const both = [list.failures, input.memory.accountFailures];
	return both.every((failures) => isWaitOver(failures, spacingMs));
}

/** Whether a person who publishes the workflow sees at once if what has failed works again. */
export function isRetryWanted({ memory, occasion }: PollInput, { failures }: ListMemory): boolean {
	const both = [failures, memory.accountFailures];
	const isFailing = both.some(({ count }) => count > 0);
	const mayBegin = both.every(({ waitUntilMs }) => clock.now() >= waitUntilMs);
	return occasion === 'publish' && isFailing && mayBegin;
}

function isWaitOver({ count, startedAtMs, waitUntilMs }: Failures, spacingMs: number): boolean {
	const nowMs = clock.now();
	return isOver(startedAtMs, computeBackOffMs(count, spacingMs), nowMs) && nowMs >= waitUntilMs;
}

/**
 * Takes note of a failure: the next poll backs off, the log says why, and the error is reported if it
 * lasts.
 *
 * @param isServiceDown whether other forms fail as well
 * @returns what the failure is about
 */
export function recordFailure(input: PollInput, failed: Failed, isServiceDown: boolean): Subject {
	const { memory, context, parameters } = input;
	const error = toNodeError(input, failed.cause);
	const isShared = CAUSES_OF_ACCOUNT.includes(error.failure?.cause) || isServiceDown;
	const isOfAccount = isShared && !failed.isAboutForm;
	const subject: Subject = isOfAccount ? { kind: 'account' } : failed.subject;
	const { watch } = parameters;
	const isOneOfSeveral =
		subject.kind === 'form' && (watch.kind === 'all' || watch.formIds.length > 1);
	const { failures, isReported } = addFailure(
		isOfAccount ? memory.accountFailures : failed.list.failures,
		failed,
		error.failure,
		memory.pendingError !== undefined ? 'never' : isOneOfSeveral ? 'once' : 'hourly',
	);
	if (isOfAccount) memory.accountFailures = failures;
	else failed.list.failures = failures;
	if (isReported) memory.pendingError = { subject, error };
	const what = failed.subject.kind === 'form' ? `Form ${failed.subject.id}` : 'The list of forms';
	context.n8n.logger.warn(
		`${what} could not be read: ${error.message}. Failures in a row: ${failures.count}. The next poll backs off.`,
	);
	return subject;
}

function toNodeError({ context }: PollInput, cause: unknown) {
	const node = context.n8n.getNode();
	return cause instanceof NotSent ? createQueueError(node) : asNodeError(node, cause);
}

/** The wait that the service asked for; only some of n8n's failures have these attributes. */
type Retry = { retryAfterMs?: number; resetsAtEpochMs?: number };

/** What is remembered after a failed poll, and whether to report its error: that of the third in a row. */
function addFailure(
	{ count, wholeCount, waitUntilMs, reportedAtMs }: Failures,
	{ isWhole, startedAtMs }: Pick<Failed, 'isWhole' | 'startedAtMs'>,
	failure: Failure | undefined,
	report: 'hourly' | 'once' | 'never',
): { failures: Failures; isReported: boolean } {
	const nowMs = clock.now();
	const { retryAfterMs, resetsAtEpochMs = nowMs } = { ...failure } as Retry;
	const askedMs = Math.min(retryAfterMs ?? resetsAtEpochMs - nowMs, MAX_RETRY_AFTER_MS);
	const counts = { count: count + 1, wholeCount: wholeCount + (isWhole ? 1 : 0) };
	const isLasting = Math.max(counts.count, counts.wholeCount) >= FAILURES_UNTIL_REPORTED;
	const isTime =
		reportedAtMs === undefined || (report === 'hourly' && nowMs - reportedAtMs >= REPORT_AGAIN_MS);
	const isReported = report !== 'never' && isLasting && isTime;
	return {
		failures: {
			...counts,
			startedAtMs,
			waitUntilMs: Math.max(waitUntilMs, startedAtMs + askedMs),
			reportedAtMs: isReported ? nowMs : reportedAtMs,
		},
		isReported,
	};
}

/** The service has answered: what had failed for the account works again, whatever becomes of the form. */
export function recordAnswer({ memory }: PollInput): void {
	memory.accountFailures = { ...NO_FAILURES, waitUntilMs: memory.accountFailures.waitUntilMs };
	clearPendingError(memory, { kind: 'account' });
}

/**
 * Takes note of a good poll of a list: what had failed works again. A short reading does not show that a
 * whole one works again.
 */
export function recordSuccess(
	{ memory }: PollInput,
	subject: Subject,
	list: ListMemory,
	isWhole: boolean,
): void {
	const { waitUntilMs, reportedAtMs } = list.failures;
	const wholeCount = isWhole ? 0 : list.failures.wholeCount;
	list.failures = { ...NO_FAILURES, waitUntilMs, wholeCount };
	if (wholeCount > 0) list.failures = { ...list.failures, reportedAtMs };
	else clearPendingError(memory, subject);
}

function clearPendingError(memory: TriggerMemory, subject: Subject): void {
	const pending = memory.pendingError?.subject;
	if (pending !== undefined && keyOf(pending) === keyOf(subject)) memory.pendingError = undefined;
}

function keyOf(subject: Subject): string {
	return subject.kind === 'form' ? `form ${subject.id}` : subject.kind;
}

/**
 * The error with which an activation fails; undefined if it can go on. If a form is known, the trigger
 * has something to continue from, and only an error that a person must correct ends the activation.
 *
 * @param knownIds the watched forms that have been read, in this poll or before
 */
export function findActivationError(
	input: PollInput,
	failed: readonly Failed[],
	knownIds: readonly string[],
) {
	if (input.occasion === 'schedule') return undefined;
	const fatal = failed.find(({ subject, isFirst, cause }) => {
		const isForm = subject.kind === 'form';
		const isOtherKnown = knownIds.some((id) => !isForm || id !== subject.id);
		const needsPerson = ['credential-invalid', 'configuration-invalid'].includes(
			readFailure(cause)?.cause ?? '',
		);
		const isForPerson = input.occasion === 'publish' && needsPerson;
		return (isFirst && !isOtherKnown) || (isForPerson && !(isForm && isOtherKnown));
	});
	return fatal === undefined ? undefined : toNodeError(input, fatal.cause);
}

const KEEPS_TRYING = 'The trigger keeps trying, and no response is lost.';

/** The error to report at the end of a scheduled poll without items, if there is one. */
export function takePendingError({ memory, occasion }: PollInput) {
	if (memory.pendingError === undefined || occasion !== 'schedule') return undefined;
	const { error } = memory.pendingError;
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
	const startedAtMs = clock.now();
	if (!isWaitOver(memory.inputFailures, MINUTE_MS)) return;
	const failed = { isWhole: false, startedAtMs };
	const { failures, isReported } = addFailure(
		memory.inputFailures,
		failed,
		error.failure,
		'hourly',
	);
	memory.inputFailures = failures;
	if (isReported) throw error;
	n8n.logger.warn(`The forms cannot be polled: ${error.message}`);
}
