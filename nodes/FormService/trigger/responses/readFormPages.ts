import { chunk } from 'lodash';
import { clock, yieldIfDue } from '../../api/clock';
import { createTarget, endpoints } from '../../api/endpoints';
import { toNodeError, hasReason, type NodeError } from '../../api/errors';
import { createFormNotFoundError, isFormNotFoundError } from '../../parameters/formId';
import { fetchPagesInTime, type TimedPage } from '../fetchList';
import type { PollContext } from '../pollContext';
import type { FormState } from '../triggerState';
import { ResponseComparison } from './compareResponses';
import type { Reading, StopReason } from './planReading';

/* Fetches the pages of a reading, and compares the responses with the seen responses. */

/**
 * The pages that a reading of a form has fetched, and the result of comparing their responses with the seen
 * responses.
 */
export type FormPagesResult = {
	readingStartedAtMs: number;
	/**
	 * The state of the form before the reading. If the reading has read a page of a new form, the state has a
	 * baseline.
	 */
	form: FormState;
	pages: readonly TimedPage[];
	comparison: ResponseComparison;
	stop: StopReason;
	/** The error, if the next page could not be read. */
	readError?: NodeError;
	/** How many requests were sent. */
	requests: number;
};

/**
 * The number of records after which a comparison lets other work in n8n continue. One page can have all
 * responses of a form.
 */
const YIELD_EVERY_RECORDS = 500;

/**
 * The maximum number of pages of a reading if the trigger also fetches the fields of the form. The service
 * allows 60 requests per minute for pages and fields together.
 */
const MAX_PAGES_WITH_FIELDS = 50;

/** How far a poll has come when one of its readings starts. */
export type PollProgress = Readonly<{
	/** How many more items the poll may deliver. */
	capacity: number;
	/** Whether the poll has already read a page of any list. */
	hasReadPages: boolean;
}>;

/**
 * Fetches pages of a form and compares the responses with the seen responses. The result says why the reading
 * stopped, see `StopReason`. If the poll has already read a page, a timeout of the next page is not an error,
 * because a later poll has more time for this page.
 */
export async function readFormPages(
	context: PollContext,
	formId: string,
	formBefore: FormState,
	{ from, maxPages, stopsAtSeen }: Reading,
	{ capacity, hasReadPages }: PollProgress,
): Promise<FormPagesResult> {
	const { parameters, cache, request, times } = context;
	const limit = parameters.lists.fields ? Math.min(maxPages, MAX_PAGES_WITH_FIELDS) : maxPages;
	const target = createTarget(request.account, endpoints.listResponses, { formId });
	const readingStartedAtMs = clock.now();
	const comparison = new ResponseComparison(cache.seen.decode(formId, formBefore.seen));
	const pages: TimedPage[] = [];
	let form = formBefore;
	const finish = (stop: StopReason): FormPagesResult => {
		return { readingStartedAtMs, form, pages, comparison, stop, requests: pages.length };
	};
	try {
		for await (const page of fetchPagesInTime(context, target, { from })) {
			pages.push(page);
			form = ensureBaseline(context, formBefore);
			await comparePage(context, comparison, page, form);
			// If there is no next page, the loop ends. If the next page cannot be requested, the loop throws an
			// error. The reasons to stop below apply only if there is a next page.
			if (page.next === undefined) continue;
			if (comparison.events.length >= capacity) return finish('enoughEvents');
			// an earlier poll may have stopped in the middle of this page
			const isResumed = from !== undefined && pages.length === 1;
			const mayStop = stopsAtSeen && !isResumed;
			if (mayStop && comparison.endsWithSeen(page, getLastReadMs(context, formId)))
				return finish('seenResponse');
			if (pages.length >= limit || clock.now() >= times.readUntilMs) return finish('limit');
		}
		return finish('endOfList');
	} catch (error) {
		const wasSent = !hasReason(error, 'queueTimedOut');
		const requests = pages.length + Number(wasSent);
		const isFirstPage = pages.length === 0 && !hasReadPages;
		if (hasReason(error, 'pollTimedOut') && !isFirstPage) return { ...finish('limit'), requests };
		const readError = toFormError(context, formId, error);
		// a page that was not requested has not failed, so the next reading starts at this page
		const stop = wasSent || pages.length === 0 ? 'error' : 'limit';
		return { ...finish(stop), readError, requests };
	}
}

/**
 * Returns when an earlier poll last read the first page of the form, by the service's clock. Uses the state
 * at the start of the poll, because an earlier reading of this poll may have changed the state of the form.
 */
function getLastReadMs({ cache, startState }: PollContext, formId: string): number {
	const { debt, firstPageReadAtMs } = startState.forms.get(formId) ?? {};
	// states of version 0.1.0 have no `firstPageReadAtMs`, so the time of the last request is used
	return cache.serviceClock.toServiceMs(firstPageReadAtMs ?? debt?.atMs ?? -Infinity);
}

async function comparePage(
	{ parameters }: PollContext,
	comparison: ResponseComparison,
	page: TimedPage,
	{ baseline }: FormState,
): Promise<void> {
	const rules = { ...parameters, baseline };
	for (const records of chunk(page.records, YIELD_EVERY_RECORDS)) {
		await yieldIfDue();
		comparison.addRecords(page, records, rules);
	}
}

/**
 * Adds the baseline to the state of a new form. The baseline is the time from which responses count as new:
 * the start of the poll, by the service's clock. If possible, call this function after a reply, because a
 * reply shows the service's clock.
 */
export function ensureBaseline(context: PollContext, form: FormState = {}): FormState {
	if (form.seen !== undefined || form.baseline !== undefined) return form;
	const { cache, isDamaged, parameters, times } = context;
	const serviceMs = cache.serviceClock.toServiceMs(times.pollStartedAtMs);
	// the service rounds `created_at` down to the second
	const sinceMs = Math.floor(serviceMs / 1_000) * 1_000;
	const backfill = isDamaged ? undefined : parameters.backfill;
	return { ...form, baseline: { sinceMs, backfill } };
}

/** Converts an error to an error of the node. If the form does not exist, the error names the form. */
export function toFormError(context: PollContext, formId: string, error: unknown): NodeError {
	const node = context.request.n8n.getNode();
	if (!isFormNotFoundError(error)) return toNodeError(node, error);
	const listedName = context.cache.names.byId.get(formId);
	return createFormNotFoundError(node, formId, { listedName });
}
