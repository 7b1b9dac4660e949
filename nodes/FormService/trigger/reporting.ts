import type { IPollFunctions } from 'n8n-workflow';
import { clock } from '../api/clock';
import { asNodeError, NotSent } from '../api/errors';
import { LOG, queueTooLong } from './errors';
import { afterFailure, afterSuccess, backOffUntil, isAboutAccount, needsPerson } from './failures';
import type { TriggerMemory } from './memory';
import { LIST, watchesOther } from './pollRun';
import type { Listing, Occasion, PollRun } from './pollRun';
import { isDue, MINUTE_MS } from './schedule';

/** In place of a form's ID: the account, whichever form was polled. */
const ACCOUNT = '*';

/** Forms in a row that the service cannot give now: from then on it is the service that fails. */
const FORMS_UNTIL_SERVICE_FAILS = 2;

/** How a poll of a listing has failed. */
export type FailedListing = Listing & {
	startedAt: number;
	isWhole: boolean;
	/** Another form would not fail like this. */
	isAboutForm: boolean;
};

/**
 * Takes note of a failure: the next poll backs off, the log says why, and people get an error if it lasts
 * or if they wait for the result.
 */
export function failed(run: PollRun, listing: FailedListing, cause: unknown): void {
	const { memory, context, occasion, parameters } = run;
	const { about, isFirst, isWhole, isAboutForm, startedAt } = listing;
	const { logger } = context.n8n;
	const node = context.n8n.getNode();
	const error = cause instanceof NotSent ? queueTooLong(node) : asNodeError(node, cause);
	const { failure } = error;
	const isPublished = occasion === 'publish';
	const isActivation =
		occasion !== 'schedule' && isFirst && (isPublished || !watchesOther(run, about));
	const isReportedAtOnce = isActivation || (isPublished && needsPerson(failure));
	if (cause instanceof NotSent && !isReportedAtOnce) {
		run.isStopped = true;
		logger.info(LOG.queued);
		return;
	}
	run.hasFailed = true;
	if (failure?.cause === 'temporarily-unavailable') run.failedInARow += 1;
	const isServiceDown = run.failedInARow >= FORMS_UNTIL_SERVICE_FAILS;
	const isAboutAll = !isAboutForm && (isAboutAccount(failure) || isServiceDown);
	const { watch } = parameters;
	const isOnlyForm = watch.kind === 'chosen' && watch.formIds.length === 1;
	const before = isAboutAll ? memory.account : listing.memory.failures;
	const { failures, isReported } = afterFailure(before, {
		isWhole,
		startedAt,
		now: clock.now(),
		failure,
		isReportedAtOnce,
		isReportedAgain: isAboutAll || isOnlyForm || about === LIST,
	});
	const isFree = memory.toReport === undefined;
	const next = isReported && !isFree ? { ...failures, reportedAt: before.reportedAt } : failures;
	if (isAboutAll) {
		run.isStopped = true;
		memory.account = next;
	} else listing.memory.failures = next;
	if (isReported && isFree) {
		memory.toReport = { error, about: isAboutAll ? ACCOUNT : about };
		return;
	}
	const what = about === LIST ? 'The forms' : `The responses of form ${about}`;
	logger.warn(
		`${what} could not be read: ${error.message}. Failures in a row: ${next.count}. The next poll backs off.`,
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
	if (isActivation && isAboutOneForm && watchesOther(run, about)) return;
	memory.toReport = undefined;
	if (isActivation && needsPerson(error.failure)) memory.toCorrect = { error, at: clock.now() };
	if (!isActivation) {
		error.description = [error.description ?? '', KEEPS_TRYING].join(' ').trim();
	}
	throw error;
}

/**
 * Takes note of parameters or a credential that cannot be used: they are reported like any failure, not at
 * each poll.
 *
 * @returns what is to be thrown; undefined if nothing is
 */
export function unusable(
	memory: TriggerMemory,
	n8n: IPollFunctions,
	occasion: Occasion,
	cause: unknown,
): Error | undefined {
	const now = clock.now();
	const isActivation = occasion !== 'schedule';
	if (!isActivation && !isDue(backOffUntil(memory.unusable, MINUTE_MS), now)) return undefined;
	const error = asNodeError(n8n.getNode(), cause);
	const { failures, isReported } = afterFailure(memory.unusable, {
		isWhole: false,
		startedAt: now,
		now,
		failure: error.failure,
		isReportedAtOnce: isActivation,
		isReportedAgain: true,
	});
	memory.unusable = failures;
	if (!isReported) n8n.logger.warn(`The forms cannot be polled: ${error.message}`);
	return isReported ? error : undefined;
}
