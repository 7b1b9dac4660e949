import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Failure, IPollFunctions } from 'n8n-workflow';
import { clock } from '../api/clock';
import { asNodeError, NotSent } from '../api/errors';
import { LOG, queueTooLong } from './errors';
import { LIST, noFailures } from './memory';
import type { Failures, TriggerMemory } from './memory';
import { knowsOther } from './pollRun';
import type { Listing, Occasion, PollRun } from './pollRun';
import { HOUR_MS, isDue, MINUTE_MS } from './schedule';

/** The longest wait between two polls of a service that fails. */
const LONGEST_BACK_OFF_MS = 30 * MINUTE_MS;

/** The shortest time that is doubled with each failure, however large the allowance is. */
const SHORTEST_BACK_OFF_MS = 10_000;

/** Failures in a row until the error is reported: fewer may pass by themselves. */
export const FAILURES_UNTIL_REPORTED = 3;

/** The same trouble is reported again after this time at the earliest. */
const REPORT_AGAIN_MS = HOUR_MS;

/** The longest wait that the service can ask for; n8n has the same limit. */
const LONGEST_RETRY_AFTER_MS = HOUR_MS;

/** When the next poll may begin, in epoch milliseconds. */
export function backOffUntil(failures: Failures, spacing: number): number {
	const { count, startedAt, waitUntil } = failures;
	if (count === 0) return waitUntil;
	const wait = Math.max(spacing, SHORTEST_BACK_OFF_MS) * 2 ** count;
	return Math.max(startedAt + Math.min(wait, LONGEST_BACK_OFF_MS), waitUntil);
}

/** A good poll ends the back-off. A short reading does not show that a whole one works again. */
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
	/** Whether the error can be reported: at once, or once it lasts, and then again each hour or not. */
	report: 'atOnce' | 'hourly' | 'once' | 'never';
};

/** The wait that the service asked for; only some of n8n's failures have these attributes. */
type Retry = { retryAfterMs?: number; resetsAtEpochMs?: number };

/** What is remembered after a failed poll, and whether to report its error: that of the third in a row. */
export function afterFailure(
	failures: Failures,
	{ isWhole, startedAt, now, failure, report }: FailedPoll,
): { failures: Failures; isReported: boolean } {
	const { reportedAt, waitUntil } = failures;
	const count = failures.count + 1;
	const wholeCount = failures.wholeCount + (isWhole ? 1 : 0);
	const { retryAfterMs, resetsAtEpochMs = now } = { ...failure } as Retry;
	const asked = Math.min(retryAfterMs ?? resetsAtEpochMs - now, LONGEST_RETRY_AFTER_MS);
	const isLasting = Math.max(count, wholeCount) >= FAILURES_UNTIL_REPORTED;
	const isTime =
		reportedAt === undefined || (report === 'hourly' && now - reportedAt >= REPORT_AGAIN_MS);
	const isReported = report === 'atOnce' || (report !== 'never' && isLasting && isTime);
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

/** Why an error came about, in n8n's terms. */
export function failureOf(error: unknown): Failure | undefined {
	return error instanceof NodeApiError || error instanceof NodeOperationError
		? error.failure
		: undefined;
}

/** Whether it lasts until somebody corrects the credential or the node. */
function needsPerson(failure: Failure | undefined): boolean {
	return failure?.cause === 'credential-invalid' || failure?.cause === 'configuration-invalid';
}

/** Causes that are about the account, whichever of its forms is polled. */
const CAUSES_OF_ACCOUNT: ReadonlyArray<Failure['cause'] | undefined> = [
	'credential-invalid',
	'rate-limited',
	'quota-exhausted',
];

/** In place of a form's ID: the account, whichever form was polled. */
const ACCOUNT = '*';

/** Forms in a row that the service cannot give now: from then on it is the service that fails. */
const FORMS_UNTIL_SERVICE_FAILS = 2;

/** How a poll of a listing has failed. */
export type FailedReading = {
	startedAt: number;
	isWhole: boolean;
	/** Another form would not fail like this. */
	isAboutForm: boolean;
};

/**
 * Takes note of a failure: the next poll backs off, the log says why, and people get an error if it lasts
 * or if they wait for the result.
 */
export function failed(
	run: PollRun,
	{ about, isFirst, memory: form }: Listing,
	{ startedAt, isWhole, isAboutForm }: FailedReading,
	cause: unknown,
): void {
	const { memory, context, occasion, parameters } = run;
	const { logger } = context.n8n;
	const node = context.n8n.getNode();
	const error = cause instanceof NotSent ? queueTooLong(node) : asNodeError(node, cause);
	const { failure } = error;
	const isPublished = occasion === 'publish';
	const isActivation = occasion !== 'schedule' && isFirst;
	const isAwaited =
		(isActivation && (isPublished || !knowsOther(run, about))) ||
		(isPublished && needsPerson(failure));
	if (cause instanceof NotSent && !isAwaited) {
		run.isStopped = true;
		logger.info(LOG.queued);
		return;
	}
	run.hasFailed = true;
	if (failure?.cause === 'temporarily-unavailable') run.failedInARow += 1;
	const isServiceDown = run.failedInARow >= FORMS_UNTIL_SERVICE_FAILS;
	const isOfAccount = CAUSES_OF_ACCOUNT.includes(failure?.cause);
	const isAboutAll = !isAboutForm && (isOfAccount || isServiceDown);
	const { watch } = parameters;
	const isOnlyForm = watch.kind === 'chosen' && watch.formIds.length === 1;
	const untilFixed = isAboutAll || isOnlyForm || about === LIST ? 'hourly' : 'once';
	const { failures, isReported } = afterFailure(isAboutAll ? memory.account : form.failures, {
		isWhole,
		startedAt,
		now: clock.now(),
		failure,
		report: memory.toReport !== undefined ? 'never' : isAwaited ? 'atOnce' : untilFixed,
	});
	if (isAboutAll) {
		run.isStopped = true;
		memory.account = failures;
	} else form.failures = failures;
	if (isReported) {
		memory.toReport = { error, about: isAboutAll ? ACCOUNT : about };
		return;
	}
	const what = about === LIST ? 'The forms' : `The responses of form ${about}`;
	logger.warn(
		`${what} could not be read: ${error.message}. Failures in a row: ${failures.count}. The next poll backs off.`,
	);
}

/** Takes note of a good poll: what had failed works again. */
export function succeeded(run: PollRun, { about, memory }: Listing, isWhole: boolean): void {
	const trigger = run.memory;
	memory.failures = afterSuccess(memory.failures, isWhole);
	if (memory.failures.wholeCount === 0 && trigger.toReport?.about === about) {
		trigger.toReport = undefined;
	}
}

/** The service has answered: what had failed for the account works again, whatever becomes of the form. */
export function answered(run: PollRun): void {
	const { memory } = run;
	run.failedInARow = 0;
	memory.account = afterSuccess(memory.account, true);
	if (memory.toReport?.about === ACCOUNT) memory.toReport = undefined;
}

const KEEPS_TRYING = 'The trigger keeps trying, and no response is lost.';

/** Throws the error to be reported, unless an activation can continue without the form that it is about. */
export function report(run: PollRun): void {
	const { memory, occasion } = run;
	if (memory.toReport === undefined) return;
	const { error, about } = memory.toReport;
	const isAboutOneForm = about !== ACCOUNT && about !== LIST;
	const isActivation = occasion !== 'schedule';
	if (isActivation && isAboutOneForm && knowsOther(run, about)) return;
	memory.toReport = undefined;
	if (isActivation && needsPerson(error.failure)) memory.toCorrect = { error, at: clock.now() };
	if (!isActivation) {
		error.description = [error.description ?? '', KEEPS_TRYING].join(' ').trim();
	}
	throw error;
}

/**
 * Takes note of parameters or a credential that cannot be used.
 *
 * @throws the error, at an activation at once, and otherwise like any failure, not at each poll
 */
export function unusable(
	memory: TriggerMemory,
	n8n: IPollFunctions,
	occasion: Occasion,
	cause: unknown,
): void {
	const now = clock.now();
	const isScheduled = occasion === 'schedule';
	if (isScheduled && !isDue(backOffUntil(memory.unusable, MINUTE_MS), now)) return;
	const error = asNodeError(n8n.getNode(), cause);
	const { failures, isReported } = afterFailure(memory.unusable, {
		isWhole: false,
		startedAt: now,
		now,
		failure: error.failure,
		report: isScheduled ? 'hourly' : 'atOnce',
	});
	memory.unusable = failures;
	if (isReported) throw error;
	n8n.logger.warn(`The forms cannot be polled: ${error.message}`);
}
