import type { IDataObject } from 'n8n-workflow';
import { createFailure, type RequestFailure } from '../requestFailure';
import { getComparableId, getRecordKey } from '../records';
import type { ListPage } from './fetchPages';

/*
 * Decides whether a list that was read page by page is complete. Earlier, `findNextPage` decides whether a page
 * follows, and `fetchNextPage` throws if the pages form a loop or repeat one another.
 *
 * A database that sorts by time lists records of equal times in another order for each page. One record can
 * then be on two pages, and another record on no page. So the distinct records are counted:
 *
 * - A list announces how many records it has. Once this many distinct records were found, the list is complete.
 *   A pass without repeated records is also enough.
 * - If the list announces no number, its numbered pages together have as many records as the list. Their count
 *   is used only at the end of a pass, because only then does the count include records that were added
 *   meanwhile. Earlier, a new record could make up for a missing record. The pages of a cursor are not counted,
 *   because they skip records that are listed before the cursor.
 * - Otherwise, a new pass starts at the first page, and the records that were found are kept. A record that was
 *   added meanwhile moves another record to the next page. Then the first page of the next pass has the new
 *   record, and the list is complete.
 * - If the announced number falls, records were deleted, and the remaining records moved to earlier pages. All
 *   records found so far are dropped, because some of them may be deleted. If the pass has earlier pages, a new
 *   pass starts. If the page is the first page of its pass, the pass continues.
 */

/**
 * The maximum number of passes of a list. With three passes, a list of 67 pages takes at most 201 of the 1,440
 * requests per day.
 */
const MAX_PASSES = 3;

/** The pages and records of a list that were read so far. */
type ListProgress = {
	/** The pages of this pass. Empty if the next page is the first page. */
	readonly passPages: readonly ListPage[];
	/**
	 * The distinct records found so far. The records of this pass come first, in the order of the pass. Records
	 * that only earlier passes found come last. If a pass without repeated records completes the list, `records`
	 * has only the records of that pass.
	 */
	readonly records: readonly IDataObject[];
	/** The distinct records of this pass, by their key, see `addRecords`. */
	readonly passRecords: ReadonlyMap<string, IDataObject>;
	/** The records of earlier passes that the list may still have, by their key, see `addRecords`. */
	readonly earlierRecords: ReadonlyMap<string, IDataObject>;
	/** How many records the last finished pass had, including repeated records. Undefined in the first pass. */
	readonly lastPassRecordCount?: number;
	/** The number of records that the list has, from the last page that announced a number. */
	readonly total?: number;
	/** The number of this pass. The first pass has the number 1. */
	readonly pass: number;
};

/** The state of a list that has more pages, or whose pages so far lack a record. */
export type UnfinishedList = ListProgress & { readonly status: 'unfinished' };

/**
 * The state of a list after some of its pages. A state never changes, because `addPage` returns a new state. So
 * several callers can share a state.
 */
export type ListState =
	| UnfinishedList
	| (ListProgress & { readonly status: 'complete' })
	| (ListProgress & {
			/** The last pass has ended, and records are still missing. */
			readonly status: 'incomplete';
			readonly failure: RequestFailure;
	  });

/** The state of a list before its first page is read. */
export const UNREAD_LIST: UnfinishedList = {
	status: 'unfinished',
	passPages: [],
	records: [],
	passRecords: new Map(),
	earlierRecords: new Map(),
	pass: 1,
};

/** Returns the state of a list after one more page. */
export function addPage(before: UnfinishedList, page: ListPage): ListState {
	const hasFallen = page.total !== undefined && page.total < (before.total ?? 0);
	const state = hasFallen ? { ...UNREAD_LIST, pass: before.pass } : before;
	const total = page.total ?? state.total;
	if (hasFallen && before.passPages.length > 0) {
		const failure = createFailure('listShrinks', { passes: state.pass });
		return startNextPass({ ...state, total }, new Map(), failure);
	}
	const passPages = [...state.passPages, page];
	const { earlierRecords } = state;
	const passRecords = addRecords(state.passRecords, page.records);
	const found =
		earlierRecords.size === 0
			? passRecords
			: new Map([...passRecords, ...earlierRecords, ...passRecords]);
	const isPassOver = page.following.kind === 'none';
	const lastPassRecordCount = isPassOver
		? page.recordsBefore + page.records.length
		: state.lastPassRecordCount;
	const records = [...found.values()];
	const next = { ...state, total, passPages, passRecords, lastPassRecordCount, records };
	// earlier passes can have records that have been deleted since
	if (isPassOver && isCleanPass(next)) {
		return { ...next, status: 'complete', records: [...passRecords.values()] };
	}
	if (hasAllRecords(next, isPassOver)) return { ...next, status: 'complete' };
	return isPassOver ? startNextPass(next, found, createIncompleteFailure(next)) : next;
}

/** Whether a finished pass has each record only once, and as many records as the list announces. */
function isCleanPass({ passRecords, lastPassRecordCount = 0, total = 0 }: ListProgress): boolean {
	return passRecords.size === lastPassRecordCount && lastPassRecordCount >= total;
}

/** Whether all passes together have found as many distinct records as the list has. */
function hasAllRecords(
	{ lastPassRecordCount, total = 0, passPages, records }: ListProgress,
	isPassOver: boolean,
): boolean {
	if (lastPassRecordCount === undefined) return false;
	if (total >= lastPassRecordCount) return records.length >= total;
	return isNumbered(passPages) && isPassOver && records.length === lastPassRecordCount;
}

function isNumbered(pages: readonly ListPage[]): boolean {
	return pages.every((page) => page.isNumbered);
}

/**
 * Returns the state at the start of the next pass. After the last pass, the state is `incomplete`.
 *
 * @param failure why the list is incomplete if this was the last pass
 */
function startNextPass(
	state: UnfinishedList,
	earlierRecords: ReadonlyMap<string, IDataObject>,
	failure: RequestFailure,
): ListState {
	return state.pass === MAX_PASSES
		? { ...state, status: 'incomplete', failure }
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
		// two equal records without an ID are different records, and so are two records on one page
		const isSeen = (key: string) => (id === undefined ? found.has(key) : onPage.has(key));
		const name = getRecordKey(record);
		let key = name;
		for (let count = 2; isSeen(key); count++) key = `${name} ${count}`;
		onPage.add(key);
		found.set(key, record);
	}
	return found;
}

/** Creates the failure of a list that is still incomplete after its last pass. */
function createIncompleteFailure({
	lastPassRecordCount = 0,
	total = 0,
	passPages,
	records,
	pass,
}: ListProgress): RequestFailure {
	if (hasEqualPages(passPages)) return createFailure('pagesRepeat');
	// repeated records make the count of the pass too high, so the announced number takes precedence
	const counts = [total, isNumbered(passPages) ? lastPassRecordCount : 0];
	const listCount = counts.find((count) => count > records.length);
	const evidence =
		listCount === undefined
			? `${records.length} records, and the last one not all of them`
			: `${records.length} of ${listCount} records`;
	return createFailure('listIncomplete', { evidence, passes: pass });
}

/** Whether a pass has several pages, and all pages have the same records in the same order. */
function hasEqualPages([firstPage, ...laterPages]: readonly ListPage[]): boolean {
	const toKey = ({ records }: ListPage) => JSON.stringify(records.map(getRecordKey));
	return laterPages.length > 0 && laterPages.every((page) => toKey(page) === toKey(firstPage));
}
