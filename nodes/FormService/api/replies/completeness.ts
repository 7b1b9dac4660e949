import type { IDataObject } from 'n8n-workflow';
import { createFailure, type RequestFailure } from '../requestFailure';
import { getComparableId, getRecordKey } from '../records';
import { countRepeatedPages, type ListPage } from './fetchPages';

/*
 * Decides whether all records of a list were found. `findNextPage` has decided earlier whether a page follows.
 *
 * Overlapping pages can hide records. For example, a database that sorts by time can list records with equal
 * times in a different order for each page. Then one record is on two pages, and another record is on no page.
 * So the node counts the distinct records. A list is complete in each of these cases:
 *
 * - A pass ends without a repeated record, and has at least as many records as the list announces.
 * - The list announces 25 records, `{"total": 25}`, and 25 distinct records were found. The latest pass had at
 *   most 25 records, because a lower number can be the number of records on one page. In the first pass, the
 *   node still reads to the end of the list. Otherwise, a record that is added during the pass could make the
 *   count 25 although another record is missing.
 * - The list announces no number, and a pass over numbered pages ends. The pages have 25 records, including
 *   repeated records, and all passes together have found 25 distinct records. Pages with cursors cannot be
 *   counted, because a cursor skips records that are added before the cursor.
 *
 * If a pass ends and the list is incomplete, the next pass starts at the first page. Found records are kept.
 *
 * If the announced number falls, records were deleted, and other records have moved to earlier pages. The found
 * records are dropped, because they may be deleted. The next pass starts immediately. No next pass is necessary
 * if the first page of a pass announces the lower number.
 *
 * If a record is deleted and another record is added between two requests, the announced number does not
 * change. The list can then contain the deleted record, or lack a record.
 */

/**
 * The maximum number of passes of a list. With three passes, a list of 67 pages takes at most 201 of the 1,440
 * requests per day.
 */
const MAX_PASSES = 3;

/**
 * The state of a list after some of its pages. A state never changes, because `addPage` returns a new state. So
 * several callers can share a state.
 */
export type ListState = {
	/** The pages of this pass. Empty if the next page is the first page. */
	readonly passPages: readonly ListPage[];
	/** The distinct records of this pass, by their keys. */
	readonly passRecords: ReadonlyMap<string, IDataObject>;
	/** The records that earlier passes found and that may still be in the list, by their keys. */
	readonly earlierRecords: ReadonlyMap<string, IDataObject>;
	/**
	 * The number of records in the latest finished pass, including repeated records. If the number is known, the
	 * list can become complete before the end of a pass. Undefined until a pass has finished, and after the
	 * found records were dropped.
	 */
	readonly latestPassRecordCount?: number;
	/** The latest announced `total`: the number of records in the list. */
	readonly total?: number;
	/** The number of this pass. The first pass has the number 1. */
	readonly pass: number;
	/**
	 * `unfinished` if the next page has to be read. If records are still missing after the last pass, the failure
	 * says why the list is incomplete.
	 */
	readonly status: 'unfinished' | 'complete' | RequestFailure;
};

/** The state of a list before its first page is read. */
export const UNREAD_LIST: ListState = {
	status: 'unfinished',
	passPages: [],
	passRecords: new Map(),
	earlierRecords: new Map(),
	pass: 1,
};

/**
 * Returns the distinct records that were found. The records of the latest pass come first, in the order of the
 * list. Records that only earlier passes found come last.
 */
export function getRecords(state: ListState): IDataObject[] {
	return [...mergeRecords(state).values()];
}

function mergeRecords({ passRecords, earlierRecords }: ListState): Map<string, IDataObject> {
	// `passRecords` comes first for the order, and last so that its records replace the records of earlier passes
	return new Map([...passRecords, ...earlierRecords, ...passRecords]);
}

/**
 * Returns the state of an unfinished list after one more page. If the page announces a next page that cannot
 * be requested, the pass does not end, and the next call of `fetchNextPage` throws.
 *
 * @param page the page after `before.passPages`; the first page of the list if `before.passPages` is empty
 */
export function addPage(before: ListState, page: ListPage): ListState {
	const hasFallen = page.total !== undefined && page.total < (before.total ?? 0);
	const state = hasFallen ? { ...UNREAD_LIST, pass: before.pass } : before;
	const total = page.total ?? state.total;
	if (hasFallen && before.passPages.length > 0) {
		const failure = createFailure('listShrinks', { passes: state.pass });
		return startNextPass({ ...state, total }, new Map(), failure);
	}
	const passPages = [...state.passPages, page];
	const passRecords = addRecords(state.passRecords, page.records);
	const isPassOver = page.nextPage.kind === 'none';
	const latestPassRecordCount = isPassOver
		? page.recordsBefore + page.records.length
		: state.latestPassRecordCount;
	const next = { ...state, total, passPages, passRecords, latestPassRecordCount };
	// earlier passes can have records that have been deleted since
	if (isPassOver && isCleanPass(next)) {
		return { ...next, status: 'complete', earlierRecords: new Map() };
	}
	if (hasAllRecords(next, isPassOver)) return { ...next, status: 'complete' };
	return isPassOver ? startNextPass(next, mergeRecords(next), createIncompleteFailure(next)) : next;
}

/** Whether a finished pass has each record only once, and at least as many records as the list announces. */
function isCleanPass({ passRecords, latestPassRecordCount = 0, total = 0 }: ListState): boolean {
	return passRecords.size === latestPassRecordCount && latestPassRecordCount >= total;
}

/** Whether all passes together have found as many distinct records as the list has. */
function hasAllRecords(state: ListState, isPassOver: boolean): boolean {
	const { latestPassRecordCount, total = 0, passPages } = state;
	if (latestPassRecordCount === undefined) return false;
	const recordCount = getRecords(state).length;
	// a number that is lower than the number of records in a pass can be the number of records on one page
	const isListTotal = total >= latestPassRecordCount;
	if (isListTotal) return recordCount >= total;
	return hasNumberedPages(passPages) && isPassOver && recordCount === latestPassRecordCount;
}

function hasNumberedPages(pages: readonly ListPage[]): boolean {
	return pages.every(({ isNumbered }) => isNumbered);
}

/**
 * Returns the state at the start of the next pass. After the third pass, the status of the state is `failure`.
 *
 * @param failure why the list is incomplete after this pass
 */
function startNextPass(
	state: ListState,
	earlierRecords: ReadonlyMap<string, IDataObject>,
	failure: RequestFailure,
): ListState {
	return state.pass === MAX_PASSES
		? { ...state, status: failure }
		: { ...state, passPages: [], passRecords: new Map(), earlierRecords, pass: state.pass + 1 };
}

/**
 * Adds the records of a page to the records of its pass. If two pages have the same record, keeps the version
 * of the later page.
 */
function addRecords(
	passRecords: ListState['passRecords'],
	records: readonly IDataObject[],
): Map<string, IDataObject> {
	const found = new Map(passRecords);
	const onPage = new Set<string>();
	for (const record of records) {
		const id = getComparableId(record);
		// Two records without an ID are always different records. Two records with the same ID are different
		// records only if both records are on this page.
		const isSeen = (key: string) => (id === undefined ? found.has(key) : onPage.has(key));
		const name = getRecordKey(record);
		let key = name;
		for (let count = 2; isSeen(key); count++) key = `${name} ${count}`;
		onPage.add(key);
		found.set(key, record);
	}
	return found;
}

/** Creates the failure of a list that is incomplete at the end of a pass. */
function createIncompleteFailure(state: ListState): RequestFailure {
	const { latestPassRecordCount = 0, total = 0, passPages, pass } = state;
	const haveAllPagesOneStart = countRepeatedPages(passPages) === passPages.length - 1;
	if (passPages.length > 1 && haveAllPagesOneStart) return createFailure('pagesRepeat');
	const recordCount = getRecords(state).length;
	// the announced number comes first, because repeated records make the number of records in the pass too high
	const counts = [total, hasNumberedPages(passPages) ? latestPassRecordCount : 0];
	const listCount = counts.find((count) => count > recordCount);
	const evidence =
		listCount === undefined
			? `${recordCount} records, and the last one not all of them`
			: `${recordCount} of ${listCount} records`;
	return createFailure('listIncomplete', { evidence, passes: pass });
}
