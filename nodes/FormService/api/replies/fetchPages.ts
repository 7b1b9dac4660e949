import type { IDataObject } from 'n8n-workflow';
import type { Endpoint, ListedNoun, Target } from '../endpoints';
import { getRequestFailure } from '../errors';
import { getRecordKey } from '../records';
import { callApi } from '../request/callApi';
import { REQUESTS_PER_DAY } from '../request/rateLimit';
import {
	createRequestError,
	createUnexpectedReplyError,
	type RequestContext,
} from '../requestContext';
import { createFailure } from '../requestFailure';
import { findList } from './findList';
import { findNextPage, type NextPage, type PageInList, type PagePosition } from './findNextPage';

/** The maximum number of pages in one pass: 480. Three passes with 480 pages take all 1,440 requests of a day. */
export const MAX_PAGES = REQUESTS_PER_DAY / 3;

/**
 * The maximum number of pages in a row that may start with the same record as an earlier page. A few such pages
 * are possible, because new responses move records to later pages. More such pages mean that the service
 * ignores which page is requested.
 */
const MAX_REPEATED_PAGES = 2;

/** A page of a list. */
export type ListPage = PagePosition & {
	records: IDataObject[];
	/** Whether a number in the URL selects the page: `?page=3`, not `?cursor=c2`. Also true for the first page. */
	isNumbered: boolean;
	nextPage: NextPage;
	/** The number of records in the list, if the page announces the number. */
	total?: number;
	/** The number of pages of the list, if the page announces the number. */
	pageCount?: number;
	/** The time at which the request of the page left the queue, in epoch milliseconds. */
	sentAtMs: number;
	/** When the service sent the page, in epoch milliseconds. The `Date` header has only whole seconds. */
	dateHeaderMs?: number;
};

/**
 * Fetches the pages of a list one by one, until the caller stops.
 *
 * @param from the page to start with; by default, the first page
 * @throws ServiceError see `fetchNextPage`
 */
export async function* fetchPages(
	context: RequestContext,
	target: Target,
	from?: PagePosition,
): AsyncGenerator<ListPage, void> {
	const pages: ListPage[] = [];
	do {
		const page = await fetchNextPage(context, target, pages, from);
		// keep only the first record of each page, which is enough to find a loop, to save memory
		pages.push({ ...page, records: page.records.slice(0, 1) });
		yield page;
	} while (pages.at(-1)?.nextPage.kind !== 'none');
}

/**
 * Returns the position of the next page. Undefined if there is no next page, or if the next page cannot be
 * requested.
 */
export function getNextPosition({ nextPage }: ListPage): PagePosition | undefined {
	return nextPage.kind === 'page' ? nextPage.position : undefined;
}

/**
 * Fetches the next page of a list.
 *
 * @param pages the pages of this pass that were fetched so far, in order; empty at the start of a pass. To find
 * loops, the function compares the first records of the pages
 * @param from the first page to fetch if `pages` is empty; by default, the first page of the list
 * @throws ServiceError if the reply has no list, if the pages form a loop or repeat one another, or if the next
 * page cannot be requested. The function throws so that no caller mistakes a part of a list for the whole list
 * @throws Error if no page follows
 */
export async function fetchNextPage(
	context: RequestContext,
	target: Target,
	pages: readonly ListPage[],
	from: PagePosition = { url: new URL(target.url).href, pagesBefore: 0, recordsBefore: 0 },
): Promise<ListPage> {
	const nextPage: NextPage = pages.at(-1)?.nextPage ?? { kind: 'page', position: from };
	if (nextPage.kind === 'none') throw new Error('The list has no further page');
	if (nextPage.kind === 'unknown') {
		const { evidence } = nextPage;
		throw createRequestError(context, createFailure('nextPageUnknown', { evidence }));
	}
	const { position } = nextPage;
	if (pages.length >= MAX_PAGES) throw createRequestError(context, TOO_MANY_PAGES);
	if (pages.some(({ url }) => url === position.url)) {
		const isRepeated = countRepeatedPages(pages) > 0;
		throw createRequestError(context, isRepeated ? PAGES_REPEAT : PAGES_LOOP);
	}
	const page = await fetchPage(context, target, position, {
		firstTotal: pages.find(({ total }) => total !== undefined)?.total,
		earlierPageCount: pages.findLast(({ pageCount }) => pageCount !== undefined)?.pageCount,
	});
	if (countRepeatedPages([...pages, page]) <= MAX_REPEATED_PAGES) return page;
	throw createRequestError(context, PAGES_REPEAT);
}

/** Counts the pages at the end of `pages` that start with the same record as an earlier page. */
export function countRepeatedPages(pages: readonly ListPage[]): number {
	const beginnings = pages.map(({ url, records: [first] }) =>
		first === undefined ? url : getRecordKey(first),
	);
	const isNew = (beginning: string, index: number) => beginnings.indexOf(beginning) === index;
	return beginnings.length - 1 - beginnings.findLastIndex(isNew);
}

/**
 * Fetches the page at a position.
 *
 * @param announced the numbers of records and pages that earlier pages announced
 */
async function fetchPage(
	context: RequestContext,
	{ endpoint, url: listUrl }: Target,
	position: PagePosition,
	announced: Pick<PageInList, 'firstTotal' | 'earlierPageCount'>,
): Promise<ListPage> {
	const { url, pagesBefore } = position;
	const { envelope, headers, sentAtMs } = await callApi(context, { endpoint, url }).catch(
		(error: unknown) => {
			throw pagesBefore > 0 ? toExpiredPositionError(context, error) : error;
		},
	);
	const listedNoun = getListedNoun(endpoint);
	// a list of fields or responses can be in the record of its form, but a list of forms cannot
	const found = findList(envelope.body, listedNoun === 'forms' ? undefined : listedNoun);
	if (found === undefined) {
		throw createUnexpectedReplyError(context, 'a list of records', envelope.data);
	}
	const { records, holders } = found;
	const { nextPage, total, pageCount } = findNextPage(headers, holders, {
		...position,
		recordCount: records.length,
		listUrl,
		baseUrl: context.account.baseUrl,
		listedNoun,
		...announced,
	});
	return {
		...position,
		records,
		nextPage,
		isNumbered: isNumbered(url, listUrl),
		total,
		pageCount,
		sentAtMs,
		dateHeaderMs: Date.parse(String(headers.date)) || undefined,
	};
}

function getListedNoun(endpoint: Endpoint): ListedNoun {
	if (endpoint.effect === 'safe' && endpoint.lists !== undefined) return endpoint.lists;
	throw new Error(`${endpoint.url} sends no list`);
}

/** Matches names of query parameters that have a number: `page`, `offset` and `limit`, not `cursor`. */
const NUMBER = /^(page|page_?number|offset|skip|start|limit|size|page_?size|per_?page)$/i;

/** Whether a number in the URL selects the page, see `ListPage`. */
export function isNumbered(url: string, listUrl: string): boolean {
	const inList = new URL(listUrl).searchParams;
	return [...new URL(url).searchParams]
		.filter(([name, value]) => inList.get(name) !== value)
		.every(([name, value]) => NUMBER.test(name) && /^\d{1,9}$/.test(value));
}

const PAGES_LOOP = createFailure('pagesLoop');
const PAGES_REPEAT = createFailure('pagesRepeat');
const TOO_MANY_PAGES = createFailure('tooManyPages', { limit: MAX_PAGES });

/**
 * Converts an error with status 400, 404, 410 or 422 to an error that says that the page position has expired.
 * For example, the service rejects an old cursor with such a status. Returns any other error unchanged.
 */
function toExpiredPositionError(context: RequestContext, error: unknown): unknown {
	const { status } = getRequestFailure(error) ?? {};
	if (status === undefined || ![400, 404, 410, 422].includes(status)) return error;
	return createRequestError(context, createFailure('pageExpired', { status }));
}
