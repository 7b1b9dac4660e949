import type { FastifyRequest } from 'fastify';
import type { Parts } from '../parts.mts';
import type { Paging } from './shapes.mts';

/**
 * Creates the body of the reply with the requested page of a list. `shapes.paging` decides how the body refers to
 * the next page. Without `shapes.pageSize`, the page has all records.
 */
export function createListBody(
	records: unknown[],
	request: FastifyRequest,
	{ shapes, origin }: Parts,
) {
	const { pageSize, paging } = shapes;
	if (pageSize === undefined) return { success: true, data: records };
	const page = getPageNumber(request);
	const linkTo = (number: number) => {
		const link = new URL(request.url, origin());
		link.searchParams.set('page', `${number}`);
		return link.href;
	};
	const total = records.length;
	const lastPage = Math.max(1, Math.ceil(total / pageSize));
	const data = records.slice((page - 1) * pageSize, page * pageSize);
	const next = page < lastPage ? linkTo(page + 1) : null;
	const previous = page > 1 ? linkTo(page - 1) : null;
	const numbers = { current_page: page, per_page: pageSize, last_page: lastPage, total };
	const inPage = {
		current_page: page,
		data,
		first_page_url: linkTo(1),
		next_page_url: next,
		prev_page_url: previous,
		per_page: pageSize,
		from: data.length > 0 ? (page - 1) * pageSize + 1 : null,
		to: data.length > 0 ? (page - 1) * pageSize + data.length : null,
	};
	const labels = [{ url: previous, label: 'Previous', active: false }];
	const bodies: Record<Paging, object> = {
		links: { data, links: { next } },
		meta: {
			data,
			links: { first: linkTo(1), last: linkTo(lastPage), prev: previous, next },
			meta: { ...numbers, links: labels },
		},
		inData: { data: { ...inPage, ...numbers, last_page_url: linkTo(lastPage), links: labels } },
		simple: { data: inPage },
		numbers: { data, pagination: numbers },
		count: { count: total, next, previous, results: data },
		cursor: { data, meta: { per_page: pageSize, next_cursor: next && `c${page + 1}` } },
	};
	return { success: true, ...bodies[paging] };
}

/** Returns the number of the page that a request asks for, with `page=2` or with the cursor `cursor=c2`. */
export function getPageNumber(request: FastifyRequest): number {
	const { page = '1', cursor } = request.query as { page?: string; cursor?: string };
	return Number(cursor?.slice(1) ?? page);
}
