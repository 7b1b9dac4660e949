import type { FastifyRequest } from 'fastify';
import type { Parts } from '../parts.mts';

/** What the specification leaves open about replies, and tests choose. */
export type ReplyShapes = {
	/** The number of records on a page. Undefined if each list is one reply, as in the replies that were seen. */
	pageSize?: number;
};

/** Creates the body of the reply with the requested page of a list, as Laravel does. */
export function createListBody<T>(
	entries: readonly T[],
	createRecord: (entry: T) => object,
	{ url: path, query }: FastifyRequest,
	{ shapes: { pageSize }, url }: Parts,
) {
	if (pageSize === undefined) return { success: true, data: entries.map(createRecord) };
	const page = Number((query as { page?: string }).page ?? 1);
	const linkTo = (number: number) => {
		const link = new URL(path, url);
		link.searchParams.set('page', `${number}`);
		return link.href;
	};
	const total = entries.length;
	const lastPage = Math.max(1, Math.ceil(total / pageSize));
	const next = page < lastPage ? linkTo(page + 1) : null;
	const prev = page > 1 ? linkTo(page - 1) : null;
	// the buttons of the framework's paginator, which are no way to the next page
	const buttons = [{ url: prev, label: 'Previous', active: false }];
	return {
		success: true,
		data: entries.slice((page - 1) * pageSize, page * pageSize).map(createRecord),
		links: { first: linkTo(1), last: linkTo(lastPage), prev, next },
		meta: { current_page: page, last_page: lastPage, per_page: pageSize, total, links: buttons },
	};
}
