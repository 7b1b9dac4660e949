import type { IDataObject } from 'n8n-workflow';
import type { ListedNoun } from '../endpoints';
import { parseBoolean, parseNumber } from '../parseValues';
import type { ReplyHeaders } from '../request/rateLimit';
import { parseUrl } from '../url';
import { findHints, hasContent, parseCursor, parseHint, parseLink, type Hint } from './pagingHints';

/*
 * Finds the next page of a list. The specification does not say how the service sends a long list (section 4).
 * So the node reads the headers and the attributes next to the list, also in objects such as `links` and `meta`.
 * Names are compared in snake case: `nextPageUrl` becomes `next_page_url`. The first rule that applies decides:
 *
 * 1. If the reply has a link to the next page, the node follows the link.
 *    {"next_page_url": "https://…?page=2"}
 *    {"links": {"next": "/…?page=2"}}       {"_links": {"next": {"href": "?page=2"}}}
 *    Link: </…?page=2>; rel="next"
 * 2. If the current page is before the last page, the node sends the next number as `page`.
 *    {"meta": {"current_page": 1, "last_page": 3}}
 * 3. If the reply has a cursor for the next page, the node sends the cursor as `cursor`.
 *    {"next_cursor": "c2"}
 * 4. If the reply announces more records or pages than were read, the next page is unknown.
 *    {"total": 25}  {"meta": {"total_pages": 3}}  X-Total-Count: 25  Content-Range: items 0-9/25
 *    A number of pages is valid until another page announces another number.
 *    Numbers of other records are ignored, such as {"total_responses": 523} in a list of forms. On the first
 *    page, a `total` that is lower than the number of records can be the number of pages. The next page is then
 *    unknown, too.
 *    {"page": {"number": 1, "total": 3}} with 10 records
 * 5. If another paging name says "more", "next" or "not the last page", the next page is unknown.
 *    {"has_more": true}                     {"nextPageToken": "c2"}    {"isLast": false}
 * 6. If the first page is full or has a cursor, and the reply has no name from rules 1 to 5, the next page is
 *    unknown.
 *    {"per_page": 10} with 10 records       {"cursor": "c2"}
 *
 * Otherwise, the list ends. If the next page is unknown, a request for the next page fails, so that no caller
 * mistakes a part of the list for the whole list.
 */

/** The position of a page in its list: its URL, and how many pages and records come before the page. */
export type PagePosition = { url: string; pagesBefore: number; recordsBefore: number };

/**
 * The next page of a list. `unknown` is a page that exists and cannot be requested. `evidence` says how the
 * reply shows that the page exists: `"has_more"`.
 */
export type NextPage =
	| { kind: 'none' }
	| { kind: 'page'; position: PagePosition }
	| { kind: 'unknown'; evidence: string };

/** A page, and the facts about its list from which `findNextPage` finds the next page. */
export type PageInList = PagePosition & {
	/** The number of records on the page. */
	recordCount: number;
	/** The URL of the list, which is the URL of its first page: below `baseUrl`, without a slash after the path. */
	listUrl: string;
	/** The base URL of the account. */
	baseUrl: string;
	listedNoun: ListedNoun;
	/** The first announced `total`: the number of records in the list. */
	firstTotal?: number;
	/** The latest number of pages that an earlier page announced. */
	earlierPageCount?: number;
};

/**
 * Finds the next page, and the numbers of records and pages that the reply announces for the list.
 *
 * @param holders the objects that contain the list, the outermost first
 */
export function findNextPage(
	headers: ReplyHeaders,
	holders: readonly IDataObject[],
	page: PageInList,
): { nextPage: NextPage; total?: number; pageCount?: number } {
	const hints = findHints(headers, holders);
	const total = findTotal(hints, page);
	const pageCount = parseHint(hints, PAGE_COUNT, parseNumber);
	const link = findLink(hints);
	if (link !== undefined) return { nextPage: followLink(link, page), total, pageCount };
	const { earlierPageCount } = page;
	const evidence = findUnreadEvidence(hints, page, total, pageCount ?? earlierPageCount);
	const nextPage: NextPage =
		evidence === undefined ? { kind: 'none' } : { kind: 'unknown', evidence };
	return { nextPage, total, pageCount };
}

/** Returns the link to the next page, by rules 1 to 3 at the top of this file. */
function findLink(hints: readonly Hint[]): string | undefined {
	const link = parseHint(hints, /^next(_page)?(_(link|url|uri|href))?$/, parseLink);
	if (link !== undefined) return link;
	const current = parseHint(hints, /^current_page$/, parseNumber) ?? Infinity;
	const last = parseHint(hints, /^last_page$/, parseNumber) ?? 0;
	if (current < last) return `?page=${current + 1}`;
	const cursor = parseHint(hints, /^next_cursor$/, parseCursor);
	return cursor === undefined ? undefined : `?cursor=${encodeURIComponent(cursor)}`;
}

/** Returns the next page at a link. A link that leads out of the list is not followed. */
function followLink(link: string, page: PageInList): NextPage {
	const url = buildNextUrl(link, page);
	if (url === undefined) return { kind: 'unknown', evidence: `its link leads to ${link}` };
	const pagesBefore = page.pagesBefore + 1;
	const recordsBefore = page.recordsBefore + page.recordCount;
	return { kind: 'page', position: { url, pagesBefore, recordsBefore } };
}

/**
 * Returns the URL of the next page: the URL of the list, with the query of the link. Ignores the host of the
 * link, because requests to other hosts must not have the token. Behind a proxy, the service can send a link
 * with a wrong host, or with a path that lacks the start of the base URL's path. Undefined if the link leads out
 * of the list.
 */
function buildNextUrl(
	link: string,
	{ url: pageUrl, listUrl, baseUrl }: PageInList,
): string | undefined {
	const url = new URL(listUrl);
	const path = url.pathname.slice(new URL(baseUrl).pathname.length);
	const next = parseUrl(link, pageUrl);
	if (!next?.pathname.replace(/\/$/, '').endsWith(path)) return undefined;
	const listQuery = [...url.searchParams];
	url.search = next.search;
	for (const [name, value] of listQuery) url.searchParams.set(name, value);
	return url.href;
}

const PAGE_COUNT = /^(last_page|page_count|(total_?|num_)?pages)$/;
const PAGE_SIZE = /^(per_?page|page_size|limit|size)$/;

/** Whether an attribute with this name contains the number of records in a list: `total_responses`, `count`. */
function isRecordCount(name: string, listedNoun: ListedNoun): boolean {
	const [firstWord, ...laterWords] = name.split('_');
	const isKnown = (word: string) =>
		COUNT_WORD.test(word) || RECORD_WORDS[listedNoun].includes(word);
	return /^(total|count|num|number)$/.test(firstWord) && laterWords.every(isKnown);
}

const COUNT_WORD = /^(of|count|items|records|results|entries|rows)$/;

const RECORD_WORDS: Record<ListedNoun, readonly string[]> = {
	forms: ['forms'],
	fields: ['fields'],
	responses: ['responses', 'submissions'],
};

/** Matches names that announce more records: `has_more` and `next_page_token`, not `next_release`. */
const MORE_NAME =
	/^(?=(.*_)?(next|more)(_|$))((next|more|has|is|are|have|there|pages?|number|tokens?|cursor|ur[il]|link|href|key|id|offset|skip|start|after|from|marker|results|records|items|entries|rows|data|forms|fields|responses|submissions|available|exists?|left)(_|$))+$|^(is_)?truncated$|^incomplete_results$/;

/** Matches names that say whether the page is the last page: `is_last`, `last_page`. */
const END_NAME = /^(is_)?last(_page)?$/;

/** Whether a value is false. Unlike `parseBoolean`, does not read a number as false, such as `last_page: 0`. */
function isFalse(value: unknown): boolean {
	return value === false || value === 'false';
}

/**
 * Returns the number of records that the reply announces for the list. Undefined if the reply announces no
 * number.
 */
function findTotal(
	hints: readonly Hint[],
	{ listedNoun, recordsBefore, recordCount }: PageInList,
): number | undefined {
	const counts = hints.flatMap(({ name, value }) => {
		const count = isRecordCount(name, listedNoun) ? parseNumber(value) : undefined;
		// after the first page, a count that equals the number of records on this page is not the count of the list
		const isOfPage = count === recordCount && recordsBefore > 0;
		return count === undefined || isOfPage ? [] : [count];
	});
	return counts.length === 0 ? undefined : Math.max(...counts);
}

/**
 * Checks rules 4 to 6 at the top of this file. Returns the evidence that the list has unread records, such as
 * `"has_more"`. Undefined if there is no evidence.
 */
function findUnreadEvidence(
	hints: readonly Hint[],
	{ pagesBefore, recordsBefore, recordCount, firstTotal = Infinity }: PageInList,
	total = 0,
	pageCount = 0,
): string | undefined {
	const pages = pagesBefore + 1;
	const records = recordsBefore + recordCount;
	const currentPage = parseHint(hints, /^current_page$/, parseNumber);
	// if the page is the last page, and records are missing, another pass finds the missing records
	const isLastPage = currentPage !== undefined && currentPage === pageCount;
	// records that were added after the first page may be on pages that were already read
	if (Math.min(total, firstTotal) > records && !isLastPage)
		return `${total} records announced, ${records} sent`;
	if (pageCount > pages) return `${pageCount} pages announced, ${pages} sent`;
	const more = hints.find(({ name, value }) =>
		END_NAME.test(name) ? isFalse(value) : MORE_NAME.test(name) && hasContent(value),
	);
	if (more !== undefined) return `"${more.name}"`;
	const possiblePages = parseHint(hints, /^total$/, parseNumber) ?? 1;
	if (pages === 1 && possiblePages > 1 && possiblePages < records)
		return `${possiblePages} announced, ${records} sent`;
	// a `count` is left out, because it can be the count of the page
	const endNames = [PAGE_COUNT, MORE_NAME, /total/];
	const saysEnd = hints.some(
		({ name, value }) =>
			endNames.some((pattern) => pattern.test(name)) ||
			(END_NAME.test(name) && parseBoolean(value) === true),
	);
	if (pages > 1 || saysEnd) return undefined;
	if (parseHint(hints, /(^|_)cursor$/, parseCursor) !== undefined) return 'a cursor';
	if (parseHint(hints, PAGE_SIZE, parseNumber) !== recordCount) return undefined;
	return `a full page of ${recordCount} records`;
}
