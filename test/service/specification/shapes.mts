/**
 * The choices that the specification leaves open (section 4, "Response shapes not given"). The defaults are
 * what has been seen in the field; tests switch them to show that a client follows rules and not one shape.
 */
export type Shapes = {
	/** how many records a listing has on a page; without it, all are on one */
	pageSize?: number;
	/** how a page says where the next one is: what common frameworks send */
	paging: Paging;
	/** of responses: oldest first, or newest first */
	order: 'asc' | 'desc';
	/**
	 * How responses of the same second are listed: in one order, in another order on each page, as databases
	 * do that sort by time alone, or in another order for each request.
	 */
	ties: 'fixed' | 'byPage' | 'byRequest';
	/** whether texts are stored without white space at both ends, and "" as null */
	trims: boolean;
};

/**
 * - `links`: a link beside `data`, and no number of records
 * - `meta`: links and numbers beside `data`
 * - `inData`: the page itself in `data`, with its records in another `data` there
 * - `simple`: the same without the numbers of all records and pages
 * - `numbers`: numbers alone, in `pagination`
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
