import { MAX_PAGES, type PagePosition } from '../../api/replies/fetchPages';
import type { FormBudget } from '../requestBudget';
import type { FormState } from '../triggerState';

/* Decides which pages of a form a poll reads. Lists why a reading can stop. */

/** The kinds of readings of a form, in the order of a poll. Each kind fails and backs off separately. */
export type ReadingKind = 'newestPages' | 'fullPass';

/**
 * The plan of a reading. A poll of a form has up to two readings, one after the other:
 *
 * - `newestPages` reads the end of the list where new responses appear. If new responses appear on the first
 *   page, the reading goes from the first page to a seen response. If they appear on the last page, the reading
 *   goes from the last known page to the end. If the full pass is at the same page, the full pass reads it
 *   instead.
 * - `fullPass` continues a full pass, usually by one page. At the end of the list, the next full pass starts.
 *   Only full passes find changes on older pages. The first full pass reads as many pages as there is time for.
 *
 * Airbyte calls a full pass a resumable full refresh, and Debezium calls it an incremental snapshot.
 *
 * For example, a list has 67 pages with the newest response first. The first poll reads all pages, and the
 * second poll reads page 1. The third poll reads pages 1 and 2, and the fourth poll reads pages 1 and 3.
 */
export type Reading = Readonly<{
	kind: ReadingKind;
	/** Whether the reading belongs to the first full pass of the form. */
	isFirstPass: boolean;
	/** The page to start with. Undefined for the first page of the list. */
	from: PagePosition | undefined;
	maxPages: number;
	/**
	 * Whether the reading stops at a page that ends with a seen response. Pages after such a page have only older
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
 * Whether the next reading belongs to the first pass. The first pass does not wait for its budget, and most of
 * its requests are free. A first pass that has started over counts as an ordinary full pass. Otherwise, a page
 * that always fails would cause requests for all earlier pages again and again.
 */
export function isInFirstPass({ seen, baseline, fullPass }: FormState): boolean {
	const isUnderWay = baseline !== undefined && !baseline.isFirstPassOver;
	return !fullPass?.hasStartedOver && (seen === undefined || isUnderWay);
}

/**
 * Returns how many requests of a reading count toward Requests per Day. In the first pass, only the first
 * request for pages counts. Otherwise, all requests count.
 *
 * @param requests the requests for pages
 */
export function countBudgetedRequests(
	{ isFirstPass }: Reading,
	requests: number,
	fieldRequests = 0,
): number {
	return (isFirstPass ? Math.min(1, requests) : requests) + fieldRequests;
}

/**
 * The most pages of a slice of the first pass while deliveries fail, because a later poll must read these pages
 * again.
 */
const MAX_PAGES_OF_FAILING_FIRST_PASS = 10;

/**
 * Plans the reading of the newest pages.
 *
 * @param isFullPassWaiting whether the full pass still backs off
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
	// two pages: the former last page, and the page that may have been added after it
	const maxPages = Math.max(2, maxRequests);
	const stopsAtSeen = at === 'firstPage';
	return { kind: 'newestPages', isFirstPass: false, from, maxPages, stopsAtSeen };
}

/**
 * Plans the next slice of the full pass: one page, and one more page for each request interval in which n8n did
 * not poll.
 *
 * @param isFailing whether the full pass has failed in the last poll
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
	// the reading of the newest pages has already used one request
	const requests = newestPages === undefined ? 1 + unusedRequests : Math.max(1, unusedRequests);
	return { ...start, maxPages: Math.min(requests, maxRequests) };
}

function isFullPassAtNewest({ newestPages, fullPass }: FormState): boolean {
	return newestPages !== undefined && getIndex(newestPages.next) === getIndex(fullPass?.next);
}

const getIndex = (position: PagePosition | undefined) => position?.pagesBefore ?? 0;
