import type { IDataObject } from 'n8n-workflow';
import type { Account } from '../account';
import type { Target } from '../endpoints';
import { shapeOf, unwrap } from '../envelope';
import { CHECK_VERSION, serviceError } from '../errors';
import { identityOf } from '../records';
import { request } from '../request/request';
import type { Version } from '../request/request';
import type { RequestContext } from '../requestContext';
import { onOwnOrigin, parseUrl } from '../url';
import { nextPage } from './nextPage';
import { findPage } from './page';
import { asCount } from './pageNames';

export type { Listing, ListOptions, PageRead, Place } from './listWhile';

/** The most pages read of one list: a third of the requests of a day. */
export const MAX_PAGES = 480;

/** The most records read of one list: what n8n's memory can hold. */
export const MAX_RECORDS = 1_000_000;

/** Pages in a row that only repeat earlier ones, as when many responses were added meanwhile. More are a loop. */
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
	/** With `versions`, the version of the first page that is read. */
	version?: Version;
	/** The page has the version that was already known; its records are left out, and no page follows. */
	isUnchanged?: true;
};

/** Where to start reading: at a page that an earlier reading of the same list has given. */
export type PagePosition = Pick<ListPage, 'url' | 'pagesBefore' | 'recordsBefore'>;

export type PagesOptions = {
	from?: PagePosition;
	/** `known` is the version of a list of one page that was read before. */
	versions?: { known?: Version };
};

/**
 * Reads a list page by page. A caller that has enough stops asking for pages.
 *
 * @throws NodeApiError when a reply has no list, when its next page is outside the API or cannot be
 * found, and when the list ends with fewer records or pages than it announces; always before a part of
 * the list could be mistaken for the whole
 */
export async function* pagesOf(
	context: RequestContext,
	{ endpoint, url: listUrl }: Target,
	{ from, versions }: PagesOptions = {},
): AsyncGenerator<ListPage, void> {
	const visited = new Set<string>();
	const beginnings = new Set<string>();
	let repeated = 0;
	let { pagesBefore, recordsBefore } = from ?? { pagesBefore: 0, recordsBefore: 0 };
	let link = from?.url ?? listUrl;
	let current = listUrl;
	for (;;) {
		const url = ownUrl(link, { current, first: listUrl, account: context.account });
		if (url === undefined) throw pageElsewhere(context, link);
		if (visited.size >= MAX_PAGES) throw tooManyPages(context);
		if (visited.has(url)) throw loop(context);
		visited.add(url);
		const reply = await request(
			context,
			{ endpoint, url },
			visited.size === 1 ? versions : undefined,
		);
		const { requests, version } = reply;
		const position = { url, pagesBefore, recordsBefore, isNumbered: isNumbered(url, listUrl) };
		if (reply.isUnchanged) {
			yield { ...position, records: [], isLast: true, requests, version, isUnchanged: true };
			return;
		}
		const found = findPage(reply.value);
		if (found === undefined) throw noList(context, reply.value);
		const { records, around } = found;
		const beginning = records.length > 0 ? identityOf(records[0]) : undefined;
		repeated = beginning !== undefined && beginnings.has(beginning) ? repeated + 1 : 0;
		if (repeated > MAX_REPEATED_PAGES) throw loop(context);
		if (beginning !== undefined) beginnings.add(beginning);
		pagesBefore += 1;
		recordsBefore += records.length;
		const next = nextPage(reply.headers, around, {
			url,
			pages: pagesBefore,
			received: recordsBefore,
			shown: records.length,
		});
		yield { ...position, records, isLast: next.kind === 'none', requests, version };
		if (next.kind === 'none') return;
		if (next.kind === 'unknown') throw pageNowhere(context, next.says);
		current = url;
		link = next.url;
	}
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

export function isNumbered(url: string, first: string): boolean {
	const [one, other] = [new URL(url), new URL(first)];
	const isOther = ([name, value]: [string, string]) => other.searchParams.get(name) !== value;
	return [...one.searchParams]
		.filter(isOther)
		.every(([name, value]) => NUMBER.test(name) && asCount(value) !== undefined);
}

/**
 * The URL of a next page on the account's own origin, with what the first page was asked for: not
 * every service repeats that. A service behind a proxy may not know its own address: a link that has
 * the path of the endpoint gives its query to the URL that was asked, so that the token goes nowhere
 * else. Undefined for a link to any other place.
 */
export function ownUrl(
	link: string,
	{ current, first, account }: { current: string; first: string; account: Account },
): string | undefined {
	const asked = new URL(first);
	const base = new URL(account.baseUrl).pathname;
	const target = parseUrl(link, current);
	const endpoint = asked.pathname.slice(base.length);
	const path = target?.pathname.replace(/\/+$/, '') ?? '';
	const own = onOwnOrigin(link, current, account.origin);
	const isOfEndpoint = path.endsWith(endpoint) && (own === undefined || !path.startsWith(base));
	const url = target !== undefined && isOfEndpoint ? withQuery(asked, target.search) : own;
	if (url === undefined) return undefined;
	const next = new URL(url);
	for (const [name, value] of asked.searchParams) {
		if (!next.searchParams.has(name)) next.searchParams.set(name, value);
	}
	return next.href;
}

function withQuery(url: URL, search: string): string {
	const other = new URL(url);
	other.search = search;
	return other.href;
}

export function noList(context: RequestContext, value: unknown) {
	const { data } = unwrap(value);
	const message = Array.isArray(data)
		? 'The service sent a list of something other than records'
		: `The service sent ${context.account.conceal(shapeOf(data))} instead of a list`;
	return listError(context, message);
}

export function tooLong(context: RequestContext) {
	return listError(
		context,
		`The list has more than ${MAX_RECORDS.toLocaleString('en')} records`,
		"Set a lower 'Limit' in Response: Get Many.",
	);
}

export function tooManyPages(context: RequestContext) {
	return listError(
		context,
		`The list has more than ${MAX_PAGES} pages`,
		"Ask your Form Service administrator for larger pages, or set a lower 'Limit' in Response: Get Many.",
	);
}

export function loop(context: RequestContext) {
	return listError(context, 'The pages of the list form a loop');
}

export function pageNowhere(context: RequestContext, says: string) {
	const { conceal } = context.account;
	return listError(
		context,
		`The service says that the list goes on, but not where its next page is: it tells ${conceal(says)}`,
		`A part of a list would look like all of it. ${CHECK_VERSION}`,
	);
}

export function pageElsewhere(context: RequestContext, link: string) {
	const place =
		URL.canParse(link) && /^https?:/.test(link) ? new URL(link).origin : 'another place';
	return listError(
		context,
		`The next page of the list is at ${place}, where the access token does not go`,
		"If the service really has that address, enter it as 'Base URL' in the Form Service credential.",
	);
}

function listError(
	{ n8n, itemIndex }: RequestContext,
	message: string,
	description = CHECK_VERSION,
) {
	return serviceError(
		n8n.getNode(),
		{ message, description, failure: { cause: 'configuration-invalid' } },
		itemIndex,
	);
}
