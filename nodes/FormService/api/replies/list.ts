import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import type { Account } from '../account';
import type { Target } from '../endpoints';
import { shapeOf, unwrap } from '../envelope';
import { CHECK_VERSION, serviceError } from '../errors';
import type { Headers } from '../rateLimiter/limits';
import { identityOf } from '../records';
import { request } from '../request/request';
import type { Version } from '../request/request';
import type { RequestContext } from '../requestContext';
import { onOwnOrigin, parseUrl } from '../url';
import { findList } from './findList';
import { nextPage } from './nextPage';

/** The most pages read of one list: a third of the requests of a day. */
const MAX_PAGES = 480;

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
export type PagePosition = Pick<ListPage, 'url' | 'pagesBefore' | 'recordsBefore'>;

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
	const visited = new Set<string>();
	const beginnings = new Set<string>();
	let repeated = 0;
	let link = from?.url ?? listUrl;
	let current = listUrl;
	let pagesBefore = from?.pagesBefore ?? 0;
	let recordsBefore = from?.recordsBefore ?? 0;
	for (;;) {
		const url = urlInApi(link, { current, listUrl, account: context.account });
		if (url === undefined) throw pageElsewhere(context, link);
		if (visited.size >= MAX_PAGES) throw tooManyPages(context);
		if (visited.has(url)) throw loop(context);
		const condition = visited.size === 0 ? versions : undefined;
		visited.add(url);
		const reply = await request(context, { endpoint, url }, condition);
		const { requests, version, isUnchanged } = reply;
		const date = dateIn(reply.headers);
		const position = {
			url,
			pagesBefore,
			recordsBefore,
			isNumbered: isNumbered(url, listUrl),
			date,
		};
		if (isUnchanged) {
			yield { ...position, records: [], isLast: true, requests, version, isUnchanged };
			return;
		}
		const found = findList(reply.value, nameInForm);
		if (found === undefined) throw noList(context, reply.value);
		const { records, around } = found;
		const beginning = records.length > 0 ? identityOf(records[0]) : undefined;
		repeated = beginning !== undefined && beginnings.has(beginning) ? repeated + 1 : 0;
		if (repeated > MAX_REPEATED_PAGES) throw loop(context);
		if (beginning !== undefined) beginnings.add(beginning);
		pagesBefore += 1;
		recordsBefore += records.length;
		const soFar = { url, pages: pagesBefore, records: recordsBefore, shown: records.length };
		const next = nextPage(reply.headers, around, soFar);
		yield { ...position, records, isLast: next.kind === 'none', requests, version };
		if (next.kind === 'none') return;
		if (next.kind === 'unknown') throw pageNowhere(context, next.says);
		current = url;
		link = next.url;
	}
}

/** The header `Date` (RFC 9110, section 6.6.1). */
function dateIn({ date }: Headers): number | undefined {
	const time = DateTime.fromHTTP(typeof date === 'string' ? date : '');
	return time.isValid ? time.toMillis() : undefined;
}

/**
 * Reads a list to its end, or until there are `limit` records. A record that moved to a later page
 * while the pages were read is given once.
 *
 * @returns the records in the order of the service; `complete` is false when there are more than the limit
 * @throws as `pagesOf`
 */
export async function listAll(
	context: RequestContext,
	target: Target,
	limit = Infinity,
): Promise<{ records: IDataObject[]; complete: boolean }> {
	const records: IDataObject[] = [];
	const identities = new Set<string>();
	for await (const page of pagesOf(context, target)) {
		for (const record of page.records) {
			const identity = identityOf(record);
			if (identity === undefined || !identities.has(identity)) records.push(record);
		}
		if (records.length > MAX_RECORDS) throw tooLong(context);
		if (page.isLast) break;
		for (const record of page.records) {
			const identity = identityOf(record);
			if (identity !== undefined) identities.add(identity);
		}
		if (records.length >= limit) return { records: records.slice(0, limit), complete: false };
	}
	return { records: records.slice(0, limit), complete: records.length <= limit };
}

/** Parameters that count pages or records. */
const NUMBER = /^(page|page_?(number|num|no|index)|offset|skip|start|start_?(at|index))$/i;

function isNumbered(url: string, listUrl: string): boolean {
	const inList = new URL(listUrl).searchParams;
	return [...new URL(url).searchParams]
		.filter(([name, value]) => inList.get(name) !== value)
		.every(([name, value]) => NUMBER.test(name) && /^\d{1,9}$/.test(value));
}

/**
 * The URL of a next page, with the query of the list: not every service repeats it. A service behind a
 * proxy may not know its own address, so a link with the path of the list gives its query to the URL of
 * the list, and the token goes nowhere else.
 *
 * @returns undefined for a link to anything else outside the API
 */
function urlInApi(
	link: string,
	{ current, listUrl, account }: { current: string; listUrl: string; account: Account },
): string | undefined {
	const list = new URL(listUrl);
	const pathInApi = list.pathname.slice(new URL(account.baseUrl).pathname.length);
	const target = parseUrl(link, current);
	const own = onOwnOrigin(link, current, account.origin);
	let url: URL;
	if (own?.startsWith(`${account.baseUrl}/`)) url = new URL(own);
	else if (target?.pathname.replace(/\/$/, '').endsWith(pathInApi)) {
		url = new URL(listUrl);
		url.search = target.search;
	} else return undefined;
	for (const [name, value] of list.searchParams) {
		if (!url.searchParams.has(name)) url.searchParams.set(name, value);
	}
	return url.href;
}

function noList(context: RequestContext, value: unknown) {
	const { data } = unwrap(value);
	const message = Array.isArray(data)
		? 'The service sent a list of something other than records'
		: `The service sent ${context.account.conceal(shapeOf(data))} instead of a list`;
	return listError(context, message);
}

function tooLong(context: RequestContext) {
	return listError(
		context,
		`The list has more than ${MAX_RECORDS.toLocaleString('en')} records`,
		"Set a lower 'Limit' in Response: Get Many.",
	);
}

function tooManyPages(context: RequestContext) {
	return listError(
		context,
		`The list has more than ${MAX_PAGES} pages`,
		"Ask your Form Service administrator for larger pages, or set a lower 'Limit' in Response: Get Many.",
	);
}

function loop(context: RequestContext) {
	return listError(context, 'The pages of the list form a loop');
}

function pageNowhere(context: RequestContext, says: string) {
	return listError(
		context,
		`The list continues, but the service does not say where its next page is: it sent ${context.account.conceal(says)}`,
		`Stopped, because an incomplete list could be mistaken for the whole. ${CHECK_VERSION}`,
	);
}

function pageElsewhere(context: RequestContext, link: string) {
	const { origin = 'another place' } = /^https?:/.test(link) ? (parseUrl(link) ?? {}) : {};
	return listError(
		context,
		`The next page of the list is at ${origin}, where the access token does not go`,
		"If the service really has that address, enter it as 'Base URL' in the Form Service credential.",
	);
}

function listError(
	{ n8n, itemIndex }: RequestContext,
	message: string,
	description = CHECK_VERSION,
): Error {
	const failure = { cause: 'configuration-invalid' } as const;
	return serviceError(n8n.getNode(), { message, description, failure }, itemIndex);
}
