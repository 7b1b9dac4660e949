/**
 * The shapes of replies that the specification leaves open (section 4, "Response shapes not given"). The
 * default values are the values of a real service. Tests use other values, to show that a client does not
 * depend on one shape.
 */
export type Shapes = {
	/** The number of records on a page. If undefined, a list has one page. */
	pageSize?: number;
	/** How a reply refers to the next page. */
	paging: Paging;
	/** The order of responses: `asc` lists the oldest first, `desc` the newest first. */
	order: 'asc' | 'desc';
	/**
	 * The order of responses that were created in the same second.
	 *
	 * - `fixed`: always the same.
	 * - `byPage`: different on each page, like a database that sorts only by time.
	 * - `byRequest`: different in each reply.
	 */
	ties: 'fixed' | 'byPage' | 'byRequest';
	/** Whether the service trims texts, and stores "" as null. */
	trims: boolean;
};

/**
 * The kinds of paging:
 *
 * - `links`: a link next to `data`, without the number of all records
 * - `meta`: links and numbers next to `data`
 * - `inData`: links and numbers in `data`, which has the records in an inner `data`
 * - `simple`: like `inData`, without the numbers of all records and pages
 * - `numbers`: only numbers, in `pagination`
 * - `count`: `count`, `next` and `previous` next to `results`
 * - `cursor`: a cursor in `meta`
 */
export const pagings = ['links', 'meta', 'inData', 'simple', 'numbers', 'count', 'cursor'] as const;

export type Paging = (typeof pagings)[number];

export const createShapes = (): Shapes => ({
	pageSize: undefined,
	paging: 'links',
	order: 'desc',
	ties: 'fixed',
	trims: false,
});
