import type { IDataObject } from 'n8n-workflow';
import type { Target } from '../endpoints';
import { createRequestError, type RequestContext } from '../requestContext';
import { addPage, getRecords, UNREAD_LIST, type ListState } from './completeness';
import { fetchNextPage } from './fetchPages';

/** Returns true if the caller needs no further records. `records` are the records that were found so far. */
type IsEnough = (records: readonly IDataObject[]) => boolean;

/**
 * Fetches further pages of a list until the list is complete, or until the caller needs no further records.
 *
 * @returns the state of the list; `unfinished` if the caller needs no further records and the list is not
 * complete
 * @throws ServiceError if a page cannot be read, or if the list is still incomplete after several passes
 */
export async function fetchNeededPages(
	context: RequestContext,
	target: Target,
	isEnough?: IsEnough,
	start: ListState = UNREAD_LIST,
): Promise<ListState> {
	let state = start;
	while (state.status === 'unfinished' && !isEnough?.(getRecords(state))) {
		state = addPage(state, await fetchNextPage(context, target, state.passPages));
	}
	if (typeof state.status === 'string') return state;
	throw createRequestError(context, state.status);
}

/** A function that reads a list for several callers, see `createListReader`. */
export type ListReader = (context: RequestContext, isEnough?: IsEnough) => Promise<ListState>;

/**
 * Creates a function that reads a list for several callers. Each call continues at the page where the previous
 * call stopped. So a call waits for the earlier calls, and fails if an earlier call fails. After a failure, the
 * next call starts at the first page.
 */
export function createListReader(target: Target): ListReader {
	let latest: Promise<ListState> = Promise.resolve(UNREAD_LIST);
	return async (context, isEnough) => {
		const state = latest.then(
			async (start) => await fetchNeededPages(context, target, isEnough, start),
		);
		latest = state;
		state.catch(() => {
			if (latest === state) latest = Promise.resolve(UNREAD_LIST);
		});
		return await state;
	};
}
