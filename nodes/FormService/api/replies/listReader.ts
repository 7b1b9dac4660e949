import type { IDataObject } from 'n8n-workflow';
import type { Target } from '../endpoints';
import { createRequestError, type RequestContext } from '../requestContext';
import { addPage, UNREAD_LIST, type ListState } from './completeness';
import { fetchNextPage } from './fetchPages';

/** Whether a caller needs no more than the records found so far. */
type IsEnough = (records: readonly IDataObject[]) => boolean;

/**
 * Continues to read a list until it is complete, or the records are enough for the caller.
 *
 * @returns the state, with the status `unfinished` if there are more pages
 * @throws ServiceError if a page cannot be read, or the list stays incomplete
 */
export async function readList(
	context: RequestContext,
	target: Target,
	start: ListState = UNREAD_LIST,
	isEnough: IsEnough = () => false,
): Promise<ListState> {
	let state = start;
	while (state.status === 'unfinished') {
		// without a page, a new pass starts, because records are missing
		const hasPages = state.pages.length > 0;
		if (hasPages && isEnough(state.records)) break;
		state = addPage(state, await fetchNextPage(context, target, state.pages));
	}
	if (state.status !== 'incomplete') return state;
	throw createRequestError(context, state.failure);
}

/** Reads a list for several callers, see `createListReader`. */
export type ListReader = (context: RequestContext, isEnough?: IsEnough) => Promise<ListState>;

/**
 * Creates a reader of a list that several callers share. Each call continues where the last one stopped, so callers
 * wait for one another, and fail together. A call after a failure starts at the first page.
 */
export function createListReader(target: Target): ListReader {
	let latest = Promise.resolve(UNREAD_LIST);
	return async (context, isEnough) => {
		const state = latest.then(async (start) => await readList(context, target, start, isEnough));
		latest = state;
		state.catch(() => {
			if (latest === state) latest = Promise.resolve(UNREAD_LIST);
		});
		return await state;
	};
}
