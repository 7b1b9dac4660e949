import { clock } from '../api/clock';
import { hasReason, toNodeError, type NodeError } from '../api/errors';
import { createFormNotFoundError, isFormNotFoundError } from '../parameters/locators';
import { deliverEvents, type Delivery } from './deliverEvents';
import { computeMaxSearchPages, type FailureSubject, type ReadingOutcome } from './schedule';
import { computeNextForm } from './formProgress';
import type { OutputItem, PollContext } from './pollContext';
import { FIRST_PAGE, readPages, type Reading, type ReadPages } from './readPages';
import { isFirstPass, type FormState } from './triggerState';

/*
 * Reads the responses of one form. A reading is a part of a pass, or a search.
 *
 * - A pass reads all pages of the list, one in each poll, then starts over. It finds what happens on any page.
 * - A search reads the end of the list where new responses appear.
 *
 * Polls take turns between the two. A first pass goes on until all pages are read.
 */

/** The service allows 60 requests a minute, for pages and fields together. */
const MAX_PAGES_WITH_FIELDS = 50;

/** Plans what a poll reads of a form. Undefined if the form waits after a failure. */
export function planReading(
	context: PollContext,
	formId: string,
	form: FormState = {},
): Reading | undefined {
	const { lastReading, search, pass } = form.progress ?? {};
	const starts = { search: search?.page, pass: pass?.page ?? FIRST_PAGE };
	const isPassTurn = isFirstPass(form) || lastReading?.kind === 'search';
	for (const kind of isPassTurn ? PASS_FIRST : SEARCH_FIRST) {
		const from = starts[kind];
		if (from === undefined) continue;
		const reading = { kind, from, maxPages: computeMaxPages(context, form, kind) };
		if (!context.cache.failures.isInBackoff(getSubject(formId, reading))) return reading;
	}
	return undefined;
}

const PASS_FIRST = ['pass', 'search'] as const;
const SEARCH_FIRST = ['search', 'pass'] as const;

function getSubject(formId: string, { kind, from }: Reading): FailureSubject {
	const isFront = kind === 'search' || from === FIRST_PAGE;
	return isFront ? `form ${formId}` : `later pages of form ${formId}`;
}

/** A first pass reads all that there is time for. */
function computeMaxPages(
	{ intervalMs, parameters }: PollContext,
	form: FormState,
	kind: Reading['kind'],
): number {
	const limit = parameters.lists.fields ? MAX_PAGES_WITH_FIELDS : Infinity;
	if (kind === 'search') return Math.min(limit, computeMaxSearchPages(intervalMs));
	return isFirstPass(form) ? limit : 1;
}

export type FormResult = { form: FormState; items: readonly OutputItem[]; outcome: ReadingOutcome };

/**
 * Reads pages of a form and delivers their events. An error is in the outcome.
 *
 * @param capacity how many more items the poll may deliver
 */
export async function readForm(
	context: PollContext,
	formId: string,
	formBefore: FormState,
	reading: Reading,
	capacity: number,
): Promise<FormResult> {
	const { cache, startedAtMs } = context;
	const read = await readPages(context, formId, formBefore, reading, capacity);
	const { items, undelivered, fieldRequests, ...delivered } = await tryDelivery(
		context,
		formId,
		read,
		capacity,
	);
	const { error, pages } = delivered;
	const isFirstPage = reading.from === FIRST_PAGE && read.pages.length === 0;
	const outcome = {
		subject: getSubject(formId, reading),
		hasRead: pages.length > 0,
		error: error === undefined ? undefined : toFormError(context, formId, error, isFirstPage),
	};
	// a form that there was no time for keeps its place among the others
	const isLate = read.pages.length === 0 && hasReason(error, 'pollTimedOut');
	if (isLate) return { form: read.form, items, outcome };
	const form = computeNextForm({
		...delivered,
		reading,
		undelivered,
		requests: read.pages.length + Number(read.error !== undefined) + fieldRequests,
		serviceMs: startedAtMs + cache.clockOffsetMs,
		nowMs: clock.now(),
	});
	return { form, items, outcome };
}

/** Delivers the events of the pages. After an error, the pages count as unread, so they are read again. */
async function tryDelivery(
	context: PollContext,
	formId: string,
	read: ReadPages,
	capacity: number,
): Promise<ReadPages & Delivery> {
	const { pages, events } = read;
	const none = { items: [], undelivered: [], fieldRequests: 0 };
	if (pages.length === 0) return { ...read, ...none };
	try {
		const delivery = await deliverEvents(context, formId, [...events.values()], capacity);
		return { ...read, ...delivery };
	} catch (error) {
		// the number of requests is unknown, and usually one
		return { ...read, ...none, pages: [], fieldRequests: 1, error };
	}
}

/** Converts an error to one of the node. It names the form if the form does not exist. */
function toFormError(
	{ request, cache }: PollContext,
	formId: string,
	error: unknown,
	isFirstPage: boolean,
): NodeError {
	const node = request.n8n.getNode();
	// a later page can be missing, too, because the list has become shorter
	if (!isFirstPage || !isFormNotFoundError(error)) return toNodeError(node, error);
	return createFormNotFoundError(node, formId, { listedName: cache.names.get(formId) });
}
