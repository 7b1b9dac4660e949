import { isRecord, saysNo, saysYes } from '../../records';
import type { PageInfo } from './pageInfo';

/**
 * What services call the things that tell of the pages of a list, and what they mean by them. All
 * names are in the spelling of `plain`.
 */

export const NEXT_LINK = /^next(_(page|records|results|set))?(_(link|url|uri|href|path))?$/;
export const NEXT_PAGE = /^(page_)?next(_page)?(_(number|num|no|index))?$/;
export const NEXT_CURSOR = /^(cursor_)?next(_page)?(_cursor)?$/;
/** The parameter of the next request has such a name without its "next". */
export const NEXT_PARAMETER = /^next_(page_token|offset|start|skip|after|marker)$/;
/** Any other mention of a next page. */
const NEXT =
	/^((page|cursor|link|url)_)?next(_(pages?|records|results|items|set|batch|link|url|uri|href|path|cursor|token|key|id|offset|start|skip|index|number|num|no|params|query|marker|range|from|after))*$/;
const CONTINUATION =
	/^(ms_)?continu(e|ation)(_(token|key|id))?$|^(last_evaluated_key|scroll_id|bookmark|after_cursor|end_cursor)$/;
const MORE =
	/^(has_)?(more|next)(_(pages?|records|results|items|data|available))?$|^(is_)?truncated$|^exceeded_transfer_limit$/;
const LAST = /^(is_)?last(_page|_batch|_chunk)?$|^(is_)?(done|eof|exhausted)$/;

export const CURRENT = /^(current_?page|page|page_(number|num|no|index)|number|current)$/;
export const LAST_PAGE =
	/^(last_?page|total_?pages|page_?count|pages|(number_of|num|max)_pages|pages?_total|last)$/;
const SIZE = /^(per_?page|page_?size|limit|size|max_results|items_per_page|count_per_page)$/;
export const OFFSET = /^(offset|skip|start|start_?at|start_?index)$/;
const TOTAL =
	/^(total|num_found|total_?(count|items|results|records|elements|size|entries|rows|hits|responses)|count_total)$/;
/** Of the whole list, or of the page alone. */
const COUNT = /^(count|found|(items?|records?|results?)_(count|total))$/;
/** What the record of a form can tell of the form itself. */
const OF_A_FORM = /^(pages?|page_?count|number|count|last|start|limit|size)$/;

export function valuesOf({ entries, isForm }: PageInfo, names: RegExp): unknown[] {
	return entries
		.filter(({ plain }) => names.test(plain) && !(isForm && OF_A_FORM.test(plain)))
		.map(({ value }) => value);
}

export function firstOf<T>(values: readonly unknown[], read: (value: unknown) => T | undefined) {
	return values.map(read).find((found) => found !== undefined);
}

/** A whole number from 0 up, also as text. */
export function asCount(value: unknown): number | undefined {
	if (typeof value === 'number')
		return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
	return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

/** Named, or counted from how many records there are and how many a page takes. */
export function lastPageIn(info: PageInfo): number | undefined {
	const named = firstOf(valuesOf(info, LAST_PAGE), asCount);
	const total = totalIn(info);
	const size = sizeIn(info);
	if (named !== undefined || total === undefined || size === undefined) return named;
	return Math.ceil(total / size);
}

export function sizeIn(info: PageInfo): number | undefined {
	return firstOf(valuesOf(info, SIZE), (value) => asCount(value) || undefined);
}

/** How many records there are on all pages together. */
export function totalIn(info: PageInfo): number | undefined {
	return firstOf(valuesOf(info, TOTAL), (value) =>
		isRecord(value) ? asCount(value.value ?? value.count) : asCount(value),
	);
}

/** How many records there are, on all pages or on this one. */
export function countIn(info: PageInfo): number | undefined {
	return firstOf(valuesOf(info, COUNT), asCount);
}

export function saysMore({ entries }: PageInfo): boolean {
	return entries.some(
		({ plain, value }) =>
			(MORE.test(plain) && saysYes(value)) ||
			(LAST.test(plain) && (value === false || value === 'false')),
	);
}

export function saysNoMore({ entries }: PageInfo): boolean {
	return entries.some(
		({ plain, value }) =>
			(MORE.test(plain) && saysNo(value)) ||
			(LAST.test(plain) && (value === true || value === 'true')),
	);
}

/** Whether it is said that the list ends here, if only by a next page that is named and empty. */
export function saysTheEnd(info: PageInfo): boolean {
	return (
		saysNoMore(info) || info.entries.some(({ plain, value }) => NEXT.test(plain) && !isGiven(value))
	);
}

export function isGiven(value: unknown): boolean {
	if (isRecord(value)) return Object.values(value).some(isGiven);
	return Boolean(value) && value !== 'null' && value !== 'false' && value !== '0';
}

/** The name of what says that the list goes on. */
export function announcement(info: PageInfo): string | undefined {
	const found = info.entries.find(
		({ plain, value }) =>
			(NEXT.test(plain) || (CONTINUATION.test(plain) && !saysTheEnd(info))) && isGiven(value),
	);
	if (found !== undefined) return `"${found.name}"`;
	return saysMore(info) ? 'that there is more' : undefined;
}
