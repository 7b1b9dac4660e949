/**
 * A Form Service in the memory of the test, as n8n's HTTP helper reaches it in virtual time, with the
 * faults of a service and of the way to it.
 */
import { Readable } from 'node:stream';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { Form, Response } from './form.mts';
import type { ProcessClock } from './time.mts';

/** A request that was sent, and what became of it. */
export type Sent = {
	/** Epoch milliseconds by the machine's clock. */
	at: number;
	url: string;
	kind: 'responses' | 'forms' | 'fields' | 'file' | 'other';
	/** The form's ID; '' for the list of forms. */
	form: string;
	/** Whether it had a reply that is right and whole. */
	isGood: boolean;
	/** Whether the reply had the last page of its list. */
	isLast: boolean;
};

/** How the service and all else that is reached over HTTP treat one poll. */
export type Treatment = {
	failWith?: (request: Sent) => Fault | undefined;
	/** Whether each page has a response without an identity. */
	isUnidentified?: boolean;
	/** Milliseconds that each reply takes. */
	latencyMs?: number;
};

/** How a request can fail: by a reply, by a broken connection, or by no reply at all. */
export type Fault =
	| { status: number; headers?: Record<string, string>; body: string }
	| { code: string; message: string }
	| { hangs: true };

const message = (text: string) => JSON.stringify({ success: false, message: text });
const HTML = { 'content-type': 'text/html' };
const REFUSED = { 'x-ratelimit-remaining': '0' };

export const faults = {
	badRequest: { status: 400, body: message('Bad request') },
	unauthorized: { status: 401, body: message('Unauthenticated.') },
	forbidden: { status: 403, body: message('No access to the requested resource.') },
	notFound: { status: 404, body: message('Not found') },
	unprocessable: { status: 422, body: message('Invalid') },
	minuteUsedUp: {
		status: 429,
		headers: { ...REFUSED, 'retry-after': '20', 'x-ratelimit-limit': '60' },
		body: message('Too Many Attempts.'),
	},
	dayUsedUp: {
		status: 429,
		headers: { ...REFUSED, 'retry-after': '28800', 'x-ratelimit-limit': '1440' },
		body: message('Too Many Attempts.'),
	},
	serverError: { status: 500, body: message('Server error') },
	badGateway: { status: 502, headers: HTML, body: '<html><body>Bad gateway</body></html>' },
	refusedConnection: { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' },
	brokenConnection: { code: 'ECONNRESET', message: 'socket hang up' },
	noReply: { hangs: true },
	certificate: { code: 'CERT_HAS_EXPIRED', message: 'certificate has expired' },
	webPage: { status: 200, headers: HTML, body: '<!doctype html><title>Log in</title>' },
	login: { status: 302, headers: { location: '/login' }, body: '' },
	cutBody: { status: 200, body: '{"success":true,"data":[{"uuid":"A-1","numb' },
	nothing: { status: 200, body: '' },
	successFalse: { status: 200, body: message('It failed') },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

/** Nobody answers this field, so only an item that was made with the form's fields has it. */
export const UNANSWERED = 'Unanswered';

type Content = { status: number; headers?: Record<string, string>; body: string };
type Reply = { statusCode: number; headers: Record<string, string>; body: Readable };

const PATH = '/api/v1';

/** Milliseconds after which n8n's helper gives up a request that names no other time. */
const HELPERS_TIMEOUT_MS = 300_000;

export class Service {
	/** Entries on a page of the list of forms, and of the fields of a form. */
	otherPageSize = Infinity;
	private readonly forms: Record<string, Form>;
	private readonly time: ProcessClock & { actual(): number };

	constructor(forms: Record<string, Form>, time: Service['time']) {
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
		const url = new URL(options.url, options.baseURL);
		for (const [name, value] of Object.entries(options.qs ?? {})) {
			url.searchParams.set(name, String(value));
		}
		const of = isAuthenticated ? understand(url) : { kind: 'file' as const, form: '' };
		const one: Sent = { at: this.time.now(), url: url.href, ...of, isGood: false, isLast: false };
		sent.push(one);
		const fault = treatment.failWith?.(one);
		await this.wait(fault && 'hangs' in fault ? Infinity : (treatment.latencyMs ?? 0), options);
		if (fault !== undefined && 'code' in fault) {
			throw Object.assign(new Error(fault.message), { code: fault.code });
		}
		const content = fault && 'status' in fault ? fault : this.answer(one, url, treatment);
		one.isGood = fault === undefined && content.status < 400;
		const date = new Date(this.time.actual()).toUTCString();
		return {
			statusCode: content.status,
			headers: { date, 'content-type': 'application/json', ...content.headers },
			body: Readable.from([Buffer.from(content.body)]),
		};
	}

	private async wait(ms: number, { timeout = HELPERS_TIMEOUT_MS }: IHttpRequestOptions) {
		if (ms > 0) await this.time.sleep(Math.min(ms, timeout));
		if (ms <= timeout) return;
		const text = `timeout of ${timeout}ms exceeded`;
		throw Object.assign(new Error(text), { code: 'ECONNABORTED' });
	}

	private answer(one: Sent, url: URL, { isUnidentified = false }: Treatment): Content {
		if (one.kind === 'file') {
			return { status: 200, headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.4' };
		}
		if (one.kind === 'forms') {
			const listed = Object.values(this.forms).filter((form) => form.listed);
			const asListed = (form: Form) => form.asListed();
			return listPage(one, url, listed, asListed, { pageSize: this.otherPageSize });
		}
		const form = one.kind === 'other' ? undefined : this.forms[one.form];
		if (form?.listed !== true) return faults.notFound;
		if (one.kind === 'fields') {
			const records = ['Edits', 'File', UNANSWERED].map((label, index) => ({
				uuid: `${form.id}-field-${index}`,
				label,
				type: ['number', 'file', 'text'][index],
			}));
			return listPage(one, url, records, (record) => record, { pageSize: this.otherPageSize });
		}
		const toRecord = (response: Response) => form.record(response);
		const content = listPage(one, url, form.shown(), toRecord, form, isUnidentified);
		const happen = form.betweenPages;
		if (happen !== undefined && url.search === '') {
			form.betweenPages = undefined;
			happen();
		}
		return content;
	}
}

/** What a URL asks for; the scheme makes no difference. */
function understand({ pathname }: URL): Pick<Sent, 'kind' | 'form'> {
	if (!pathname.startsWith(`${PATH}/`)) return { kind: 'other', form: '' };
	const [resource, form, part] = pathname.slice(PATH.length + 1).split('/');
	if (resource === 'responses' && form !== undefined) return { kind: 'responses', form };
	if (resource === 'forms' && form === undefined) return { kind: 'forms', form: '' };
	return { kind: resource === 'forms' && part === 'fields' ? 'fields' : 'other', form };
}

type Paged = { pageSize: number } & Partial<Pick<Form, 'paging' | 'hasTotals' | 'refusesBeyond'>>;

/** One page of a list, as the service pages it. */
function listPage<T>(
	one: Sent,
	url: URL,
	all: readonly T[],
	toRecord: (entry: T) => IDataObject,
	{ pageSize, paging = 'link', hasTotals = false, refusesBeyond = false }: Paged,
	isUnidentified = false,
): Content {
	const cursor = url.searchParams.get('cursor')?.slice(1);
	const number = Number(cursor ?? url.searchParams.get('page') ?? 1);
	const offset = number === 1 ? 0 : (number - 1) * pageSize;
	const data = all.slice(offset, offset + pageSize).map(toRecord);
	if (refusesBeyond && number > 1 && data.length === 0) return faults.notFound;
	if (isUnidentified) data.push({ number: 0 });
	one.isLast = all.length <= offset + pageSize;
	const next = new URL(url);
	next.searchParams.set('page', String(number + 1));
	const link = one.isLast ? null : next.href;
	const meta: IDataObject = hasTotals ? { total: all.length } : {};
	if (paging === 'link') meta.current_page = number;
	if (paging === 'number') {
		const last = Math.max(1, Math.ceil(all.length / pageSize));
		Object.assign(meta, { current_page: number, last_page: Math.max(number, last) });
	}
	if (paging === 'cursor') meta.next_cursor = one.isLast ? null : `c${number + 1}`;
	const links = paging === 'link' ? { links: { next: link } } : {};
	return {
		status: 200,
		headers: paging === 'header' && link !== null ? { link: `<${link}>; rel="next"` } : {},
		body: JSON.stringify({ success: true, data, ...links, meta }),
	};
}
