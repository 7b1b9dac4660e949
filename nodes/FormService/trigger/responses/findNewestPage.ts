import { parseNumber } from '../../api/values';
import { getCreationTimeMs } from '../../api/recordTimes';
import type { TimedPage } from '../fetchList';
import type { FormState } from '../triggerState';

/* Finds the page of a list on which new responses appear, by the order of the records. */

/**
 * The number of pages in descending order (newest record first), and the number of pages in ascending order
 * (oldest record first). `countPageOrders` compares the creation times of the first and the last record of a
 * page. If the times do not differ or one of them is missing, `countPageOrders` compares the attribute `number`.
 */
type Order = NonNullable<NonNullable<FormState['fullPass']>['order']>;

export type NewestPage = NonNullable<FormState['newestPages']>['at'];

/**
 * Counts how many pages are in descending and in ascending order, so that `findNewestPage` can tell how the list
 * is sorted. Adds the counts to `order`, the counts for the earlier pages of the full pass.
 */
export function countPageOrders(order: Order | undefined, pages: readonly TimedPage[]): Order {
	const steps = pages.map(({ records }) => {
		const [first, last] = [records[0] ?? {}, records.at(-1) ?? {}];
		return (
			computeStep(getCreationTimeMs(first), getCreationTimeMs(last)) ||
			computeStep(parseNumber(first.number), parseNumber(last.number))
		);
	});
	const { descending, ascending } = order ?? { descending: 0, ascending: 0 };
	return {
		descending: descending + steps.filter((step) => step < 0).length,
		ascending: ascending + steps.filter((step) => step > 0).length,
	};
}

/**
 * Returns how much a value rises from the first to the last record of a page: 3 and 7 → 4. A negative result
 * means descending order. Returns 0 if a value is missing.
 */
function computeStep(first: number | undefined, last: number | undefined): number {
	return first === undefined || last === undefined ? 0 : last - first;
}

/**
 * How many pages a list must have for the trigger to read the newest pages separately. In a list with one or two
 * pages, a full pass finds new responses about as fast.
 */
const MIN_PAGES = 3;

/**
 * The ratio that makes an order clear: the full pass must have more than four times as many pages in one
 * order as in the opposite order.
 */
const MAJORITY_RATIO = 4;

/**
 * Returns whether new responses appear on the first or on the last page of the list. Undefined if the list has
 * fewer than `MIN_PAGES` pages or no clear order. Also undefined if new responses appear on the last page and
 * that page has no numbered URL, because the trigger cannot request such a page directly.
 *
 * @param last the last page that was read
 */
export function findNewestPage(
	{ descending, ascending }: Order,
	{ url, pagesBefore, next }: TimedPage,
): NewestPage | undefined {
	if (pagesBefore + (next === undefined ? 1 : 2) < MIN_PAGES) return undefined;
	if (descending > MAJORITY_RATIO * ascending) return 'firstPage';
	return isNumbered(url) && ascending > MAJORITY_RATIO * descending ? 'lastPage' : undefined;
}

const isNumbered = (url: string) => !new URL(url).searchParams.has('cursor');
