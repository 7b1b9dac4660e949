import type { IDataObject } from 'n8n-workflow';
import type { ListedNoun } from '../endpoints';
import { parseNumber } from '../parseValues';
import type { ReplyHeaders } from '../request/rateLimit';
import { parseUrl } from '../url';
import { findHints, hasContent, parseCursor, parseHint, parseLink, type Hint } from './pagingHints';

/*
 * How the next page of a list is found. The specification leaves open how a long list is sent (section 4).
 * The attributes next to the list, in objects such as `links` and `meta` there, and the headers decide. The
 * first rule that applies counts; names are compared in one spelling, `nextPageUrl` as `next_page_url`:
 *
 * 1. A link to the next page is followed.   {"next_page_url": "https://…?page=2"}
 *    {"links": {"next": "/…?page=2"}}       {"_links": {"next": {"href": "?page=2"}}}
 *    Link: </…?page=2>; rel="next"
 * 2. Before the last page, the number after the current page is sent as `page`.
 *    {"meta": {"current_page": 1, "last_page": 3}}
 * 3. A cursor is sent as `cursor`.          {"next_cursor": "c2"}
 * 4. If more records or pages are announced than were read, the next page is unknown. A number of other records
 *    does not count, such as {"total_responses": 523} in a list of forms.
 *    {"total": 25}  {"meta": {"total_pages": 3}}  X-Total-Count: 25
 *    On the first page, a `total` that is lower than the number of records may be the number of pages.
 *    {"page": {"number": 1, "total": 3}} with 10 records
 * 5. The next page is also unknown if another paging name says "more" or "next".
 *    {"has_more": true}                     {"nextPageToken": "c2"}
 * 6. The next page is also unknown if the first page is full or has a cursor, and no name of the rules 1 to 5 is
 *    present.
 *    {"per_page": 10} with 10 records       {"cursor": "c2"}
 *
 * Otherwise, the list ends. If the next page is unknown, a request for the next page fails, so that no caller
 * takes a part for the whole list.
 */

/** The position of a page in its list: its URL, and how many pages and records come before the page. */
export type PagePosition = { url: string; pagesBefore: number; recordsBefore: number };

/**
 * The page after a page. `unknown` is a page that cannot be requested, and `evidence` says how the reply
 * announces the page: `"has_more"`.
 */
export type NextPage =
	| { kind: 'none' }
	| { kind: 'page'; position: PagePosition }
	| { kind: 'unknown'; evidence: string };

/** A page and its list. */
export type PageInList = PagePosition & {
	/** The number of records on the page. */
	recordCount: number;
	/** The URL of the list: the URL of its first page. */
	listUrl: string;
	/** The base URL of the account. */
	baseUrl: string;
	listedNoun: ListedNoun;
	/** The number of records that the list has, from the first page that announced a number. */
	firstTotal?: number;
};

/**
 * Finds the page after a page, and how many records the list announces.
 *
 * @param holders the objects that contain the list, the outermost first
 */
export function findNextPage(
	headers: ReplyHeaders,
	holders: readonly IDataObject[],
	page: PageInList,
): { nextPage: NextPage; total?: number } {
	const hints = findHints(headers, holders);
	const total = findTotal(hints, page);
	const link = findLink(hints);
	if (link !== undefined) return { nextPage: followLink(link, page), total };
	const evidence = findUnreadEvidence(hints, page, total);
	return {
		nextPage: evidence === undefined ? { kind: 'none' } : { kind: 'unknown', evidence },
		total,
	};
}

/** Returns the link to the next page, by rules 1 to 3. */
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
 * link. Only the host of the list may get the token, and a service behind a proxy may not know its own address.
 * Undefined if the link leads out of the list.
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

const PAGE_COUNT = /^(last_page|page_count|(total_|num_)?pages)$/;
const PAGE_SIZE = /^(per_?page|page_size|limit|size)$/;

/** Whether an attribute with this name has the number of records in a list: `total_responses`, `count`. */
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

/** Matches `has_more`, `next_page_token` and `more_records`, but not `next_release` and `next_button`. */
const MORE_NAME =
	/^(?=(.*_)?(next|more)(_|$))((next|more|has|is|are|have|there|pages?|number|tokens?|cursor|ur[il]|link|href|key|id|offset|skip|start|after|from|marker|results|records|items|entries|rows|data|forms|fields|responses|submissions|available|exists?|left)(_|$))+$/;

/** Returns how many records the list has, as the reply announces. Undefined if the reply announces no number. */
function findTotal(
	hints: readonly Hint[],
	{ listedNoun, recordsBefore, recordCount }: PageInList,
): number | undefined {
	const counts = hints.flatMap(({ name, value }) => {
		const count = isRecordCount(name, listedNoun) ? parseNumber(value) : undefined;
		// a count that equals the records of this page, and not of all pages, is about this page
		const isOfPage = count === recordCount && recordsBefore > 0;
		return count === undefined || isOfPage ? [] : [count];
	});
	return counts.length === 0 ? undefined : Math.max(...counts);
}

/**
 * Returns the evidence that the list has more records than were read, by rules 4 to 6. Undefined if there is no
 * evidence.
 */
function findUnreadEvidence(
	hints: readonly Hint[],
	{ pagesBefore, recordsBefore, recordCount, firstTotal = Infinity }: PageInList,
	total = 0,
): string | undefined {
	const pages = pagesBefore + 1;
	const records = recordsBefore + recordCount;
	// records that were added after the first page may be on pages that were already read
	if (Math.min(total, firstTotal) > records) return `${total} records announced, ${records} sent`;
	for (const { name, value } of hints) {
		const count = parseNumber(value) ?? 0;
		if (PAGE_COUNT.test(name) && count > pages) return `${count} pages announced, ${pages} sent`;
		if (MORE_NAME.test(name) && hasContent(value)) return `"${name}"`;
	}
	const possiblePages = parseHint(hints, /^total$/, parseNumber) ?? 1;
	if (pages === 1 && possiblePages > 1 && possiblePages < records)
		return `${possiblePages} announced, ${records} sent`;
	// a `count` is left out, because it can be the count of the page
	const endNames = [PAGE_COUNT, MORE_NAME, /total/];
	const saysEnd = hints.some(({ name }) => endNames.some((pattern) => pattern.test(name)));
	if (pages > 1 || saysEnd) return undefined;
	if (parseHint(hints, /(^|_)cursor$/, parseCursor) !== undefined) return 'a cursor';
	if (parseHint(hints, PAGE_SIZE, parseNumber) !== recordCount) return undefined;
	return `a full page of ${recordCount} records`;
}
