import { MAX_PAGES, type PagePosition } from '../../api/replies/fetchPages';
import type { FormBudget } from '../requestBudget';
import type { FormState } from '../triggerState';

/** Which pages of a form a poll reads, and why it stops. */

/** What a poll reads of a form, one after the other. Each reading fails and backs off separately. */
export type ReadingKind = 'newestPages' | 'fullPass';

/**
 * The plan of a reading. A poll of a form has up to two readings, one after the other:
 *
 * - `newestPages` reads the end of the list where new responses appear, if the list has one: from the first
 *   page to a seen response, or from the last known page to the end. On the same page, a full pass does this.
 * - `fullPass` continues a full pass, most often by one page, and starts over at its end. Only full passes
 *   find what happens on older pages. The first full pass reads all pages that there is time for. Airbyte calls
 *   this a resumable full refresh, Debezium an incremental snapshot: pages are read over several polls, in
 *   addition to the newest pages.
 *
 * For example, 67 pages have the newest response first. The first poll reads all pages. The second poll reads
 * page 1, the third one pages 1 and 2, the fourth one pages 1 and 3.
 */
export type Reading = Readonly<{
	kind: ReadingKind;
	/** Whether the reading belongs to the first full pass of the form. */
	isFirstPass: boolean;
	/** The page to start with; undefined for the first page. */
	from: PagePosition | undefined;
	maxPages: number;
	/**
	 * Whether the reading stops at a page that ends with a seen response, because older pages have no new
	 * responses.
	 */
	stopsAtSeen: boolean;
}>;

/**
 * Why a reading stopped:
 *
 * - `endOfList`: the list has no more pages
 * - `seenResponse`: a page ends with a seen response
 * - `enoughEvents`: the pages have as many events, before the filters, as the poll may deliver
 * - `limit`: the poll may send no more requests for the form, or has no more time
 * - `error`: the next page could not be read
 */
export type StopReason = 'endOfList' | 'seenResponse' | 'enoughEvents' | 'limit' | 'error';

/**
 * Whether the next reading belongs to the first pass, which waits for nothing and is free. A first pass that has
 * started over is an ordinary full pass: a page that always fails would cost all earlier pages time and again.
 */
export function isInFirstPass({ seen, baseline, fullPass }: FormState): boolean {
	const isUnderWay = baseline !== undefined && !baseline.isFirstPassOver;
	return !fullPass?.hasStartedOver && (seen === undefined || isUnderWay);
}

/**
 * Returns how many requests of a reading count toward Requests per Day: all, but only the first one of each slice of
 * the first pass.
 *
 * @param requests the requests for pages
 */
export function countRequests(
	{ isFirstPass }: Reading,
	requests: number,
	fieldRequests = 0,
): number {
	return (isFirstPass ? Math.min(1, requests) : requests) + fieldRequests;
}

/** After a failed delivery, the same pages are read again. So a first pass that fails reads few pages at a time. */
const MAX_PAGES_OF_FAILING_FIRST_PASS = 10;

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
	const stopsAtSeen = at === 'firstPage';
	return { kind: 'newestPages', isFirstPass: false, from, maxPages, stopsAtSeen };
}

/**
 * Plans the next slice of the full pass: one page, and one more page for each request interval in which n8n did
 * not poll.
 *
 * @param isFailing whether the full pass fails
 */
export function planFullPass(
	form: FormState,
	{ unusedRequests, maxRequests }: FormBudget,
	isFailing: boolean,
): Reading {
	const { newestPages, fullPass } = form;
	const isFirstPass = isInFirstPass(form);
	const start = {
		kind: 'fullPass',
		isFirstPass,
		from: fullPass?.next,
		stopsAtSeen: false,
	} as const;
	if (isFirstPass) {
		return { ...start, maxPages: isFailing ? MAX_PAGES_OF_FAILING_FIRST_PASS : MAX_PAGES };
	}
	if (isFullPassAtNewest(form)) {
		const stopsAtSeen = newestPages?.at === 'firstPage';
		return { ...start, maxPages: Math.max(2, maxRequests), stopsAtSeen };
	}
	// the reading of the newest pages has used one request
	const requests = newestPages === undefined ? 1 + unusedRequests : Math.max(1, unusedRequests);
	return { ...start, maxPages: Math.min(requests, maxRequests) };
}

function isFullPassAtNewest({ newestPages, fullPass }: FormState): boolean {
	return newestPages !== undefined && getIndex(newestPages.next) === getIndex(fullPass?.next);
}

const getIndex = (position: PagePosition | undefined) => position?.pagesBefore ?? 0;
