/**
 * The choices that the specification leaves open (section 4, "Response shapes not given"). The defaults were
 * seen in the field. Tests switch them to show that a client depends on rules and not on one shape.
 */
export type Shapes = {
	/** The records on a page; without it, a list has one page. */
	pageSize?: number;
	/** The attributes that lead to the next page, as common frameworks send them. */
	paging: Paging;
	/** The order of responses: oldest first (`asc`) or newest first. */
	order: 'asc' | 'desc';
	/**
	 * The order of responses of the same second: always the same, different on each page (as of databases that
	 * sort by time only), or different in each request.
	 */
	ties: 'fixed' | 'byPage' | 'byRequest';
	/** Whether the service trims texts, and stores "" as null. */
	trims: boolean;
};

/**
 * The kinds of paging:
 *
 * - `links`: a link beside `data`, but no total number of records
 * - `meta`: links and numbers beside `data`
 * - `inData`: the page in `data`, with its records in an inner `data`
 * - `simple`: like `inData`, without the total numbers of records and pages
 * - `numbers`: only numbers, in `pagination`
 * - `count`: `count`, `next` and `previous` beside `results`
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
