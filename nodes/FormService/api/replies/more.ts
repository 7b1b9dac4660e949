import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../records';
import { asNumber, isNumber, lastPageIn, totalIn } from './pageNumbers';

const MORE_NAMES = [
	'has_more',
	'hasMore',
	'has_next',
	'hasNext',
	'has_more_pages',
	'hasMorePages',
	'has_next_page',
	'hasNextPage',
];

const YES = new Set<unknown>([true, 1, '1', 'true']);

/** Whether what stands around a list says in so many words that the list goes on. */
export function saysThereIsMore(place: IDataObject): boolean {
	return MORE_NAMES.some((name) => YES.has(place[name]));
}

/** Names of a next page. */
const NEXT_NAME = /^next(_?page)?(_?(cursor|token|key|id|link|url|uri|offset|start))?$/i;

/**
 * Whether a next page stands there in any way, also in one that no rule reads: the list must not be
 * taken for whole then.
 */
export function announcesMore(place: IDataObject): boolean {
	if (saysThereIsMore(place)) return true;
	return Object.entries(place).some(([name, value]) => NEXT_NAME.test(name) && isGiven(value));
}

function isGiven(value: unknown): boolean {
	return isRecord(value) ? Object.values(value).some(isGiven) : Boolean(value);
}

/**
 * Whether the first page of a list counts more than it shows and does not say which page it is. On
 * later pages that means nothing: the last one has the same counts.
 *
 * @param shown records of the page
 */
export function countsMore(place: IDataObject, shown: number): boolean {
	const { current_page, currentPage, page, offset } = place;
	if ([current_page, currentPage, page, offset].map(asNumber).some(isNumber)) return false;
	// a form can have pages too, which its list of fields is not told in
	const counts = { ...place, pages: undefined, page_count: undefined };
	return (lastPageIn(counts) ?? 1) > 1 && shown < (totalIn(place) ?? Infinity);
}
