import { describeShape, type Reply } from '../request/parseReply';
import { getId, isRecord } from '../records';
import { parseUrl } from '../text';

/** What a reply says about the pages of its list. `problem` is what announces a page that cannot be found. */
type NextPage = { nextUrl?: string; total?: number; problem?: string };

/** Where the paginators of Laravel put their attributes (docs/contract.md). */
const PLACES = ['', 'data.', 'links.', 'meta.', 'data.links.', 'data.meta.'];

const LINKS = PLACES.map((place) => {
	return place.endsWith('links.') ? `${place}next` : `${place}next_page_url`;
});

// the patterns match the last name of a path, such as "total" of `meta.total`
const NEXT = /(^|\.)(next|cursor$|has_?(more|next))[^.]*$/i;
const PAGE_COUNT = /(^|\.)(last_?page|total_?pages|page_?count|pages)$/i;
const TOTAL = /(^|\.)total(_?(count|records|items|results|forms|fields|responses))?$/i;

export function findNextPage({ headers, body }: Reply, pageUrl: string): NextPage {
	const attributes = new Map(collectAttributes(body));
	const total = findTotal(attributes);
	const link = findLink(headers, attributes);
	const nextUrl = followLink(link?.[1], pageUrl);
	if (nextUrl !== undefined) return { total, nextUrl };
	const [path, value] = link ?? findUnreadSign(attributes) ?? [];
	return { total, problem: path && `"${path}", ${describeShape(value)}` };
}

/** Collects the attributes at any depth, by paths such as `meta.last_page`. Skips lists, and objects that have an ID. */
function* collectAttributes(holder: unknown, path = ''): Generator<[string, unknown]> {
	if (!isRecord(holder) || getId(holder) !== undefined) return;
	for (const [name, value] of Object.entries(holder)) {
		if (!Array.isArray(value)) yield [path + name, value];
		yield* collectAttributes(value, `${path}${name}.`);
	}
}

/** Matches a link to the next page: `<https://…>; title="a, b"; rel="next"`. */
const LINK_HEADER = /<([^<>]*)>\s*;(?:[^,<"]|"[^"]*")*?\brel\s*=\s*(?:["'][^"']*)?\bnext\b/i;

/** Returns where the link to the next page is, and the link. The number of the next page is a link, too. */
function findLink(
	headers: Reply['headers'],
	attributes: Map<string, unknown>,
): [path: string, link: unknown] | undefined {
	const path = LINKS.find((name) => Boolean(attributes.get(name)));
	if (path !== undefined) return [path, attributes.get(path)];
	const [, header] = LINK_HEADER.exec(String(headers.link ?? '')) ?? [];
	if (header !== undefined) return ['Link', header];
	const currentPage = findCount(attributes, 'current_page') ?? Infinity;
	const lastPage = findCount(attributes, 'last_page') ?? 0;
	return currentPage < lastPage ? ['last_page', `?page=${currentPage + 1}`] : undefined;
}

/** Keeps the query of the list, because Laravel leaves it out of its links. Undefined for another address. */
function followLink(link: unknown, pageUrl: string): string | undefined {
	const next = typeof link === 'string' ? parseUrl(link, pageUrl) : undefined;
	const url = new URL(pageUrl);
	if (next === undefined || next.host !== url.host) return undefined;
	if (next.pathname.replace(/\/$/, '') !== url.pathname) return undefined;
	for (const [name, value] of next.searchParams) url.searchParams.set(name, value);
	return url.href;
}

/** Finds an attribute that announces a further page in another way than docs/contract.md says. */
function findUnreadSign(attributes: Map<string, unknown>) {
	const currentPage = findCount(attributes, 'current_page') ?? 1;
	return [...attributes].find(([path, value]) => {
		const isPageCount = PAGE_COUNT.test(path) && Number(value) > currentPage;
		return isPageCount || (NEXT.test(path) && Boolean(value));
	});
}

/** Reads all totals, at any depth outside records. If there are several, returns the highest. */
function findTotal(attributes: Map<string, unknown>): number | undefined {
	const paths = [...attributes.keys()].filter((path) => TOTAL.test(path));
	const totals = paths.flatMap((path) => parseCount(attributes.get(path)) ?? []);
	return totals.length === 0 ? undefined : Math.max(...totals);
}

function findCount(attributes: Map<string, unknown>, name: string): number | undefined {
	const counts = PLACES.map((place) => parseCount(attributes.get(place + name)));
	return counts.find((count) => count !== undefined);
}

function parseCount(value: unknown): number | undefined {
	return /^\d{1,9}$/.test(String(value)) ? Number(value) : undefined;
}
