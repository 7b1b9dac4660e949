import type { IDataObject } from 'n8n-workflow';
import type { Target } from '../endpoints';
import { createRequestError, type RequestContext } from '../requestContext';
import { addPage, describeIncompleteList, UNREAD_LIST, type ListReading } from './completeness';
import { fetchNextPage } from './fetchPages';

/** Whether a caller needs no more than the records found so far. */
type IsEnough = (records: readonly IDataObject[]) => boolean;

/**
 * Continues to read a list until it is complete, or the records are enough for the caller.
 *
 * @returns the reading, with the status `unfinished` if there are more pages
 * @throws ServiceError if a page cannot be read, or the list stays incomplete
 */
export async function readList(
	context: RequestContext,
	target: Target,
	start: ListReading = UNREAD_LIST,
	isEnough: IsEnough = () => false,
): Promise<ListReading> {
	let reading = start;
	while (reading.status === 'unfinished') {
		const hasNextPage = reading.pages.at(-1)?.next !== undefined;
		if (hasNextPage && isEnough(reading.records)) break;
		reading = addPage(reading, await fetchNextPage(context, target, reading.pages));
	}
	if (reading.status !== 'incomplete') return reading;
	throw createRequestError(context, describeIncompleteList(reading));
}

/** Reads a list for several callers, see `createListReader`. */
export type ListReader = (context: RequestContext, isEnough?: IsEnough) => Promise<ListReading>;

/**
 * Creates a reader of a list that several callers share. Each call continues where the last one stopped, so callers
 * wait for one another, and fail together. A call after a failure starts at the first page.
 */
export function createListReader(target: Target): ListReader {
	let latest = Promise.resolve(UNREAD_LIST);
	return async (context, isEnough) => {
		const reading = latest.then(async (start) => await readList(context, target, start, isEnough));
		latest = reading;
		reading.catch(() => {
			if (latest === reading) latest = Promise.resolve(UNREAD_LIST);
		});
		return await reading;
	};
}
