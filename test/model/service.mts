import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { Fault } from './faults.mts';
import type { Form, ListedForm, Page } from './form.mts';
import type { ProcessClock } from './time.mts';

export const BASE_URL = 'https://forms.example.com/api/v1';

/** Milliseconds after which n8n's helper gives up a request that names no other time. */
const HELPERS_TIMEOUT_MS = 300_000;

/** A request that reached the service or a host of files, and what it was told. */
export type Sent = {
	/** Epoch milliseconds at which it was sent, and at which its reply came. */
	at: number;
	endedAt: number;
	url: string;
	/** Whether it had a reply that is right and whole. */
	isGood: boolean;
	/** Whether it asked for a page that the listing does not have any more. */
	isBeyond?: boolean;
} & (
	| { of: 'responses'; form: string; page?: Page }
	| { of: 'forms'; offset: number; page?: { forms: ListedForm[]; isLast: boolean } }
	| { of: 'fields'; form: string }
	| { of: 'file' }
	| { of: 'other' }
);

/** How the service, and all else that is reached over HTTP, treats one poll. */
export type Treatment = {
	fault?: Fault;
	/** Which fault a request has, by its number in the test; in place of `fault`. */
	faultFor?: () => Fault | undefined;
	/** The only form that it happens to, or the list of forms (''); without it, it happens to all requests. */
	faultOf?: string;
	/** A response without an identity is on each page. */
	unidentified?: boolean;
	/** The fields of forms cannot be read. */
	fieldsFault?: Fault;
	/** The number of the download that fails, from 0, and how. */
	fileFault?: { at: number; fault: Fault };
	/** Milliseconds that each reply takes. */
	latencyMs?: number;
};

type Content = { status: number; headers: Record<string, string>; body: string };

type Reply = { statusCode: number; headers: Record<string, string>; body: Readable };

/** A Form Service in the memory of the test, as n8n's HTTP helper reaches it in virtual time. */
export class Service {
	/** Forms on a page of the list of forms, and fields on a page of the list of a form's. */
	listPageSize = Infinity;
	fieldsPageSize = Infinity;
	readonly forms: Record<string, Form>;
	private readonly time: ProcessClock;

	constructor(forms: Record<string, Form>, time: ProcessClock) {
		this.forms = forms;
		this.time = time;
	}

	/**
	 * What n8n's helper gives for a request.
	 *
	 * @param sent takes note of it
	 * @throws what the helper throws where no reply comes
	 */
	async request(
		options: IHttpRequestOptions,
		treatment: Treatment,
		sent: Sent[],
		isAuthenticated: boolean,
	): Promise<Reply> {
		const { latencyMs = 0 } = treatment;
		const one = this.understand(options, isAuthenticated);
		const downloads = sent.filter(({ of }) => of === 'file').length;
		sent.push(one);
		const fault = faultOf(one, treatment, downloads);
		if (fault !== undefined && 'hangs' in fault) {
			await this.wait(Infinity, options);
			throw new Error('A wait without an end has ended');
		}
		await this.wait(latencyMs, options);
		one.endedAt = this.time.now();
		if (fault !== undefined && 'code' in fault) {
			throw Object.assign(new Error(fault.message), { code: fault.code });
		}
		const content = fault ? { headers: {}, ...fault } : this.answer(one, options, treatment);
		one.isGood = fault === undefined && content.status < 400;
		return {
			statusCode: content.status,
			headers: {
				date: new Date(this.time.now()).toUTCString(),
				'content-type': 'application/json',
				...content.headers,
			},
			body: Readable.from([Buffer.from(content.body)]),
		};
	}

	private async wait(ms: number, { timeout = HELPERS_TIMEOUT_MS }: IHttpRequestOptions) {
		await this.time.sleep(Math.min(ms, timeout));
		if (ms <= timeout) return;
		const message = `timeout of ${timeout}ms exceeded`;
		throw Object.assign(new Error(message), { code: 'ECONNABORTED' });
	}

	private understand(options: IHttpRequestOptions, isAuthenticated: boolean): Sent {
		const url = new URL(options.url, options.baseURL);
		for (const [name, value] of Object.entries(options.qs ?? {})) {
			url.searchParams.set(name, String(value));
		}
		const now = this.time.now();
		const of = { at: now, endedAt: now, url: url.href, isGood: false };
		if (!isAuthenticated) return { ...of, of: 'file' };
		const path = url.href.startsWith(`${BASE_URL}/`) ? url.pathname.slice(7).split('/') : [];
		const [, resource, form, part] = path;
		if (resource === 'responses') return { ...of, of: 'responses', form };
		if (resource === 'forms' && form === undefined) {
			return { ...of, of: 'forms', offset: offsetIn(url, this.listPageSize) };
		}
		return resource === 'forms' && part === 'fields'
			? { ...of, of: 'fields', form }
			: { ...of, of: 'other' };
	}

	private answer(one: Sent, options: IHttpRequestOptions, treatment: Treatment): Content {
		if (one.of === 'file') {
			return { status: 200, headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.4' };
		}
		if (one.of === 'forms') return this.listForms(one);
		const form = one.of === 'other' ? undefined : this.forms[one.form];
		if (form === undefined || !form.listed || one.of === 'other') {
			// nobody can tell whether the form is gone or only this page
			if (one.of === 'responses') one.isBeyond = offsetIn(new URL(one.url), 1) > 0;
			return NOT_FOUND;
		}
		return one.of === 'fields'
			? this.listFields(one)
			: this.listResponses(one, form, options, treatment);
	}

	private listForms(one: Sent & { of: 'forms' }): Content {
		const all = Object.values(this.forms).filter(({ listed }) => listed);
		const end = one.offset + this.listPageSize;
		const listed = all.slice(one.offset, end);
		one.page = { forms: listed.map((form) => form.asListed()), isLast: all.length <= end };
		const data = listed.map((form) => {
			const { id, createdAt } = form.asListed();
			const created_at = createdAt === undefined ? null : new Date(createdAt).toISOString();
			return { id, name: `Form ${id}`, created_at };
		});
		const next = one.page.isLast ? null : linkTo(one.url, 'page', end / this.listPageSize + 1);
		return json({ success: true, data, links: { next } });
	}

	private listFields({ form, url }: Sent & { of: 'fields' }): Content {
		const { fieldsPageSize } = this;
		const offset = offsetIn(new URL(url), fieldsPageSize);
		const fields = ['Edits', 'File', UNANSWERED].map((label, index) => ({
			uuid: `${form}-field-${index}`,
			label,
			type: ['number', 'file', 'text'][index],
		}));
		const end = offset + fieldsPageSize;
		const next = fields.length <= end ? null : linkTo(url, 'page', end / fieldsPageSize + 1);
		return json({ success: true, data: fields.slice(offset, end), links: { next } });
	}

	private listResponses(
		one: Sent & { of: 'responses' },
		form: Form,
		{ headers = {} }: IHttpRequestOptions,
		{ unidentified = false }: Treatment,
	): Content {
		const url = new URL(one.url);
		const offset = offsetIn(url, form.pageSize);
		const page = form.page(this.time.now(), offset);
		if (offset > 0 && page.shown.length === 0 && form.refusesBeyond) {
			one.isBeyond = true;
			return NOT_FOUND;
		}
		one.page = page;
		const data = page.shown.map((response) => form.record(response));
		if (unidentified) data.push({ number: 0 });
		const next = nextOf(form, page, one.url);
		const isInHeader = form.paging === 'header' && next !== null;
		const content = json(
			{ success: true, data, ...around(form, page, next) },
			isInHeader ? { link: `<${next}>; rel="next"` } : {},
		);
		if (!form.hasETags) return content;
		const etag = `"${createHash('sha1').update(content.body).digest('hex')}"`;
		const known = Object.entries(headers).find(([name]) => /^if-none-match$/i.test(name));
		const tagged = { ...content, headers: { ...content.headers, etag } };
		return known?.[1] === etag ? { ...tagged, status: 304, body: '' } : tagged;
	}
}

const NOT_FOUND: Content = {
	status: 404,
	headers: {},
	body: JSON.stringify({ success: false, message: 'Not found' }),
};

function faultOf(
	one: Sent,
	{ fault, faultFor, faultOf: form, fieldsFault, fileFault }: Treatment,
	downloads: number,
): Fault | undefined {
	if (faultFor !== undefined) return faultFor();
	if (one.of === 'file') return fileFault?.at === downloads ? fileFault.fault : undefined;
	if (one.of === 'fields' && fieldsFault !== undefined) return fieldsFault;
	const asked = 'form' in one ? one.form : '';
	return form === undefined || form === asked ? fault : undefined;
}

/** By the number of the page, or by a cursor that only the service can read. */
function offsetIn({ searchParams }: URL, pageSize: number): number {
	const cursor = searchParams.get('cursor');
	if (cursor !== null) return Number(cursor.replace(/^c/, ''));
	const page = Number(searchParams.get('page') ?? 1);
	return page === 1 ? 0 : (page - 1) * pageSize;
}

function linkTo(url: string, name: 'page' | 'cursor', value: number | string): string {
	const link = new URL(url);
	link.searchParams.set(name, String(value));
	return link.href;
}

/** Where the next page is, as a whole URL; null where there is none. */
function nextOf({ paging, pageSize }: Form, { offset, isLast }: Page, url: string): string | null {
	const end = offset + pageSize;
	const isNumbered = Number.isInteger(end / pageSize) && paging !== 'cursor link';
	if (isLast) return null;
	return isNumbered ? linkTo(url, 'page', end / pageSize + 1) : linkTo(url, 'cursor', `c${end}`);
}

/** What stands beside the records of a page. */
function around(form: Form, page: Page, next: string | null): IDataObject {
	const { offset, isLast, total } = page;
	const { paging, pageSize } = form;
	const counts = form.hasTotals && { total };
	const number = offset / pageSize + 1;
	if (pageSize === Infinity || paging === 'header') return { meta: { ...counts } };
	if (paging === 'cursor') {
		return { meta: { next_cursor: isLast ? null : `c${offset + pageSize}`, ...counts } };
	}
	if (paging === 'cursor link' || !Number.isInteger(number)) {
		return { links: { next }, meta: { ...counts } };
	}
	if (paging === 'link') return { links: { next }, meta: { current_page: number, ...counts } };
	const last = isLast ? number : Math.max(number + 1, Math.ceil(total / pageSize));
	return { meta: { current_page: number, last_page: last, ...counts } };
}

function json(value: unknown, headers: Record<string, string> = {}): Content {
	return { status: 200, headers, body: JSON.stringify(value) };
}

/** A field that nobody answers shows whether an item was made with the fields of its form. */
export const UNANSWERED = 'Unanswered';
