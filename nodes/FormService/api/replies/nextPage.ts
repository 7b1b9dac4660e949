import { omitBy, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { Headers } from '../rateLimiter/limits';
import { readBoolean } from '../readers';
import { hasIdentity, isRecord } from '../records';
import { parseUrl } from '../url';

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
	inAll: number;
	/** Records of this page. */
	shown: number;
};

/**
 * Finds the next page of a list in what is beside the list and in the headers:
 *
 * 1. a link: `next` and the like, also in `links`, `meta` …, or in the header `Link`;
 * 2. else the number after `current_page` up to `last_page`, sent as `page`;
 * 3. else `next_cursor`, sent as `cursor`.
 *
 * If there is none of these, but anything announces or counts more than was read, the list is not
 * complete: other ways to page are not followed, and never mistaken for the end.
 *
 * @param around the objects that hold the list, outermost first
 */
export function findNextPage(
	headers: Headers,
	around: readonly IDataObject[],
	soFar: ListSoFar,
): NextPage {
	const hints = [...around.toReversed().flatMap(listHintsBeside), ...listHeaderHints(headers)];
	const url = new URL(soFar.url);
	const [link] = readHints(hints, NEXT_LINK, readLink);
	if (link !== undefined) return { kind: 'at', url: parseUrl(link, url.href)?.href ?? link };
	const [current = Infinity] = readHints(hints, /^current_page$/, parseCount);
	const [last = 0] = readHints(hints, /^last_page$/, parseCount);
	const [cursor] = readHints(hints, /^next_cursor$/, readCursor);
	const says = findAnnouncement(hints, url.searchParams) ?? findContradiction(hints, soFar);
	if (current < last) url.searchParams.set('page', String(current + 1));
	else if (cursor !== undefined) url.searchParams.set('cursor', cursor);
	else return says === undefined ? { kind: 'none' } : { kind: 'unknown', says };
	return { kind: 'at', url: url.href };
}

/** An attribute of a reply, or a header, that may describe the pages of a list. */
type Hint = {
	name: string;
	/** The name in one spelling. */
	plain: string;
	value: unknown;
	/** The object that has the attribute. */
	holder: object;
};

/** One spelling for `nextPageUrl`, `next_page_url`, `NextPageURL`, `@odata.nextLink` and `hydra:next`. */
function normalizeName(name: string): string {
	return name
		.replace(/^[@_]*(odata\.|[a-z]+:)?/i, '')
		.replace(/^x-((wp|pagination|paging)-)?/i, '')
		.replace(/([a-z\d])([A-Z])/g, '$1_$2')
		.replace(/[-.\s]+/g, '_')
		.toLowerCase();
}

const PAGING =
	/(^|_)(links?|meta(data)?|pag(e|es|ing|inat(ion|or|ed)|er)|cursors?|info|view|navigation|continuation|scroll|result_set)($|_)/;

/** Whether an attribute beside a list describes the pages of the list, by its name. */
export function isPagingName(name: string): boolean {
	return PAGING.test(normalizeName(name));
}

/** Objects that are about another page, or about no page at all. */
const UNRELATED_OBJECT =
	/^(next|prev(ious)?|first|last|self)(_|$)|(^|_)(rate|quota|usage|limits?)(_|$)/;

/** Attributes of a form's record that describe the form, although they are named like those of pages. */
const FORM_ATTRIBUTE = /^(pages?|page_?count|number|count|last|start|limit|size|cursor|after)$/;

/** The levels of objects that are searched for descriptions of pages. */
const MAX_DEPTH = 8;

/** What an object that holds a list says of its pages, also under names such as `links` and `meta`. */
function listHintsBeside(object: IDataObject): Hint[] {
	const isForm = hasIdentity(object) && !('success' in object);
	const isOwn = (_value: unknown, name: string) => FORM_ATTRIBUTE.test(normalizeName(name));
	return listHints(isForm ? omitBy(object, isOwn) : object, 0);
}

function listHints(holder: object, depth: number): Hint[] {
	const own = Object.entries(holder).map(([name, value]: [string, unknown]) => {
		return { name, plain: normalizeName(name), value, holder };
	});
	const inner = own.flatMap(({ plain, value }) => {
		const isDescribing = depth > 0 || PAGING.test(plain);
		if (!isDescribing || depth === MAX_DEPTH || UNRELATED_OBJECT.test(plain)) return [];
		if (Array.isArray(value)) return listNextLinks(value);
		return isRecord(value) && !hasIdentity(value) ? listHints(value, depth + 1) : [];
	});
	return [...own, ...inner];
}

/** `[{rel: 'next', href}]` and `[{label: 'Next', url}]` as `{next: url}`. */
function listNextLinks(links: unknown[]): Hint[] {
	return links
		.filter(isRecord)
		.filter(({ rel, label }) =>
			[rel, label].flat().some((name) => typeof name === 'string' && /\bnext\b/i.test(name)),
		)
		.flatMap(({ url, href, link }) => listHints({ next: url ?? href ?? link }, MAX_DEPTH));
}

/** Link, the total of Content-Range, the JSON in X-Pagination, and all others as attributes. */
function listHeaderHints({ link, ...others }: Headers): Hint[] {
	const total = String(others['content-range'] ?? '').split('/')[1];
	const given = pickBy({ ...others, next: findNextInLink(link), total });
	const inJson = parseObject(others['x-pagination']);
	return [given, inJson].flatMap((holder) => listHints(holder, MAX_DEPTH));
}

function parseObject(text: unknown): object {
	try {
		const value: unknown = JSON.parse(String(text));
		return isRecord(value) ? value : {};
	} catch {
		return {};
	}
}

/** `<target>; name=value; name="quoted"` (RFC 8288, section 3), several with commas between them. */
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s;,="]+(?:\s*=(?:\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]+))?)?)*)/g;
const PARAMETER = /;\s*([^\s;,="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))/g;

/** The target of the first link to a next page. A link with an anchor belongs to something else. */
export function findNextInLink(header: unknown): string | undefined {
	const text = Array.isArray(header) ? header.join(', ') : header;
	if (typeof text !== 'string') return undefined;
	for (const [, target, parameters] of text.matchAll(LINK)) {
		const given = [...parameters.matchAll(PARAMETER)].map(
			([, name, quoted, bare]) => [name.toLowerCase(), quoted ?? bare] as const,
		);
		// only the first "rel" of a link counts
		const byName = new Map(given.toReversed());
		const relations = byName.get('rel')?.toLowerCase().split(/\s+/);
		if (relations?.includes('next') && !byName.has('anchor')) return target;
	}
	return undefined;
}

const NEXT_LINK = /^next(_(page|records|results|set))?(_(link|url|uri|href|path))?$/;
const NEXT = /^((page|cursor|link|url)_)?next(_|$)/;
const CONTINUATION =
	/^(ms_)?continu(e|ation)(_|$)|^(last_evaluated_key|scroll_id|bookmark|((after|end)_)?cursor|after)$/;
const MORE = /^((has_)?(more|next)(_[a-z]+)*|(is_)?truncated|exceeded_transfer_limit)$/;
const LAST = /^(is_)?(last(_page|_batch|_chunk)?|done|eof|exhausted)$/;
const LAST_PAGE =
	/^(last_?page|total_?pages|page_?count|pages|(number_of|num|max)_pages|pages?_total|last)$/;
const SIZE = /^(per_?page|page_?size|limit|size|max_results|items_per_page|count_per_page)$/;
const TOTAL =
	/^(total|num_found|total_?(count|items|results|records|elements|size|entries|rows|hits|responses)|count_total)$/;
/** A count of the whole list, or of the page alone. */
const COUNT = /^(count|found|(items?|records?|results?)_(count|total))$/;

/** The name of an attribute that says that the list continues. */
function findAnnouncement(hints: readonly Hint[], query: URLSearchParams): string | undefined {
	const found = hints.find(({ plain, value, holder }) => {
		if (NEXT.test(plain) && isGiven(value)) return true;
		if (MORE.test(plain) && readBoolean(value) === true) return true;
		if (LAST.test(plain) && (value === false || value === 'false')) return true;
		const isCursor =
			CONTINUATION.test(plain) || (plain === 'offset' && parseCount(value) === undefined);
		// the same name can repeat where this page begins
		const isHere = readCursor(value) === query.get(plain);
		return (
			isCursor &&
			isGiven(value) &&
			!isHere &&
			!hints.some((one) => one.holder === holder && isEnd(one))
		);
	});
	return found && `"${found.name}"`;
}

function isEnd({ plain, value }: Hint): boolean {
	return (
		(NEXT.test(plain) && !isGiven(value)) ||
		(MORE.test(plain) && readBoolean(value) === false) ||
		(LAST.test(plain) && (value === true || value === 'true'))
	);
}

/** A count of records or of pages that is larger than what was read. */
function findContradiction(hints: readonly Hint[], soFar: ListSoFar): string | undefined {
	const totals = readHints(hints, TOTAL, parseCount);
	const most = Math.max(0, ...totals, ...readHints(hints, COUNT, parseCount));
	if (most > soFar.inAll) return `${most} records announced, ${soFar.inAll} sent`;
	if (totals.length > 0) return undefined;
	const lastPages = readHints(hints, LAST_PAGE, parseCount);
	const last = Math.max(0, ...lastPages);
	if (last > soFar.pages) return `${last} pages announced, ${soFar.pages} sent`;
	if (soFar.pages > 1 || lastPages.length > 0 || hints.some(isEnd)) return undefined;
	const isFull = soFar.shown > 0 && readHints(hints, SIZE, parseCount).includes(soFar.shown);
	return isFull ? `a full page of ${soFar.shown} records` : undefined;
}

/** What can be read from the values of these names, the nearest to the list first. */
function readHints<T>(
	hints: readonly Hint[],
	names: RegExp,
	read: (value: unknown) => T | undefined,
): T[] {
	return hints
		.filter(({ plain }) => names.test(plain))
		.map(({ value }) => read(value))
		.filter((one) => one !== undefined);
}

/** A URL or a path; a cursor in Base64 can have a slash in it, but no question mark. */
function readLink(value: unknown): string | undefined {
	if (isRecord(value)) return readLink(value.href ?? value.url ?? value.link ?? value.uri);
	const isLink =
		typeof value === 'string' && /^([a-z][a-z\d+.-]*:\/\/|\/|\?|\.)|^[^\s?]+\?\S+=/i.test(value);
	return isLink ? value : undefined;
}

function readCursor(value: unknown): string | undefined {
	const isText = typeof value === 'string' || typeof value === 'number';
	return isText && isGiven(value) ? String(value) : undefined;
}

/** A whole number from 0 up, also as text or in an object such as `{value, relation}`. */
function parseCount(value: unknown): number | undefined {
	if (isRecord(value)) return parseCount(value.value);
	const isText = typeof value === 'string' && /^\d{1,9}$/.test(value);
	const count = isText || typeof value === 'number' ? Number(value) : -1;
	return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function isGiven(value: unknown): boolean {
	if (isRecord(value)) return Object.values(value).some(isGiven);
	return Boolean(value) && value !== 'null' && value !== 'false' && value !== '0';
}
