import { compact } from 'lodash';
import { clock } from '../api/clock';
import { hasReason, toNodeError, type NodeError } from '../api/errors';
import { createFormNotFoundError, isFormNotFoundError } from '../parameters/locators';
import { deliverEvents } from './deliverEvents';
import { computeMaxSearchPages, type FailureSubject, type ReadingOutcome } from './schedule';
import { computeNextForm, type DeliveredPages } from './formProgress';
import type { OutputItem, PollContext } from './pollContext';
import { FIRST_PAGE, readPages, type Reading, type ReadPages } from './readPages';
import { isFirstPass, type FormState } from './triggerState';

/*
 * Reads the responses of one form. A reading is a part of a pass, or a search.
 *
 * - A pass reads all pages of the list, one in each poll, then starts over. It finds what happens on any page.
 * - A search reads the end of the list where new responses appear.
 *
 * Polls take turns between the two. The first pass reads as many pages as there is time for, without searches.
 */

/** The service allows 60 requests a minute, for pages and fields together. */
const MAX_PAGES_WITH_FIELDS = 50;

/** Plans what a poll reads of a form. Undefined if the form waits after a failure. */
export function planReading(
	{ cache, intervalMs, parameters }: PollContext,
	formId: string,
	form: FormState = {},
): Reading | undefined {
	const { lastReading, search, pass } = form.progress ?? {};
	const limit = parameters.lists.fields ? MAX_PAGES_WITH_FIELDS : Infinity;
	const searchReading = search && {
		formId,
		kind: 'search' as const,
		from: search.page,
		maxPages: Math.min(limit, computeMaxSearchPages(intervalMs)),
	};
	const passReading = {
		formId,
		kind: 'pass' as const,
		from: pass?.page ?? FIRST_PAGE,
		// n8n saves the state at the activation, so a first pass reads all that there is time for
		maxPages: isFirstPass(form) ? limit : 1,
	};
	const isPassTurn = isFirstPass(form) || lastReading?.kind === 'search';
	const readings = isPassTurn ? [passReading, searchReading] : [searchReading, passReading];
	return compact(readings).find((reading) => !cache.failures.isInBackoff(getSubject(reading)));
}

function getSubject({ formId, kind, from }: Reading): FailureSubject {
	const isFront = kind === 'search' || from === FIRST_PAGE;
	return isFront ? `form ${formId}` : `later pages of form ${formId}`;
}

/**
 * Reads pages of a form and delivers their events. An error is in the outcome.
 *
 * @param capacity how many more items the poll may deliver
 */
export async function readForm(
	context: PollContext,
	reading: Reading,
	formBefore: FormState,
	capacity: number,
): Promise<{ form: FormState; items: readonly OutputItem[]; outcome: ReadingOutcome }> {
	const { cache, startedAtMs } = context;
	const read = await readPages(context, reading, formBefore, capacity);
	const delivered = await tryDelivery(context, read, capacity);
	const { error, items, pages } = delivered;
	const isFirstPageError = reading.from === FIRST_PAGE && read.pages.length === 0;
	const outcome = {
		subject: getSubject(reading),
		hasRead: pages.length > 0,
		error: error === undefined ? undefined : toFormError(context, reading, error, isFirstPageError),
	};
	// there was no time for this form, so it stays the one that has waited longest
	const isLate = read.pages.length === 0 && hasReason(error, 'pollTimedOut');
	if (isLate) return { form: read.form, items, outcome };
	const serviceMs = startedAtMs + cache.clockOffsetMs;
	return { form: computeNextForm(delivered, serviceMs, clock.now()), items, outcome };
}

/** Delivers the events of the pages. After an error, the pages count as unread, so they are read again. */
async function tryDelivery(
	context: PollContext,
	read: ReadPages,
	capacity: number,
): Promise<DeliveredPages> {
	const { events, pages, reading, requests } = read;
	const none = { items: [], undelivered: [] };
	if (pages.length === 0) return { ...read, ...none };
	try {
		const { fieldRequests, ...delivery } = await deliverEvents(
			context,
			reading.formId,
			[...events.values()],
			capacity,
		);
		return { ...read, ...delivery, requests: requests + fieldRequests };
	} catch (error) {
		// count one request for the fields, because how many were sent is unknown
		return { ...read, ...none, pages: [], requests: requests + 1, error };
	}
}

/** Converts an error to one of the node. It names the form if the form does not exist. */
function toFormError(
	{ request, cache }: PollContext,
	{ formId }: Reading,
	error: unknown,
	isFirstPageError: boolean,
): NodeError {
	const node = request.n8n.getNode();
	// a later page can be missing, too, because the list has become shorter
	if (!isFirstPageError || !isFormNotFoundError(error)) return toNodeError(node, error);
	return createFormNotFoundError(node, formId, { listedName: cache.names.get(formId) });
}
