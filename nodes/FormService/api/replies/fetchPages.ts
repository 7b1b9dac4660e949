import { isEmpty } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { REQUESTS_PER_DAY, type ListedNoun, type Target } from '../endpoints';
import { describeShape } from '../request/parseReply';
import { createFailure } from '../failures';
import { getId, getListEntries, isRecord } from '../records';
import { callApi } from '../request/callApi';
import {
	createRequestError,
	createUnexpectedReplyError,
	type RequestContext,
} from '../requestContext';
import { findNextPage } from './findNextPage';

/** The maximum number of pages in one pass. Three passes of 480 pages take all requests of a day. */
export const MAX_PAGES = REQUESTS_PER_DAY / 3;

const TOO_LONG = createFailure('listIncomplete', { detail: `it has more than ${MAX_PAGES} pages` });

export type ListPage = {
	url: string;
	records: IDataObject[];
	nextUrl?: string;
	/** The announced number of all records. */
	total?: number;
	sentAtMs: number;
	/** When the service sent the page, in whole seconds. */
	dateHeaderMs?: number;
};

/** How often a list is read. Three passes of a list of 67 pages take 201 of the 1,440 requests of a day. */
const MAX_PASSES = 3;

/** `requests`: how many requests were answered. `lastPage` shows the service's clock. */
type FetchedRecords = {
	records: readonly IDataObject[];
	requests: number;
	lastPage?: ListPage;
};

/**
 * Fetches the records of a list in the order in which they are found. Pages can shift while they are read: then
 * one record is on two pages, and another is on no page. So up to three passes are joined.
 *
 * @param until stop after the page that completes `limit` records, or that has the record with this ID
 * @throws ServiceError if the list is incomplete
 */
export async function fetchRecords(
	context: RequestContext,
	target: Target,
	{ limit = Infinity, id = '' }: { limit?: number; id?: string } = {},
): Promise<FetchedRecords> {
	const found = new Map<string, IDataObject>();
	let latestTotal = 0;
	let requests = 0;
	let lastPage: ListPage | undefined;
	for (let pass = 1; pass <= MAX_PASSES; pass++) {
		const current = new Map<string, IDataObject>();
		let recordCount = 0;
		let total: number | undefined;
		for await (const page of fetchPages(context, target)) {
			requests += 1;
			lastPage = page;
			const hasFallen = (page.total ?? latestTotal) < latestTotal;
			latestTotal = page.total ?? latestTotal;
			total ??= page.total;
			// forget what was found, because some of it is deleted, and other records have moved to earlier pages
			if (hasFallen) found.clear();
			if (hasFallen && recordCount > 0) break;
			recordCount += page.records.length;
			for (const record of page.records) {
				const recordId = getId(record)!;
				current.set(recordId, record);
				found.set(recordId, record);
			}
			if (found.size >= limit || found.has(id)) {
				return { records: [...found.values()].slice(0, limit), requests, lastPage };
			}
		}
		if (isWholeList({ distinctCount: current.size, recordCount, total })) {
			return { records: [...current.values()], requests, lastPage };
		}
		if (total !== undefined && found.size >= total) {
			return { records: [...found.values()], requests, lastPage };
		}
	}
	const count = latestTotal > 0 ? `of ${latestTotal} records` : 'records, some of them twice';
	const detail = `reading it ${MAX_PASSES} times found ${found.size} ${count}`;
	throw createRequestError(context, createFailure('listIncomplete', { detail }));
}

/** Whether the records are the whole list. `total` is the number that the first page of the pass announced. */
export function isWholeList(read: {
	distinctCount: number;
	recordCount: number;
	total?: number;
}): boolean {
	const { distinctCount, recordCount, total } = read;
	return distinctCount >= (total ?? recordCount);
}

/** @throws ServiceError if a page has no list, or if its next page is unknown or was already read */
export async function* fetchPages(
	context: RequestContext,
	target: Target,
	fromUrl = target.url,
): AsyncGenerator<ListPage, void> {
	const urls = new Set<string>();
	let nextUrl: string | undefined = new URL(fromUrl).href;
	while (nextUrl !== undefined) {
		if (urls.size === MAX_PAGES) throw createRequestError(context, TOO_LONG);
		urls.add(nextUrl);
		const page: ListPage = await fetchPage(context, { ...target, url: nextUrl });
		nextUrl = page.nextUrl;
		if (nextUrl !== undefined && urls.has(nextUrl)) {
			const found = 'a page that was already read';
			throw createUnexpectedReplyError(context, target.endpoint, 'another page of the list', found);
		}
		yield page;
	}
}

async function fetchPage(context: RequestContext, target: Target): Promise<ListPage> {
	const { endpoint, url } = target;
	const { lists: noun } = endpoint;
	if (noun === undefined) throw new Error(`${endpoint.url} sends no list`);
	const reply = await callApi(context, target);
	const records = readList(reply.data, noun);
	if (records === undefined) {
		const found = describeShape(reply.data);
		throw createUnexpectedReplyError(context, endpoint, `a list of ${noun} with IDs`, found);
	}
	const { problem, ...nextPage } = findNextPage(reply, url);
	if (problem !== undefined) {
		throw createUnexpectedReplyError(context, endpoint, 'a link to the next page', problem);
	}
	const dateHeaderMs = Date.parse(String(reply.headers.date)) || undefined;
	return { url, records, ...nextPage, sentAtMs: reply.sentAtMs, dateHeaderMs };
}

/** Undefined if the list is in none of the places of docs/contract.md, or if a record has no ID. */
function readList(data: unknown, noun: ListedNoun): IDataObject[] | undefined {
	const places = isRecord(data) ? [data[noun], data.data, data] : [data];
	// an empty object is no list, because it can be a record without attributes
	const lists = places.filter((place) => Array.isArray(place) || !isEmpty(place));
	const entries = lists.map(getListEntries).find((list) => list !== undefined);
	const getRecordId = noun === 'forms' ? ({ id }: IDataObject) => getId({ id }) : getId;
	const areRecords = entries?.every((entry) => isRecord(entry) && getRecordId(entry) !== undefined);
	return areRecords ? (entries as IDataObject[]) : undefined;
}
