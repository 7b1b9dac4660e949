import type { Shapes } from './shapes.mts';

type Address = { url: string; query: Record<string, unknown> };

/**
 * The body of a listing's reply, in the shape that is set. `address.url` is the absolute address of the
 * request without its query, for the links to the next page.
 */
export function listing(records: unknown[], shapes: Shapes, address: Address): unknown {
	const { page, paging } =
		shapes.paging === 'none' ? whole(records) : cut(records, shapes, address);

	if (shapes.list === 'nested') return { success: true, data: { data: page, ...flat(paging) } };
	return { success: true, data: page, ...paging };
}

type Paging = { links?: Record<string, string | null>; meta?: Record<string, unknown> };

const whole = (records: unknown[]) => ({ page: records, paging: {} as Paging });

function cut(records: unknown[], shapes: Shapes, { url, query }: Address) {
	const size = shapes.pageSize;
	const total = records.length;
	const lastPage = Math.max(1, Math.ceil(total / size));
	const told = shapes.total ? { total } : {};
	if (shapes.paging === 'cursor') {
		const start = cursorToOffset(query.cursor);
		const more = start + size < total;
		return {
			page: records.slice(start, start + size),
			paging: {
				meta: { per_page: size, next_cursor: more ? offsetToCursor(start + size) : null, ...told },
			},
		};
	}

	const current = Math.max(1, Math.trunc(Number(query.page ?? 1)) || 1);
	const page = records.slice((current - 1) * size, current * size);
	if (shapes.paging === 'number') {
		return { page, paging: { meta: { current_page: current, last_page: lastPage, total } } };
	}
	const link = (number: number) => linkTo(url, query, number, shapes.paging === 'linkRelative');
	return {
		page,
		paging: {
			links: {
				first: link(1),
				prev: current > 1 ? link(current - 1) : null,
				next: current < lastPage ? (shapes.nextLink ?? link(current + 1)) : null,
			},
			...(shapes.total && { meta: told }),
		},
	};
}

function linkTo(url: string, query: Record<string, unknown>, page: number, relative: boolean) {
	const link = new URL(url);
	for (const [key, value] of Object.entries(query)) link.searchParams.set(key, String(value));
	link.searchParams.set('page', String(page));
	return relative ? link.pathname + link.search : link.href;
}

/** A nested listing carries its pages beside it, as `next_page_url`, `current_page` or `next_cursor`. */
function flat({ links, meta }: Paging) {
	return { ...meta, ...(links && { next_page_url: links.next, prev_page_url: links.prev }) };
}

const offsetToCursor = (offset: number) => Buffer.from(`after:${offset}`).toString('base64url');

function cursorToOffset(cursor: unknown): number {
	if (typeof cursor !== 'string') return 0;
	return Number(Buffer.from(cursor, 'base64url').toString().replace('after:', '')) || 0;
}

/** Responses come oldest first; gives them in the order and the cut that is set. */
export function arrange<T>(records: T[], { order, seed, visible }: Shapes): T[] {
	const ordered =
		order === 'asc' ? records : order === 'desc' ? records.toReversed() : shuffle(records, seed);
	return ordered.slice(0, visible);
}

/** Fisher-Yates with the numbers of Park and Miller, so that a seed gives one order. */
function shuffle<T>(records: T[], seed: number): T[] {
	const result = [...records];
	let state = seed;
	for (let last = result.length - 1; last > 0; last--) {
		state = (state * 48_271) % 2_147_483_647;
		const other = state % (last + 1);
		[result[last], result[other]] = [result[other], result[last]];
	}
	return result;
}
