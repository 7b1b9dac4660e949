import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import lodash from 'lodash';
import type { Parts } from '../parts.mts';
import type { Response } from '../store.mts';

/** How a reply announces the next page, see `createListBody`: the paginators of Laravel, and the header `Link`. */
type Paging = 'links' | 'meta' | 'inData' | 'simple' | 'numbers' | 'header';

/** What the specification leaves open about replies, and tests choose. The first values were seen in replies. */
export type ReplyShapes = {
	/** The number of records on a page. Undefined if each list is one reply. */
	pageSize?: number;
	paging: Paging;
	/** `asc` lists the oldest responses first, `desc` the newest. */
	order: 'asc' | 'desc';
	/** Whether responses of the same second change their order: never, with each page, or with each request. */
	ties: 'fixed' | 'byPage' | 'byRequest';
};

export const createReplyShapes = (): ReplyShapes => ({
	pageSize: undefined,
	paging: 'links',
	order: 'desc',
	ties: 'fixed',
});

const getPageNumber = ({ query }: FastifyRequest): number =>
	Number((query as { page?: string }).page ?? 1);

/** Creates the body of the reply with the requested page of a list. */
export function createListBody<T>(
	entries: readonly T[],
	createRecord: (entry: T) => object,
	request: FastifyRequest,
	reply: FastifyReply,
	{ shapes, origin }: Parts,
) {
	const { pageSize, paging } = shapes;
	if (pageSize === undefined) return { success: true, data: entries.map(createRecord) };
	const page = getPageNumber(request);
	const linkTo = (number: number) => {
		const link = new URL(request.url, origin());
		link.searchParams.set('page', `${number}`);
		return link.href;
	};
	const total = entries.length;
	const lastPage = Math.max(1, Math.ceil(total / pageSize));
	const data = entries.slice((page - 1) * pageSize, page * pageSize).map(createRecord);
	const next = page < lastPage ? linkTo(page + 1) : null;
	const prev = page > 1 ? linkTo(page - 1) : null;
	const urls = { next_page_url: next, prev_page_url: prev };
	const position = { current_page: page, per_page: pageSize };
	const counts = { last_page: lastPage, total };
	// the buttons of the framework's paginator, which are no way to the next page
	const links = [{ url: prev, label: 'Previous', active: false }];
	const bodies: Record<Paging, object> = {
		links: { data, links: { next } },
		meta: {
			data,
			links: { first: linkTo(1), last: linkTo(lastPage), prev, next },
			meta: { ...position, ...counts, links },
		},
		inData: { data: { ...position, ...counts, ...urls, links, data } },
		simple: { data: { ...position, ...urls, data } },
		numbers: { data, ...position, last_page: lastPage },
		header: { data },
	};
	if (paging === 'header' && next !== null) reply.header('link', `<${next}>; rel="next"`);
	return { success: true, ...bodies[paging] };
}

/** Creates the function that puts responses into the order of the list. */
export function createArranger({ shapes }: Parts) {
	let requests = 0;
	return (responses: readonly Response[], request: FastifyRequest): Response[] => {
		const seeds = { fixed: undefined, byPage: getPageNumber(request), byRequest: ++requests };
		const tied = shuffleTies(responses, seeds[shapes.ties]);
		return shapes.order === 'asc' ? tied : tied.toReversed();
	};
}

/** Sorts responses by time. The seed decides the order of those of the same second. */
function shuffleTies(responses: readonly Response[], seed: number | undefined): Response[] {
	if (seed === undefined) return [...responses];
	const mix = (text: string) => createHash('md5').update(text).digest('hex');
	return lodash.sortBy(responses, ['createdAt', ({ uuid }: Response) => mix(`${seed} ${uuid}`)]);
}
