import { keyBy, snakeCase } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { parseBoolean } from '../parseValues';
import { isRecord, isRecordWithId } from '../records';
import type { ReplyHeaders } from '../request/rateLimit';

/* Collects the hints of a reply about the next page of a list, and reads their values. */

/**
 * An attribute or a header of a reply that can describe the next page. The name is in snake case:
 * `nextPageUrl` becomes `next_page_url`.
 */
export type Hint = { name: string; value: unknown };

/**
 * Returns the hints of a reply. Hints that are nearer to the list come first, and hints of the headers come
 * last.
 *
 * @param holders the objects that contain the list, the outermost first
 */
export function findHints(headers: ReplyHeaders, holders: readonly IDataObject[]): Hint[] {
	const next = findNextInHeader(headers.link);
	const total = findTotalInHeader(headers['content-range']);
	const parsedHeaders = { ...headers, ...(next && { next }), ...(total && { total }) };
	return [...holders.toReversed(), parsedHeaders].flatMap((parent) => collectHints(parent));
}

const PAGING = /^(links?|meta(data)?|pag(e|es|ing|ination|inator|er)|page_info|cursors?)$/;

/** Whether an attribute with this name describes the pages of a list: `links`, `meta`, `pagination`. */
export function isPagingName(name: string): boolean {
	return PAGING.test(snakeCase(name));
}

/** Matches names of objects that are not about the next page, such as `prev` and `rate_limit`. */
const UNRELATED_NAME =
	/^(next|prev(ious)?|first|last|self)(_|$)|(^|_)(rate|quota|usage|limits?)(_|$)/;

/**
 * Matches the attributes of a form's record that describe the pages of a list. Other attributes of the
 * record, such as `pages` and `limit`, describe the form.
 */
const PAGING_NAME_IN_FORM =
	/^(links|meta|pagination|next(_(page|link|url|uri|href|cursor))*|has_more|(current|last)_page|total)$/;

/**
 * Returns the attributes of an object that can describe the pages of a list. Also searches nested objects whose
 * names refer to pages, such as `links` and `meta`.
 *
 * @param isPaging whether `parent` is an object such as `links`. If true, the function searches all nested
 * objects, except objects with an `UNRELATED_NAME`
 */
function collectHints(parent: IDataObject | ReplyHeaders, isPaging = false): Hint[] {
	const isForm = isRecordWithId(parent as IDataObject);
	return Object.entries(parent).flatMap(([spelling, value]: [string, unknown]) => {
		const name = snakeCase(spelling).replace(/^x_(wp_)?/, '');
		if (isForm && !PAGING_NAME_IN_FORM.test(name)) return [];
		const nested = Array.isArray(value) ? indexLinks(value) : value;
		const isInside =
			isRecord(nested) && !UNRELATED_NAME.test(name) && (isPaging || PAGING.test(name));
		return [{ name, value }, ...(isInside ? collectHints(nested, true) : [])];
	});
}

/** Returns links by their relation: `[{ "rel": "next", "href": "?page=2" }]` → `{ next: … }`. */
function indexLinks(links: readonly unknown[]): IDataObject {
	return keyBy(
		links.filter(isRecord).filter(({ rel }) => typeof rel === 'string'),
		'rel',
	);
}

/** Finds the number of records in the header `Content-Range: items 0-9/25` (RFC 9110, section 14.4). */
function findTotalInHeader(header: unknown): string | undefined {
	return /^\s*(?!bytes)[\w-]+\s[^/]*\/(\d+)\s*$/i.exec(String(header))?.[1];
}

/** Finds the link to the next page in the header `Link: <target>; rel="next"` (RFC 8288, section 3). */
function findNextInHeader(header: unknown): string | undefined {
	const text = [header].flat().join(', ');
	// `rel` has one type or several: rel=next, rel="prev next", but not rel="next-archive"
	return /<([^<>]*)>[^<>]*;\s*rel=(?:next(?![\w-])|"(?:[^"]*\s)?next[\s"])/i.exec(text)?.[1];
}

/**
 * Returns the first readable value among the hints whose names match `names`. The order is the order of
 * `findHints`: the hints nearest to the list come first.
 *
 * @param read returns the readable value, or undefined
 */
export function parseHint<T>(
	hints: readonly Hint[],
	names: RegExp,
	read: (value: unknown) => T | undefined,
): T | undefined {
	const values = hints.filter(({ name }) => names.test(name)).map(({ value }) => read(value));
	return values.find((value) => value !== undefined);
}

/**
 * Returns a link: a URL, a path or a query. Undefined for any other value, such as a cursor. A cursor in Base64
 * can contain a slash, but no question mark.
 */
export function parseLink(value: unknown): string | undefined {
	if (isRecord(value)) return parseLink(value.href ?? value.url);
	const link = /^([a-z][a-z\d+.-]*:\/\/|\/|\?|\.)|^[^\s?]+\?\S+=/i;
	return typeof value === 'string' && link.test(value) ? value : undefined;
}

export function parseCursor(value: unknown): string | undefined {
	return typeof value !== 'object' && value !== true && hasContent(value)
		? String(value)
		: undefined;
}

/**
 * Whether a value has content. False for an empty string, for false, and for a word such as "no" or "null".
 * False for a list or an object if all its values have no content.
 */
export function hasContent(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.values(value).some(hasContent);
	return Boolean(value) && value !== 'null' && parseBoolean(value) !== false;
}
