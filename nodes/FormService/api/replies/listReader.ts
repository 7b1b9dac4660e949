import type { IDataObject } from 'n8n-workflow';
import type { Target } from '../endpoints';
import { createRequestError, type RequestContext } from '../requestContext';
import { createFailure, type RequestFailure } from '../requestFailure';
import {
	addPage,
	countFound,
	getFoundRecords,
	startReading,
	type ListReading,
} from './completeness';
import { fetchPages } from './fetchPages';

/**
 * Reads a list on until the records found so far are enough, or all are found. Callers share what was read, and
 * wait for one another. A call after a failure begins at the first page.
 *
 * @throws ServiceError if a page cannot be read, or the list stays incomplete
 */
export type ListReader = (
	isEnough?: (records: readonly IDataObject[]) => boolean,
) => Promise<{ records: IDataObject[]; isComplete: boolean }>;

/** Creates a reader of a list, which sends nothing before it is called. */
export function createListReader(context: RequestContext, target: Target): ListReader {
	let reading = startReading();
	let pages = fetchPages(context, target);
	let isComplete = false;
	let waiting = 0;
	let turn: Promise<unknown> = Promise.resolve();

	async function fetchUntil(isEnough: (records: readonly IDataObject[]) => boolean) {
		let records = getFoundRecords(reading);
		while (!isComplete && (reading.listedCount === 0 || !isEnough(records))) {
			const { value: page } = await pages.next();
			// without a next page, `fetchPages` throws, or the last page has ended the reading
			const verdict = addPage(reading, page!);
			if (verdict === 'short') throw createRequestError(context, describeShortList(reading));
			if (verdict === 'again') pages = fetchPages(context, target);
			isComplete = verdict === 'complete';
			records = getFoundRecords(reading);
		}
		return { records, isComplete };
	}

	return async (isEnough = () => false) => {
		if (waiting === 0) turn = turn.catch(restart);
		waiting++;
		const result = turn.then(async () => await fetchUntil(isEnough));
		turn = result;
		try {
			return await result;
		} finally {
			waiting--;
		}
	};

	function restart(): void {
		reading = startReading();
		pages = fetchPages(context, target);
	}
}

/** Returns why a list stays incomplete. */
function describeShortList(reading: ListReading): RequestFailure {
	const { expectedCount, total = 0, rereads } = reading;
	if (expectedCount === undefined) return createFailure('listShrinks', { limit: rereads + 1 });
	const evidence = `${countFound(reading)} of ${Math.max(expectedCount, total)} records`;
	return createFailure('listIncomplete', { evidence, limit: rereads + 1 });
}
