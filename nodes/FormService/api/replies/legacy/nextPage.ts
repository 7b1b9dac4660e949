import type { IDataObject } from 'n8n-workflow';
import type { Headers } from '../../rateLimiter/limits';
import { isRecord } from '../../records';
import { parseUrl } from '../../url';
import { pageInfoIn } from './pageInfo';
import type { PageInfo } from './pageInfo';
import {
	announcement,
	asCount,
	countIn,
	CURRENT,
	firstOf,
	isGiven,
	LAST_PAGE,
	lastPageIn,
	NEXT_CURSOR,
	NEXT_LINK,
	NEXT_PAGE,
	NEXT_PARAMETER,
	OFFSET,
	saysMore,
	saysNoMore,
	saysTheEnd,
	sizeIn,
	totalIn,
	valuesOf,
} from './pageNames';

/** Where the next page of a list is, as a whole URL; or that there is one, and what says so. */
export type NextPage =
	| { kind: 'none' }
	| { kind: 'at'; url: string }
	| { kind: 'unknown'; says: string };

/** How far the list has been read. */
export type Progress = {
	/** The whole URL of this page. */
	url: string;
	/** Pages read, with this one. */
	pages: number;
	/** Records read, with those of this page and with those that came twice. */
	received: number;
	/** Records of this page. */
	shown: number;
};

/**
 * Finds the next page in a reply's headers and in what stands around its list, by the first of the
 * `STYLES` that fits. Where none does, but something announces more or counts more than was read, the
 * list must not be taken for whole.
 *
 * @param around the objects that hold the list, outermost first
 */
export function nextPage(
	headers: Headers,
	around: readonly IDataObject[],
	progress: Progress,
): NextPage {
	const infos = pageInfoIn(headers, around);
	for (const { next } of STYLES) {
		for (const info of infos) {
			const found = next(info, progress, infos);
			if (found !== undefined) return { kind: 'at', url: urlOf(found, progress.url) };
		}
	}
	const says =
		infos.map(announcement).find((text) => text !== undefined) ?? contradiction(infos, progress);
	return says === undefined ? { kind: 'none' } : { kind: 'unknown', says };
}

/**
 * How many records the whole list has, where the page says so. A bare count may be that of the page:
 * who goes by it has to know that the list has as many.
 */
export function announcedTotal(
	headers: Headers,
	around: readonly IDataObject[],
): number | undefined {
	const infos = pageInfoIn(headers, around);
	const totals = infos.map(totalIn).filter((total) => total !== undefined);
	const counts = infos.map(countIn).filter((count) => count !== undefined);
	const [total, ...others] = new Set(totals.length > 0 ? totals : counts);
	return others.length === 0 ? total : undefined;
}

/** A link, or the parameters by which this page's URL differs from the next one's. */
type Next = string | Record<string, string | number>;

type Style = {
	is: string;
	/** What stands around the first 10 of 25 records, or the reply's headers. */
	example: { around?: IDataObject; headers?: Headers };
	next: (info: PageInfo, progress: Progress, all: readonly PageInfo[]) => Next | undefined;
};

/** The ways to name the next page, in the order in which they are tried, each with an example. */
export const STYLES: readonly Style[] = [
	{
		is: 'a link',
		example: { around: { links: { next: '/r?page=2' } } },
		next: (info) => firstOf(valuesOf(info, NEXT_LINK), urlIn),
	},
	{
		is: 'an object of parameters',
		example: { around: { paging: { next: { after: 'c2' } } } },
		next: (info) => firstOf(valuesOf(info, NEXT_PAGE), parametersIn),
	},
	{
		is: 'a cursor',
		example: { around: { meta: { cursor: { next: 'c2' } } } },
		next: cursorIn,
	},
	{
		is: 'the number of the next page',
		example: { headers: { 'x-next-page': '2' } },
		next: (info) => {
			const page = firstOf(valuesOf(info, NEXT_PAGE), asCount);
			return page === undefined || page === 0 ? undefined : { page };
		},
	},
	{
		is: 'a page of several',
		example: { around: { meta: { current_page: 1, last_page: 3 } } },
		next: followingPage,
	},
	{
		is: 'the number of records before this page',
		example: { around: { offset: 0, limit: 10, total: 25 } },
		next: followingOffset,
	},
];

function urlOf(next: Next, current: string): string {
	if (typeof next === 'string') return parseUrl(next, current)?.href ?? next;
	const url = new URL(current);
	for (const [name, value] of Object.entries(next)) url.searchParams.set(name, String(value));
	return url.href;
}

function urlIn(value: unknown): string | undefined {
	if (isRecord(value)) return firstOf([value.href, value.url, value.link, value.uri], urlIn);
	// a cursor in Base64 can have a slash in it, but no question mark
	return typeof value === 'string' &&
		/^([a-z][a-z\d+.-]*:\/\/|\/|\?|\.)|^[^\s?]+\?\S+=/i.test(value)
		? value
		: undefined;
}

const PARAMETER =
	/^(page|page_?(number|size|token)|per_?page|cursor|after|offset|limit|skip|start|size|marker)$/i;

/** `{page: 2, limit: 10}`: what the next page is to be asked for. */
function parametersIn(value: unknown): Next | undefined {
	const entries = isRecord(value)
		? Object.entries(value).filter(([, given]) => isGiven(given))
		: [];
	const isRead = entries.every(
		([name, given]) => PARAMETER.test(name) && ['string', 'number'].includes(typeof given),
	);
	return isRead && entries.length > 0
		? (Object.fromEntries(entries) as Record<string, string | number>)
		: undefined;
}

function cursorIn(info: PageInfo, { url }: Progress, all: readonly PageInfo[]): Next | undefined {
	const isCursors = /^cursors?$/.test(info.under);
	for (const { name, plain, value } of info.entries) {
		if (!isGiven(value) || (typeof value !== 'string' && typeof value !== 'number')) continue;
		const isNamed = NEXT_CURSOR.test(plain) && (plain.includes('cursor') || isCursors);
		const isText = NEXT_CURSOR.test(plain) && asCount(value) === undefined;
		if (isNamed || (isText && value !== 'true')) return { cursor: value };
		if (NEXT_PARAMETER.test(plain)) return { [withoutNext(name)]: value };
		if (all.some(saysTheEnd)) continue;
		// these may also name this page or its last record
		const isOther = String(value) !== new URL(url).searchParams.get(plain);
		const isPosition =
			/^(cursor|after)$/.test(plain) || (plain === 'offset' && asCount(value) === undefined);
		if (isPosition && isOther && !info.isForm) return { [name]: value };
	}
	return undefined;
}

/** `nextPageToken` as `pageToken`, `next_offset` as `offset`. */
function withoutNext(name: string): string {
	const rest = name.replace(/^_*next_?/i, '');
	return rest[0].toLowerCase() + rest.slice(1);
}

function followingPage(info: PageInfo, progress: Progress, all: readonly PageInfo[]) {
	const current = firstOf(valuesOf(info, CURRENT), asCount);
	if (current === undefined || saysNoMore(info)) return undefined;
	const last = lastPageIn(info);
	const goesOn =
		last !== undefined ? current < last : saysMore(info) || isFull(info, progress, all);
	return goesOn ? { page: current + 1 } : undefined;
}

function followingOffset(info: PageInfo, progress: Progress, all: readonly PageInfo[]) {
	const { received, shown } = progress;
	const entry = info.entries.find(
		({ plain, value }) => OFFSET.test(plain) && asCount(value) !== undefined,
	);
	if (entry === undefined || shown === 0) return undefined;
	const total = totalIn(info);
	const goesOn =
		total !== undefined ? received < total : saysMore(info) || isFull(info, progress, all);
	return goesOn ? { [entry.name]: Number(entry.value) + shown } : undefined;
}

/** Whether a page has as many records as it may have, and nothing else tells whether it is the last. */
function isFull(info: PageInfo, { shown, received }: Progress, all: readonly PageInfo[]): boolean {
	if (shown === 0 || shown !== sizeIn(info) || all.some(saysTheEnd)) return false;
	const total = Math.max(...all.map((one) => totalIn(one) ?? 0));
	return total === 0 || total > received;
}

/** A count of records or of pages that is larger than what was read. */
function contradiction(infos: readonly PageInfo[], progress: Progress): string | undefined {
	const { received, pages, shown } = progress;
	const totals = infos.map(totalIn).filter((total) => total !== undefined);
	const counts = infos.map((info) => countIn(info) ?? 0);
	const most = Math.max(...totals, ...counts);
	if (most > received) return `${most} records, of which ${received} were sent`;
	if (totals.length > 0) return undefined;
	const last = Math.max(...infos.map((info) => firstOf(valuesOf(info, LAST_PAGE), asCount) ?? 0));
	if (last > pages) return `${last} pages, of which ${pages} were sent`;
	return infos.some((info) => isFull(info, progress, infos)) && pages === 1
		? `as many records as a page may have (${shown})`
		: undefined;
}
