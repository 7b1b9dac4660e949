/**
 * One form: what respondents have submitted, and how the service lists it: in which order, on which pages
 * and in which spelling.
 */
import type { IDataObject } from 'n8n-workflow';

/** A response as the service keeps it. */
export type Response = {
	id: string;
	form: Form;
	number: number;
	incomplete: boolean;
	deleted: boolean;
	/** Epoch milliseconds, to the second. */
	createdAt: number;
	edits: number;
	/** Since when no list has it, in epoch milliseconds. */
	goneAt?: number;
};

export type Order = 'oldest' | 'newest' | 'shuffled';

/** How a page says where the next one is. */
export type Paging = 'link' | 'header' | 'number' | 'cursor';

const toIso = (ms: number, length: number) => new Date(ms).toISOString().slice(0, length);

/** How the service writes a time, a number and a boolean. The trigger cannot read the times of `plain`. */
export const spellings = {
	specification: (ms: number, number: number, isTrue: boolean) => [
		`${toIso(ms, 19)}.000000Z`,
		number,
		isTrue,
	],
	sql: (ms, number, isTrue) => [toIso(ms, 19).replace('T', ' '), String(number), isTrue ? 1 : 0],
	epoch: (ms, number, isTrue) => [ms / 1000, number, isTrue ? '1' : '0'],
	zone: (ms, number, isTrue) => [`${toIso(ms + 3_600_000, 19)}+01:00`, number, String(isTrue)],
	plain: (ms, number, isTrue) => [
		toIso(ms, 10).replaceAll('-', '.'),
		number,
		isTrue ? 'Yes' : 'No',
	],
} satisfies Record<string, (ms: number, number: number, isTrue: boolean) => unknown[]>;

export class Form {
	readonly id: string;
	readonly kept: Response[] = [];
	order: Order = 'newest';
	pageSize = Infinity;
	paging: Paging = 'link';
	spelling: keyof typeof spellings = 'specification';
	/** Whether each response has an uploaded file. */
	hasFiles = false;
	/** Whether the account sees the form. */
	listed = true;
	/** Whether the listing of the form is empty for a while. */
	hidden = false;
	/** What happens once, after the next first page was shown. */
	betweenPages: (() => void) | undefined;
	name: string;
	/** Epoch milliseconds. */
	createdAt: number;
	/** Since when no list has it, in epoch milliseconds. */
	goneAt?: number;

	constructor(id: string, createdAt = 0) {
		this.id = id;
		this.name = `Form ${id}`;
		this.createdAt = createdAt;
	}

	/** @param now epoch milliseconds */
	submit(incomplete: boolean, now: number): Response {
		const number = this.kept.length + 1;
		const createdAt = Math.floor(now / 1000) * 1000;
		const response = { id: `${this.id}-${number}`, form: this, number, createdAt, edits: 0 };
		this.kept.push({ ...response, incomplete, deleted: false });
		return this.kept.at(-1)!;
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
	record({ id, number, incomplete, createdAt, edits }: Response): IDataObject {
		const spelled = spellings[this.spelling](createdAt, number, incomplete);
		const file = { key: 'File', value: [`a.pdf|https://files.example.net/${id}/a.pdf`] };
		return {
			uuid: id,
			created_at: spelled[0],
			number: spelled[1],
			is_incomplete: spelled[2],
			responses: [{ key: 'Edits', value: edits }, ...(this.hasFiles ? [file] : [])],
		};
	}
}

/** A random order, always the same. */
const mix = (number: number): number => (number * 2_654_435_761) % 4_294_967_296;
