import type { FastifyRequest } from 'fastify';
import type { Parts } from '../parts.mts';

/** The body of a listing's reply, in the shape that is set. */
export function listing(records: unknown[], request: FastifyRequest, { shapes, origin }: Parts) {
	const { pageSize } = shapes;
	if (pageSize === undefined) return { success: true, data: records };
	const link = new URL(request.url, origin());
	const page = Number(link.searchParams.get('page') ?? 1);
	const end = page * pageSize;
	link.searchParams.set('page', `${page + 1}`);
	const next = end < records.length ? link.href : null;
	return { success: true, data: records.slice(end - pageSize, end), links: { next } };
}
