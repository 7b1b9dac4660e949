import type { IDataObject } from 'n8n-workflow';
import type { Endpoint, ListedNoun, Target } from '../endpoints';
import { describeShape } from '../envelope';
import { getRecordKey } from '../records';
import { callApi } from '../request/callApi';
import { REQUESTS_PER_DAY } from '../request/rateLimit';
import {
	createRequestError,
	createUnexpectedReplyError,
	type RequestContext,
} from '../requestContext';
import { createFailure } from '../failures';
import { findNextPage, type NextPage, type PageInList } from './findNextPage';
import { readList } from './readList';

/** The maximum number of pages in one reading. Three readings of 480 pages take all requests of a day. */
export const MAX_PAGES = REQUESTS_PER_DAY / 3;

const TOO_LONG = createFailure('listTooLong', { detail: `it has more than ${MAX_PAGES} pages` });

/**
 * The maximum number of pages in a row that may start with the same record. New responses can cause a few such
 * pages. More such pages mean that the service ignores which page is requested.
 */
const MAX_EQUAL_PAGES = 3;

/** A page of a list. */
export type ListPage = Omit<NextPage, 'problem'> & {
	url: string;
	records: IDataObject[];
	/** The time at which the request of the page left the queue, in epoch milliseconds. */
	sentAtMs: number;
	/** When the service sent the page, in epoch milliseconds. The `Date` header has only whole seconds. */
	dateHeaderMs?: number;
};

/**
 * Fetches the pages of a list one by one, until the last page or until the caller stops.
 *
 * @param fromUrl the URL of the page to start with; by default, the first page
 * @throws ServiceError if a page has no list, if its next page is unknown or was already read, or if there are
 * too many pages. So no caller mistakes a part of a list for the whole list
 */
export async function* fetchPages(
	context: RequestContext,
	target: Target,
	fromUrl = target.url,
): AsyncGenerator<ListPage, void> {
	const urls = new Set<string>();
	let next: PageInList | undefined = { url: new URL(fromUrl).href };
	let first: string | undefined;
	let equalPages = 0;
	while (next !== undefined) {
		if (urls.size === MAX_PAGES) {
			throw createRequestError(context, TOO_LONG);
		}
		urls.add(next.url);
		const page: ListPage = await fetchPage(context, target.endpoint, next);
		const start = page.records.slice(0, 1).map(getRecordKey).join('');
		equalPages = start !== '' && start === first ? equalPages + 1 : 1;
		if (equalPages > MAX_EQUAL_PAGES || urls.has(page.nextUrl ?? '')) {
			const found = 'a page that was already read';
			throw createUnexpectedReplyError(context, target.endpoint, 'another page of the list', found);
		}
		first = start;
		yield page;
		next = page.nextUrl === undefined ? undefined : { url: page.nextUrl, lastPage: page.lastPage };
	}
}

/** Fetches one page of a list. */
async function fetchPage(
	context: RequestContext,
	endpoint: Endpoint,
	page: PageInList,
): Promise<ListPage> {
	const { url } = page;
	const { envelope, headers, sentAtMs } = await callApi(context, { endpoint, url });
	const noun = getListedNoun(endpoint);
	const records = readList(envelope, noun);
	if (records === undefined) {
		const shape = describeShape(envelope.data);
		throw createUnexpectedReplyError(context, endpoint, `a list of ${noun} with IDs`, shape);
	}
	const { problem, ...pages } = findNextPage(headers, envelope, page);
	if (problem !== undefined) {
		throw createUnexpectedReplyError(context, endpoint, 'a link to the next page', problem);
	}
	const dateHeaderMs = Date.parse(String(headers.date)) || undefined;
	return { url, records, ...pages, sentAtMs, dateHeaderMs };
}

function getListedNoun(endpoint: Endpoint): ListedNoun {
	if (endpoint.effect === 'safe' && endpoint.lists !== undefined) return endpoint.lists;
	throw new Error(`${endpoint.url} sends no list`);
}
