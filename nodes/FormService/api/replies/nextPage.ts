import { pickBy, snakeCase } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { Headers } from '../request/limits';
import { readBoolean, readNumber } from '../readers';
import { isSingleRecord, isRecord } from '../records';
import { parseUrl } from '../url';

/*
 * How the next page of a list is found. The specification leaves open how a long list is sent (section 4).
 * The attributes next to the list, in objects such as `links` and `meta` there, and the headers decide. The
 * first rule that applies counts; names are compared in one spelling, `nextPageUrl` as `next_page_url`:
 *
 * 1. A link to the next page is followed.   {"next_page_url": "https://…?page=2"}
 *    {"links": {"next": "/…?page=2"}}       {"_links": {"next": {"href": "?page=2"}}}
 *    Link: </…?page=2>; rel="next"          {"links": [{"rel": "next", "href": "?page=2"}]}
 * 2. Before the last page, the number after the current page is sent as `page`.
 *    {"meta": {"current_page": 1, "last_page": 3}}
 * 3. A cursor is sent as `cursor`.          {"next_cursor": "c2"}
 * 4. If more records or pages are announced than were read, the next page is unknown.
 *    {"total": 25}  {"meta": {"total_pages": 3}}  X-Total-Count: 25  Content-Range: items 0-9/25
 * 5. So it is if anything else says "more" or "next".   {"has_more": true}  {"nextPageToken": "c2"}
 * 6. So it is if the first page is full or has a cursor, and no name of the rules 1 to 5 is there.
 *    {"per_page": 10} with 10 records       {"cursor": "c2"}
 *
 * Otherwise, the list ends. An unknown page is an error: a part is never mistaken for the whole.
 */

/** Where the next page of a list is, as a whole URL; or that there is one, and what says so. */
export type NextPage =
	| { kind: 'none' }
	| { kind: 'at'; url: string }
	| { kind: 'unknown'; says: string };

/** This page's whole URL; the pages and records read, this page included; the records of this page. */
export type ListSoFar = { url: string; pages: number; inAll: number; shown: number };

/** @param around the objects that hold the list, outermost first */
export function findNextPage(
	headers: Headers,
	around: readonly IDataObject[],
	soFar: ListSoFar,
): NextPage {
	const total = String(headers['content-range'] ?? '').split('/')[1];
	const inHeaders = { ...headers, ...pickBy({ total, next: findNextInLink(headers.link) }) };
	const hints = [...around.toReversed(), inHeaders].flatMap((holder) => listHints(holder));
	const url = new URL(soFar.url);
	const link = readHint(hints, /^next(_page)?(_(link|url|uri|href))?$/, readLink);
	if (link !== undefined) return { kind: 'at', url: parseUrl(link, url.href)?.href ?? link };
	const current = readHint(hints, /^current_page$/, readNumber) ?? Infinity;
	const last = readHint(hints, /^last_page$/, readNumber) ?? 0;
	const cursor = readHint(hints, /^next_cursor$/, readCursor);
	const says = findMore(hints, soFar);
	if (current < last) url.searchParams.set('page', String(current + 1));
	else if (cursor !== undefined) url.searchParams.set('cursor', cursor);
	else return says === undefined ? { kind: 'none' } : { kind: 'unknown', says };
	return { kind: 'at', url: url.href };
}

const PAGES = /^(last_?page|page_?count|((total|num|max|number_of)_?)?pages(_(count|total))?)$/;
const RECORDS =
	/^(?=.*(total|count|num|found))((total|count|num|number|of|found|size|items?|records?|results?|elements?|entries|rows|hits|responses?|submissions?|forms?|fields?)(_|$))+$/;
const MORE = /(^|_)(next|more)(_|$)/;
const PAGE_SIZE = /^(per_?page|page_?size|limit|size)$/;

/** What says that the list goes on beyond what was read, by the rules 4 to 6. */
function findMore(hints: readonly Hint[], { pages, inAll, shown }: ListSoFar): string | undefined {
	for (const { name, plain, value } of hints) {
		const count = readNumber(value) ?? 0;
		if (PAGES.test(plain) && count > pages) return `${count} pages announced, ${pages} sent`;
		if (RECORDS.test(plain) && count > inAll) return `${count} records announced, ${inAll} sent`;
		if (MORE.test(plain) && isGiven(value)) return `"${name}"`;
	}
	// not by a `count`, which can be that of the page alone
	const saysEnd = hints.some(({ plain }) => [PAGES, MORE, /total/].some((one) => one.test(plain)));
	if (pages > 1 || saysEnd) return undefined;
	if (readHint(hints, /(^|_)cursor$/, readCursor) !== undefined) return 'a cursor';
	return hints.some(({ plain, value }) => PAGE_SIZE.test(plain) && Number(value) === shown)
		? `a full page of ${shown} records`
		: undefined;
}

/** An attribute of a reply, or a header, with its name in one spelling. */
type Hint = { name: string; plain: string; value: unknown };

const PAGING =
	/(^|_)(links?|meta(data)?|pag(e|es|ing|inat(ion|or|ed)|er)|cursors?|info|view|navigation)(_|$)/;

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
function listHints(holder: IDataObject | Headers, isPaging = false): Hint[] {
	return Object.entries(holder).flatMap(([name, value]: [string, unknown]) => {
		const plain = snakeCase(name).replace(/^x_/, '');
		if (isSingleRecord(holder as IDataObject) && !BESIDE_IN_FORM.test(plain)) return [];
		const hint = { name, plain, value };
		if (UNRELATED.test(plain) || !(isPaging || PAGING.test(plain))) return [hint];
		if (Array.isArray(value)) return [hint, ...value.filter(isRecord).flatMap(readListedLink)];
		return [hint, ...(isRecord(value) ? listHints(value, true) : [])];
	});
}

/** The next link in a list of links: `{rel: 'next', href}`, or Laravel's `{label: 'Next &raquo;', url}`. */
function readListedLink({ rel, label, url, href }: IDataObject): Hint[] {
	return /\bnext\b/i.test(JSON.stringify([rel, label])) ? listHints({ next: url ?? href }) : [];
}

/** `<target>; name=value; name="quoted"` (RFC 8288, section 3), several with commas between them. */
const LINK = /<([^<>]*)>((?:[^<>",]|"[^"]*")*)/g;
const PARAMETER = /;\s*([^\s;="]+)\s*=\s*(?:"([^"]*)"|([^\s;"]*))/g;

/** The target of the first link to a next page. A link with an anchor belongs to something else. */
export function findNextInLink(header: unknown): string | undefined {
	for (const [, target, parameters] of [header].flat().join(', ').matchAll(LINK)) {
		const given = [...parameters.matchAll(PARAMETER)];
		const findParameter = (wanted: string) =>
			given.find(([, name]) => name.toLowerCase() === wanted);
		// only the first "rel" of a link counts
		const [, , quoted = '', relations = quoted] = findParameter('rel') ?? [];
		if (/(^|\s)next(\s|$)/i.test(relations) && !findParameter('anchor')) return target;
	}
	return undefined;
}

/** What can be read from the values of these names, the nearest to the list first. */
function readHint<T>(
	hints: readonly Hint[],
	names: RegExp,
	read: (value: unknown) => T | undefined,
) {
	const values = hints.filter(({ plain }) => names.test(plain)).map(({ value }) => read(value));
	return values.find((value) => value !== undefined);
}

/** A URL or a path; a cursor in Base64 can have a slash in it, but no question mark. */
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
	return Boolean(value) && value !== 'null' && readBoolean(value) !== false;
}
