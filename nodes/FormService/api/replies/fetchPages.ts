import type { IDataObject } from 'n8n-workflow';
import { API_PATH } from '../account';
import type { Endpoint, Target } from '../endpoints';
import { getRequestFailure } from '../errors';
import { getComparableId } from '../records';
import { callApi } from '../request/callApi';
import { REQUESTS_PER_DAY } from '../request/serverWindow';
import {
	createRequestError,
	createUnexpectedReplyError,
	type RequestContext,
} from '../requestContext';
import { createFailure } from '../requestFailure';
import { parseUrl } from '../url';
import { findList } from './findList';
import { findNextPage, type ListedNoun } from './findNextPage';

/** The most pages read of one list in one call: a third of the requests of a day. */
export const MAX_PAGES = REQUESTS_PER_DAY / 3;

/** Pages in a row that start like earlier pages, as if responses were added meanwhile. More are a loop. */
const MAX_REPEATED_PAGES = 2;

/** Where a page is: the whole URL that it is requested at, and what comes before. */
export type PagePosition = { url: string; pagesBefore: number; recordsBefore: number };

/** One page of a list. */
export type ListPage = PagePosition & {
	records: IDataObject[];
	/** Its URL differs from the URL of the list by page or record numbers alone, so it can be requested directly. */
	isNumbered: boolean;
	/** The list ends with this page. */
	isLast: boolean;
	/** Where a later call can continue. If the next page cannot be read, asking for it throws the error. */
	next?: PagePosition;
	/** How many records the list has, as this page announces it. */
	total?: number;
	/** The service's time when it sent the page, in epoch milliseconds, cut off to seconds. */
	date?: number;
};

/**
 * Reads a list page by page. A caller that has enough stops asking for pages.
 *
 * @param from a page of an earlier reading; by default, the first page
 * @throws NodeApiError if a reply has no list, and if the next page is elsewhere or cannot be found: a part
 * of a list is never mistaken for the whole
 */
export async function* fetchPages(
	context: RequestContext,
	target: Target,
	from?: PagePosition,
): AsyncGenerator<ListPage, void> {
	const requested = new Set<string>();
	const beginnings = new Set<string>();
	let repeatedPages = 0;
	let firstTotal: number | undefined;
	let position = from ?? { url: new URL(target.url).href, pagesBefore: 0, recordsBefore: 0 };
	for (;;) {
		if (requested.size >= MAX_PAGES) throw createRequestError(context, TOO_MANY_PAGES);
		if (requested.has(position.url)) throw createRequestError(context, PAGES_LOOP);
		requested.add(position.url);
		const { page, unknownNext } = await fetchPage(context, target, position, firstTotal);
		firstTotal ??= page.total;
		const [first] = page.records;
		const beginning =
			first === undefined ? page.url : (getComparableId(first) ?? JSON.stringify(first));
		repeatedPages = beginnings.has(beginning) ? repeatedPages + 1 : 0;
		if (repeatedPages > MAX_REPEATED_PAGES) throw createRequestError(context, PAGES_LOOP);
		beginnings.add(beginning);
		yield page;
		if (unknownNext !== undefined) {
			throw createRequestError(
				context,
				createFailure('nextPageUnknown', { evidence: unknownNext }),
			);
		}
		if (page.next === undefined) return;
		position = page.next;
	}
}

/** Fetches one page; `unknownNext` says why there is a next page and it cannot be requested. */
async function fetchPage(
	context: RequestContext,
	{ endpoint, url: listUrl }: Target,
	position: PagePosition,
	firstTotal: number | undefined,
): Promise<{ page: ListPage; unknownNext?: string }> {
	const { url, pagesBefore, recordsBefore } = position;
	const reply = await callApi(context, { endpoint, url }).catch((error: unknown) => {
		throw pagesBefore > 0 ? toExpiredPositionError(context, error) : error;
	});
	const { envelope, headers } = reply;
	const noun = getListedNoun(endpoint);
	const found = findList(envelope.body, noun === 'forms' ? undefined : noun);
	if (found === undefined) {
		throw createUnexpectedReplyError(context, 'a list of records', envelope.data);
	}
	const { records, around } = found;
	const pages = pagesBefore + 1;
	const recordCount = recordsBefore + records.length;
	const progress = { pages, records: recordCount, pageRecords: records.length, noun, firstTotal };
	const { nextPage, total } = findNextPage(headers, around, progress);
	const link = nextPage.kind === 'link' ? nextPage.link : undefined;
	const nextUrl = link === undefined ? undefined : buildNextUrl(link, url, listUrl);
	const elsewhere = link && !nextUrl ? `it is at ${link}` : undefined;
	const page = {
		...position,
		records,
		next: nextUrl ? { url: nextUrl, pagesBefore: pages, recordsBefore: recordCount } : undefined,
		isNumbered: isNumbered(url, listUrl),
		isLast: nextPage.kind === 'none',
		total,
		date: Date.parse(String(headers.date)) || undefined,
	};
	return { page, unknownNext: nextPage.kind === 'unknown' ? nextPage.evidence : elsewhere };
}

/** Returns what the list of an endpoint has, such as "fields" for `/forms/{formId}/fields`. */
function getListedNoun({ url }: Endpoint): ListedNoun {
	const [noun = 'forms'] = /fields|responses/.exec(url) ?? [];
	return noun as ListedNoun;
}

/** Parameters that count pages or records, by which the trigger can start at the last page. */
const NUMBER = /^(page|page_?number|offset|skip|start)$/i;

function isNumbered(url: string, listUrl: string): boolean {
	const inList = new URL(listUrl).searchParams;
	return [...new URL(url).searchParams]
		.filter(([name, value]) => inList.get(name) !== value)
		.every(([name, value]) => NUMBER.test(name) && /^\d{1,9}$/.test(value));
}

/**
 * The list's own URL with the query of a link to its next page, so that the token stays where it is: a
 * service behind a proxy may not know its own address. Undefined for a link to anything but the list.
 */
function buildNextUrl(link: string, pageUrl: string, listUrl: string): string | undefined {
	const url = new URL(listUrl);
	const [, path] = url.pathname.split(API_PATH);
	const next = parseUrl(link, pageUrl);
	if (!next?.pathname.replace(/\/$/, '').endsWith(path)) return undefined;
	const own = [...url.searchParams];
	url.search = next.search;
	for (const [name, value] of own) url.searchParams.set(name, value);
	return url.href;
}

const PAGES_LOOP = createFailure('pagesLoop');
const TOO_MANY_PAGES = createFailure('tooManyPages', { limit: MAX_PAGES });

/** Of a form whose earlier pages were sent, the service can only reject the position, such as an old cursor. */
function toExpiredPositionError(context: RequestContext, error: unknown): unknown {
	const { status } = getRequestFailure(error) ?? {};
	if (status === undefined || ![400, 404, 410, 422].includes(status)) return error;
	return createRequestError(context, createFailure('pageExpired', { status }));
}
