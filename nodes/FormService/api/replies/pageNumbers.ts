import type { IDataObject } from 'n8n-workflow';

/** Named, or counted from how many records there are and how many a page takes. */
export function lastPageIn(place: IDataObject): number | undefined {
	const named = [
		place.last_page,
		place.lastPage,
		place.total_pages,
		place.totalPages,
		place.page_count,
		place.pages,
	]
		.map(asNumber)
		.find(isNumber);
	const total = totalIn(place);
	const size = sizeIn(place);
	const counted = total !== undefined && size !== undefined ? Math.ceil(total / size) : undefined;
	return named ?? counted;
}

/** Where the next page begins, when pages are told by the number of records before them. */
export function offsetIn(place: IDataObject): number | undefined {
	const offset = asNumber(place.offset);
	const total = totalIn(place);
	const size = sizeIn(place);
	if (offset === undefined || total === undefined || size === undefined) return undefined;
	return offset + size < total ? offset + size : undefined;
}

/** How many records there are on all pages together. */
export function totalIn({ total, total_count, totalCount }: IDataObject): number | undefined {
	return [total, total_count, totalCount].map(asNumber).find(isNumber);
}

function sizeIn({
	per_page,
	perPage,
	page_size,
	pageSize,
	limit,
}: IDataObject): number | undefined {
	return [per_page, perPage, page_size, pageSize, limit]
		.map(asNumber)
		.find((size) => isNumber(size) && size > 0);
}

/** A whole number from 0 up, also as text. */
export function asNumber(value: unknown): number | undefined {
	if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
	return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

export function isNumber(value: number | undefined): value is number {
	return value !== undefined;
}
