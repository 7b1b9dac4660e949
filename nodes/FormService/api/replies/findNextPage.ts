import { snakeCase } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { parseBoolean, parseNumber } from '../parseValues';
import { isRecord, isSingleRecord } from '../records';
import type { ReplyHeaders } from '../request/sendOnce';

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
 * 4. If more records or pages are announced than were read, the next page is unknown.
 *    {"total": 25}  {"meta": {"total_pages": 3}}  X-Total-Count: 25
 * 5. So it is if anything else says "more" or "next".   {"has_more": true}  {"nextPageToken": "c2"}
 * 6. So it is if the first page is full or has a cursor, and no name of the rules 1 to 5 is there.
 *    {"per_page": 10} with 10 records       {"cursor": "c2"}
 *
 * Otherwise, the list ends. An unknown page is an error: a part is never mistaken for the whole.
 */

/** The link to the next page, which can be a query alone; or that there is one, and what says so. */
export type NextPage =
	| { kind: 'none' }
	| { kind: 'at'; link: string }
	| { kind: 'unknown'; says: string };

/** The pages and records read, this page included; the records of this page. */
export type ListProgress = { pages: number; inAll: number; shown: number };

/** @param around the objects that hold the list, outermost first */
export function findNextPage(
	headers: ReplyHeaders,
	around: readonly IDataObject[],
	soFar: ListProgress,
): NextPage {
	const next = findNextInHeader(headers.link);
	const inHeaders = next === undefined ? headers : { ...headers, next };
	const hints = [...around.toReversed(), inHeaders].flatMap((holder) => listHints(holder));
	const link = readHint(hints, /^next(_page)?(_(link|url|uri|href))?$/, readLink);
	if (link !== undefined) return { kind: 'at', link };
	const current = readHint(hints, /^current_page$/, parseNumber) ?? Infinity;
	const last = readHint(hints, /^last_page$/, parseNumber) ?? 0;
	if (current < last) return { kind: 'at', link: `?page=${current + 1}` };
	const cursor = readHint(hints, /^next_cursor$/, readCursor);
	if (cursor !== undefined) return { kind: 'at', link: `?cursor=${encodeURIComponent(cursor)}` };
	const says = findMore(hints, soFar);
	return says === undefined ? { kind: 'none' } : { kind: 'unknown', says };
}

const PAGES = /^(last_page|page_count|(total_|num_)?pages)$/;
const RECORDS = /^(total|count|num|number)(_(of|count|items|records|results|responses|forms))*$/;
const MORE = /(^|_)(next|more)(_|$)/;
const PAGE_SIZE = /^(per_?page|page_size|limit|size)$/;

/** What says that the list goes on beyond what was read, by the rules 4 to 6. */
function findMore(
	hints: readonly Hint[],
	{ pages, inAll, shown }: ListProgress,
): string | undefined {
	for (const { name, value } of hints) {
		const count = parseNumber(value) ?? 0;
		if (PAGES.test(name) && count > pages) return `${count} pages announced, ${pages} sent`;
		if (RECORDS.test(name) && count > inAll) return `${count} records announced, ${inAll} sent`;
		if (MORE.test(name) && isGiven(value)) return `"${name}"`;
	}
	// not by a `count`, which can be that of the page alone
	const saysEnd = hints.some(({ name }) => [PAGES, MORE, /total/].some((one) => one.test(name)));
	if (pages > 1 || saysEnd) return undefined;
	if (readHint(hints, /(^|_)cursor$/, readCursor) !== undefined) return 'a cursor';
	if (readHint(hints, PAGE_SIZE, parseNumber) !== shown) return undefined;
	return `a full page of ${shown} records`;
}

/** An attribute of a reply, or a header, with its name in one spelling. */
type Hint = { name: string; value: unknown };

const PAGING = /^(links?|meta(data)?|pag(e|es|ing|ination|inator|er)|page_info|cursors?)$/;

/** Whether an attribute next to a list describes the pages of the list, by its name. */
export function isPagingName(name: string): boolean {
	return PAGING.test(snakeCase(name));
}

/** Objects that are about another page, or about no page at all. */
const UNRELATED = /^(next|prev(ious)?|first|last|self)(_|$)|(^|_)(rate|quota|usage|limits?)(_|$)/;

/** A form's record that holds a list also has attributes of the form, such as `pages` and `limit`. */
const BESIDE_IN_FORM =
	/^(links|meta|pagination|next(_(page|link|url|cursor))*|has_more|(current|last)_page|total)$/;

/** @param isPaging whether the holder and all objects in it describe the pages of the list */
function listHints(holder: IDataObject | ReplyHeaders, isPaging = false): Hint[] {
	const isForm = isSingleRecord(holder as IDataObject);
	return Object.entries(holder).flatMap(([spelling, value]: [string, unknown]) => {
		const name = snakeCase(spelling).replace(/^x_/, '');
		if (isForm && !BESIDE_IN_FORM.test(name)) return [];
		const isInside = isRecord(value) && !UNRELATED.test(name) && (isPaging || PAGING.test(name));
		return [{ name, value }, ...(isInside ? listHints(value, true) : [])];
	});
}

/** The target of a link to the next page, in the header Link: `<target>; rel="next"` (RFC 8288, section 3). */
function findNextInHeader(header: unknown): string | undefined {
	return /<([^<>]*)>[^<>]*;\s*rel="?next\b/i.exec([header].flat().join(', '))?.[1];
}

/** What can be read from the values of these names, the nearest to the list first. */
function readHint<T>(
	hints: readonly Hint[],
	names: RegExp,
	read: (value: unknown) => T | undefined,
): T | undefined {
	const values = hints.filter(({ name }) => names.test(name)).map(({ value }) => read(value));
	return values.find((value) => value !== undefined);
}

/** A URL, a path or a query; a cursor in Base64 can have a slash in it, but no question mark. */
function readLink(value: unknown): string | undefined {
	if (isRecord(value)) return readLink(value.href ?? value.url);
	const link = /^([a-z][a-z\d+.-]*:\/\/|\/|\?|\.)|^[^\s?]+\?\S+=/i;
	return typeof value === 'string' && link.test(value) ? value : undefined;
}

function readCursor(value: unknown): string | undefined {
	return typeof value !== 'object' && value !== true && isGiven(value) ? String(value) : undefined;
}

/** Whether a value says more than no; PHP sends an empty object as an empty list. */
function isGiven(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.values(value).some(isGiven);
	return Boolean(value) && value !== 'null' && parseBoolean(value) !== false;
}
