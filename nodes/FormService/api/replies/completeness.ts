import { sumBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { createFailure, type RequestFailure } from '../requestFailure';
import { getComparableId } from '../records';
import type { ListPage } from './fetchPages';

/*
 * Decides whether a list that was read page by page is complete. Earlier, `findNextPage` decides whether a page
 * follows, and `fetchNextPage` throws if the pages form a loop.
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
 *   records found so far are dropped, because some of them may be deleted, and a new pass starts.
 */

/** The most passes of a list. Chosen, because a list of 67 pages then takes at most 201 requests. */
const MAX_PASSES = 3;

/** The pages and records of a list that were read so far. */
type ListProgress = {
	/** The pages of this pass. Empty if the next page is the first page. */
	readonly pages: readonly ListPage[];
	/** The distinct records of all passes: first those of this pass, in its order, then those of earlier passes. */
	readonly records: readonly IDataObject[];
	/** The records of this pass, by their key. */
	readonly passRecords: ReadonlyMap<string, IDataObject>;
	/** The records of earlier passes that the list may still have, by their key. */
	readonly earlierRecords: ReadonlyMap<string, IDataObject>;
	/** How many records all pages of the last finished pass had, including repeated records. */
	readonly passCount?: number;
	/** How many records the list has, as the last page announced. */
	readonly total?: number;
	/** The number of this pass. The first pass has the number 1. */
	readonly pass: number;
};

/**
 * The state of a list after some of its pages. Each page creates a new state, so several callers can share a
 * state.
 */
export type ListState = ListProgress &
	(
		| {
				/** `unfinished` means that there are more pages, and that the pages so far may lack a record. */
				readonly status: 'unfinished' | 'complete';
		  }
		| {
				/** The last pass has ended, and records are still missing. */
				readonly status: 'incomplete';
				readonly failure: RequestFailure;
		  }
	);

/** The state of a list before its first page is read. */
export const UNREAD_LIST: ListState = {
	status: 'unfinished',
	pages: [],
	records: [],
	passRecords: new Map(),
	earlierRecords: new Map(),
	pass: 1,
};

/** Returns the state of a list after one more page. */
export function addPage(state: ListState, page: ListPage): ListState {
	const total = page.total ?? state.total;
	const hasFallen = page.total !== undefined && page.total < (state.total ?? 0);
	if (hasFallen) {
		const emptied = { ...UNREAD_LIST, total, pass: state.pass };
		return startNextPass(emptied, new Map(), createFailure('listShrinks', { limit: state.pass }));
	}
	const pages = [...state.pages, page];
	const { earlierRecords } = state;
	const passRecords = addRecords(state.passRecords, page.records);
	const found =
		earlierRecords.size === 0
			? passRecords
			: new Map([...passRecords, ...earlierRecords, ...passRecords]);
	const isPassOver = page.following.kind === 'none';
	const passCount = isPassOver ? sumBy(pages, 'records.length') : state.passCount;
	const records = [...found.values()];
	const next = { ...state, total, pages, passRecords, passCount, records };
	// earlier passes can have records that have been deleted since
	if (isPassOver && isCleanPass(next)) {
		return { ...next, status: 'complete', records: [...passRecords.values()] };
	}
	if (hasAllRecords(next, isPassOver)) return { ...next, status: 'complete' };
	return isPassOver ? startNextPass(next, found, createIncompleteFailure(next)) : next;
}

/** Whether a finished pass has each record only once, and as many records as the list announces. */
function isCleanPass({ passRecords, passCount = 0, total = 0 }: ListProgress): boolean {
	return passRecords.size === passCount && passCount >= total;
}

/** Whether all passes together have found as many distinct records as the list has. */
function hasAllRecords(
	{ passCount, total = 0, pages, records }: ListProgress,
	isPassOver: boolean,
): boolean {
	if (passCount === undefined) return false;
	if (total >= passCount) return records.length >= total;
	return isNumbered(pages) && isPassOver && records.length === passCount;
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
	state: ListState,
	earlierRecords: ReadonlyMap<string, IDataObject>,
	failure: RequestFailure,
): ListState {
	return state.pass === MAX_PASSES
		? { ...state, status: 'incomplete', failure }
		: { ...state, pages: [], passRecords: new Map(), earlierRecords, pass: state.pass + 1 };
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
		const name = id ?? JSON.stringify(record);
		let key = name;
		for (let count = 2; isSeen(key); count++) key = `${name} ${count}`;
		onPage.add(key);
		found.set(key, record);
	}
	return found;
}

/** Creates the failure of a list that is still incomplete after its last pass. */
function createIncompleteFailure({
	passCount = 0,
	total = 0,
	pages,
	records,
	pass,
}: ListProgress): RequestFailure {
	const listCount = isNumbered(pages) ? Math.max(passCount, total) : total;
	const evidence =
		records.length < listCount
			? `${records.length} of ${listCount} records`
			: `${records.length} records, and the last one not all of them`;
	return createFailure('listIncomplete', { evidence, limit: pass });
}
