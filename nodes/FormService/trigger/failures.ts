import type { IPollFunctions } from 'n8n-workflow';
import { clock } from '../api/clock';
import { asNodeError, getCause, NotSent, ServiceError } from '../api/errors';
import { isFormMissing } from '../parameters/formId';
import { HOUR_MS, MINUTE_MS } from './budget';
import { createUnknownFormError } from './formList';
import {
	CAUSES_FOR_PERSON,
	findFailing,
	isBackOffOver,
	recordFailure,
	takeErrorOfForm,
	takePendingError,
} from './health';
import type { Failing, NodeError } from './health';
import type { Knowledge } from './knowledge';
import { listKnownIds } from './pollContext';
import type { Occasion, PollContext } from './pollContext';
import type { TriggerMemory } from './triggerMemory';
import type { WatchedForm } from './watchedForm';

/** What a poll does about failures: what is logged and reported, and when an activation fails. */

/** How the readings of one poll have gone so far. */
export type Progress = {
	/** What could not be read or delivered: a form, or the list of all forms. */
	failed: Array<{ form?: WatchedForm; error: NodeError }>;
	/** Nothing more is sent: the account or the service has failed. */
	isStopped: boolean;
};

/** The same failure is reported again after this time at the earliest. */
const REPORT_AGAIN_MS = HOUR_MS;

/**
 * Takes note of a failed reading: the next poll backs off, the log says why, and the error is reported if
 * it lasts. After a failure of the account or the service, this poll sends nothing more.
 *
 * @param form undefined for the list of all forms
 */
export function noteFailedReading(
	context: PollContext,
	progress: Progress,
	form: WatchedForm | undefined,
	cause: unknown,
	isWhole: boolean,
): void {
	const { request, memory, parameters } = context;
	const error = toNodeError(context, cause, form);
	progress.failed.push({ form, error });
	if (cause instanceof NotSent) {
		progress.isStopped = true;
		request.n8n.logger.info(
			"The poll ends early: this account's requests of this minute are used up. The next poll goes on.",
		);
		return;
	}
	const watchedCount = memory.forms.size + Number(parameters.lists.forms);
	const list = form ?? memory.formList;
	const { accountHealth } = memory;
	const occasion = context.occasion === 'schedule' ? 'schedule' : 'activation';
	const failing = findFailing(accountHealth, list, form?.id ?? '', error, watchedCount, occasion);
	progress.isStopped ||= failing === accountHealth;
	addFailure(context, failing, error, isWhole);
	const what = form === undefined ? 'The list of forms' : `Form ${form.id}`;
	warn(context, `${what} could not be read`, failing, error);
}

/** Takes note of a failed delivery, such as a file that cannot be downloaded: it is about its form alone. */
export function noteFailedDelivery(
	context: PollContext,
	progress: Progress,
	form: WatchedForm,
	cause: unknown,
): void {
	const error = toNodeError(context, cause, form);
	progress.failed.push({ form, error });
	progress.isStopped ||= cause instanceof NotSent;
	addFailure(context, form.delivery, error, false);
	warn(context, `Responses of form ${form.id} could not be delivered`, form.delivery, error);
}

function addFailure(
	{ times, memory, parameters: { watch } }: PollContext,
	failing: Failing,
	error: NodeError,
	isWhole: boolean,
): void {
	const { startedAtMs } = times;
	const isOfForm = failing !== memory.accountHealth && failing !== memory.formList;
	const isOneOfSeveral = isOfForm && (watch.kind === 'all' || watch.formIds.length > 1);
	const othersWork = [...memory.forms.values()].some(
		(form) => form !== failing && form.delivery !== failing && form.health.count === 0,
	);
	const againMs = isOneOfSeveral && othersWork ? Infinity : REPORT_AGAIN_MS;
	recordFailure(failing, { error, startedAtMs, failedAtMs: clock.now(), isWhole }, againMs);
}

function warn(
	{ request }: PollContext,
	what: string,
	{ health: { count } }: Failing,
	{ message }: NodeError,
): void {
	request.n8n.logger.warn(
		`${what}: ${message}. Failures in a row: ${count}. The next poll backs off.`,
	);
}

/** The error of a failure, for people: which form is missing, or why a request's turn did not come. */
function toNodeError(context: PollContext, cause: unknown, form?: WatchedForm): NodeError {
	const { request, memory } = context;
	const node = request.n8n.getNode();
	if (form !== undefined && isFormMissing(cause))
		return createUnknownFormError(node, form.id, memory.formList.forms);
	if (!(cause instanceof NotSent)) return asNodeError(node, cause);
	return new ServiceError(node, {
		message: "Poll skipped: this minute's limit is used up",
		description:
			'Other nodes or tools that use this account have sent too many requests in this minute.',
		failure: { cause: 'rate-limited' },
	});
}

/**
 * The error with which an activation fails; undefined if it can go on. If a form is known, the trigger
 * has something to continue from, and only an error that a person must correct ends the activation.
 *
 * @param after what is known at the end of the poll
 */
export function findActivationError(
	{ occasion, knowledge, parameters }: PollContext,
	{ failed }: Progress,
	after: Pick<Knowledge, 'forms'>,
): NodeError | undefined {
	if (occasion === 'schedule') return undefined;
	const knownIds = listKnownIds(parameters, after);
	const fatal = failed.find(({ form, error }) => {
		const others = knownIds.filter((id) => id !== form?.id);
		if (form !== undefined && others.length > 0) return false;
		const isKnown =
			form === undefined
				? knowledge.listedSinceMs !== undefined || knowledge.forms.size > 0
				: knowledge.forms.get(form.id)?.known !== undefined;
		if (!isKnown && others.length === 0) return true;
		return occasion === 'publish' && CAUSES_FOR_PERSON.includes(getCause(error));
	});
	return fatal?.error;
}

/** The error to report at the end of a scheduled poll without items, if there is one. */
export function takeErrorToReport({ memory, occasion, times }: PollContext): NodeError | undefined {
	if (occasion !== 'schedule') return undefined;
	const { accountHealth, formList, forms } = memory;
	const ofForms = [...forms.values()].flatMap((form) => [form, form.delivery]);
	return (
		takePendingError([accountHealth, formList]) ??
		takeErrorOfForm(accountHealth, ofForms, times.startedAtMs, REPORT_AGAIN_MS)
	);
}

/**
 * Takes note of parameters or a credential that cannot be used.
 *
 * @throws the error, at an activation at once, and otherwise like any failure, not at each poll
 */
export function noteFailedInput(
	{ parameterHealth }: TriggerMemory,
	n8n: IPollFunctions,
	occasion: Occasion,
	cause: unknown,
): void {
	const error = asNodeError(n8n.getNode(), cause);
	const nowMs = clock.now();
	if (occasion !== 'schedule') throw error;
	if (!isBackOffOver(parameterHealth, MINUTE_MS, nowMs)) return;
	const failed = { error, startedAtMs: nowMs, failedAtMs: nowMs, isWhole: false };
	recordFailure(parameterHealth, failed, REPORT_AGAIN_MS);
	const pending = takePendingError([parameterHealth]);
	if (pending !== undefined) throw pending;
	n8n.logger.warn(`The forms cannot be polled: ${error.message}`);
}
