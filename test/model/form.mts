import type { IDataObject } from 'n8n-workflow';

/** A response as the service keeps it. */
export type Kept = {
	uuid: string;
	number: number;
	incomplete: boolean;
	deleted: boolean;
	/** Seconds since 1970. */
	createdAt: number;
	/** How often it was edited. */
	edits: number;
};

/** A form in the list of forms; a service need not say when it was created. */
export type ListedForm = { id: string; createdAt: number | undefined };

/** A response as a listing shows it; a service need not say when it was created. */
export type Shown = Kept & { hasTime: boolean };

/** A page of a listing, and how many responses come before it. */
export type Page = { shown: Shown[]; offset: number; total: number; isLast: boolean };

export type Order = 'oldest' | 'newest' | 'shuffled';

/** What happens between the first and the second page of the next listing. */
export type PageShift = 'submit' | 'delete' | 'complete and submit';

/** How a page says where the next one is. */
export type Paging = 'link' | 'header' | 'number' | 'cursor link' | 'cursor';

/**
 * The listing of one form as a service might give it: in any order, in pages by offset, with or
 * without times, hidden for a while.
 */
export class Form {
	readonly kept: Kept[] = [];
	order: Order = 'newest';
	pageSize = Infinity;
	hidden = false;
	/** Whether it is there for the account: in the list of forms, and its responses can be had. */
	listed: boolean;
	times: 'all' | 'some' | 'none' = 'all';
	/** Whether its pages say how many records there are. */
	hasTotals = false;
	paging: Paging = 'link';
	/** Whether a page beyond the last one is an error. */
	refusesBeyond = false;
	/** Whether replies have an ETag, and one with the same ETag is 304. */
	hasETags = false;
	/** Whether a response has an uploaded file. */
	hasFiles = false;
	/** A text that each response has. */
	text: string | undefined;
	shift: PageShift | undefined;
	readonly id: string;
	/** Epoch milliseconds. */
	createdAt: number;

	constructor(id: string, { listed = true, createdAt = 0 } = {}) {
		this.id = id;
		this.listed = listed;
		this.createdAt = createdAt;
	}

	/** As the list of forms shows it. */
	asListed(): ListedForm {
		const { id, createdAt, times } = this;
		return { id, createdAt: times === 'none' ? undefined : createdAt };
	}

	submit(incomplete: boolean, now: number): Kept {
		const number = this.kept.length + 1;
		const createdAt = Math.floor(now / 1000);
		const uuid = `${this.id}-${number}`;
		const response = { uuid, number, incomplete, deleted: false, createdAt, edits: 0 };
		this.kept.push(response);
		return response;
	}

	/**
	 * A page of the listing; what others do to the form after the first one shifts the rest.
	 *
	 * @param offset how many responses come before the page
	 */
	page(now: number, offset: number): Page {
		const visible = this.visible();
		const end = offset + this.pageSize;
		const shown = visible
			.slice(offset, end)
			.map((response) => ({ ...response, hasTime: this.hasTime(response) }));
		if (offset === 0) this.shiftPages(now);
		return { shown, offset, total: visible.length, isLast: visible.length <= end };
	}

	/** A record as the service writes it. */
	record({ uuid, number, incomplete, createdAt, edits, hasTime }: Shown): IDataObject {
		const answers: IDataObject[] = [{ key: 'Edits', value: edits }];
		if (this.text !== undefined) answers.push({ key: 'Text', value: `${this.text} ${uuid}` });
		const file = { key: 'File', value: [`a.pdf|https://files.example.net/${uuid}/a.pdf`] };
		return {
			uuid,
			number,
			is_incomplete: incomplete,
			...(hasTime && {
				created_at: `${new Date(createdAt * 1000).toISOString().slice(0, 19)}.000000Z`,
			}),
			responses: this.hasFiles ? [...answers, file] : answers,
		};
	}

	private hasTime({ number }: Kept): boolean {
		return this.times === 'all' || (this.times === 'some' && number % 3 !== 0);
	}

	private visible(): Kept[] {
		if (this.hidden) return [];
		const shown = this.kept.filter(({ deleted }) => !deleted);
		if (this.order === 'newest') shown.reverse();
		if (this.order === 'shuffled') shown.sort((a, b) => mixed(a.number) - mixed(b.number));
		return shown;
	}

	private shiftPages(now: number): void {
		const page = this.visible().slice(0, this.pageSize);
		const last = this.kept.find(({ uuid }) => uuid === page.at(-1)?.uuid);
		if (this.shift === 'complete and submit' && last !== undefined) last.incomplete = false;
		if (this.shift !== 'delete' && this.shift !== undefined) this.submit(false, now);
		if (this.shift === 'delete') {
			const [first] = this.visible();
			if (first !== undefined) this.kept.find(({ uuid }) => uuid === first.uuid)!.deleted = true;
		}
		this.shift = undefined;
	}
}

/** Any order will do, as long as it is none that means something. */
function mixed(number: number): number {
	return (number * 2_654_435_761) % 4_294_967_296;
}
