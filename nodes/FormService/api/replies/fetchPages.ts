import { isEmpty } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { ListedNoun, Target } from '../endpoints';
import { describeShape, type Envelope } from '../envelope';
import { createFailure } from '../failures';
import { getId, getListEntries, isRecord } from '../records';
import { callApi } from '../request/callApi';
import { REQUESTS_PER_DAY } from '../request/rateLimit';
import {
	createRequestError,
	createUnexpectedReplyError,
	type RequestContext,
} from '../requestContext';
import { findNextPage } from './findNextPage';

/** The maximum number of pages in one reading. Three readings of 480 pages take all requests of a day. */
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
	const { envelope, headers, sentAtMs } = await callApi(context, target);
	const records = readList(envelope, noun);
	if (records === undefined) {
		const found = describeShape(envelope.data);
		throw createUnexpectedReplyError(context, endpoint, `a list of ${noun} with IDs`, found);
	}
	const { problem, ...nextPage } = findNextPage(headers, envelope, url);
	if (problem !== undefined) {
		throw createUnexpectedReplyError(context, endpoint, 'a link to the next page', problem);
	}
	const dateHeaderMs = Date.parse(String(headers.date)) || undefined;
	return { url, records, ...nextPage, sentAtMs, dateHeaderMs };
}

/**
 * Returns the records of a list. Undefined if the reply has no list in one of the places of docs/contract.md, or
 * if a record has no ID.
 */
function readList({ data }: Envelope, noun: ListedNoun): IDataObject[] | undefined {
	const places = isRecord(data) ? [data[noun], data.data, data] : [data];
	// an empty object can also be a record without attributes
	const lists = places.filter((place) => Array.isArray(place) || !isEmpty(place));
	const entries = lists.map(getListEntries).find((list) => list !== undefined);
	const getRecordId = noun === 'forms' ? ({ id }: IDataObject) => getId({ id }) : getId;
	const areRecords = entries?.every((entry) => isRecord(entry) && getRecordId(entry) !== undefined);
	return areRecords ? (entries as IDataObject[]) : undefined;
}
