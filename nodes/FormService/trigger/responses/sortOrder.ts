import type { IDataObject } from 'n8n-workflow';
import { parseNumber } from '../../api/parseValues';
import { getCreationTimeMs } from '../../api/recordTimes';
import type { FetchedPage } from '../fetchList';
import type { FormState } from '../triggerState';

/** At which end of a list new responses appear: the API does not say how it sorts. */

/** On how many pages of a full pass the times, or the numbers if there are no times, fell or rose from first to last record. */
export type Order = NonNullable<NonNullable<FormState['fullPass']>['order']>;

export type NewestAt = NonNullable<FormState['newestPages']>['at'];

/** Adds the votes of pages. */
export function addVotes(order: Order | undefined, pages: readonly FetchedPage[]): Order {
	const steps = pages.map(({ records }) => {
		const first = getSortValues(records[0] ?? {});
		const last = getSortValues(records.at(-1) ?? {});
		return last.time - first.time || last.number - first.number;
	});
	const { descending, ascending } = order ?? { descending: 0, ascending: 0 };
	return {
		descending: descending + steps.filter((step) => step < 0).length,
		ascending: ascending + steps.filter((step) => step > 0).length,
	};
}

function getSortValues(record: IDataObject): { time: number; number: number } {
	return { time: getCreationTimeMs(record) ?? 0, number: parseNumber(record.number) ?? 0 };
}

/** Lists with fewer pages need no reading of the newest pages: a full pass is about as fast. */
const MIN_PAGES = 3;

/** A list is sorted if more than four times as many pages vote for one direction as for the other direction. */
const MAJORITY_RATIO = 4;

/**
 * Finds out where new responses appear; undefined if the list is short or unsorted. Only a numbered last page
 * can be requested directly.
 *
 * @param last the last page that was read
 */
export function findNewestPage(
	{ descending, ascending }: Order,
	{ pagesBefore, isLast, isNumbered }: FetchedPage,
): NewestAt | undefined {
	if (pagesBefore + (isLast ? 1 : 2) < MIN_PAGES) return undefined;
	if (descending > MAJORITY_RATIO * ascending) return 'firstPage';
	return isNumbered && ascending > MAJORITY_RATIO * descending ? 'lastPage' : undefined;
}
