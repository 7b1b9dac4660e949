import type { FastifyRequest } from 'fastify';
import type { Parts } from '../parts.mts';
import type { Shapes } from './shapes.mts';

/** The body of a listing's reply, in the shape that is set. */
export function listing(records: unknown[], request: FastifyRequest, { shapes, origin }: Parts) {
	const { paging, pageSize } = shapes;
	const query = request.query as Record<string, unknown>;
	if (paging === 'none') return { success: true, data: records };
	const total = records.length;
	const told = shapes.total ? { total } : {};
	if (paging === 'cursor') {
		const start = Number(String(query.cursor).replace('after-', '')) || 0;
		const end = start + pageSize;
		const meta = { per_page: pageSize, next_cursor: end < total ? `after-${end}` : null, ...told };
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
	return { success: true, data, links, ...(shapes.total && { meta: told }) };
}

/** Responses come oldest first; gives them in the order that is set. */
export function arrange<T>(records: T[], { order }: Shapes): T[] {
	if (order === 'random') return shuffle(records);
	return order === 'asc' ? records : records.toReversed();
}

/** Fisher-Yates with the numbers of Park and Miller: always the same order. */
function shuffle<T>(records: T[]): T[] {
	const result = [...records];
	let state = 1;
	for (let last = result.length - 1; last > 0; last--) {
		state = (state * 48_271) % 2_147_483_647;
		const other = state % (last + 1);
		[result[last], result[other]] = [result[other], result[last]];
	}
	return result;
}
