import { snakeCase } from 'lodash';
import { z } from 'zod';
import type { Envelope } from '../envelope';
import { getId, isRecord } from '../records';
import { describeShape } from '../envelope';
import { parseUrl } from '../url';
import type { ReplyHeaders } from '../request/rateLimit';

/** The page of a list that a reply belongs to. */
export type PageInList = {
	url: string;
	/** The number of pages that an earlier page announced. */
	lastPage?: number;
};

/** What a reply says about the pages of its list. `problem` names what announces a next page that has no link. */
export type NextPage = {
	nextUrl?: string;
	total?: number;
	lastPage?: number;
	problem?: string;
};

/** The attributes of a reply that can say something about pages, by their paths: `meta.last_page`. */
type Attributes = ReadonlyMap<string, unknown>;

/** Where the paginators of Laravel put their attributes (docs/contract.md). */
const PLACES = ['', 'data.', 'links.', 'meta.', 'data.links.', 'data.meta.'];

const countSchema = z.union([
	z.number().int().nonnegative(),
	z
		.string()
		.regex(/^\d{1,9}$/)
		.transform(Number),
]);

/** Finds the next page of a list, and the number of records in the list. */
export function findNextPage(
	headers: ReplyHeaders,
	{ body }: Envelope,
	page: PageInList,
): NextPage {
	const attributes = new Map(collectAttributes(body));
	const lastPage = findCount(attributes, PLACES, 'last_page') ?? page.lastPage;
	const found = { lastPage, total: findTotal(attributes) };
	const link = findLink(headers, attributes);
	if (link !== undefined) {
		const nextUrl = followLink(link.value, page.url);
		return nextUrl === undefined
			? { ...found, problem: describeSign(link) }
			: { ...found, nextUrl };
	}
	const pageInUrl = Number(new URL(page.url).searchParams.get('page') ?? 1);
	const currentPage = findCount(attributes, PLACES, 'current_page') ?? pageInUrl;
	if (lastPage !== undefined && currentPage < lastPage) {
		return { ...found, nextUrl: setPage(page.url, currentPage + 1) };
	}
	const sign = findSign(attributes);
	return sign === undefined ? found : { ...found, problem: describeSign(sign) };
}

/** An attribute or header that announces a next page. */
type Sign = { path: string; value: unknown };

const describeSign = ({ path, value }: Sign) => `"${path}", ${describeShape(value)}`;

/**
 * Collects the attributes of a reply and of the objects in the reply. Leaves out records, which have an ID, and
 * lists.
 */
function* collectAttributes(holder: unknown, path = ''): Generator<[string, unknown]> {
	if (!isRecord(holder) || getId(holder) !== undefined) return;
	for (const [name, value] of Object.entries(holder)) {
		if (!Array.isArray(value)) yield [path + name, value];
		yield* collectAttributes(value, `${path}${name}.`);
	}
}

function findCount(
	attributes: Attributes,
	places: readonly string[],
	name: string,
): number | undefined {
	const values = places.map((place) => attributes.get(place + name));
	return values
		.map((value) => countSchema.safeParse(value).data)
		.find((count) => count !== undefined);
}

/** Returns the link to the next page. Undefined if no link is set. */
function findLink(headers: ReplyHeaders, attributes: Attributes): Sign | undefined {
	const paths = PLACES.flatMap((place) => {
		return place.endsWith('links.') ? [`${place}next`] : [`${place}next_page_url`];
	});
	const [, header] = /<([^<>]*)>\s*;[^,<]*\brel="?next\b/i.exec(String(headers.link ?? '')) ?? [];
	const signs = paths.map((path) => ({ path, value: attributes.get(path) }));
	return [...signs, { path: 'Link', value: header }].find(({ value }) => isSet(value));
}

const isSet = (value: unknown) => Boolean(value) && value !== '0';

/**
 * Returns the URL of the next page. Keeps the query of the list, because Laravel leaves it out of its links.
 * Undefined if the link leads to another list.
 */
function followLink(link: unknown, pageUrl: string): string | undefined {
	const next = typeof link === 'string' ? parseUrl(link, pageUrl) : undefined;
	const url = new URL(pageUrl);
	if (next === undefined || next.host !== url.host) return undefined;
	if (next.pathname.replace(/\/$/, '') !== url.pathname) return undefined;
	for (const [name, value] of next.searchParams) url.searchParams.set(name, value);
	return url.href;
}

function setPage(pageUrl: string, page: number): string {
	const url = new URL(pageUrl);
	url.searchParams.set('page', String(page));
	return url.href;
}

/** Matches names that announce a further page, in snake case: `next_cursor`, `has_more`, `total_pages`. */
const NEXT_NAME = /^(next(_.*)?|cursor|has_(more|next)(_.*)?)$/;
const PAGE_COUNT_NAME = /^(last_page|total_pages|page_count|pages)$/;
const TOTAL_NAME = /^total(_(count|records|items|results|entries|forms|fields|responses))?$/;

/** Finds an attribute that announces a further page in another way than docs/contract.md says. */
function findSign(attributes: Attributes): Sign | undefined {
	for (const [path, value] of attributes) {
		const name = getSnakeCaseName(path);
		const holder = path.slice(0, path.lastIndexOf('.') + 1);
		const isNext = NEXT_NAME.test(name) && isSet(value);
		const page =
			findCount(attributes, [holder], 'current_page') ?? findCount(attributes, [holder], 'page');
		if (isNext || (PAGE_COUNT_NAME.test(name) && Number(value) > (page ?? 1)))
			return { path, value };
	}
	return undefined;
}

/** Returns the announced number of records. If there are several numbers, returns the highest. */
function findTotal(attributes: Attributes): number | undefined {
	const totals = [...attributes].flatMap(([path, value]) => {
		return TOTAL_NAME.test(getSnakeCaseName(path)) ? (countSchema.safeParse(value).data ?? []) : [];
	});
	return totals.length === 0 ? undefined : Math.max(...totals);
}

const getSnakeCaseName = (path: string) => snakeCase(path.slice(path.lastIndexOf('.') + 1));
