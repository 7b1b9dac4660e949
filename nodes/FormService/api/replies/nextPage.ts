import { pickBy, snakeCase } from 'lodash';
import { jsonParse } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import type { Headers } from '../rateLimiter/limits';
import { readBoolean, readNumber } from '../readers';
import { isSingleRecord, isRecord } from '../records';
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
 * Finds the next page of a list in the attributes next to the list and in the headers:
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
	const [current = Infinity] = readHints(hints, /^current_page$/, readNumber);
	const [last = 0] = readHints(hints, /^last_page$/, readNumber);
	const [cursor] = readHints(hints, /^next_cursor$/, readCursor);
	const says = findMore(hints, soFar);
	if (current < last) url.searchParams.set('page', String(current + 1));
	else if (cursor !== undefined) url.searchParams.set('cursor', cursor);
	else return says === undefined ? { kind: 'none' } : { kind: 'unknown', says };
	return { kind: 'at', url: url.href };
}

/** An attribute of a reply, or a header, that may describe the pages of a list. */
type Hint = {
	name: string;
	/** The name in one spelling: `next_page_url` for `nextPageUrl`, `next` for `hydra:next`. */
	plain: string;
	value: unknown;
};

function createHint(name: string, value: unknown): Hint {
	const plain = snakeCase(name.replace(/^.*[:.]/, '')).replace(/^x_((wp|pagination|paging)_)?/, '');
	return { name, plain, value };
}

const PAGING =
	/(^|_)(links?|meta(data)?|pag(e|es|ing|inat(ion|or|ed)|er)|cursors?|info|view|navigation|continuation|scroll|result_set)(_|$)/;

/** Whether an attribute next to a list describes the pages of the list, by its name. */
export function isPagingName(name: string): boolean {
	return PAGING.test(createHint(name, undefined).plain);
}

/** Attributes of a form's record that describe the form, although they are named like those of pages. */
const FORM_ATTRIBUTE = /^(pages?|page_count|count|last|limit|size|cursor|after)$/;

/** What an object that holds a list says of its pages, also in objects such as `links` and `meta`. */
function listHintsBeside(object: IDataObject): Hint[] {
	const hints = listHints(object);
	if (!isSingleRecord(object)) return hints;
	return hints.filter(({ name, plain }) => !(name in object && FORM_ATTRIBUTE.test(plain)));
}

/** Objects that are about another page, or about no page at all. */
const UNRELATED = /^(next|prev(ious)?|first|last|self)(_|$)|(^|_)(rate|quota|usage|limits?)(_|$)/;

function listHints(holder: object, kind: 'any' | 'paging' = 'any'): Hint[] {
	return Object.entries(holder).flatMap(([name, value]: [string, unknown]) => {
		const hint = createHint(name, value);
		if (UNRELATED.test(hint.plain)) return [hint];
		if (kind === 'any' && !PAGING.test(hint.plain)) return [hint];
		const links = Array.isArray(value) ? value.filter(isRecord) : [];
		return [
			hint,
			...links.flatMap(readListedLink),
			...(isRecord(value) ? listHints(value, 'paging') : []),
		];
	});
}

/** The next link in a list of links: `{rel: 'next', href}`, or Laravel's `{label: 'Next &raquo;', url}`. */
function readListedLink({ rel, label, url, href }: IDataObject): Hint[] {
	const names = [rel, label].filter((name) => typeof name === 'string');
	return names.some((name) => /\bnext\b/i.test(name)) ? [createHint('next', url ?? href)] : [];
}

/** The headers as attributes, with the total of Content-Range and the JSON in X-Pagination. */
function listHeaderHints({ link, ...others }: Headers): Hint[] {
	const total = String(others['content-range'] ?? '').split('/')[1];
	const json = jsonParse<unknown>(String(others['x-pagination']), { fallbackValue: {} });
	const given = { ...others, total, next: findNextInLink(link) };
	return [pickBy(given), Object(json)].flatMap((holder: object) => listHints(holder));
}

/** `<target>; name=value; name="quoted"` (RFC 8288, section 3), several with commas between them. */
const LINK = /<([^<>]*)>((?:[^<>",]|"[^"]*")*)/g;
const PARAMETER = /;\s*([^\s;="]+)\s*=\s*(?:"([^"]*)"|([^\s;"]*))/g;

/** The target of the first link to a next page. A link with an anchor belongs to something else. */
export function findNextInLink(header: unknown): string | undefined {
	for (const [, target, parameters] of [header].flat().join(', ').matchAll(LINK)) {
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

const NEXT_LINK = /^next(_page)?(_(link|url|uri|href))?$/;
/** There is more, unless the value is empty or says no. */
const MORE = /^([a-z]+_)?(next|more|truncated|continu(e|ation))(_|$)|^exceeded_transfer_limit$/;
const LAST = /^(is_)?(last(_page|_batch|_chunk)?|done|eof|exhausted)$/;
/** Where the next page begins, or where this one did. */
const CURSOR = /^((after|end)_)?cursor$|^(after|scroll_id|bookmark|last_evaluated_key)$/;
const PAGES =
	/^(last_?page|(total|num|max)_?pages|pages?_?(count|total)|pages|number_of_pages|last)$/;
const TOTAL =
	/^(total|num_found|total_?(count|items|results|records|elements|size|entries|rows|hits|responses)|count_total)$/;
/** A count of the whole list, or of the page alone. */
const COUNT = /^(count|found|(items?|records?|results?)_(count|total))$/;
const SIZE = /^(per_?page|page_?size|limit|size|max_results|(items|count)_per_page)$/;

/**
 * What says that the list goes on beyond what was read. A cursor may be that of this page, and a full page
 * the last one: they count unless something else says that the list ends here.
 */
function findMore(hints: readonly Hint[], soFar: ListSoFar): string | undefined {
	const verdicts = hints.map((hint) => judge(hint, soFar));
	const more = verdicts.find((verdict) => verdict !== undefined && verdict !== 'end');
	if (more !== undefined) return more;
	const query = new URL(soFar.url).searchParams;
	const cursor = hints.find(
		({ plain, value }) =>
			(CURSOR.test(plain) || (plain === 'offset' && readNumber(value) === undefined)) &&
			isGiven(value) &&
			readCursor(value) !== query.get(plain),
	);
	// `links.next` can be null where only the cursor counts
	const switches = [MORE, LAST].flatMap((names) => readHints(hints, names, readBoolean));
	if (cursor !== undefined && switches.length === 0) return `"${cursor.name}"`;
	if (soFar.pages > 1 || verdicts.includes('end')) return undefined;
	const sizes = readHints(hints, SIZE, readNumber);
	return sizes.includes(soFar.shown) ? `a full page of ${soFar.shown} records` : undefined;
}

/** What one attribute says by itself: what there is more, or that the list ends here. */
function judge({ name, plain, value }: Hint, soFar: ListSoFar): string | undefined {
	if (MORE.test(plain)) return isGiven(value) ? `"${name}"` : 'end';
	if (LAST.test(plain) && typeof value === 'boolean') return value ? 'end' : `"${name}"`;
	const count = readNumber(isRecord(value) ? value.value : value);
	if (count === undefined) return undefined;
	if (PAGES.test(plain)) {
		return count > soFar.pages ? `${count} pages announced, ${soFar.pages} sent` : 'end';
	}
	if (!TOTAL.test(plain) && !COUNT.test(plain)) return undefined;
	if (count > soFar.inAll) return `${count} records announced, ${soFar.inAll} sent`;
	return TOTAL.test(plain) ? 'end' : undefined;
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
	if (isRecord(value)) return readLink(value.href ?? value.url);
	const link = /^([a-z][a-z\d+.-]*:\/\/|\/|\?|\.)|^[^\s?]+\?\S+=/i;
	return typeof value === 'string' && link.test(value) ? value : undefined;
}

function readCursor(value: unknown): string | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	return isGiven(value) ? String(value) : undefined;
}

function isGiven(value: unknown): boolean {
	if (isRecord(value)) return Object.values(value).some(isGiven);
	return Boolean(value) && value !== 'null' && readBoolean(value) !== false;
}
