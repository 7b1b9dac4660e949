/**
 * The points that the specification leaves open about replies (section 4, "Response shapes not given"). The
 * default values were seen in replies of a real service. Tests also use other values, to show that a client
 * reads all of them.
 */
export type ReplyShapes = {
	/** The number of records on a page. Undefined if each list has only one page. */
	pageSize?: number;
	/** How a reply refers to the next page, see `pagings`. */
	paging: Paging;
	/** The order of responses: `asc` lists the oldest first, `desc` the newest first. */
	order: 'asc' | 'desc';
	/**
	 * The order of responses that were created in the same second.
	 *
	 * - `fixed`: the same order in each reply
	 * - `byPage`: a different order on each page, as from a database that sorts only by time
	 * - `byRequest`: a different order in each reply
	 */
	ties: 'fixed' | 'byPage' | 'byRequest';
	/** Whether the service trims strings, and stores "" as null. */
	trims: boolean;
};

/**
 * How a reply refers to the next page:
 *
 * - `links`: a link to the next page, next to `data`
 * - `meta`: links and numbers next to `data`
 * - `inData`: links and numbers in `data`; the records are in `data.data`
 * - `simple`: like `inData`, without the total numbers of records and pages
 * - `numbers`: only numbers, in `pagination`
 * - `count`: `count`, `next` and `previous` next to `results`
 * - `cursor`: a cursor in `meta`
 */
export const pagings = ['links', 'meta', 'inData', 'simple', 'numbers', 'count', 'cursor'] as const;

export type Paging = (typeof pagings)[number];

export const createReplyShapes = (): ReplyShapes => ({
	pageSize: undefined,
	paging: 'links',
	order: 'desc',
	ties: 'fixed',
	trims: false,
});
