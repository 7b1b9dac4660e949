/**
 * A Form Service in the memory of the test, as n8n's HTTP helper reaches it in virtual time, with the
 * faults of a service and of the way to it.
 */
import { Readable } from 'node:stream';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { spellings, type Form } from './form.mts';
import type { VirtualTime } from './time.mts';

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
	/** Milliseconds that each reply takes. */
	latencyMs?: number;
};

/** How a request can fail: by a reply, by a broken connection, or by no reply at all. */
export type Fault =
	| { status: number; headers?: Record<string, string>; body: string }
	| { code: string }
	| { hangs: true };

const message = (text: string) => JSON.stringify({ success: false, message: text });
const HTML = { 'content-type': 'text/html' };
const refused = (limit: number, seconds: number) => ({
	status: 429,
	headers: {
		'x-ratelimit-remaining': '0',
		'x-ratelimit-limit': String(limit),
		'retry-after': String(seconds),
	},
	body: message('Too Many Attempts.'),
});

export const faults = {
	badRequest: { status: 400, body: message('Bad request') },
	unauthorized: { status: 401, body: message('Unauthenticated.') },
	forbidden: { status: 403, body: message('No access to the requested resource.') },
	notFound: { status: 404, body: message('Not found') },
	minuteUsedUp: refused(60, 20),
	dayUsedUp: refused(1440, 28_800),
	serverError: { status: 500, body: message('Server error') },
	badGateway: { status: 502, headers: HTML, body: '<html><body>Bad gateway</body></html>' },
	refusedConnection: { code: 'ECONNREFUSED' },
	brokenConnection: { code: 'ECONNRESET' },
	noReply: { hangs: true },
	certificate: { code: 'CERT_HAS_EXPIRED' },
	webPage: { status: 200, headers: HTML, body: '<!doctype html><title>Log in</title>' },
	login: { status: 302, headers: { location: '/login' }, body: '' },
	cutBody: { status: 200, body: '{"success":true,"data":[{"uuid":"A-1","numb' },
	nothing: { status: 200, body: '' },
	successFalse: { status: 200, body: message('It failed') },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

/** The fault happens to all requests but those for files, or only to those of one form. */
export const failAll = (fault: Fault, form?: string): Treatment => ({
	failWith: (request) =>
		request.kind !== 'file' && (form ?? request.form) === request.form ? fault : undefined,
});

/** Nobody answers this field, so only an item that was made with the form's fields has it. */
export const UNANSWERED = 'Unanswered';

const PATH = '/api/v1/';

/** Milliseconds after which n8n's helper gives up a request that names no other time. */
const HELPERS_TIMEOUT_MS = 300_000;

type Content = { status: number; headers?: Record<string, string>; body: string };

export class Service {
	/** Entries on a page of the list of forms, and of the fields of a form. */
	otherPageSize = Infinity;
	/** All requests so far. */
	readonly sent: Sent[] = [];
	/** How it treats requests now. */
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
	async request(options: IHttpRequestOptions, isAuthenticated: boolean) {
		const { time, treatment } = this;
		const url = new URL(options.url, options.baseURL);
		for (const [name, value] of Object.entries(options.qs ?? {})) {
			url.searchParams.set(name, String(value));
		}
		const asked = isAuthenticated ? understand(url) : ({ kind: 'file', form: '' } as const);
		const one: Sent = { at: time.now(), url: url.href, ...asked, isGood: false, isLast: false };
		this.sent.push(one);
		const fault = treatment.failWith?.(one);
		const { timeout = HELPERS_TIMEOUT_MS } = options;
		const ms = fault !== undefined && 'hangs' in fault ? Infinity : (treatment.latencyMs ?? 0);
		if (ms > 0) await time.sleep(Math.min(ms, timeout));
		if (ms > timeout) throw createConnectionError('ECONNABORTED');
		if (fault !== undefined && 'code' in fault) throw createConnectionError(fault.code);
		const content = fault && 'status' in fault ? fault : this.answer(one, url);
		one.isGood = fault === undefined && content.status < 400;
		const date = new Date(time.actual()).toUTCString();
		return {
			statusCode: content.status,
			headers: { date, 'content-type': 'application/json', ...content.headers },
			body: Readable.from([Buffer.from(content.body)]),
		};
	}

	private answer(one: Sent, url: URL): Content {
		if (one.kind === 'file') {
			return { status: 200, headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.4' };
		}
		const paged = { pageSize: this.otherPageSize, paging: 'link' } as const;
		if (one.kind === 'forms') {
			const listed = Object.values(this.forms).filter((form) => form.listed);
			const records = listed.map(({ id, name, createdAt }) => {
				return { id, name, created_at: spellings.specification(createdAt, 0, false)[0] };
			});
			return listPage(one, url, records, paged);
		}
		const form = one.kind === 'other' ? undefined : this.forms[one.form];
		if (form?.listed !== true) return faults.notFound;
		if (one.kind === 'fields') {
			const fields = { Edits: 'number', File: 'file', [UNANSWERED]: 'text' };
			const records = Object.entries(fields).map(([label, type]) => ({ uuid: label, label, type }));
			return listPage(one, url, records, paged);
		}
		const content = listPage(one, url, form.shown(), form, (response) => form.record(response));
		const happen = url.search === '' ? form.betweenPages : undefined;
		if (happen !== undefined) form.betweenPages = undefined;
		happen?.();
		return content;
	}
}

function createConnectionError(code: string): Error {
	return Object.assign(new Error(`The connection failed: ${code}`), { code });
}

/** What a URL asks for; the scheme makes no difference. */
function understand({ pathname }: URL): Pick<Sent, 'kind' | 'form'> {
	if (!pathname.startsWith(PATH)) return { kind: 'other', form: '' };
	const [resource, form, part] = pathname.slice(PATH.length).split('/');
	if (resource === 'responses' && form !== undefined) return { kind: 'responses', form };
	if (resource === 'forms' && form === undefined) return { kind: 'forms', form: '' };
	return { kind: resource === 'forms' && part === 'fields' ? 'fields' : 'other', form };
}

/** One page of a list. Where pages have numbers, they count the records and end with an error. */
function listPage<T>(
	one: Sent,
	url: URL,
	all: readonly T[],
	{ pageSize, paging }: Pick<Form, 'pageSize' | 'paging'>,
	toRecord: (entry: T) => unknown = (entry) => entry,
): Content {
	const cursor = url.searchParams.get('cursor')?.slice(1);
	const number = Number(cursor ?? url.searchParams.get('page') ?? 1);
	const offset = number === 1 ? 0 : (number - 1) * pageSize;
	const data = all.slice(offset, offset + pageSize).map(toRecord);
	if (paging === 'number' && number > 1 && data.length === 0) return faults.notFound;
	one.isLast = all.length <= offset + pageSize;
	const next = new URL(url);
	next.searchParams.set('page', String(number + 1));
	const link = one.isLast ? null : next.href;
	const last_page = Math.max(1, Math.ceil(all.length / pageSize));
	const ways: Record<Form['paging'], IDataObject> = {
		link: { links: { next: link }, meta: { current_page: number } },
		header: {},
		number: { meta: { current_page: number, last_page, total: all.length } },
		cursor: { meta: { next_cursor: one.isLast ? null : `c${number + 1}` } },
	};
	return {
		status: 200,
		headers: paging === 'header' && link !== null ? { link: `<${link}>; rel="next"` } : {},
		body: JSON.stringify({ success: true, data, ...ways[paging] }),
	};
}
