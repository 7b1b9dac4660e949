/**
 * The choices that the specification leaves open (section 4, "Response shapes not given"). The defaults are
 * what has been seen in the field; tests switch them to show that a client follows rules and not one shape.
 */
export type Shapes = {
	/** how many records a listing has on a page, with a link to the next one; without it, all are on one */
	pageSize?: number;
	/** of responses: oldest first, or newest first */
	order: 'asc' | 'desc';
};

export const createShapes = (): Shapes => ({ pageSize: undefined, order: 'desc' });
