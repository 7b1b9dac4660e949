/**
 * The choices that the specification leaves open (section 4, "Response shapes not given"). The defaults are
 * what has been seen in the field; tests switch them to show that a client follows rules and not one shape.
 */
export type Shapes = {
	/** how a listing says where it goes on */
	paging: 'none' | 'linkAbsolute' | 'linkRelative' | 'number' | 'cursor';
	/** records of a page, when there are pages */
	pageSize: number;
	/** whether each page says how many records there are on all of them, as it always does by number */
	total: boolean;
	/** of responses: oldest first, newest first, or shuffled */
	order: 'asc' | 'desc' | 'random';
	/** how many responses a listing shows, after ordering: 0 hides them all, a number cuts the listing */
	visible: number;
	/** a response's answers: `[{key, value}]` or `[{label, response, uuid, custom_key}]` */
	mapAnswers: 'pairs' | 'list';
	/** a field's own names for its identity, label and duty: `uuid`, `label`, `mandatory` or `id`, `name`, `required` */
	fieldNames: 'uuidLabel' | 'idName';
	/** where the link to a PDF stands: `data.pdf_url`, or `pdf_url` or `url` at the top level */
	pdf: 'nested' | 'topPdfUrl' | 'topUrl';
	/** what the reply to a new response tells: `data.uuid`, or a message alone */
	created: 'nested' | 'message';
	/** back to what has been seen */
	reset(): void;
};

/** The shapes of one running service. */
export function createShapes(): Shapes {
	const seen = {
		paging: 'none',
		pageSize: 25,
		total: false,
		order: 'desc',
		visible: Number.POSITIVE_INFINITY,
		mapAnswers: 'pairs',
		fieldNames: 'uuidLabel',
		pdf: 'nested',
		created: 'nested',
	} as const;
	return {
		...seen,
		reset() {
			Object.assign(this, seen);
		},
	};
}
