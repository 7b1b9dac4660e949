import type { IDataObject } from 'n8n-workflow';
import type { Target } from '../endpoints';
import { createFailure } from '../failures';
import { getRecordKey } from '../records';
import { createRequestError, type RequestContext } from '../requestContext';
import { fetchPages } from './fetchPages';

/** How often a list is read. Three readings of a list of 67 pages take 201 of the 1,440 requests of a day. */
const MAX_READINGS = 3;

/** Whether the records are the whole list. `total` is the number that the first page of the reading announced. */
export function isWholeList({
	distinctCount,
	recordCount,
	total,
}: {
	distinctCount: number;
	recordCount: number;
	total?: number;
}): boolean {
	return total === undefined ? distinctCount === recordCount : distinctCount >= total;
}

/**
 * Fetches the records of a list in the order of the service. Pages can shift while they are read: then one
 * record is on two pages, and another is on no page. So up to three readings are joined.
 *
 * @param until stop after the page that completes `limit` records, or that has the record with this key
 * @throws ServiceError if the list is incomplete
 */
export async function fetchRecords(
	context: RequestContext,
	target: Target,
	{ limit = Infinity, key = '' }: { limit?: number; key?: string } = {},
): Promise<readonly IDataObject[]> {
	const found = new Map<string, IDataObject>();
	let latestTotal = 0;
	for (let reading = 1; reading <= MAX_READINGS; reading++) {
		const current = new Map<string, IDataObject>();
		let recordCount = 0;
		let total: number | undefined;
		for await (const page of fetchPages(context, target)) {
			const hasFallen = (page.total ?? latestTotal) < latestTotal;
			latestTotal = page.total ?? latestTotal;
			total ??= page.total;
			// found records may be deleted, and others have moved to earlier pages
			if (hasFallen) found.clear();
			if (hasFallen && recordCount > 0) break;
			recordCount += page.records.length;
			for (const record of page.records) {
				current.set(getRecordKey(record), record);
				found.set(getRecordKey(record), record);
			}
			if (found.size >= limit || found.has(key)) return [...found.values()].slice(0, limit);
		}
		if (isWholeList({ distinctCount: current.size, recordCount, total })) {
			return [...current.values()];
		}
		if (total !== undefined && found.size >= total) return [...found.values()];
	}
	const count = latestTotal > 0 ? `of ${latestTotal} records` : 'records, some of them twice';
	const detail = `${MAX_READINGS} readings found ${found.size} ${count}`;
	throw createRequestError(context, createFailure('listIncomplete', { detail }));
}
