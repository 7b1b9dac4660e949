import { getCause, isCanceled } from '../../api/errors';
import { MAX_PAGES, type PagePosition } from '../../api/replies/fetchPages';
import type { Pass } from '../failures';
import type { FetchedPage } from '../fetchList';
import type { FormBudget } from '../requestBudget';
import type { FormState } from '../triggerState';
import { addVotes, findNewestPage, type NewestAt } from './sortOrder';

/** Which pages of a form a poll reads, and where the next poll continues. */

/**
 * A poll of a form has up to two readings, one after the other:
 *
 * - `newestPages` reads the end of the list where new responses appear, if the list has one: from the first
 *   page to a seen response, or from the last known page to the end. On the same page, a full pass does this.
 * - `fullPass` continues a full pass, most often by one page, and starts over at its end. Only full passes
 *   find what happens on older pages. Airbyte calls this a resumable full refresh, Debezium an incremental
 *   snapshot: pages are read over several polls, beside the newest pages.
 * - `firstPass` is the first full pass of a form. It reads all pages that there is time for.
 *
 * For example, 67 pages have the newest response first. The first poll reads all pages. The second poll reads
 * page 1, the third one pages 1 and 2, the fourth one pages 1 and 3.
 */
export type Reading = Readonly<{
	kind: Pass | 'firstPass';
	/** The page to start with; undefined for the first page. */
	from: PagePosition | undefined;
	maxPages: number;
	/** A page that ends with a seen response ends the reading: older pages have no new responses. */
	stopsAtSeen: boolean;
}>;

/**
 * Why a reading stopped: at the end of the list; at a page that ends with a seen response; because the pages
 * have as many events as the poll may deliver; because the poll may send no more requests for the form, or has
 * no more time; or because the next page could not be read.
 */
export type StopReason = 'endOfList' | 'seenResponse' | 'noCapacity' | 'limit' | 'error';

/** Whether the next full pass is the first one, which waits for nothing while it advances. */
export function isFirstPass({ seen, baseline, fullPass }: FormState): boolean {
	const isUnderWay = baseline !== undefined && !baseline.isFirstPassOver;
	return seen === undefined || (isUnderWay && fullPass?.next !== undefined);
}

/**
 * Plans the reading of the newest pages.
 *
 * @param isFullPassWaiting whether the full pass waits after a failure
 * @returns undefined if it is unknown where the newest pages are, or if the full pass reads them
 */
export function planNewestPages(
	form: FormState,
	{ maxRequests }: FormBudget,
	isFullPassWaiting: boolean,
): Reading | undefined {
	const { newestPages } = form;
	if (newestPages === undefined) return undefined;
	if (isFullPassAtNewest(form) && !isFullPassWaiting) return undefined;
	const { next: from, at } = newestPages;
	// from the last known page on, the next page has to be read as well
	const maxPages = Math.max(2, maxRequests);
	return { kind: 'newestPages', from, maxPages, stopsAtSeen: at === 'firstPage' };
}

/** Plans the next slice of the full pass: one page, and those for which there was time while n8n did not poll. */
export function planFullPass(
	form: FormState,
	{ unusedRequests, maxRequests }: FormBudget,
): Reading {
	const { newestPages, fullPass } = form;
	const from = fullPass?.next;
	if (isFirstPass(form)) {
		return { kind: 'firstPass', from, maxPages: MAX_PAGES, stopsAtSeen: false };
	}
	if (isFullPassAtNewest(form)) {
		const stopsAtSeen = newestPages?.at === 'firstPage';
		return { kind: 'fullPass', from, maxPages: Math.max(2, maxRequests), stopsAtSeen };
	}
	// the reading of the newest pages has used one request
	const requests = newestPages === undefined ? 1 + unusedRequests : Math.max(1, unusedRequests);
	return { kind: 'fullPass', from, maxPages: Math.min(requests, maxRequests), stopsAtSeen: false };
}

function isFullPassAtNewest({ newestPages, fullPass }: FormState): boolean {
	return newestPages !== undefined && getIndex(newestPages.next) === getIndex(fullPass?.next);
}

const getIndex = (position: PagePosition | undefined) => position?.pagesBefore ?? 0;

/**
 * Finds the page where a later poll continues the reading; undefined if the reading starts over.
 *
 * @param pages the pages that were read, at least one
 * @param undelivered the first page with an undelivered event
 */
export function findResumePosition(
	{ kind, from }: Reading,
	pages: readonly FetchedPage[],
	stop: StopReason,
	undelivered: FetchedPage | undefined,
): PagePosition | undefined {
	if (undelivered !== undefined) return toPosition(undelivered);
	const last = pages.at(-1)!;
	switch (stop) {
		case 'endOfList':
			return undefined;
		case 'seenResponse':
			return kind === 'newestPages' ? undefined : last.next;
		case 'noCapacity':
			// later pages can have more events than the poll may deliver
			return toPosition(last);
		case 'limit':
			return last.next;
		case 'error':
			// if the reading did not advance, the list may have changed
			return last.pagesBefore > (from?.pagesBefore ?? -1) ? toPosition(last) : undefined;
	}
}

/**
 * Returns the part of a form's state that says where the next readings start.
 *
 * @param pages the pages that were read, at least one
 * @param next see `findResumePosition`
 * @param isPassOver whether a full pass has come to its end
 */
export function advanceReading(
	form: FormState,
	reading: Reading,
	pages: readonly FetchedPage[],
	next: PagePosition | undefined,
	isPassOver: boolean,
): FormState {
	if (reading.kind === 'newestPages') return advanceNewestPages(form, pages, next);
	const last = pages.at(-1)!;
	const order = addVotes(reading.from && form.fullPass?.order, pages);
	const at = findNewestPage(order, last);
	if (isPassOver) return endFullPass(form, last, at);
	// a long first pass takes several polls, and new responses should not wait for its end
	const isEarly = reading.kind === 'firstPass' && at === 'firstPage';
	const newestPages = form.newestPages ?? (isEarly ? { at } : undefined);
	return { ...form, fullPass: { next, order }, newestPages };
}

function advanceNewestPages(
	form: FormState,
	pages: readonly FetchedPage[],
	next: PagePosition | undefined,
): FormState {
	const { at } = form.newestPages!;
	if (at === 'firstPage') return { ...form, newestPages: { at, next } };
	// a list that has become shorter has nothing at its former last page
	if (pages[0].records.length === 0) return resetNewestPages(form);
	return { ...form, newestPages: { at, next: next ?? toPosition(pages.at(-1)!) } };
}

function endFullPass(form: FormState, last: FetchedPage, at: NewestAt | undefined): FormState {
	const found = at && { at, next: at === 'lastPage' ? toPosition(last) : undefined };
	const newestPages = at === form.newestPages?.at ? form.newestPages : found;
	const baseline = form.baseline && { ...form.baseline, isFirstPassOver: true };
	return { ...form, fullPass: {}, baseline, newestPages };
}

/** After this many failures in a row, a reading abandons its page. */
const MAX_FAILURES = 3;

/**
 * Returns the state of a form after a reading that could not read any page. The reading starts over if its
 * page cannot be reached any more, such as with a cursor that has expired, or has failed three times in a row.
 *
 * @param failures how often in a row the page has failed, with this time
 */
export function restartReading(
	form: FormState,
	{ kind, from }: Reading,
	error: unknown,
	failures: number,
): FormState {
	if (from === undefined || isCanceled(error)) return form;
	const isUnreachable = getCause(error) === 'configuration-invalid';
	if (!isUnreachable && failures < MAX_FAILURES) return form;
	return kind === 'newestPages' ? resetNewestPages(form) : { ...form, fullPass: {} };
}

/** A new full pass finds out where the newest pages are. */
function resetNewestPages(form: FormState): FormState {
	return { ...form, newestPages: undefined, fullPass: {} };
}

function toPosition({ url, pagesBefore, recordsBefore }: PagePosition): PagePosition {
	return { url, pagesBefore, recordsBefore };
}
