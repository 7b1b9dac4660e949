import type { IDataObject } from 'n8n-workflow';
import type { Target } from '../endpoints';
import { getRecordKey } from '../records';
import { createRequestError, type RequestContext } from '../requestContext';
import { createFailure, type RequestFailure } from '../failures';
import { fetchPages } from './fetchPages';

/*
 * Reads lists to their end. Pages can shift while they are read: new records move other records to later pages,
 * and a database that sorts by time can list records with equal times in another order on each page. Then one
 * record is on two pages, and another record is on no page. So the distinct records are counted.
 */

/** How often a list is read. Three readings of a list of 67 pages take 201 of the 1,440 requests of a day. */
const MAX_READINGS = 3;

/** The distinct records of a list that were found so far, by their keys, see `getRecordKey`. */
export type FoundRecords = ReadonlyMap<string, IDataObject>;

/** Whether a caller needs no further pages. */
type IsEnough = (found: FoundRecords) => boolean;

/**
 * Whether the records are the whole list. Without a total, a list is whole if no record came twice.
 *
 * @param total the number of records that the first page of the reading announced
 */
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
 * Fetches the records of a list in the order of the service.
 *
 * @param limit stops after the page with the record of this number
 * @throws ServiceError if a page cannot be read, or if the list is still incomplete after three readings
 */
export async function fetchRecords(
	context: RequestContext,
	target: Target,
	limit = Infinity,
): Promise<readonly IDataObject[]> {
	const found = await createListReader(target)(context, ({ size }) => size >= limit);
	return [...found.values()].slice(0, limit);
}

/** A function that reads a list for several callers, see `createListReader`. */
export type ListReader = (context: RequestContext, isEnough?: IsEnough) => Promise<FoundRecords>;

/**
 * Creates a function that reads a list for several callers. Each call continues at the page where the previous
 * call stopped. So a call waits for the earlier calls, and fails if an earlier call fails. After a failure, the
 * next call starts at the first page.
 */
export function createListReader(target: Target): ListReader {
	let latest: Promise<Progress> | undefined;
	return async (context, isEnough) => {
		const start = latest ?? startReading(context, target);
		const reading = start.then(async (progress) => await continueReading(progress, isEnough));
		latest = reading;
		reading.catch(() => {
			if (latest === reading) latest = undefined;
		});
		return (await reading).found;
	};
}

/** How far a list was read. */
type Progress = {
	pages: AsyncGenerator<FoundRecords, FoundRecords>;
	found: FoundRecords;
	isWhole: boolean;
};

async function startReading(context: RequestContext, target: Target): Promise<Progress> {
	return { pages: readPages(context, target), found: new Map(), isWhole: false };
}

async function continueReading(before: Progress, isEnough?: IsEnough): Promise<Progress> {
	let progress = before;
	while (!progress.isWhole && !isEnough?.(progress.found)) {
		const { value, done } = await progress.pages.next();
		progress = { ...progress, found: value, isWhole: done === true };
	}
	return progress;
}

/**
 * Reads a list up to three times, and joins the records of the readings. Yields the records after each page, and
 * returns the whole list.
 */
async function* readPages(
	context: RequestContext,
	target: Target,
): AsyncGenerator<FoundRecords, FoundRecords> {
	let found = new Map<string, IDataObject>();
	let latestTotal = 0;
	for (let reading = 1; reading <= MAX_READINGS; reading++) {
		const current = new Map<string, IDataObject>();
		let recordCount = 0;
		let total: number | undefined;
		for await (const page of fetchPages(context, target)) {
			// records were deleted, so found records may no longer exist, and others have moved to earlier pages
			const hasFallen = (page.total ?? latestTotal) < latestTotal;
			latestTotal = page.total ?? latestTotal;
			if (hasFallen) found = new Map();
			if (hasFallen && recordCount > 0) break;
			total ??= page.total;
			recordCount += page.records.length;
			addRecords(current, page.records);
			addRecords(found, page.records);
			yield found;
		}
		if (isWholeList({ distinctCount: current.size, recordCount, total })) return current;
		if (total !== undefined && found.size >= total) return found;
	}
	throw createRequestError(context, createIncompleteFailure(found, latestTotal));
}

function addRecords(found: Map<string, IDataObject>, records: readonly IDataObject[]): void {
	for (const record of records) found.set(getRecordKey(record), record);
}

function createIncompleteFailure({ size }: FoundRecords, total: number): RequestFailure {
	const found = total > 0 ? `${size} of ${total} records` : `${size} records, some of them twice`;
	return createFailure('listIncomplete', { detail: `${MAX_READINGS} readings found ${found}` });
}
