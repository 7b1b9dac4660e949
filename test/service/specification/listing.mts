import type { FastifyRequest } from 'fastify';
import type { Parts } from '../parts.mts';

/** The body of a listing's reply, in the shape that is set. */
export function listing(records: unknown[], request: FastifyRequest, { shapes, origin }: Parts) {
	const { pageSize } = shapes;
	if (pageSize === undefined) return { success: true, data: records };
	const page = Number(new URL(request.url, origin()).searchParams.get('page') ?? 1);
	const linkTo = (other: number) => {
		const link = new URL(request.url, origin());
		link.searchParams.set('page', `${other}`);
		return link.href;
	};
	const links = {
		first: linkTo(1),
		prev: page > 1 ? linkTo(page - 1) : null,
		next: page * pageSize < records.length ? linkTo(page + 1) : null,
	};
	return { success: true, data: records.slice((page - 1) * pageSize, page * pageSize), links };
}
