import type { IDataObject } from 'n8n-workflow';
import type { Headers } from '../rateLimiter/limits';
import { isRecord, saysNo, saysYes } from '../records';
import { parseUrl } from '../url';
import { pageInfoIn } from './pageInfo';
import type { PageInfo } from './pageInfo';

/** Where the next page of a list is, as a whole URL; or that there is one, and what says so. */
export type NextPage =
	| { kind: 'none' }
	| { kind: 'at'; url: string }
	| { kind: 'unknown'; says: string };

/** How far a list has been read. */
export type ListSoFar = {
	/** The whole URL of this page. */
	url: string;
	/** Pages read, this one included. */
	pages: number;
	/** Records read, those of this page and repeated ones included. */
	records: number;
	/** Records of this page. */
	shown: number;
};

/**
 * Finds the next page of a list: a link to it, else the number after `current_page` up to `last_page`,
 * else `next_cursor`, sent back as `cursor`. If there is none of these, but anything announces more or
 * counts more than was read, the list must not be taken for whole.
 *
 * @param around the objects that hold the list, outermost first
 */
export function nextPage(
	headers: Headers,
	around: readonly IDataObject[],
	soFar: ListSoFar,
): NextPage {
	const infos = pageInfoIn(headers, around);
	const link = firstOf(infos, nextLink);
	if (link !== undefined) {
		return { kind: 'at', url: parseUrl(link, soFar.url)?.href ?? link };
	}
	const parameter = firstOf(infos, nextNumber) ?? firstOf(infos, nextCursor);
	if (parameter !== undefined) {
		const url = new URL(soFar.url);
		url.searchParams.set(...parameter);
		return { kind: 'at', url: url.href };
	}
	const query = new URL(soFar.url).searchParams;
	const says = firstOf(infos, (info) => announcement(info, query)) ?? contradiction(infos, soFar);
	return says === undefined ? { kind: 'none' } : { kind: 'unknown', says };
}

const NEXT_LINK = /^next(_(page|records|results|set))?(_(link|url|uri|href|path))?$/;
const CURRENT_PAGE = /^(current_?page|page|page_(number|num|no|index))$/;
const LAST_PAGE =
	/^(last_?page|total_?pages|page_?count|pages|(number_of|num|max)_pages|pages?_total|last)$/;
const NEXT = /^((page|cursor|link|url)_)?next(_|$)/;
const CONTINUATION =
	/^(ms_)?continu(e|ation)(_|$)|^(last_evaluated_key|scroll_id|bookmark|(after|end)_cursor)$/;
const MORE = /^((has_)?(more|next)(_[a-z]+)*|(is_)?truncated|exceeded_transfer_limit)$/;
const LAST = /^(is_)?(last(_page|_batch|_chunk)?|done|eof|exhausted)$/;
const SIZE = /^(per_?page|page_?size|limit|size|max_results|items_per_page|count_per_page)$/;
const TOTAL =
	/^(total|num_found|total_?(count|items|results|records|elements|size|entries|rows|hits|responses)|count_total)$/;
/** A count of the whole list, or of the page alone. */
const COUNT = /^(count|found|(items?|records?|results?)_(count|total))$/;

function nextLink(info: PageInfo): string | undefined {
	return firstOf(valuesOf(info, NEXT_LINK), asLink);
}

function nextNumber(info: PageInfo): [string, string] | undefined {
	const current = firstOf(valuesOf(info, CURRENT_PAGE), asCount);
	const last = firstOf(valuesOf(info, LAST_PAGE), asCount);
	const goesOn = current !== undefined && last !== undefined && current < last;
	return goesOn ? ['page', String(current + 1)] : undefined;
}

function nextCursor(info: PageInfo): [string, string] | undefined {
	const cursor = valuesOf(info, /^next_cursor$/).find(isGiven);
	const isText = typeof cursor === 'string' || typeof cursor === 'number';
	return isText ? ['cursor', String(cursor)] : undefined;
}

/** The name of an attribute that says that the list continues. */
function announcement(info: PageInfo, query: URLSearchParams): string | undefined {
	const isEnd = saysTheEnd(info);
	const isPosition = (name: string, value: unknown) =>
		(/^(after|cursor)$/.test(name) || (name === 'offset' && asCount(value) === undefined)) &&
		(typeof value === 'string' || typeof value === 'number') &&
		// it can also repeat where this page begins
		query.get(name) !== String(value);
	const found = info.find(
		({ plain, value }) =>
			(NEXT.test(plain) && isGiven(value)) ||
			(MORE.test(plain) && saysYes(value)) ||
			(LAST.test(plain) && (value === false || value === 'false')) ||
			(!isEnd && CONTINUATION.test(plain) && isGiven(value)) ||
			(!isEnd && isPosition(plain, value) && isGiven(value)),
	);
	return found && `"${found.name}"`;
}

function saysTheEnd(info: PageInfo): boolean {
	return info.some(
		({ plain, value }) =>
			(NEXT.test(plain) && !isGiven(value)) ||
			(MORE.test(plain) && saysNo(value)) ||
			(LAST.test(plain) && (value === true || value === 'true')),
	);
}

/** A count of records or of pages that is larger than what was read. */
function contradiction(infos: readonly PageInfo[], soFar: ListSoFar): string | undefined {
	const countsOf = (names: RegExp) =>
		infos.flatMap((info) => valuesOf(info, names).map(asCount)).filter((one) => one !== undefined);
	const totals = countsOf(TOTAL);
	const most = Math.max(0, ...totals, ...countsOf(COUNT));
	if (most > soFar.records) return `${most} records, of which ${soFar.records} were sent`;
	if (totals.length > 0) return undefined;
	const lastPages = countsOf(LAST_PAGE);
	const last = Math.max(0, ...lastPages);
	if (last > soFar.pages) return `${last} pages, of which ${soFar.pages} were sent`;
	if (soFar.pages > 1 || lastPages.length > 0 || infos.some(saysTheEnd)) return undefined;
	const isFull = soFar.shown > 0 && countsOf(SIZE).includes(soFar.shown);
	return isFull ? `as many records as a page may have (${soFar.shown})` : undefined;
}

function valuesOf(info: PageInfo, names: RegExp): unknown[] {
	return info.filter(({ plain }) => names.test(plain)).map(({ value }) => value);
}

function firstOf<T, R>(values: readonly T[], read: (value: T) => R | undefined): R | undefined {
	for (const value of values) {
		const found = read(value);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** A URL or a path; a cursor in Base64 can have a slash in it, but no question mark. */
function asLink(value: unknown): string | undefined {
	if (isRecord(value)) return firstOf([value.href, value.url, value.link, value.uri], asLink);
	const isLink =
		typeof value === 'string' && /^([a-z][a-z\d+.-]*:\/\/|\/|\?|\.)|^[^\s?]+\?\S+=/i.test(value);
	return isLink ? value : undefined;
}

/** A whole number from 0 up, also as text or as `{value}` or `{count}`. */
function asCount(value: unknown): number | undefined {
	if (isRecord(value)) return firstOf([value.value, value.count], asCount);
	const isCount =
		typeof value === 'number' || (typeof value === 'string' && /^\d{1,9}$/.test(value));
	return isCount && Number.isSafeInteger(Number(value)) && Number(value) >= 0
		? Number(value)
		: undefined;
}

function isGiven(value: unknown): boolean {
	if (isRecord(value)) return Object.values(value).some(isGiven);
	return Boolean(value) && value !== 'null' && value !== 'false' && value !== '0';
}
