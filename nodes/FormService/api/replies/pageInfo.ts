import type { IDataObject } from 'n8n-workflow';
import type { Headers } from '../rateLimiter/limits';
import { hasIdentity, isRecord } from '../records';

/** The attributes of one object of a reply, or its headers, that may describe the pages of a list. */
export type PageInfo = ReadonlyArray<{
	name: string;
	/** The name in one spelling, see `plain`. */
	plain: string;
	value: unknown;
}>;

/** One spelling for `nextPageUrl`, `next_page_url`, `NextPageURL`, `@odata.nextLink` and `hydra:next`. */
function plain(name: string): string {
	return name
		.replace(/^[@_]*(odata\.|[a-z]+:)?/i, '')
		.replace(/([a-z\d])([A-Z])/g, '$1_$2')
		.replace(/[-.\s]+/g, '_')
		.toLowerCase();
}

const OF_PAGES =
	/(^|_)(links?|meta(data)?|pag(e|es|ing|inat(ion|or|ed)|er)|cursors?|info|view|navigation|continuation|scroll|result_set)($|_)/;

/** Whether an attribute beside a list describes the pages of the list, by its name. */
export function describesPages(name: string): boolean {
	return OF_PAGES.test(plain(name));
}

/** Objects that are about another page, or about no page at all. */
const OF_ELSE = /^(next|prev(ious)?|first|last|self)(_|$)|(^|_)(rate|quota|usage|limits?)(_|$)/;

/** Attributes of a form's record that describe the form, although they are named like those of pages. */
const OF_FORM = /^(pages?|page_?count|number|count|last|start|limit|size|cursor|after)$/;

/** The levels of objects that are searched for descriptions of pages. */
const MAX_DEPTH = 8;

/**
 * Everything that describes the pages of a list: the objects that hold the list, what lies in them
 * under names such as `links`, `meta` and `pagination`, and the headers. The nearest to the list is first.
 *
 * @param around the objects that hold the list, outermost first
 */
export function pageInfoIn(headers: Headers, around: readonly IDataObject[]): PageInfo[] {
	const inBody = around.toReversed().flatMap((object) => {
		const isForm = hasIdentity(object) && !('success' in object);
		const info = infoOf(object);
		return [isForm ? info.filter((one) => !OF_FORM.test(one.plain)) : info, ...below(object, 1)];
	});
	return [...inBody, ...inHeaders(headers)];
}

function infoOf(object: object): PageInfo {
	return Object.entries(object).map(([name, value]) => ({ name, plain: plain(name), value }));
}

function below(object: IDataObject, depth: number): PageInfo[] {
	if (depth > MAX_DEPTH) return [];
	return Object.entries(object).flatMap(([name, value]) => {
		if (depth === 1 && !describesPages(name)) return [];
		if (OF_ELSE.test(plain(name))) return [];
		if (Array.isArray(value)) return nextLinks(value);
		return isRecord(value) && !hasIdentity(value)
			? [infoOf(value), ...below(value, depth + 1)]
			: [];
	});
}

/** `[{rel: 'next', href}]` and `[{label: 'Next', url}]` as `{next: url}`. */
function nextLinks(links: unknown[]): PageInfo[] {
	return links
		.filter(isRecord)
		.filter(({ rel, label }) => /\bnext\b/i.test(`${String(rel)} ${String(label)}`))
		.map(({ url, href, link }) => infoOf({ next: url ?? href ?? link }));
}

/** `X-Next-Page` and the like as attributes, `X-Pagination` as the JSON in it, Content-Range, Link. */
function inHeaders(headers: Headers): PageInfo[] {
	const info = infoOf({ ...headers, link: undefined }).map(({ name, value }) => {
		const bare = name.replace(/^x-/i, '').replace(/^(wp|pagination|paging)-/i, '');
		return { name, plain: plain(bare), value };
	});
	const next = nextInLinkHeader(headers.link);
	const total = String(headers['content-range'] ?? '').split('/')[1];
	const link = next === undefined ? [] : infoOf({ next });
	return [link, infoOf({ total }), info, inJson(headers['x-pagination'])];
}

function inJson(text: unknown): PageInfo {
	try {
		const value: unknown = JSON.parse(String(text));
		return isRecord(value) ? infoOf(value) : [];
	} catch {
		return [];
	}
}

/** `<target>; name=value; name="quoted"` (RFC 8288, section 3), several with commas between them. */
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s;,="]+(?:\s*=(?:\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]+))?)?)*)/g;
const PARAMETER = /;\s*([^\s;,="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))/g;

/** The target of the first link to a next page. A link with an anchor belongs to something else. */
export function nextInLinkHeader(header: unknown): string | undefined {
	const text = Array.isArray(header) ? header.join(', ') : header;
	if (typeof text !== 'string') return undefined;
	for (const [, target, parameters] of text.matchAll(LINK)) {
		const given = [...parameters.matchAll(PARAMETER)].map(
			([, name, quoted, bare]) => [name.toLowerCase(), quoted ?? bare] as const,
		);
		// only the first "rel" of a link counts
		const relations = given
			.find(([name]) => name === 'rel')?.[1]
			.toLowerCase()
			.split(/\s+/);
		const hasAnchor = given.some(([name]) => name === 'anchor');
		if (relations?.includes('next') && !hasAnchor) return target;
	}
	return undefined;
}
