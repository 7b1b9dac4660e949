import lodash from 'lodash';
import type { FastifyRequest } from 'fastify';
import type { Parts } from '../parts.mts';
import type { Response } from '../store.mts';
import type { Shapes } from './shapes.mts';

/** The body of a listing's reply, in the shape that is set. */
export function listing(records: unknown[], request: FastifyRequest, { shapes, origin }: Parts) {
	const { paging, pageSize } = shapes;
	const query = request.query as Record<string, unknown>;
	if (paging === 'none') return { success: true, data: records };
	const total = records.length;
	if (paging === 'cursor') {
		const start = Number(String(query.cursor).replace('after-', '')) || 0;
		const end = start + pageSize;
		const meta = { per_page: pageSize, next_cursor: end < total ? `after-${end}` : null };
		return { success: true, data: records.slice(start, end), meta };
	}

	const current = Math.max(1, Math.trunc(Number(query.page ?? 1)) || 1);
	const lastPage = Math.max(1, Math.ceil(total / pageSize));
	const data = records.slice((current - 1) * pageSize, current * pageSize);
	if (paging === 'number') {
		return { success: true, data, meta: { current_page: current, last_page: lastPage, total } };
	}
	const linkTo = (page: number) => {
		const link = new URL(request.url.split('?')[0], origin());
		const parameters = { ...query, page };
		for (const [key, value] of Object.entries(parameters)) link.searchParams.set(key, `${value}`);
		return link.href;
	};
	const links = {
		first: linkTo(1),
		prev: current > 1 ? linkTo(current - 1) : null,
		next: current < lastPage ? linkTo(current + 1) : null,
	};
	return { success: true, data, links };
}

/** Responses come oldest first; gives them in the order that is set. */
export function arrange(responses: Response[], { order }: Shapes): Response[] {
	// always the same for the same responses
	const mix = ({ number }: Response) => (number * 48_271 * responses.length) % 7_919;
	if (order === 'random') return lodash.sortBy(responses, mix);
	return order === 'asc' ? responses : responses.toReversed();
}
