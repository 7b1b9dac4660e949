import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import lodash from 'lodash';
import type { Parts } from '../parts.mts';
import type { Response } from '../store.mts';

/** What the specification leaves open about replies, and tests choose. The first values were seen in replies. */
export type ReplyShapes = {
	/** The number of records on a page. Undefined if each list is one reply. */
	pageSize?: number;
	/** Whether responses of the same second change their order: never, with each page, or with each request. */
	ties: 'fixed' | 'byPage' | 'byRequest';
};

export const createReplyShapes = (): ReplyShapes => ({
	pageSize: undefined,
	ties: 'fixed',
});

const getPageNumber = ({ query }: FastifyRequest): number =>
	Number((query as { page?: string }).page ?? 1);

/** Creates the body of the reply with the requested page of a list, as Laravel does. */
export function createListBody<T>(
	entries: readonly T[],
	createRecord: (entry: T) => object,
	request: FastifyRequest,
	{ shapes, url }: Parts,
) {
	const { pageSize } = shapes;
	if (pageSize === undefined) return { success: true, data: entries.map(createRecord) };
	const page = getPageNumber(request);
	const linkTo = (number: number) => {
		const link = new URL(request.url, url);
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

/** Creates the function that puts responses into the order of the list, the newest first. */
export function createArranger({ shapes }: Parts) {
	let requests = 0;
	return (responses: readonly Response[], request: FastifyRequest): Response[] => {
		const seeds = { fixed: undefined, byPage: getPageNumber(request), byRequest: ++requests };
		return shuffleTies(responses, seeds[shapes.ties]).toReversed();
	};
}

/** Sorts responses by time. The seed decides the order of those of the same second. */
function shuffleTies(responses: readonly Response[], seed: number | undefined): Response[] {
	if (seed === undefined) return [...responses];
	const mix = (text: string) => createHash('md5').update(text).digest('hex');
	return lodash.sortBy(responses, ['createdAt', ({ uuid }: Response) => mix(`${seed} ${uuid}`)]);
}
