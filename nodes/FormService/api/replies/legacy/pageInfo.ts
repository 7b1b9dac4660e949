import type { IDataObject } from 'n8n-workflow';
import { hasIdentity, isRecord } from '../../records';
import type { Headers } from '../../rateLimiter/limits';

/** An object of a reply, or its headers, that may tell of the pages of a list. */
export type PageInfo = {
	/** The name that the object has in the reply, as `plain` writes it; empty for what holds the list. */
	under: string;
	/** It is the record of a form, whose own pages are told by it as well. */
	isForm: boolean;
	entries: ReadonlyArray<{ name: string; plain: string; value: unknown }>;
};

/**
 * A name in one spelling, so that `nextPageUrl`, `next_page_url`, `NextPageURL` and `X-Next-Page-Url`
 * are one, and `@odata.nextLink`, `hydra:next` and `__next` are known too.
 */
export function plain(name: string): string {
	return name
		.replace(/^[@_]*(odata\.|[a-z]+:)?/i, '')
		.replace(/([a-z\d])([A-Z])/g, '$1_$2')
		.replace(/[-.\s]+/g, '_')
		.toLowerCase();
}

const OF_PAGES =
	/(^|_)(links?|meta(data)?|pag(e|es|ing|inat(ion|or|ed)|er)|cursors?|info|view|navigation|continuation|scroll|result_set)($|_)/;

/** Whether an attribute beside a list tells of the pages of the list, and not what is in it. */
export function tellsOfPages(name: string): boolean {
	return OF_PAGES.test(plain(name));
}

/** Objects that are about a page other than the one that is there, or about no page at all. */
const NOT_ABOUT_THIS =
	/^(next|prev(ious)?|first|last|self)(_|$)|(^|_)(rate|quota|usage|limits?)(_|$)/;

/** The depth at which what tells of pages may lie. */
const MAX_DEPTH = 8;

/**
 * All that tells of the pages of a list: the headers, the objects that hold the list, and at any depth
 * what stands in them under names such as `links`, `meta`, `pagination` or `cursor`. The nearest to the
 * list comes first.
 */
export function pageInfoIn(headers: Headers, around: readonly IDataObject[]): PageInfo[] {
	const inBody = around
		.toReversed()
		.flatMap((object) => [
			infoOf(object, '', hasIdentity(object) && !('success' in object)),
			...below(object, 1),
		]);
	return [...inBody, ...inHeaders(headers)];
}

function below(object: IDataObject, depth: number): PageInfo[] {
	if (depth > MAX_DEPTH) return [];
	return Object.entries(object).flatMap(([name, value]) => {
		const isAboutPages = depth > 1 || tellsOfPages(name);
		if (!isAboutPages || NOT_ABOUT_THIS.test(plain(name))) return [];
		if (Array.isArray(value)) return nextOfLinks(value);
		return isRecord(value) && !hasIdentity(value)
			? [infoOf(value, plain(name)), ...below(value, depth + 1)]
			: [];
	});
}

function infoOf(object: IDataObject, under: string, isForm = false): PageInfo {
	const entries = Object.entries(object).map(([name, value]) => ({
		name,
		plain: plain(name),
		value,
	}));
	return { under, isForm, entries };
}

/** `[{rel: 'next', url}]` and `[{label: 'Next', url}]` as `{next: url}`. */
function nextOfLinks(links: unknown[]): PageInfo[] {
	return links
		.filter(isRecord)
		.filter(({ rel, label }) =>
			[rel, label].flat().some((text) => typeof text === 'string' && /\bnext\b/i.test(text)),
		)
		.map(({ url, href, link }) => infoOf({ next: url ?? href ?? link } as IDataObject, 'links'));
}

/** `X-Next-Page` and the like as attributes, `X-Pagination` as the JSON that it is, Content-Range, Link. */
function inHeaders(headers: Headers): PageInfo[] {
	const attributes = Object.entries(headers).map(([name, value]) => [
		name.replace(/^x-/i, '').replace(/^(wp|pagination|paging)-/i, ''),
		value,
	]);
	const { pagination } = Object.fromEntries(attributes) as IDataObject;
	const next = nextInLinkHeader(headers.link);
	const total = /\/(\d+)\s*$/.exec(String(headers['content-range'] ?? ''))?.[1];
	const told = {
		...(Object.fromEntries(attributes) as IDataObject),
		...(next !== undefined && { next: { href: next } }),
		...(total !== undefined && { total }),
		link: undefined,
	};
	return [infoOf(told, 'headers'), ...inJson(pagination)];
}

function inJson(text: unknown): PageInfo[] {
	try {
		const value: unknown = JSON.parse(String(text));
		return isRecord(value) ? [infoOf(value, 'headers')] : [];
	} catch {
		return [];
	}
}

/** `<target>; name=value; name="quoted"` (RFC 8288, section 3), several with commas between them. */
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s;,="]+(?:\s*=(?:\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]+))?)?)*)/g;
const PARAMETER = /;\s*([^\s;,="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))/g;

/** The target of the first link to a next page; one with an anchor is a link of something else. */
export function nextInLinkHeader(header: unknown): string | undefined {
	const text = Array.isArray(header) ? header.join(', ') : header;
	if (typeof text !== 'string') return undefined;
	for (const [, target, parameters] of text.matchAll(LINK)) {
		const given = [...parameters.matchAll(PARAMETER)].map(
			([, name, quoted, bare]) => [name.toLowerCase(), quoted ?? bare] as const,
		);
		// of several rel only the first counts
		const relations = given
			.find(([name]) => name === 'rel')?.[1]
			.toLowerCase()
			.split(/\s+/);
		const isOfThis = !given.some(([name]) => name === 'anchor');
		if (relations?.includes('next') && isOfThis) return target;
	}
	return undefined;
}
