import type { IDataObject } from 'n8n-workflow';
import type { Target } from '../../endpoints';
import { announcedTotal, nextPage } from './nextPage';
import { findPage } from './page';
import { identityOf } from '../../records';
import { request } from '../../request/request';
import type { Version } from '../../request/request';
import type { RequestContext } from '../../requestContext';
import {
	isNumbered,
	loop,
	MAX_PAGES,
	MAX_RECORDS,
	noList,
	urlInApi,
	pageElsewhere,
	pageNowhere,
	tooLong,
	tooManyPages,
} from '../list';

/** Pages in a row that only repeat earlier ones, as when many responses came meanwhile; more are a loop. */
const MAX_REPEATED_PAGES = 2;

export type ListOptions = {
	/** Records that are enough; no further page is fetched then. */
	limit?: number;
	/** Asked before each further page; the list is cut where it says no. */
	goOn?: () => boolean;
	/** Asked before that, with what has been read: whether it is enough. The list is cut there too. */
	isEnough?: (soFar: Listing) => boolean | Promise<boolean>;
	/** A page of this list that was read before, to begin with in place of the first one. */
	from?: Place;
	/** The version of a list of one page that was read before. */
	known?: Version;
};

/** Where a page is, and how many pages and records come before it. */
export type Place = { url: string; pages: number; received: number };

/** A page that was read. */
export type PageRead = Place & {
	/** Records of this page. */
	shown: number;
	/** Records of the whole list, where the page says how many there are. */
	total?: number;
	/** Whether its URL differs from that of the first page by numbers alone: it can be asked for by itself. */
	isNumbered: boolean;
};

/** The records of a listing; `complete` is false when there are more that were not fetched. */
export type Listing = {
	records: IDataObject[];
	complete: boolean;
	pages: PageRead[];
	/** Of a list of one page, where the caller can stop between pages. */
	version?: Version;
	/** It is the list with the known version, and was not read again: there are no records. */
	isUnchanged?: boolean;
};

/**
 * Fetches a listing, page by page to its end. A record that moved to a later page while the pages
 * were fetched is given once.
 *
 * @throws NodeApiError when a page has no list, or its next page is elsewhere or nowhere
 */
export async function list(
	context: RequestContext,
	{ endpoint, url }: Target,
	{ limit = Infinity, goOn, isEnough, from, known }: ListOptions = {},
): Promise<Listing> {
	const records: IDataObject[] = [];
	const identities = new Set<string | undefined>();
	const visited = new Set<string>();
	const pages: PageRead[] = [];
	const { account } = context;
	let { received, pages: before } = from ?? { received: 0, pages: 0 };
	let version: Version | undefined;
	let repeated = 0;
	const start =
		from === undefined ? url : urlInApi(from.url, { current: url, listUrl: url, account });
	if (start === undefined) throw pageElsewhere(context, from?.url ?? url);
	for (let next: string | undefined = start; next !== undefined; ) {
		if (visited.size >= MAX_PAGES) throw tooManyPages(context);
		if (visited.has(next)) throw loop(context);
		visited.add(next);
		const isFirst = visited.size === 1 && goOn !== undefined;
		const versions = isFirst ? { known } : undefined;
		const reply = await request(context, { endpoint, url: next }, versions);
		const { value, headers, isUnchanged } = reply;
		if (isFirst) version = reply.version;
		if (isUnchanged) return { records, complete: true, pages, version, isUnchanged };
		const found = findPage(value);
		if (found === undefined) throw noList(context, value);
		const fresh =
			visited.size === 1
				? found.records
				: found.records.filter((record) => !identities.has(identityOf(record)));
		for (const record of fresh) records.push(record);
		if (records.length > MAX_RECORDS) throw tooLong(context);
		repeated = found.records.length > 0 && fresh.length === 0 ? repeated + 1 : 0;
		if (repeated > MAX_REPEATED_PAGES) throw loop(context);
		const shown = found.records.length;
		const place = { url: next, pages: before, received };
		const total = announcedTotal(headers, found.around);
		pages.push({ ...place, shown, total, isNumbered: isNumbered(next, url) });
		before += 1;
		received += shown;
		const progress = { url: next, pages: before, received, shown };
		const page = nextPage(headers, found.around, progress);
		if (page.kind === 'none') break;
		for (const record of found.records) identities.add(identityOf(record));
		// what has no identity cannot be told to be a repetition
		identities.delete(undefined);
		const isEnd =
			records.length >= limit || (await isEnough?.({ records, complete: false, pages }));
		if (isEnd || goOn?.() === false) {
			return { records: records.slice(0, limit), complete: false, pages };
		}
		if (page.kind === 'unknown') throw pageNowhere(context, page.says);
		next = urlInApi(page.url, { current: next, listUrl: url, account });
		if (next === undefined) throw pageElsewhere(context, page.url);
	}
	const complete = records.length <= limit;
	const isOnePage = visited.size === 1 && version !== undefined;
	return { records: records.slice(0, limit), complete, pages, ...(isOnePage && { version }) };
}
