import { snakeCase } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { ListedNoun } from '../endpoints';
import { parseBoolean, parseNumber } from '../parseValues';
import { isRecord, isSingleRecord } from '../records';
import type { ReplyHeaders } from '../request/rateLimit';

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
 * 5. The next page is also unknown if another paging name says "more" or "next".
 *    {"has_more": true}                     {"nextPageToken": "c2"}
 * 6. The next page is also unknown if the first page is full or has a cursor, and no name of the rules 1 to 5 is
 *    present.
 *    {"per_page": 10} with 10 records       {"cursor": "c2"}
 *
 * Otherwise, the list ends. If the next page is unknown, reading the list fails, so that no caller takes a part for the whole list.
 */

/**
 * The link to the next page, such as `?page=2`. If the reply shows a next page without a link, `evidence` is
 * the attribute that shows the next page.
 */
export type NextPage =
	| { kind: 'none' }
	| { kind: 'link'; link: string }
	| { kind: 'unknown'; evidence: string };

/** The numbers of pages and records of a list that were read so far. */
export type PageCounts = {
	/** The number of pages that were read, including this page. */
	pages: number;
	/** The number of records that were read, including the records of this page. */
	records: number;
	/** The number of records on this page. */
	pageRecords: number;
	listedNoun: ListedNoun;
	/** The number of records that the list has, from the first page that announced a number. */
	firstTotal?: number;
};

/**
 * Finds the next page of a list, and how many records the list announces.
 *
 * @param holders the objects that contain the list, the outermost first
 */
export function findNextPage(
	headers: ReplyHeaders,
	holders: readonly IDataObject[],
	progress: PageCounts,
): { nextPage: NextPage; total?: number } {
	const next = findNextInHeader(headers.link);
	const headersWithLink = next === undefined ? headers : { ...headers, next };
	const hints = [...holders.toReversed(), headersWithLink].flatMap((parent) =>
		collectHints(parent),
	);
	const total = findTotal(hints, progress);
	return { nextPage: findByRules(hints, progress, total), total };
}

function findByRules(
	hints: readonly Hint[],
	progress: PageCounts,
	total: number | undefined,
): NextPage {
	const link = parseHint(hints, /^next(_page)?(_(link|url|uri|href))?$/, parseLink);
	if (link !== undefined) return { kind: 'link', link };
	const current = parseHint(hints, /^current_page$/, parseNumber) ?? Infinity;
	const last = parseHint(hints, /^last_page$/, parseNumber) ?? 0;
	if (current < last) return { kind: 'link', link: `?page=${current + 1}` };
	const cursor = parseHint(hints, /^next_cursor$/, parseCursor);
	if (cursor !== undefined) return { kind: 'link', link: `?cursor=${encodeURIComponent(cursor)}` };
	const evidence = findUnreadEvidence(hints, progress, total);
	return evidence === undefined ? { kind: 'none' } : { kind: 'unknown', evidence };
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
	{ records, pageRecords, listedNoun }: PageCounts,
): number | undefined {
	const counts = hints.flatMap(({ name, value }) => {
		const count = isRecordCount(name, listedNoun) ? parseNumber(value) : undefined;
		// a count that equals the records of this page, and not of all pages, is about this page
		const isOfPage = count === pageRecords && count < records;
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
	{ pages, records, pageRecords, firstTotal = Infinity }: PageCounts,
	total = 0,
): string | undefined {
	// records that were added after the first page may be on pages that were already read
	if (Math.min(total, firstTotal) > records) return `${total} records announced, ${records} sent`;
	for (const { name, value } of hints) {
		const count = parseNumber(value) ?? 0;
		if (PAGE_COUNT.test(name) && count > pages) return `${count} pages announced, ${pages} sent`;
		if (MORE_NAME.test(name) && hasContent(value)) return `"${name}"`;
	}
	// a `count` is left out, because it can be the count of the page
	const endNames = [PAGE_COUNT, MORE_NAME, /total/];
	const saysEnd = hints.some(({ name }) => endNames.some((pattern) => pattern.test(name)));
	if (pages > 1 || saysEnd) return undefined;
	if (parseHint(hints, /(^|_)cursor$/, parseCursor) !== undefined) return 'a cursor';
	if (parseHint(hints, PAGE_SIZE, parseNumber) !== pageRecords) return undefined;
	return `a full page of ${pageRecords} records`;
}

/**
 * An attribute or a header of a reply that can be about the next page. Names are in one spelling: `nextPageUrl`
 * becomes `next_page_url`.
 */
type Hint = { name: string; value: unknown };

const PAGING = /^(links?|meta(data)?|pag(e|es|ing|ination|inator|er)|page_info|cursors?)$/;

/** Whether an attribute with this name describes the pages of a list: `links`, `meta`, `pagination`. */
export function isPagingName(name: string): boolean {
	return PAGING.test(snakeCase(name));
}

/** Matches names of objects that are not about the next page, such as `prev` and `rate_limit`. */
const UNRELATED_NAME =
	/^(next|prev(ious)?|first|last|self)(_|$)|(^|_)(rate|quota|usage|limits?)(_|$)/;

/**
 * Matches names of attributes that describe the pages of a list even in the record of a form. In such a record,
 * other attributes, such as `pages` and `limit`, describe the form.
 */
const PAGING_NAME_IN_FORM =
	/^(links|meta|pagination|next(_(page|link|url|cursor))*|has_more|(current|last)_page|total)$/;

/**
 * Returns the attributes of an object that can describe the pages of a list. Also searches nested objects whose
 * names refer to pages, such as `links` and `meta`.
 *
 * @param isPaging whether `parent` itself is such an object. The function then searches all nested objects
 * except those with an `UNRELATED_NAME`
 */
function collectHints(parent: IDataObject | ReplyHeaders, isPaging = false): Hint[] {
	const isForm = isSingleRecord(parent as IDataObject);
	return Object.entries(parent).flatMap(([spelling, value]: [string, unknown]) => {
		const name = snakeCase(spelling).replace(/^x_/, '');
		if (isForm && !PAGING_NAME_IN_FORM.test(name)) return [];
		const isInside =
			isRecord(value) && !UNRELATED_NAME.test(name) && (isPaging || PAGING.test(name));
		return [{ name, value }, ...(isInside ? collectHints(value, true) : [])];
	});
}

/** Finds the link to the next page in the header `Link: <target>; rel="next"` (RFC 8288, section 3). */
function findNextInHeader(header: unknown): string | undefined {
	const text = [header].flat().join(', ');
	// `rel` has one type or several: rel=next, rel="prev next", but not rel="next-archive"
	return /<([^<>]*)>[^<>]*;\s*rel=(?:next(?![\w-])|"(?:[^"]*\s)?next[\s"])/i.exec(text)?.[1];
}

/**
 * Returns the first readable value of an attribute whose name matches `names`. Hints that are nearer to the
 * list come first.
 *
 * @param read returns the readable value, or undefined
 */
function parseHint<T>(
	hints: readonly Hint[],
	names: RegExp,
	read: (value: unknown) => T | undefined,
): T | undefined {
	const values = hints.filter(({ name }) => names.test(name)).map(({ value }) => read(value));
	return values.find((value) => value !== undefined);
}

/**
 * Returns a link: a URL, a path or a query. Undefined for any other text, such as a cursor. A cursor in Base64
 * can contain a slash, but no question mark.
 */
function parseLink(value: unknown): string | undefined {
	if (isRecord(value)) return parseLink(value.href ?? value.url);
	const link = /^([a-z][a-z\d+.-]*:\/\/|\/|\?|\.)|^[^\s?]+\?\S+=/i;
	return typeof value === 'string' && link.test(value) ? value : undefined;
}

function parseCursor(value: unknown): string | undefined {
	return typeof value !== 'object' && value !== true && hasContent(value)
		? String(value)
		: undefined;
}

/**
 * Whether a value has content. False for an empty text, for false, and for a word that means no. False for a
 * list or an object that has only values without content.
 */
function hasContent(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.values(value).some(hasContent);
	return Boolean(value) && value !== 'null' && parseBoolean(value) !== false;
}
