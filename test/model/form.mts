/**
 * One form: what respondents have submitted, and how the service lists that: in which order, on which
 * pages and in which spelling.
 */
import type { IDataObject } from 'n8n-workflow';

/** A response as the service keeps it. */
export type Response = {
	form: Form;
	uuid: string;
	number: number;
	incomplete: boolean;
	deleted: boolean;
	/** Epoch milliseconds, to the second. */
	createdAt: number;
	edits: number;
};

export type Order = 'oldest' | 'newest' | 'shuffled';

/** How a page says where the next one is. */
export type Paging = 'link' | 'header' | 'number' | 'cursor';

/** Ways to write a time, a number and a boolean. The trigger can read all times but that of `plain`. */
export const spellings = {
	specification: {
		time: (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, '.000000Z'),
		number: (value: number): number | string => value,
		boolean: (value: boolean): boolean | number | string => value,
	},
	sql: {
		time: (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' '),
		number: (value: number) => String(value),
		boolean: (value: boolean) => (value ? 1 : 0),
	},
	epoch: {
		time: (ms: number) => ms / 1000,
		number: (value: number) => value,
		boolean: (value: boolean) => (value ? '1' : '0'),
	},
	zone: {
		time: (ms: number) => `${new Date(ms + 3_600_000).toISOString().slice(0, 19)}+01:00`,
		number: (value: number) => value,
		boolean: (value: boolean) => (value ? 'true' : 'false'),
	},
	plain: {
		time: (ms: number) => new Date(ms).toISOString().slice(0, 10).split('-').reverse().join('.'),
		number: (value: number) => value,
		boolean: (value: boolean) => (value ? 'Yes' : 'No'),
	},
};

export class Form {
	readonly kept: Response[] = [];
	order: Order = 'newest';
	pageSize = Infinity;
	paging: Paging = 'link';
	spelling: keyof typeof spellings = 'specification';
	/** Whether pages say how many records there are. */
	hasTotals = false;
	/** Whether a page beyond the last one is an error. */
	refusesBeyond = false;
	/** Whether each response has an uploaded file. */
	hasFiles = false;
	/** Whether the account sees the form. */
	listed = true;
	/** Whether the listing of the form is empty for a while. */
	hidden = false;
	/** What happens once, after the next first page was shown. */
	betweenPages: (() => void) | undefined;
	readonly id: string;
	name: string;
	/** Epoch milliseconds. */
	createdAt: number;

	constructor(id: string, createdAt = 0) {
		this.id = id;
		this.name = `Form ${id}`;
		this.createdAt = createdAt;
	}

	/** @param now epoch milliseconds */
	submit(incomplete: boolean, now: number): Response {
		const number = this.kept.length + 1;
		const createdAt = Math.floor(now / 1000) * 1000;
		const state = { incomplete, deleted: false, edits: 0 };
		const response = { form: this, uuid: `${this.id}-${number}`, number, createdAt, ...state };
		this.kept.push(response);
		return response;
	}

	/** The responses that the listing has now, in its order. */
	shown(): Response[] {
		if (this.hidden || !this.listed) return [];
		const shown = this.kept.filter(({ deleted }) => !deleted);
		if (this.order === 'newest') shown.reverse();
		if (this.order === 'shuffled') shown.sort((one, other) => mix(one.number) - mix(other.number));
		return shown;
	}

	/** A record as the service writes it. */
	record({ uuid, number, incomplete, createdAt, edits }: Response): IDataObject {
		const spelling = spellings[this.spelling];
		const answers: IDataObject[] = [{ key: 'Edits', value: edits }];
		const file = { key: 'File', value: [`a.pdf|https://files.example.net/${uuid}/a.pdf`] };
		return {
			uuid,
			number: spelling.number(number),
			is_incomplete: spelling.boolean(incomplete),
			created_at: spelling.time(createdAt),
			responses: this.hasFiles ? [...answers, file] : answers,
		};
	}

	asListed(): IDataObject {
		const { id, name, createdAt } = this;
		return { id, name, created_at: spellings.specification.time(createdAt) };
	}
}

/** Any order that means nothing will do. */
function mix(number: number): number {
	return (number * 2_654_435_761) % 4_294_967_296;
}
