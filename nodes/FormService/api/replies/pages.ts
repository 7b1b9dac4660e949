import type { IDataObject } from 'n8n-workflow';
import { announcesMore, countsMore, saysThereIsMore } from './more';
import { asNumber, isNumber, lastPageIn, offsetIn } from './pageNumbers';
import { isRecord } from '../records';
import { parseUrl } from '../request/url';

/** Where the next page of a listing is, as a whole URL; or that there is one and nothing says where. */
export type NextPage = { kind: 'none' } | { kind: 'at'; url: string } | { kind: 'unknown' };

/**
 * Finds the next page in what stands around a list: a link, a number or a cursor, in `links`,
 * `meta` or beside the list.
 *
 * @param around the objects that hold the list, outermost first
 * @param currentUrl the whole URL of this page
 * @param shown how many records the first page has; left out for later pages
 */
export function nextPage(
	around: readonly IDataObject[],
	currentUrl: string,
	shown = Infinity,
): NextPage {
	const places = [...around].reverse().flatMap(placesIn);
	const link = firstOf(places, linkIn);
	if (link !== undefined) return { kind: 'at', url: parseUrl(link, currentUrl)?.href ?? link };
	const number = firstOf(places, pageNumberIn);
	if (number !== undefined) return { kind: 'at', url: withQuery(currentUrl, 'page', number) };
	const cursor = firstOf(places, cursorIn);
	if (cursor !== undefined) return { kind: 'at', url: withQuery(currentUrl, 'cursor', cursor) };
	const offset = firstOf(places, offsetIn);
	if (offset !== undefined) return { kind: 'at', url: withQuery(currentUrl, 'offset', offset) };
	const goesOn = places.some((place) => announcesMore(place) || countsMore(place, shown));
	return goesOn ? { kind: 'unknown' } : { kind: 'none' };
}

const PLACES = [
	'links',
	'_links',
	'meta',
	'pagination',
	'paging',
	'cursor',
	'cursors',
	'page_info',
	'pageInfo',
];

/** An object beside a list, with what it holds about pages. */
function placesIn(object: IDataObject): IDataObject[] {
	const inner = PLACES.map((key) => object[key]);
	const nested = inner.filter(isRecord).flatMap((one) => [one, one.pagination, one.links]);
	return [object, ...inner, ...nested]
		.flatMap((one) => (Array.isArray(one) ? linkList(one) : [one]))
		.filter(isRecord);
}

/** `[{rel: 'next', url}]` and `[{label: 'Next', url}]` as `{next: url}`. */
function linkList(links: unknown[]): IDataObject[] {
	return links
		.filter(isRecord)
		.filter(
			({ rel, label }) => rel === 'next' || (typeof label === 'string' && /\bnext\b/i.test(label)),
		)
		.map(({ url, href }) => ({ next: url ?? href }) as IDataObject);
}

const LINK_NAMES = [
	'next',
	'next_page_url',
	'next_url',
	'next_link',
	'nextLink',
	'nextPageUrl',
	'next_page',
	'nextPage',
];

function linkIn(place: IDataObject): string | undefined {
	return LINK_NAMES.map((name) => urlIn(place[name])).find((url) => url !== undefined);
}

function urlIn(value: unknown): string | undefined {
	if (typeof value === 'string') return /^(https?:|\/|\?|\.)/i.test(value) ? value : undefined;
	return isRecord(value) ? (urlIn(value.href) ?? urlIn(value.url)) : undefined;
}

function pageNumberIn(place: IDataObject): number | undefined {
	const next = [place.next_page, place.nextPage, place.next].map(asNumber).find(isNumber);
	if (next !== undefined) return next;
	const current = [place.current_page, place.currentPage, place.page].map(asNumber).find(isNumber);
	if (current === undefined) return undefined;
	const last = lastPageIn(place);
	if (last !== undefined) return current < last ? current + 1 : undefined;
	return saysThereIsMore(place) ? current + 1 : undefined;
}

function cursorIn({ next_cursor, nextCursor, next }: IDataObject): string | undefined {
	return [asCursor(next_cursor), asCursor(nextCursor), next].find(
		(cursor): cursor is string => typeof cursor === 'string' && cursor !== '',
	);
}

/** A number is a cursor as well, but for 0, which some services give for the end. */
function asCursor(value: unknown): unknown {
	return typeof value === 'number' && value > 0 ? String(value) : value;
}

function firstOf<T>(
	places: readonly IDataObject[],
	find: (place: IDataObject) => T | undefined,
): T | undefined {
	return places.map(find).find((found) => found !== undefined && found !== null);
}

function withQuery(url: string, name: string, value: string | number): string {
	const next = new URL(url);
	next.searchParams.set(name, String(value));
	return next.href;
}
