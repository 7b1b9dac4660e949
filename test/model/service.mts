/**
 * A Form Service in the memory of the test, as n8n's HTTP helper reaches it in virtual time: what
 * respondents have submitted, how it is listed, and the faults of the service and of the way to it.
 */
import { Readable } from 'node:stream';
import lodash from 'lodash';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { faults, type Reply, type Treatment } from './faults.mts';
import type { VirtualTime } from '../time.mts';

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
};

export type Order = 'oldest' | 'newest' | 'shuffled';

/** How a page says where the next one is: by a link, or by its number and the total of the list. */
export type Paging = 'link' | 'number';

/** How a form lists its responses. */
export type Listing = {
	order: Order;
	pageSize: number;
	paging: Paging;
};

const ONE_REPLY: Listing = { order: 'newest', pageSize: Infinity, paging: 'link' };

/** As the specification writes times. */
const toIso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}.000000Z`;

export class Form {
	readonly kept: Response[] = [];
	listing = ONE_REPLY;
	/** Whether the account sees the form, and whether the listing of its responses is empty for a while. */
	state: 'listed' | 'empty' | 'deleted' = 'listed';
	/** What happens once, after the next first page was shown. */
	betweenPages: (() => void) | undefined;
	readonly id: string;
	edits = 0;
	/** Epoch milliseconds. */
	readonly createdAt: number;

	constructor(id: string, createdAt = 0) {
		this.id = id;
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
	listShown(): Response[] {
		const shown = this.kept.filter(isListed);
		// a random order, always the same
		if (this.listing.order === 'shuffled')
			return lodash.sortBy(shown, ({ number }) => (number * 7_919) % 1_009);
		return this.listing.order === 'newest' ? shown.toReversed() : shown;
	}
}

/** Whether the lists of the service have a form or a response now. */
export function isListed(subject: Form | Response): boolean {
	return 'form' in subject
		? subject.form.state === 'listed' && !subject.deleted
		: subject.state !== 'deleted';
}

/** A request that was sent, and what became of it. */
export type Sent = {
	/** Epoch milliseconds by the machine's clock. */
	at: number;
	url: string;
	/** What it lists: `responses`, `forms` or `fields`. */
	kind: string;
	/** The form's ID; '' for the list of forms. */
	form: string;
	/** The page of the list, from 1. */
	page: number;
	/** Whether it had a reply that is right and whole. */
	isGood: boolean;
	/** Whether the reply had the last page of its list. */
	isLast: boolean;
};

const FIELDS = ['Edits', 'Other'].map((label) => ({ uuid: label, label, type: 'text' }));
export const FIELD_COUNT = FIELDS.length;

export class Service {
	/** Entries on a page of the list of forms, and of the fields of a form. */
	otherPageSize = Infinity;
	readonly sent: Sent[] = [];
	treatment: Treatment = {};
	readonly forms: Record<string, Form>;
	private readonly time: VirtualTime;

	constructor(forms: Record<string, Form>, time: VirtualTime) {
		this.forms = forms;
		this.time = time;
	}

	/**
	 * What n8n's helper gives for a request.
	 *
	 * @throws what the helper throws where no reply comes
	 */
	async request({ url, timeout = 300_000 }: IHttpRequestOptions) {
		const { time, treatment } = this;
		const asked = { at: time.now(), url, ...parseUrl(new URL(url)) };
		const one: Sent = { ...asked, isGood: false, isLast: false };
		this.sent.push(one);
		const fault = treatment.failWith?.(one);
		const ms = fault !== undefined && 'hangs' in fault ? Infinity : (treatment.latencyMs ?? 0);
		if (ms > 0) await time.sleep(Math.min(ms, timeout));
		const code = ms > timeout ? 'ECONNABORTED' : fault && 'code' in fault ? fault.code : undefined;
		if (code !== undefined) throw Object.assign(new Error(`It failed: ${code}`), { code });
		const reply = fault && 'status' in fault ? fault : this.answer(one);
		one.isGood = fault === undefined && reply.status < 400;
		const date = new Date(time.actual()).toUTCString();
		return {
			statusCode: reply.status,
			headers: { date, 'content-type': 'application/json', ...reply.headers },
			body: Readable.from([Buffer.from(reply.body)]),
		};
	}

	/** Whether each page of a list was read since so many requests. */
	isReadWhole(form: string, from: number): boolean {
		const isMeant = (one: Sent) => one.isGood && one.kind !== 'fields' && one.form === form;
		const pages = this.sent.slice(from).filter(isMeant);
		const last = pages.findLast(({ isLast }) => isLast)?.page;
		return last !== undefined && lodash.uniqBy(pages, 'page').length >= last;
	}

	private answer(one: Sent): Reply {
		const pages = { pageSize: this.otherPageSize, paging: 'link' } as const;
		if (one.kind === 'forms') {
			const forms = Object.values(this.forms).filter(isListed);
			return createPage(one, forms, pages, ({ id, edits, kept, createdAt }) => {
				const changing = { responses_count: kept.length, updated_at: one.at };
				const created_at = toIso(createdAt);
				return { id, name: `Form ${id}`, description: `${edits}`, ...changing, created_at };
			});
		}
		const form = this.forms[one.form];
		if (form === undefined || !isListed(form)) return faults.notFound;
		if (one.kind === 'fields') return createPage(one, FIELDS, pages, (field) => field);
		const shown = form.listShown();
		const page = createPage(one, shown, form.listing, ({ id, createdAt, ...response }) => {
			const { number, incomplete: is_incomplete, edits } = response;
			const responses = [{ key: 'Edits', value: edits }];
			return { uuid: id, number, created_at: toIso(createdAt), is_incomplete, responses };
		});
		if (one.page > 1) return page;
		const happen = form.betweenPages;
		form.betweenPages = undefined;
		happen?.();
		return page;
	}
}

/** The scheme of a URL makes no difference. */
function parseUrl({ pathname, searchParams }: URL): Pick<Sent, 'kind' | 'form' | 'page'> {
	const [resource, form = '', kind = resource] = pathname.split('/').slice(3);
	return { kind, form, page: Number(searchParams.get('page') ?? 1) };
}

/** One page of a list. Where pages have numbers, they count the records and end with an error. */
function createPage<T>(
	one: Sent,
	all: readonly T[],
	{ pageSize, paging }: Pick<Listing, 'pageSize' | 'paging'>,
	toRecord: (entry: T) => object,
): Reply {
	const offset = one.page === 1 ? 0 : (one.page - 1) * pageSize;
	const data = all.slice(offset, offset + pageSize).map(toRecord);
	const isNumbered = paging === 'number';
	if (isNumbered && one.page > 1 && data.length === 0) return faults.notFound;
	const last_page = Math.max(1, Math.ceil(all.length / pageSize));
	one.isLast = one.page >= last_page;
	const next = new URL(one.url);
	next.searchParams.set('page', String(one.page + 1));
	const meta: IDataObject = { current_page: one.page };
	const links = isNumbered ? undefined : { next: one.isLast ? null : next.href };
	if (isNumbered) Object.assign(meta, { last_page, total: all.length });
	return { status: 200, body: JSON.stringify({ success: true, data, links, meta }) };
}
