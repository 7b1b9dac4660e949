import { conditionsNeedFields } from '../../api/answers/conditions';
import type { Outcome, Pass } from '../failures';
import { isBackingOff, type OutputItem, type PollContext } from '../pollContext';
import { addDebt, computeFormBudget, isDue, type FormBudget } from '../requestBudget';
import type { FormState } from '../triggerState';
import { deliverEvents, type Delivery } from './deliverEvents';
import { fetchFormPages, toFormError, type FetchedReading } from './fetchFormPages';
import { advanceReading, findResumePosition, hasToStartOver, startOver } from './advanceReading';
import {
	countRequests,
	isFirstPass,
	planFullPass,
	planNewestPages,
	type Reading,
} from './planReading';
import { pruneSeenResponses } from './seenResponses';

/** Reads the responses of one form, and delivers their events. */

/** The passes of a form, in the order in which a poll reads them. */
export const PASSES: readonly Pass[] = ['newestPages', 'fullPass'];

/** The result of one reading of a form. */
export type FormResult = { form: FormState; items: readonly OutputItem[]; outcome: Outcome };

/** Whether a poll may read a form. Its passes can still back off after failures. */
export function mayReadForm(context: PollContext, formId: string, form: FormState = {}): boolean {
	const { cache, parameters, reason, times } = context;
	const { debt, seen } = form;
	const hasFailed = PASSES.some((kind) => cache.failures.has({ kind, formId }));
	// publishing the workflow shows what is wrong with filters and forms
	const needsReading = hasFailed || conditionsNeedFields(parameters.conditions);
	if (debt === undefined || (reason === 'publish' && needsReading)) return true;
	const isAdvancing = seen !== undefined && isFirstPass(form);
	if (isAdvancing && !isBackingOff(context, { kind: 'fullPass', formId })) return true;
	return isDue(debt, getBudget(context, formId).intervalMs, times.startedAtMs);
}

/** Returns the budget of a form at the start of the poll. Both readings of the poll have this budget. */
function getBudget(context: PollContext, formId: string): FormBudget {
	const { state, times, intervalMs, lastPollAtMs } = context;
	return computeFormBudget(state.forms.get(formId), intervalMs, lastPollAtMs, times.startedAtMs);
}

/** One reading of a form in a poll. */
type Task = Readonly<{
	formId: string;
	pass: Pass;
	before: FormState;
	reading: Reading;
	budget: FormBudget;
	/** How many items the poll may still deliver. */
	capacity: number;
}>;

/**
 * Reads pages of a form and delivers their events. A failure is part of the result.
 *
 * @param capacity how many items the poll may still deliver
 * @returns undefined if there is nothing to read
 */
export async function pollForm(
	context: PollContext,
	formId: string,
	pass: Pass,
	before: FormState,
	capacity: number,
): Promise<FormResult | undefined> {
	if (isBackingOff(context, { kind: pass, formId })) return undefined;
	const budget = getBudget(context, formId);
	const fullPass = { kind: 'fullPass', formId } as const;
	const isFailing = context.reason === 'schedule' && context.cache.failures.has(fullPass);
	const reading =
		pass === 'newestPages'
			? planNewestPages(before, budget, isBackingOff(context, fullPass))
			: planFullPass(before, budget, isFailing);
	if (reading === undefined) return undefined;
	const fetched = await fetchFormPages(context, formId, before, reading, capacity);
	const task = { formId, pass, before, reading, budget, capacity };
	const hasPages = fetched.pages.length > 0;
	return hasPages
		? await deliverPages(context, task, fetched)
		: finishWithoutPages(context, task, fetched);
}

function finishWithoutPages(
	{ cache }: PollContext,
	{ formId, pass, before, reading, budget }: Task,
	{ readError, requests, startedAtMs }: FetchedReading,
): FormResult {
	const subject = { kind: pass, formId };
	const page = reading.from?.pagesBefore ?? 0;
	const failures = cache.failures.countWith(subject, page);
	const form = hasToStartOver(reading, readError, failures, 0)
		? startOver(before, reading)
		: before;
	const counted = countRequests(reading, requests);
	const debt = addDebt(before.debt, counted, budget.intervalMs, startedAtMs);
	const outcome = { subject, hasPages: false, readError, page };
	return { form: { ...form, debt }, items: [], outcome };
}

async function deliverPages(
	context: PollContext,
	task: Task,
	fetched: FetchedReading,
): Promise<FormResult> {
	const { formId, pass, capacity } = task;
	const { comparison, readError } = fetched;
	const lastPage = fetched.pages.at(-1)!.pagesBefore;
	const outcome = { subject: { kind: pass, formId }, hasPages: true, readError };
	try {
		const delivery = await deliverEvents(context, formId, comparison.events, capacity);
		const form = computeNextForm(context, task, fetched, delivery);
		const isUnfinished = pass === 'fullPass' && form.fullPass?.next !== undefined;
		const page = readError === undefined ? (isUnfinished ? lastPage : undefined) : lastPage + 1;
		return { form, items: delivery.items, outcome: { ...outcome, page } };
	} catch (error) {
		const deliveryError = toFormError(context, formId, error);
		const failed = { ...outcome, deliveryError, page: lastPage + 1 };
		const form = computeFormAfterFailedDelivery(context, task, fetched, failed);
		return { form, items: [], outcome: failed };
	}
}

/** Returns the state of a form whose events could not be delivered. A later reading reads the same pages again. */
function computeFormAfterFailedDelivery(
	{ cache }: PollContext,
	{ before, reading, budget }: Task,
	{ pages, requests, startedAtMs }: FetchedReading,
	{ subject, deliveryError, page }: Outcome,
): FormState {
	// a delivery fails after a request for fields
	const counted = countRequests(reading, requests, 1);
	const failures = cache.failures.countWith(subject, page);
	const startsOver = hasToStartOver(reading, deliveryError, failures, pages.length);
	const form = startsOver ? startOver(before, reading) : before;
	return { ...form, debt: addDebt(before.debt, counted, budget.intervalMs, startedAtMs) };
}

/** Returns the state of a form after a delivery, with all findings except the undelivered events. */
function computeNextForm(
	{ cache }: PollContext,
	{ formId, pass, reading, budget }: Task,
	{ form, pages, stop, readError, comparison, requests, startedAtMs }: FetchedReading,
	{ items, undelivered, fieldRequests }: Delivery,
): FormState {
	const next = findResumePosition(reading, pages, stop, undelivered[0]?.page);
	const isPass = reading.kind !== 'newestPages';
	const isPassOver = isPass && stop === 'endOfList' && next === undefined;
	const seen = comparison.computeSeen(undelivered);
	const kept = isPassOver
		? pruneSeenResponses(seen, form.pruning, startedAtMs, pages.at(-1)?.total)
		: { seen, pruning: form.pruning };
	const counted = countRequests(reading, requests, fieldRequests);
	const nextPage = pages.at(-1)!.pagesBefore + 1;
	const failures = cache.failures.countWith({ kind: pass, formId }, nextPage);
	const advanced = advanceReading(form, reading, pages, next, isPassOver);
	const startsOver = hasToStartOver(reading, readError, failures, pages.length);
	return {
		...(startsOver ? startOver(advanced, reading) : advanced),
		seen: cache.seen.encode(formId, kept.seen),
		pruning: kept.pruning,
		debt: addDebt(form.debt, counted, budget.intervalMs, startedAtMs),
		deliveredAtMs: items.length > 0 ? startedAtMs : form.deliveredAtMs,
	};
}
