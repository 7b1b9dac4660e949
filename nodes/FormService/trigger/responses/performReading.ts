import { conditionsNeedFields } from '../../answers/conditions';
import { clock } from '../../api/clock';
import type { NodeError } from '../../api/errors';
import { HIGHEST_PAGE_NUMBER } from '../failures';
import type { ReadingOutcome } from '../outcomes';
import { isBackingOff, type OutputItem, type PollContext } from '../pollContext';
import { addDebt, computeFormBudget, isDue, type FormBudget } from '../requestBudget';
import type { FormState } from '../triggerState';
import { deliverEvents, type Delivery } from './deliverEvents';
import {
	readFormPages,
	toFormError,
	type PollProgress,
	type FormPagesResult,
} from './readFormPages';
import { advanceReading, isEndOfFullPass, hasToStartOver, startOver } from './advanceReading';
import {
	countBudgetedRequests,
	isInFirstPass,
	planFullPass,
	planNewestPages,
	READING_KINDS,
	type Reading,
	type ReadingKind,
} from './planReading';
import { pruneSeenResponses } from './seenResponses';

/* Reads the responses of one form during a poll, and delivers their events. */

/** The result of reading a form once. */
export type ReadingResult = {
	form: FormState;
	items: readonly OutputItem[];
	outcome: ReadingOutcome;
	/** Whether the poll had no time for the first page of the reading. */
	isPostponed: boolean;
};

/**
 * Whether a poll may read a form. True in four cases:
 *
 * - No poll has tried to read the form yet.
 * - The user has just published the workflow, and the form or the filters may have a problem: a reading of
 *   the form has failed, or the filters need fields.
 * - The first pass of the form has started, and is not in a backoff.
 * - The form is due.
 */
export function mayReadForm(context: PollContext, formId: string, form: FormState = {}): boolean {
	const { cache, parameters, reason, times } = context;
	const { debt, seen } = form;
	const hasFailed = READING_KINDS.some((kind) => cache.failures.has({ kind, formId }));
	// read the form immediately, so that publishing shows a problem of the form or the filters
	const needsReading = hasFailed || conditionsNeedFields(parameters.conditions);
	if (debt === undefined || (reason === 'publish' && needsReading)) return true;
	const isAdvancing = seen !== undefined && isInFirstPass(form);
	if (isAdvancing && !isBackingOff(context, { kind: 'fullPass', formId })) return true;
	return isDue(debt, getBudget(context, formId).intervalMs, times.pollStartedAtMs);
}

/** Returns how many requests the poll may send for one reading of a form. */
function getBudget(context: PollContext, formId: string): FormBudget {
	const { startState, times, baseIntervalMs, lastPollAtMs } = context;
	const form = startState.forms.get(formId);
	return computeFormBudget(form, baseIntervalMs, lastPollAtMs, times.pollStartedAtMs);
}

/** A reading of a form, and its result. */
type PerformedReading = Readonly<{
	formId: string;
	/** The state of the form before the reading. */
	formBefore: FormState;
	reading: Reading;
	/** The pages that were read, and the result of comparing their responses with the seen responses. */
	result: FormPagesResult;
}>;

/**
 * Reads pages of a form and delivers the events. If the reading or the delivery fails, does not throw, but
 * returns the error in `outcome`.
 *
 * @param formBefore the state after the earlier readings of the poll
 * @returns undefined if there is nothing to read
 */
export async function performReading(
	context: PollContext,
	formId: string,
	kind: ReadingKind,
	formBefore: FormState,
	progress: PollProgress,
): Promise<ReadingResult | undefined> {
	if (isBackingOff(context, { kind, formId })) return undefined;
	const budget = getBudget(context, formId);
	const fullPass = { kind: 'fullPass', formId } as const;
	const isFailing = context.reason === 'schedule' && context.cache.failures.has(fullPass);
	const reading =
		kind === 'newestPages'
			? planNewestPages(formBefore, budget, isBackingOff(context, fullPass))
			: planFullPass(formBefore, budget, isFailing);
	if (reading === undefined) return undefined;
	const result = await readFormPages(context, formId, formBefore, reading, progress);
	const task = { formId, formBefore, reading, result };
	if (result.pages.length === 0) return finishReading(context, task, formBefore);
	return await deliverPages(context, task, progress.capacity);
}

/** Delivers the events of the pages that were read, and ends the reading. */
async function deliverPages(
	context: PollContext,
	task: PerformedReading,
	capacity: number,
): Promise<ReadingResult> {
	const { formId, formBefore, result } = task;
	try {
		const delivery = await deliverEvents(context, formId, result.comparison.events, capacity);
		const form = computeNextForm(context, task, delivery);
		return finishReading(context, task, form, delivery);
	} catch (error) {
		const deliveryError = toFormError(context, formId, error);
		// keep the old state, so that the next reading reads the same pages; count one request for fields
		return finishReading(context, task, formBefore, { deliveryError, fieldRequests: 1 });
	}
}

/**
 * Returns the state of a form after its events were delivered. Does not record undelivered events, so that a
 * later reading detects them again.
 */
function computeNextForm(
	{ cache }: PollContext,
	{ formId, reading, result }: PerformedReading,
	{ items, undelivered }: Delivery,
): FormState {
	const { form, pages, comparison, readingStartedAtMs } = result;
	const undeliveredPage = undelivered[0]?.page;
	const seen = comparison.computeSeen(undelivered);
	const kept = isEndOfFullPass(reading, result, undeliveredPage)
		? pruneSeenResponses(seen, form.pruning, readingStartedAtMs, pages.at(-1)?.total)
		: { seen, pruning: form.pruning };
	return {
		...advanceReading(form, reading, result, undeliveredPage),
		seen: cache.seen.encode(formId, kept.seen),
		pruning: kept.pruning,
		firstPageReadAtMs: pages[0].pagesBefore === 0 ? readingStartedAtMs : form.firstPageReadAtMs,
		deliveredAtMs: items.length > 0 ? readingStartedAtMs : form.deliveredAtMs,
	};
}

/**
 * Ends a reading. Returns the outcome, the items, and the next state of the form. Adds the requests of the
 * reading to the debt of the form. If the reading has failed for too long, the full pass starts over.
 */
function finishReading(
	context: PollContext,
	{ formId, reading, result }: PerformedReading,
	form: FormState,
	{
		items = [],
		fieldRequests,
		deliveryError,
	}: Partial<Delivery> & { deliveryError?: NodeError } = {},
): ReadingResult {
	const { pages, readError, requests, readingStartedAtMs } = result;
	const subject = { kind: reading.kind, formId };
	const error = deliveryError ?? readError;
	const firstPage = reading.from?.pagesBefore ?? 0;
	const lastPage = pages.at(-1)?.pagesBefore ?? firstPage - 1;
	const isPostponed = error === undefined && pages.length === 0;
	const continues = reading.kind === 'fullPass' && form.fullPass?.next !== undefined;
	const isUnfinished = isPostponed || continues;
	const readPage = isUnfinished ? lastPage : HIGHEST_PAGE_NUMBER;
	// a failed delivery concerns all pages of the reading
	const failedPage = deliveryError === undefined ? lastPage + 1 : firstPage;
	const page = error === undefined ? readPage : failedPage;
	// `recordOutcome` records the failure later
	const failures = context.cache.failures.countWithNew(subject, page);
	const startsOver = hasToStartOver(reading, error, failures, pages.length, clock.now());
	// if the failed delivery includes the first page, starting over reads the failed pages again
	const startsElsewhere = startsOver && (deliveryError === undefined || firstPage > 0);
	const counted = countBudgetedRequests(reading, requests, fieldRequests);
	// a form that was not read keeps its turn: the form with the oldest debt is read first
	const sinceMs = isPostponed ? (form.debt?.atMs ?? 0) : readingStartedAtMs;
	const debt = addDebt(form.debt, counted, getBudget(context, formId).intervalMs, sinceMs);
	return {
		form: { ...(startsOver ? startOver(form, reading) : form), debt },
		items,
		outcome: {
			subject,
			hasPages: pages.length > 0,
			readError,
			deliveryError,
			page,
			startsElsewhere,
		},
		isPostponed,
	};
}
