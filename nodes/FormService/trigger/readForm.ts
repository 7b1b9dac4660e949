import { clock } from '../api/clock';
import { hasReason, toNodeError, type NodeError } from '../api/errors';
import { isWholeList } from '../api/replies/fetchPages';
import { createFormNotFoundError, isFormNotFoundError } from '../parameters/locators';
import { deliverEvents, type Delivery } from './deliverEvents';
import { FIRST_PAGE, type FailureSubject, type ReadingOutcome } from './failures';
import { computeNextForm, isFirstPass } from './formProgress';
import { isBackingOff, type OutputItem, type PollContext } from './pollContext';
import { readPages, type Reading, type ReadPages } from './readPages';
import { computeAllowance, computeMaxRequests, isDue } from './requestBudget';
import type { FormState } from './triggerState';

/*
 * Reads the responses of one form. A reading is a part of a pass, or a search.
 *
 * - A pass reads all pages of the list, over several polls, then starts over. It finds what happens on any page.
 * - A search reads the end of the list where new responses appear. If a list has pages and an order, polls take
 *   turns: one searches, and the next one goes on with the pass. All other lists are read only by passes.
 */

/** The service allows 60 requests a minute, for pages and fields together. */
const MAX_PAGES_WITH_FIELDS = 50;

/** Plans what a poll reads of a form. Undefined if the form is not due, or waits after a failure. */
export function planReading(
	context: PollContext,
	formId: string,
	form: FormState = {},
): Reading | undefined {
	const { schedule, next = 'search', search, pass } = form.progress ?? {};
	if (!isDue(schedule, context.budget.nowMs)) return undefined;
	const starts = { search: search?.page, pass: pass?.page ?? FIRST_PAGE };
	for (const kind of [next, 'search', 'pass'] as const) {
		const from = starts[kind];
		if (from === undefined) continue;
		const reading = { kind, from, maxPages: computeMaxPages(context, form, kind) };
		if (!isBackingOff(context, getSubject(formId, reading))) return reading;
	}
	return undefined;
}

function getSubject(formId: string, { kind, from }: Reading): FailureSubject {
	const isFront = kind === 'search' || from === FIRST_PAGE;
	return isFront ? `form ${formId}` : `later pages of form ${formId}`;
}

/** A first pass reads all that there is time for. */
function computeMaxPages(
	{ budget, parameters }: PollContext,
	form: FormState,
	kind: Reading['kind'],
): number {
	const limit = parameters.lists.fields ? MAX_PAGES_WITH_FIELDS : Infinity;
	// a search that is too short would leave new responses for hours
	if (kind === 'search') return Math.min(limit, Math.max(2, computeMaxRequests(budget)));
	return isFirstPass(form)
		? limit
		: Math.min(limit, computeAllowance(form.progress?.schedule, budget));
}

export type FormResult = { form: FormState; items: readonly OutputItem[]; outcome: ReadingOutcome };

/**
 * Reads pages of a form and delivers their events. An error is in the outcome.
 *
 * @param capacity how many more items the poll may deliver
 * @param hasReadPages whether the poll has read a page of any list
 */
export async function readForm(
	context: PollContext,
	formId: string,
	formBefore: FormState,
	reading: Reading,
	{ capacity, hasReadPages }: Readonly<{ capacity: number; hasReadPages: boolean }>,
): Promise<FormResult> {
	const { budget, cache, startedAtMs } = context;
	const read = await readPages(context, formId, formBefore, reading, capacity);
	const { form } = read;
	const delivery = await tryDelivery(context, formId, read, capacity);
	// what there was no time for has not failed
	const isLate = hasReason(read.error, 'pollTimedOut') && (hasReadPages || read.pages.length > 0);
	const cause = delivery.error ?? (isLate ? undefined : read.error);
	const hasRead = read.pages.length > 0 && delivery.error === undefined;
	const next = computeNextForm({
		form,
		reading,
		read,
		delivery,
		hasRead,
		hasFailed: cause !== undefined,
		isPassComplete: hasRead && proveCompleteness(context, formId, reading, read, delivery),
		budget,
		serviceMs: startedAtMs + cache.clockOffsetMs,
		nowMs: clock.now(),
	});
	const error = cause === undefined ? undefined : toFormError(context, formId, cause);
	const outcome = { subject: getSubject(formId, reading), hasRead, error };
	return { form: next, items: delivery.items, outcome };
}

/** Delivers the events of the pages. After an error, nothing is delivered, so the pages are read again. */
async function tryDelivery(
	context: PollContext,
	formId: string,
	{ pages, events }: ReadPages,
	capacity: number,
): Promise<Delivery & { error?: unknown }> {
	const none = { items: [], undelivered: [], fieldRequests: 0 };
	if (pages.length === 0) return none;
	try {
		return await deliverEvents(context, formId, [...events.values()], capacity);
	} catch (error) {
		// the number of requests is unknown, and usually one
		return { ...none, fieldRequests: 1, error };
	}
}

/** Converts an error to one of the node. It names the form if the form does not exist. */
function toFormError({ request, cache }: PollContext, formId: string, error: unknown): NodeError {
	const node = request.n8n.getNode();
	if (!isFormNotFoundError(error)) return toNodeError(node, error);
	return createFormNotFoundError(node, formId, { listedName: cache.names.get(formId) });
}

/**
 * Records in the cache what the pass has listed so far. Returns whether the pass ends here and has listed each
 * response. After a restart of n8n, the cache is empty, so a pass under way proves nothing.
 */
function proveCompleteness(
	{ cache }: PollContext,
	formId: string,
	{ kind, from }: Reading,
	{ pages }: ReadPages,
	{ undelivered }: Delivery,
): boolean {
	if (kind === 'search') return false;
	const { total } = pages[0];
	const fresh = { ids: new Set<string>(), recordCount: 0, total, nextPage: FIRST_PAGE };
	const listed = from === FIRST_PAGE ? fresh : cache.passes.get(formId);
	cache.passes.delete(formId);
	// a page with undelivered events is read again, so its responses would count twice
	if (listed?.nextPage !== from || undelivered.length > 0) return false;
	for (const { ids } of pages) {
		for (const id of ids) listed.ids.add(id);
		listed.recordCount += ids.length;
	}
	const nextPage = pages.at(-1)!.next;
	if (nextPage !== undefined) {
		cache.passes.set(formId, { ...listed, nextPage });
		return false;
	}
	// a list that is empty for a moment proves nothing
	const distinctCount = listed.ids.size;
	return distinctCount > 0 && isWholeList({ ...listed, distinctCount });
}
