import type { IDataObject } from 'n8n-workflow';
import type { Account } from '../account';
import type { Target } from '../endpoints';
import { shapeOf, unwrap } from '../envelope';
import { CHECK_VERSION } from '../errors';
import { dateIn, REQUESTS_PER_DAY } from '../rateLimiter/limits';
import { identityOf } from '../records';
import { request } from '../request/request';
import type { Version } from '../request/request';
import { requestError } from '../requestContext';
import type { RequestContext } from '../requestContext';
import { onOwnOrigin, parseUrl } from '../url';
import { findList } from './findList';
import { nextPage } from './nextPage';

/** The most pages read of one list in one call: a third of the requests of a day. */
const MAX_PAGES = REQUESTS_PER_DAY / 3;

/** The most pages of one list, also if several calls read them: a week's requests. */
const MAX_PAGES_IN_ALL = 7 * REQUESTS_PER_DAY;

/** The most records read of one list: what n8n's memory can hold. */
const MAX_RECORDS = 1_000_000;

/** Pages in a row that may begin like earlier ones, as if responses were added meanwhile. More are a loop. */
const MAX_REPEATED_PAGES = 2;

/** One page of a list. */
export type ListPage = {
	records: IDataObject[];
	/** The whole URL that the page was requested at. */
	url: string;
	pagesBefore: number;
	recordsBefore: number;
	/** Its URL differs from the URL of the list by page or record numbers alone, so it can be requested by itself. */
	isNumbered: boolean;
	/** The list ends with this page. */
	isLast: boolean;
	/**
	 * Where a later call can read on. Undefined on the last page, and where the next page cannot be
	 * read: then asking for one more page throws the error that says why.
	 */
	next?: PagePosition;
	/** Requests that were sent for this page, redirects and retries included. */
	requests: number;
	/** The service's time when it sent the page, in epoch milliseconds, cut off to seconds. */
	date?: number;
	/** With `versions`, the version of the first page that is read. */
	version?: Version;
	/** The page has the version that was already known; its records are left out, and no page follows. */
	isUnchanged?: true;
};

/** A page to start reading at, from an earlier reading of the same list. */
export type PagePosition = Pick<ListPage, 'url' | 'pagesBefore' | 'recordsBefore'> & {
	/** What the reading has met so far, if this position continues it. */
	trail?: Trail;
};

/** The pages of one reading, by which a loop is recognized. Later calls of the reading share it. */
type Trail = {
	/** For each URL, and for each record that a page began with, the number of the page that was first. */
	firstPage: Map<string, number>;
	/** How many pages in a row began like an earlier one. */
	repeatedPages: number;
};

export type PagesOptions = {
	from?: PagePosition;
	/** `known` is the version of a list of one page that was read before. */
	versions?: { known?: Version };
};

/**
 * Reads a list page by page. A caller that has enough stops asking for pages.
 *
 * @throws NodeApiError if a reply has no list, if the next page is outside the API or cannot be found,
 * and if the list ends before everything that it announces was read: so a part of a list is never
 * mistaken for the whole
 */
export async function* pagesOf(
	context: RequestContext,
	{ endpoint, url: listUrl }: Target,
	{ from, versions }: PagesOptions = {},
): AsyncGenerator<ListPage, void> {
	const [nameInForm] = /fields|responses/.exec(endpoint.url) ?? [];
	let pagesRead = 0;
	let {
		url,
		pagesBefore,
		recordsBefore,
		trail = newTrail(),
	} = from ?? {
		url: parseUrl(listUrl)?.href ?? listUrl,
		pagesBefore: 0,
		recordsBefore: 0,
	};
	for (;;) {
		if (pagesRead >= MAX_PAGES || pagesBefore >= MAX_PAGES_IN_ALL) {
			throw listError(context, TOO_MANY_PAGES, LARGER_PAGES);
		}
		if (isRepeated(trail, url, pagesBefore)) throw listError(context, LOOP);
		const condition = pagesRead === 0 ? versions : undefined;
		const reply = await request(context, { endpoint, url }, condition);
		pagesRead += 1;
		const { headers, requests, version, isUnchanged } = reply;
		const page = {
			...{ url, pagesBefore, recordsBefore, requests, version },
			isNumbered: isNumbered(url, listUrl),
			date: dateIn(headers.date),
		};
		if (isUnchanged) {
			yield { ...page, records: [], isLast: true, isUnchanged };
			return;
		}
		const found = findList(reply.value, nameInForm);
		if (found === undefined) throw noList(context, reply.value);
		const { records, around } = found;
		trail = extendTrail(trail, records, pagesBefore);
		if (trail.repeatedPages > MAX_REPEATED_PAGES) throw listError(context, LOOP);
		pagesBefore += 1;
		recordsBefore += records.length;
		const soFar = { url, pages: pagesBefore, records: recordsBefore, shown: records.length };
		const next = nextPage(headers, around, soFar);
		const nextUrl = next.kind === 'at' ? urlInApi(next.url, listUrl, context.account) : undefined;
		yield {
			...page,
			records,
			isLast: next.kind === 'none',
			...(nextUrl !== undefined && { next: { url: nextUrl, pagesBefore, recordsBefore, trail } }),
		};
		if (next.kind === 'none') return;
		if (next.kind === 'unknown') throw pageNowhere(context, next.says);
		if (nextUrl === undefined) throw pageElsewhere(context, next.url);
		url = nextUrl;
	}
}

function newTrail(): Trail {
	return { firstPage: new Map(), repeatedPages: 0 };
}

/** Whether an earlier page had this URL or began with this record; a page can be read a second time. */
function isRepeated({ firstPage }: Trail, key: string, pageNumber: number): boolean {
	if (!firstPage.has(key)) firstPage.set(key, pageNumber);
	return (firstPage.get(key) ?? pageNumber) < pageNumber;
}

/** The trail with one more page. An empty page begins neither like an earlier one nor otherwise. */
function extendTrail(trail: Trail, records: readonly IDataObject[], pageNumber: number): Trail {
	if (records.length === 0) return trail;
	const beginning = identityOf(records[0]) ?? JSON.stringify(records[0]);
	const repeatedPages = isRepeated(trail, beginning, pageNumber) ? trail.repeatedPages + 1 : 0;
	return { ...trail, repeatedPages };
}

/**
 * Reads a list to its end, or until there are `limit` records. A record that moved to a later page
 * while the pages were read is given once.
 *
 * @returns the records in the order of the service
 * @throws as `pagesOf`
 */
export async function listAll(
	context: RequestContext,
	target: Target,
	limit = Infinity,
): Promise<IDataObject[]> {
	const all: IDataObject[] = [];
	const identities = new Set<string>();
	for await (const { records, isLast } of pagesOf(context, target)) {
		for (const record of records) if (!identities.has(identityOf(record) ?? '')) all.push(record);
		if (all.length > MAX_RECORDS) throw tooManyRecords(context);
		if (isLast || all.length >= limit) break;
		for (const identity of records.map(identityOf)) {
			if (identity !== undefined) identities.add(identity);
		}
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
 * The URL of a next page, with the query of the list, since not every service repeats the query. A
 * service behind a proxy may not know its own address. So if a link on another origin has the path of
 * the list, its query is sent to the URL of the list, and the token stays within the API.
 *
 * @param link a whole URL, or a text that is not a URL
 * @returns undefined for a link to anything else outside the API
 */
function urlInApi(link: string, listUrl: string, { baseUrl, origin }: Account): string | undefined {
	const list = new URL(listUrl);
	const pathInApi = list.pathname.slice(new URL(baseUrl).pathname.length);
	const target = parseUrl(link);
	const own = onOwnOrigin(link, listUrl, origin);
	const url = own?.startsWith(`${baseUrl}/`)
		? new URL(own)
		: target?.pathname.replace(/\/$/, '').endsWith(pathInApi)
			? new URL(target.search, list)
			: undefined;
	for (const [name, value] of list.searchParams) {
		if (!url?.searchParams.has(name)) url?.searchParams.set(name, value);
	}
	return url?.href;
}

const LOOP = 'The pages of the list form a loop';
const TOO_MANY_PAGES = `The list has more than ${MAX_PAGES} pages`;
const LARGER_PAGES =
	"Ask your Form Service administrator for larger pages, or set a lower 'Limit' in Response: Get Many.";

// not a constant: formatting a number loads Intl, which would delay the start of n8n
function tooManyRecords(context: RequestContext) {
	const message = `The list has more than ${MAX_RECORDS.toLocaleString('en')} records`;
	return listError(context, message, "Set a lower 'Limit' in Response: Get Many.");
}

function noList(context: RequestContext, value: unknown) {
	const { data } = unwrap(value);
	const sent = Array.isArray(data)
		? 'a list whose entries are not records'
		: `${shapeOf(data)} instead of a list`;
	return listError(context, `The service sent ${sent}`);
}

function pageNowhere(context: RequestContext, says: string) {
	return listError(
		context,
		`The list continues, but the service does not say where the next page is (${says})`,
		`Stopped, because an incomplete list could be mistaken for the whole. ${CHECK_VERSION}`,
	);
}

function pageElsewhere(context: RequestContext, link: string) {
	const { origin = 'another place' } = /^https?:/.test(link) ? (parseUrl(link) ?? {}) : {};
	return listError(
		context,
		`The next page of the list is at ${origin}, where the access token is not sent`,
		"If that is the service's actual address, enter it as 'Base URL' in the Form Service credential.",
	);
}

function listError(context: RequestContext, message: string, description = CHECK_VERSION): Error {
	const failure = { cause: 'configuration-invalid' } as const;
	return requestError(context, { message, description, failure });
}
