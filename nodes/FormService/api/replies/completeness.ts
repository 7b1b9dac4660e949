import type { IDataObject } from 'n8n-workflow';
import { getComparableId } from '../records';

/*
 * Whether a list that was read page by page is complete. A database that sorts by time lists records of equal
 * times in another order for each page, so a record can be on two pages, and another record on none. The rule
 * counts what is distinct:
 *
 * - A list is complete once as many distinct records were found as it announces. Without repeats, one reading is
 *   enough.
 * - If it announces no number, numbered pages have as many records together as the list. Only at the end of a
 *   reading does their count include what was added meanwhile: before, a new record could stand in for a missing
 *   one. The pages of a cursor count nothing, because they skip what is listed before the cursor.
 * - Otherwise, the list is read again, and what was found is kept. A record that was added meanwhile moves another
 *   record to the next page. Then the first page of the next reading has the new record, and the list is complete.
 * - If the announced number falls, records were deleted, and the pages moved up. What was found before is
 *   dropped, because it can contain deleted records, and the list is read again.
 */

/** How often a list is read again. Chosen: a list of 67 pages then costs 201 requests at most. */
const MAX_REREADS = 2;

/** The state of a list after some of its pages. */
export type ListReading = {
	/** The records of the reading that is under way, by their key. */
	current: Map<string, IDataObject>;
	/** The records of earlier readings that may still be there. */
	earlier: Map<string, IDataObject>;
	/** How many records the pages of this reading have together, with repeats. */
	listedCount: number;
	/** How many records the pages of the last complete pass have together, with repeats. */
	expectedCount?: number;
	/** How many records the last page announced. */
	total?: number;
	/** All pages were numbered. */
	isNumbered: boolean;
	rereads: number;
};

/** What to do after a page: read the next page, start again, return the records, or fail. */
export type Verdict = 'next' | 'again' | 'complete' | 'short';

export function startReading(): ListReading {
	return {
		current: new Map(),
		earlier: new Map(),
		listedCount: 0,
		isNumbered: true,
		rereads: 0,
	};
}

/** The part of a page that completeness depends on. */
export type CountedPage = {
	records: readonly IDataObject[];
	total?: number;
	isNumbered: boolean;
	isLast: boolean;
};

/** Adds a page to a reading, and returns what to do. After `again`, the next page to add is the first one. */
export function addPage(reading: ListReading, page: CountedPage): Verdict {
	const hasFallen = page.total !== undefined && page.total < (reading.total ?? 0);
	reading.total = page.total ?? reading.total;
	reading.isNumbered &&= page.isNumbered;
	if (hasFallen) {
		reading.earlier.clear();
		reading.current.clear();
		reading.expectedCount = undefined;
		return readAgain(reading);
	}
	collectRecords(reading, page.records);
	if (page.isLast) {
		const isClean = reading.current.size === reading.listedCount;
		if (isClean && reading.listedCount >= (reading.total ?? 0)) {
			// earlier readings can have records that were deleted since
			reading.earlier.clear();
			return 'complete';
		}
		reading.expectedCount = reading.listedCount;
	}
	if (hasAllRecords(reading, page)) return 'complete';
	return page.isLast ? readAgain(reading) : 'next';
}

/** Whether the distinct records of all readings are as many as the list has. */
function hasAllRecords(reading: ListReading, { isLast }: CountedPage): boolean {
	const { expectedCount, total = 0, isNumbered } = reading;
	if (expectedCount === undefined) return false;
	const foundCount = countFound(reading);
	if (total >= expectedCount) return foundCount >= total;
	return isLast && isNumbered && foundCount === expectedCount;
}

/** Returns all records that were found, in the order of the last reading, then in the order of earlier readings. */
export function getFoundRecords({ current, earlier }: ListReading): IDataObject[] {
	return [...new Map([...current, ...earlier, ...current]).values()];
}

function readAgain(reading: ListReading): Verdict {
	if (reading.rereads === MAX_REREADS) return 'short';
	for (const [key, record] of reading.current) reading.earlier.set(key, record);
	reading.current = new Map();
	reading.listedCount = 0;
	reading.rereads++;
	return 'again';
}

/** Returns how many distinct records were found in all readings. */
export function countFound({ current, earlier }: ListReading): number {
	let count = current.size;
	for (const key of earlier.keys()) if (!current.has(key)) count++;
	return count;
}

/** Adds records to the reading. A record that is on two pages is kept once, as its later page has it. */
function collectRecords(reading: ListReading, records: readonly IDataObject[]): void {
	const { current } = reading;
	const onPage = new Set<string>();
	for (const record of records) {
		const id = getComparableId(record);
		// equal records without an identity are different records, and so are two on one page
		const isSeen = (key: string) => (id === undefined ? current.has(key) : onPage.has(key));
		const name = id ?? JSON.stringify(record);
		let key = name;
		for (let count = 2; isSeen(key); count++) key = `${name} ${count}`;
		onPage.add(key);
		current.set(key, record);
		reading.listedCount++;
	}
}
