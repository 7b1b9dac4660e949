import type { IDataObject } from 'n8n-workflow';
import type { Target } from '../endpoints';
import { describeShape, unwrap } from '../envelope';
import { CHECK_REPLY, GARBLED, ServiceError, shortenText } from '../errors';
import { parseDate, REQUESTS_PER_DAY } from '../request/limits';
import { getIdentity } from '../records';
import { request } from '../request/request';
import { createRequestError } from '../requestContext';
import type { RequestContext } from '../requestContext';
import { parseUrl } from '../url';
import { findList } from './findList';
import { findNextPage } from './nextPage';

/** The most pages read of one list in one call: a third of the requests of a day. */
export const MAX_PAGES = REQUESTS_PER_DAY / 3;

/** The most pages of one list, also if several calls read them: a week's requests. */
const MAX_PAGES_IN_ALL = 7 * REQUESTS_PER_DAY;

/** The most records read of one list: what n8n's memory can hold. */
const MAX_RECORDS = 1_000_000;

/** Pages in a row that may begin like earlier ones, as if responses were added meanwhile. More are a loop. */
const MAX_REPEATED_PAGES = 2;

/** Where a page is: the whole URL that it is requested at, and what comes before. */
export type PagePosition = { url: string; pagesBefore: number; recordsBefore: number };

/** One page of a list. */
export type ListPage = PagePosition & {
	records: IDataObject[];
	/** Its URL differs from the URL of the list by page or record numbers alone, so it can be requested by itself. */
	isNumbered: boolean;
	/** The list ends with this page. */
	isLast: boolean;
	/** Where a later call can read on. If the next page cannot be read, asking for it throws the error. */
	next?: PagePosition;
	/** Requests that were sent for this page, retries included. */
	requests: number;
	/** The service's time when it sent the page, in epoch milliseconds, cut off to seconds. */
	date?: number;
};

/**
 * Reads a list page by page. A caller that has enough stops asking for pages.
 *
 * @param from a page of an earlier reading; else the first page
 * @throws NodeApiError if a reply has no list, and if the next page is elsewhere or cannot be found: a part
 * of a list is never mistaken for the whole
 */
export async function* readPages(
	context: RequestContext,
	{ endpoint, url: listUrl }: Target,
	from?: PagePosition,
): AsyncGenerator<ListPage, void> {
	const [nameInForm] = /fields|responses/.exec(endpoint.url) ?? [];
	let position = from ?? { url: new URL(listUrl).href, pagesBefore: 0, recordsBefore: 0 };
	const beginnings = new Set<string>();
	let repeatedPages = 0;
	for (let pagesRead = 0; ; pagesRead++) {
		const { url, pagesBefore, recordsBefore } = position;
		if (pagesRead >= MAX_PAGES || pagesBefore >= MAX_PAGES_IN_ALL)
			throw createListError(context, TOO_MANY_PAGES, LARGER_PAGES);
		const reply = await request(context, { endpoint, url }).catch((error: unknown) => {
			throw pagesBefore > 0 ? explainLaterPage(context, error) : error;
		});
		const { value, headers, requests, isGarbled } = reply;
		if (isGarbled && nameInForm !== undefined && context.comparesText)
			throw createListError(context, GARBLED, SEND_UTF8);
		const found = findList(value, nameInForm);
		if (found === undefined) throw createNoList(context, value);
		const { records, around } = found;
		const beginning = findBeginning(records, url);
		repeatedPages = beginnings.has(beginning) ? repeatedPages + 1 : 0;
		if (repeatedPages > MAX_REPEATED_PAGES) throw createListError(context, LOOP);
		beginnings.add(beginning);
		const [pages, inAll] = [pagesBefore + 1, recordsBefore + records.length];
		const following = findNextPage(headers, around, { url, pages, inAll, shown: records.length });
		const nextUrl = following.kind === 'at' && buildNextUrl(following.url, context, listUrl);
		const next = nextUrl ? { url: nextUrl, pagesBefore: pages, recordsBefore: inAll } : undefined;
		yield {
			...{ ...position, records, requests, next },
			isNumbered: isNumbered(url, listUrl),
			isLast: following.kind === 'none',
			date: parseDate(headers.date),
		};
		if (following.kind === 'none') return;
		if (following.kind === 'unknown') throw createUnknownPage(context, following.says);
		if (!next) throw createPageElsewhere(context, following.url);
		position = next;
	}
}

/** What a page is recognized by if the service gives it again: its first record, or the URL of an empty page. */
function findBeginning([first]: readonly IDataObject[], url: string): string {
	return first === undefined ? url : (getIdentity(first) ?? JSON.stringify(first));
}

/**
 * Reads a list to its end, or until there are `limit` records, in the order of the service. A record that
 * moved to a later page while the pages were read is given once.
 */
export async function readList(
	context: RequestContext,
	target: Target,
	limit = Infinity,
): Promise<IDataObject[]> {
	const all: IDataObject[] = [];
	const before = new Set<unknown>();
	for await (const { records, isLast } of readPages(context, target)) {
		for (const record of records) if (!before.has(getIdentity(record) ?? record)) all.push(record);
		if (all.length > MAX_RECORDS) throw createListError(context, TOO_MANY_RECORDS, LARGER_PAGES);
		if (isLast || all.length >= limit) break;
		for (const record of records) before.add(getIdentity(record) ?? record);
	}
	return all.slice(0, limit);
}

/** Parameters that count pages or records, by which the trigger can begin at the last page. */
const NUMBER = /^(page|page_?(number|num|no|index)|offset|skip|start|start_?(at|index))$/i;

function isNumbered(url: string, listUrl: string): boolean {
	const inList = new URL(listUrl).searchParams;
	return [...new URL(url).searchParams]
		.filter(([name, value]) => inList.get(name) !== value)
		.every(([name, value]) => NUMBER.test(name) && /^\d{1,9}$/.test(value));
}

/**
 * The list's own URL with the query of a link to its next page, so that the token stays where it is: a
 * service behind a proxy may not know its own address. Undefined for a link to anything but the list.
 */
function buildNextUrl(
	link: string,
	{ account: { baseUrl } }: RequestContext,
	listUrl: string,
): string | undefined {
	const url = new URL(listUrl);
	const path = url.pathname.slice(new URL(baseUrl).pathname.length);
	const target = parseUrl(link);
	if (!target?.pathname.replace(/\/$/, '').endsWith(path)) return undefined;
	const own = [...url.searchParams];
	url.search = target.search;
	for (const [name, value] of own) url.searchParams.set(name, value);
	return url.href;
}

const SEND_UTF8 =
	'Names or answers could be taken for others. Ask your Form Service administrator for UTF-8, or for the right charset in the header Content-Type.';

const LOOP = 'The pages of the list form a loop';

const TOO_MANY_PAGES = `The list has more than ${MAX_PAGES} pages`;
const TOO_MANY_RECORDS = 'The list has more than 1,000,000 records';
const LARGER_PAGES =
	"Ask your Form Service administrator for larger pages. In Response: Get Many, a 'Limit' reads fewer pages if 'Sort' is 'As Listed'.";

function createNoList(context: RequestContext, value: unknown) {
	const { data } = unwrap(value);
	const sent = Array.isArray(data) ? 'a list whose entries are not records' : describeShape(data);
	return createListError(context, `Unexpected reply instead of a list: ${sent}`);
}

const STOPPED = `Nothing was returned, because the list may be incomplete. ${CHECK_REPLY}`;

function createUnknownPage(context: RequestContext, says: string) {
	const message = `There are more pages, but the reply has no link to the next one (${says})`;
	return createListError(context, message, STOPPED);
}

/** Of a form whose earlier pages were sent, the service can only reject the position, such as an old cursor. */
function explainLaterPage(context: RequestContext, error: unknown): unknown {
	const status = (error instanceof ServiceError && error.httpCode) || '';
	// a token, a right, the time or the rate limit can end at any page
	if (!/^4\d\d$/.test(status) || ['401', '403', '408', '429'].includes(status)) return error;
	const message = `The position in the list has expired or is no longer valid (status ${status})`;
	const description = 'Run this again to read the list from its first page.';
	return createListError(context, message, description);
}

function createPageElsewhere(context: RequestContext, link: string) {
	const { origin, pathname } = parseUrl(link) ?? {};
	const place =
		origin === 'null' || !pathname ? 'elsewhere' : `at ${shortenText(origin + pathname)}`;
	return createListError(
		context,
		`The next page of the list is ${place}, which is not the address of the list`,
		STOPPED,
	);
}

function createListError(context: RequestContext, message: string, description = CHECK_REPLY) {
	const failure = { cause: 'configuration-invalid' } as const;
	return createRequestError(context, { message, description, failure });
}
