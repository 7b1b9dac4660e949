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
import { fetchPages, type PagePosition } from './fetchPages';

type IsEnough = (records: readonly IDataObject[]) => boolean;

/**
 * Reads a list on until the records found so far are enough, or all are found. Callers share what was read, and
 * wait for one another. A call after a failure starts at the first page.
 *
 * @throws ServiceError if a page cannot be read, or the list stays incomplete
 */
export type ListReader = (context: RequestContext, isEnough?: IsEnough) => Promise<IDataObject[]>;

/** Creates a reader of a list, which sends nothing before it is called. */
export function createListReader(target: Target): ListReader {
	let reading = startReading();
	let source: { context: RequestContext; pages: ReturnType<typeof fetchPages> } | undefined;
	let position: PagePosition | undefined;
	let isComplete = false;
	let records: IDataObject[] | undefined;
	let waitingCount = 0;
	let turn: Promise<unknown> = Promise.resolve();

	/** A later try of n8n has its own signal, and continues from the page of the earlier try. */
	function getPages(context: RequestContext) {
		const isOther = source?.context.signal !== context.signal && position !== undefined;
		if (source === undefined || isOther)
			source = { context, pages: fetchPages(context, target, position) };
		return source.pages;
	}

	/** Collects the records after the last page once: a run can have a call for each of its items. */
	const getRecords = () => (records ??= getFoundRecords(reading));

	async function fetchRecords(context: RequestContext, isEnough?: IsEnough) {
		while (!isComplete && !(position !== undefined && isEnough?.(getRecords()))) {
			// after a last page, `addPage` has ended the reading; without a next page, `fetchPages` throws
			const { value: page } = await getPages(context).next();
			const verdict = addPage(reading, page!);
			records = undefined;
			if (verdict === 'short') throw createRequestError(context, describeShortList(reading));
			if (verdict === 'again') source = undefined;
			position = verdict === 'again' ? undefined : page!.next;
			isComplete = verdict === 'complete';
		}
		return getRecords();
	}

	function restart(): void {
		reading = startReading();
		records = undefined;
		source = undefined;
		position = undefined;
	}

	return async (context, isEnough) => {
		if (waitingCount === 0) turn = turn.catch(restart);
		waitingCount++;
		const result = turn.then(async () => await fetchRecords(context, isEnough));
		turn = result;
		try {
			return await result;
		} finally {
			waitingCount--;
		}
	};
}

/** Returns why a list stays incomplete. */
function describeShortList(reading: ListReading): RequestFailure {
	const { expectedCount, total = 0, isNumbered, rereads } = reading;
	if (expectedCount === undefined) return createFailure('listShrinks', { limit: rereads + 1 });
	const foundCount = countFound(reading);
	const listCount = isNumbered ? Math.max(expectedCount, total) : total;
	const evidence =
		foundCount < listCount
			? `${foundCount} of ${listCount} records`
			: `${foundCount} records, and the last one not all of them`;
	return createFailure('listIncomplete', { evidence, limit: rereads + 1 });
}
