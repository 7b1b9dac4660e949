import { MAX_PAGES } from '../../api/replies/fetchPages';
import type { PagePosition } from '../pagePosition';
import type { FormBudget } from '../requestBudget';
import type { FormState } from '../triggerState';

/* Decides which pages of a form a poll reads. Also defines the reasons why a reading stops. */

/**
 * The kinds of readings of a form, in the order in which a poll performs the readings. Each kind has its own
 * backoff.
 */
export const READING_KINDS = ['newestPages', 'fullPass'] as const;

export type ReadingKind = (typeof READING_KINDS)[number];

/**
 * The plan of a reading. A reading is what one poll reads of one form. A poll of a form has up to two readings,
 * one after the other:
 *
 * - `newestPages` looks for new responses. If new responses appear on the first page, the reading goes from the
 *   first page to a seen response. If new responses appear on the last page, the reading goes from the last
 *   known page to the end. The poll skips this reading if the full pass has come to the same page.
 * - `fullPass` continues a full pass, usually by one page. Only full passes find changes on older pages. The
 *   first full pass of a form (the first pass) reads as many pages as there is time for.
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
 * The reason why a reading stopped:
 *
 * - `endOfList`: the list has no more pages
 * - `seenResponse`: a page ends with a seen response
 * - `enoughEvents`: the pages have as many events, before the filters, as the poll may deliver
 * - `limit`: the poll may send no more requests for the form, or has no more time
 * - `error`: the next page could not be read
 */
export type StopReason = 'endOfList' | 'seenResponse' | 'enoughEvents' | 'limit' | 'error';

/**
 * Whether the next reading belongs to the first pass of the form. The first pass does not wait until the form
 * is due, and most of its requests do not count toward Requests per Day. A first pass that has started over
 * counts as an ordinary full pass. Otherwise, a page that always fails would cause requests for all earlier
 * pages again and again.
 */
export function isInFirstPass({ seen, baseline, fullPass }: FormState): boolean {
	const isUnderWay = baseline !== undefined && !baseline.isFirstPassOver;
	return !fullPass?.hasStartedOver && (seen === undefined || isUnderWay);
}

/**
 * Returns how many requests of a reading count toward Requests per Day. In the first pass, all requests for
 * pages together count as one request. All requests for fields count.
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
 * The maximum number of pages that a poll reads in the first pass of a form if the last poll of the form failed.
 * The number is small, because the next poll must read the same pages again if the delivery fails again.
 */
const MAX_PAGES_OF_FAILING_FIRST_PASS = 10;

/**
 * Plans the reading of the newest pages, where new responses appear.
 *
 * @param isFullPassInBackoff whether the full pass is still in its backoff
 * @returns undefined if the trigger does not know where the newest pages are, or if the full pass reads the
 * newest pages
 */
export function planNewestPages(
	form: FormState,
	{ maxRequests }: FormBudget,
	isFullPassInBackoff: boolean,
): Reading | undefined {
	const { newestPages } = form;
	if (newestPages === undefined) return undefined;
	if (isFullPassAtNewest(form) && !isFullPassInBackoff) return undefined;
	const { next: from, at } = newestPages;
	// two pages: the former last page, and the page that may have been added after it
	const maxPages = Math.max(2, maxRequests);
	const stopsAtSeen = at === 'firstPage';
	return { kind: 'newestPages', isFirstPass: false, from, maxPages, stopsAtSeen };
}

/**
 * The minimum page limit of a slice if page positions expire. A full pass that stops could not be continued, so
 * a poll reads a list of up to four pages to its end, even if the budget of the form is smaller.
 */
const PAGES_IF_POSITIONS_EXPIRE = 4;

/**
 * Plans the next slice of the full pass: the pages that this poll reads. Usually, the slice has one page, and
 * one more page for each request interval in which n8n did not poll. If page positions expire before the next
 * poll, the slice has as many pages as the budget allows, and at least `PAGES_IF_POSITIONS_EXPIRE`.
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
	if (fullPass?.positionsExpire) {
		return { ...start, maxPages: Math.max(PAGES_IF_POSITIONS_EXPIRE, maxRequests) };
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
