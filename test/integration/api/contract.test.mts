import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mts';
import { demoForms, instead, success } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { createWorld } from '../world.mts';

/** Each row of docs/contract.md: replies that fit, and replies that do not. */

const formId = locator(demoForms.contact);
const responses = { resource: 'response', operation: 'getAll', formId, returnAll: true };
const raw = { ...responses, simplify: false };
const pages = { ...raw, status: 'complete' };
const columns = { ...responses, options: { columns: true } };
const forms = { resource: 'form', operation: 'getAll', simplify: false };
const workspace = { resource: 'workspace', operation: 'get', simplify: false };
const pdf = { resource: 'response', operation: 'getPdf', responseId: 'r1', download: false };
const create = {
	...{ resource: 'response', operation: 'create', formId, inputMode: 'json' },
	answersJson: '{"Name": "Ada"}',
};
const update = {
	...{ resource: 'setting', operation: 'update', formId, inputMode: 'json' },
	settingsJson: '{"is_closed": true}',
};
const adding = { ...create, options: { allowMissingAnswers: true } };

/** The UUID of the field Name, which is the same at every start of the stand-in. */
const NAME = 'b8d5ea8d-a10e-40c6-8601-980b1133e7b5';

/** A reply of the service: a text, or else JSON. */
type Reply = { body: unknown; status?: number; headers?: Record<string, string> };

const withStatus = (status: number, body: unknown = {}): Reply => ({ status, body });
const tooMany = (headers: Record<string, string>): Reply => ({ status: 429, headers, body: {} });
const unavailable = (seconds: number, status = 503): Reply => ({
	...withStatus(status),
	headers: { 'retry-after': `${seconds}` },
});
const withLink = (link: string): Reply => ({ body: { data: [first] }, headers: { link } });
const bodies = (...all: unknown[]): Reply[] => all.map((body) => ({ body }));

type Row = {
	parameters: INodeParameters;
	/** The requests that get the replies; by default, all. */
	request?: { method?: string; path: RegExp };
	/** Several replies are for the first requests, and the last of them for all further ones. */
	fits?: Array<Reply | Reply[]>;
	misfits?: Array<Reply | Reply[]>;
};

const first = { uuid: 'r1', note: 'kept' };
const two = [first, { id: 7 }];
const named = { name: 'A' };
const next = '?page=2';
const LIST = `/api/v1/responses/${demoForms.contact}?page=2`;
const link = 'https://a.example/b.pdf';
const upload = 'a.pdf|https://a.example/a.pdf';
const answered = (answers: unknown) => [{ ...first, responses: answers }];
const field = { uuid: 'f', label: 'Name' };
const form = { id: demoForms.contact, name: 'A' };
const DAY = 'Thu, 01 Jan 2026';

const contract: Record<string, Row> = {
	'every reply': {
		parameters: workspace,
		fits: bodies(
			{ data: named },
			{ success: true, data: named, errors: ['a'] },
			named,
			'\ufeff{"name": "A"}',
		),
		misfits: bodies('<html>'),
	},
	'a refusal': {
		parameters: workspace,
		misfits: [
			...bodies({ success: false, message: 'No.', data: named }),
			...bodies({ success: 0, message: 'No.', data: named }),
			withStatus(418, { message: 'No.', errors: { a: ['Too long.'] } }),
			withStatus(422, {
				message: 'Too long. (and 1 more error)',
				errors: { a: ['Too long.'], b: 'No.' },
			}),
			withStatus(410, []),
		],
	},
	'a list': {
		parameters: raw,
		fits: bodies(
			{ data: two },
			{ data: { data: two } },
			{ data: { responses: two, fields: [{ uuid: 'f' }] } },
			two,
			{ data: { 0: two[0], 3: two[1] } },
			{ data: [], page: { number: 1 } },
		),
		misfits: bodies({ data: {} }, { data: { items: two } }, { data: null }, { success: true }),
	},
	'a record of a list': {
		parameters: forms,
		fits: bodies({ data: [{ id: 'a', other: [1] }] }),
		// JSON.parse has rounded the last ID, so that two records could have it
		misfits: bodies([{ uuid: 'a' }], [{ id: 1.5 }], ['a'], [null], [{ id: 2 ** 53 }]),
	},
	'the next page': {
		parameters: pages,
		fits: [
			...bodies({ data: two, next_page_url: null, has_more: false, next_cursor: '' }),
			...bodies({ data: two, current_page: 2, last_page: 2 }),
			...bodies({ data: two, page: { number: 1, size: 20 } }),
			...bodies({ data: [first], next_page_url: next }),
			...bodies({ data: [first], links: { next }, has_more: true }),
			...bodies({ data: [first], meta: { current_page: 1, last_page: 2 } }),
			...bodies({ data: { data: [first], next_page_url: next } }),
			...bodies({ data: { data: [first], links: { next } } }),
			...bodies({ data: { data: [first], current_page: 1, last_page: 2 } }),
			withLink('<?page=0>; rel="prev", <?page=2>; rel="next"'),
			withLink('<?page=2>; title="a, b; c"; rel = "last next"'),
			withLink("<?page=2>; rel='next'"),
		],
		misfits: [
			...[{ has_more: true }, { hasMore: true }, { next }, { cursor: 'c' }, { last_page: 4 }],
			...[{ meta: { next_cursor: 'c' } }, { pagination: { page: 1, pages: 4 } }],
			...[{ meta: { paging: { total_pages: 4 } } }, { links: { next: { href: next } } }],
			...[{ links: { next: `https://a.example${LIST}` } }, { links: { next: '/api/v1/forms' } }],
		].flatMap((attributes) => bodies({ data: two, ...attributes })),
	},
	'the whole list': {
		parameters: raw,
		fits: bodies(
			{ data: two, total: 2 },
			{ data: [...two, first], total: 2 },
			{ data: two, total_views: 60, count: 60 },
		),
		misfits: bodies(
			{ data: two, total: 3 },
			{ data: two, total: 2, meta: { total: '3' } },
			{ data: two, pagination: { totalCount: 3 } },
			{ data: [first, first] },
		),
	},
	'the answers of a response': {
		parameters: columns,
		request: { path: /^\/responses/ },
		fits: bodies(
			answered([{ key: 'Name', value: 'A' }]),
			answered([{ key: 'Old', label: 'Name', value: 'A' }]),
			answered([{ key: 'Old', custom_key: 'name', value: 'A' }]),
			answered([{ key: 'Old', uuid: NAME, value: 'A' }]),
			answered({ Name: 'A' }),
			answered({ [NAME]: 'A' }),
			answered([{ value: 'A' }]),
			answered({ 0: { key: 'Name', value: 'A' }, 2: { key: 'Email', value: 'B' } }),
			answered([
				...[upload, '2'].map((value) => ({ key: 'Fax', value })),
				{ key: 'Old', value: '' },
			]),
			answered('A'),
			two,
		),
	},
	'a response': {
		parameters: { ...raw, sort: { order: 'oldest' } },
		fits: bodies([
			{ id: 1, created_at: 'x' },
			{ id: 2, created_at: '2026-02-01 00:00:00', number: 2 },
			{ id: 3, created_at: '2026-02-01T00:00:00Z', number: '1' },
		]),
	},
	'a field': {
		parameters: create,
		request: { path: /fields$/ },
		fits: bodies(
			[{ ...field, type: 'odd' }],
			[{ id: 5, name: 'Name' }],
			[{ uuid: 'f', label: 'A', custom_key: 'Name' }],
			[{ ...field, type: 'radio', options: [{ label: 'Ada', value: 0 }] }],
			// any answer is better than none
			[{ ...field, type: 'radio', options: ['Bob', { name: 'Eve' }] }],
			[{ ...field, type: 'checkbox', options: 'Bob\nEve' }],
		),
		misfits: bodies(
			[{ label: 'Name' }],
			[{ ...field, type: 'number' }],
			[{ ...field, type: 'select', options: ['Bob'] }],
			[{ ...field, type: 'checkbox', options: { 0: 'Bob', 2: { label: 'Eve', value: null } } }],
			[field, { uuid: 'g', label: 'Email', required: true }],
			[field, { uuid: 'g', label: 'Email', mandatory: 1 }],
		),
	},
	'a form': {
		parameters: { ...update, preview: true },
		request: { path: /forms$/ },
		fits: bodies([{ ...form, is_closed: 0 }], [{ ...form, is_closed: '1' }], [form]),
		misfits: bodies([{ ...form, id: 'other' }]),
	},
	'the workspace': {
		parameters: workspace,
		fits: bodies({ data: { name: 'A', b: null } }),
		misfits: bodies({ data: { title: 'A' } }),
	},
	'a PDF': {
		parameters: pdf,
		fits: bodies(
			{ data: { pdf_url: link } },
			{ data: { url: link } },
			{ data: null, pdf_url: link },
		),
		misfits: bodies({ data: { pdf_url: null } }, { data: { url: '' } }, { data: { link } }),
	},
	'an added response': {
		parameters: adding,
		request: { method: 'POST', path: /response$/ },
		fits: [
			...bodies({ data: { uuid: 'new' } }, { data: { id: 5 } }, { message: 'Added.' }),
			[unavailable(240), { body: { data: { uuid: 'new' } } }],
		],
		misfits: [
			...bodies({ success: false, message: 'No.' }, { errors: ['No.'] }),
			withStatus(500, { success: true }),
		],
	},
	'an update of a form': {
		parameters: update,
		request: { path: /settings$/ },
		fits: bodies({ data: { ...form, kept: 1 } }, { message: 'Saved.' }),
		misfits: bodies({ success: false, message: 'No.' }, { errors: ['No.'] }),
	},
	headers: {
		parameters: workspace,
		fits: [{ body: named, headers: { date: 'x', 'x-ratelimit-limit': 'x' } }],
		// by the local clock, this time is long past
		misfits: [tooMany({ date: `${DAY} 10:00:00 GMT`, 'retry-after': `${DAY} 11:00:00 GMT` })],
	},
	'a limit': {
		parameters: workspace,
		fits: [[tooMany({ 'retry-after': '1' }), { body: named }]],
		misfits: [
			tooMany({ 'retry-after': '1' }),
			tooMany({ 'retry-after': '1', 'x-ratelimit-limit': '1440' }),
			tooMany({ 'retry-after': '601' }),
			tooMany({}),
		],
	},
	maintenance: {
		parameters: workspace,
		fits: [
			[unavailable(290), { body: named }],
			[...Array<Reply>(3).fill(withStatus(503)), { body: named }],
		],
		misfits: [[unavailable(301), { body: named }], withStatus(503), unavailable(290, 500)],
	},
};

it('Each row of the contract is tested, and nothing else', () => {
	const text = readFileSync(join(root, 'docs/contract.md'), 'utf8');
	const names = [...text.matchAll(/^\| (.*?) \|/gm)].map(([, name]) => name).slice(2);
	expect(names).toEqual(Object.keys(contract));
});

const toFault = ({ body, status = 200, headers = {} }: Reply) =>
	instead(({ reply }) => {
		const isText = typeof body === 'string';
		reply.type(isText && body.startsWith('<') ? 'text/html' : 'application/json');
		return reply
			.code(status)
			.headers(headers)
			.send(isText ? body : JSON.stringify(body));
	});

async function runWith({ parameters, request: match }: Row, replies: Reply | Reply[]) {
	const { service, n8n } = await createWorld();
	const { faults } = service;
	// the second page has to be asked for with the query of the first one
	const second = { path: /\?incomplete=false&page=2$/ };
	faults.set({ fault: toFault({ body: [{ id: 7 }] }), match: second });
	const faultsInTurn = [replies].flat().map(toFault);
	const last = faultsInTurn.pop()!;
	for (const fault of faultsInTurn) faults.set({ fault, match, times: 1 });
	faults.set({ fault: last, match });
	// what is added to a form with other fields
	faults.set({ fault: success({ uuid: 'new' }), match: { method: 'POST' } });
	const { items, error } = await n8n.runNode(parameters);
	return { items: items.map(({ json }) => json), error };
}

it.each(Object.entries(contract))(
	'The row "%s" is read as the snapshot says',
	async (_name, row) => {
		const { fits = [], misfits = [] } = row;
		const outcomes: string[] = [];
		for (const replies of [...fits, ...misfits]) {
			const shown = JSON.stringify(replies);
			const { items, error } = await runWith(row, replies);
			expect(error === undefined, shown).toBe(fits.includes(replies));
			outcomes.push(`${shown}\n\t${error?.message ?? JSON.stringify(items)}`);
			if (error === undefined) continue;
			expect(items, shown).toEqual([]);
			expect(error.message).not.toContain('kept');
			if (error.message.startsWith('Unexpected')) expect(error.description).toContain('probe');
		}
		// addresses and times differ
		const text = outcomes.join('\n').replace(/127\.0\.0\.1:\d+/g, 'forms.example.com');
		expect(text.replace(/\w{3} \d+, \d{4}, .* UTC/g, 'a time')).toMatchSnapshot();
	},
);
