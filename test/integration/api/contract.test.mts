import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mts';
import {
	demoForms,
	instead,
	rawReply,
	success,
	tooMany,
	unavailable,
	type Fault,
} from '../../service/index.mts';
import { locator } from '../harness.mts';
import { createWorld } from '../world.mts';

/** Each row of docs/contract.md: replies that fit, and replies that do not. */

const formId = locator(demoForms.contact);
const responses = { resource: 'response', operation: 'getAll', formId, returnAll: true };
const raw = { ...responses, simplify: false };
const pages = { ...raw, status: 'complete' };
const rows = { ...responses, options: { columns: true } };
const forms = { resource: 'form', operation: 'getAll', simplify: false };
const workspace = { resource: 'workspace', operation: 'get', simplify: false };
const pdf = { resource: 'response', operation: 'getPdf', responseId: 'r1', download: false };
const create = { resource: 'response', operation: 'create', formId, inputMode: 'json' };
const createFor = { ...create, answersJson: '{"Name": "Ada"}' };

const json = (body: unknown, status = 200) =>
	rawReply(status, 'application/json', JSON.stringify(body));

/** The replies to the first requests, one after another, and to all further ones. */
type Replies = Fault | { first: Fault[]; then: Fault };

type Fit = [reply: Replies, output: IDataObject[]];
type Misfit = [reply: Replies, error: RegExp];
type Row = {
	parameters: INodeParameters;
	/** The requests that get the replies; by default, all. */
	request?: { method?: string; path: RegExp };
	fits?: Fit[];
	misfits?: Misfit[];
};

const UNEXPECTED = /^Unexpected reply to GET \/.*: expected .*, found /;
/** The UUID of the field Name, which is the same at every start of the stand-in. */
const NAME = 'b8d5ea8d-a10e-40c6-8601-980b1133e7b5';

const record = { uuid: 'r1', note: 'kept' };
const two = [record, { id: 7 }];
const page = (body: object) => json({ data: two, ...body });
const answered = (answers: unknown) => json([{ ...record, responses: answers }]);
const link = 'https://a.example/b.pdf';

/** A first page with attributes or a header about the second one, which has to be asked for with the same query. */
const firstPage = (body: object, header?: string): Fit => {
	const withHeader = instead(({ reply, request }) => {
		const isSecond = /\?incomplete=false&page=2$/.test(request.url);
		if (header !== undefined) reply.header('link', isSecond ? '' : header);
		return reply.send(isSecond ? [{ id: 7 }] : { data: [record], ...body });
	});
	return [withHeader, two];
};

const contract: Record<string, Row> = {
	'every reply': {
		parameters: workspace,
		fits: [
			[json({ data: { name: 'A' } }), [{ name: 'A' }]],
			[json({ success: true, data: { name: 'A' } }), [{ name: 'A' }]],
			[json({ name: 'A' }), [{ name: 'A' }]],
			[rawReply(200, 'application/json', '\ufeff{"name": "A"}'), [{ name: 'A' }]],
		],
		misfits: [[rawReply(200, 'text/html', '<html>'), /is not the address of a Form Service/]],
	},
	'a refusal': {
		parameters: workspace,
		misfits: [
			[json({ success: false, message: 'No.', data: { name: 'A' } }), /rejected.*"No\."$/],
			[json({ success: 0, message: 'No.', data: { name: 'A' } }), /rejected.*"No\."$/],
			[json({ message: 'No.', errors: { a: ['Too long.'] } }, 418), /418\): "No\. Too long\."$/],
			[json([], 410), /\(status 410\)$/],
		],
	},
	'a list': {
		parameters: raw,
		fits: [
			[json({ data: two }), two],
			[json({ data: { data: two } }), two],
			[json({ data: { responses: two, fields: [{ uuid: 'f' }] } }), two],
			[json(two), two],
			[json({ data: { 0: two[0], 3: two[1] } }), two],
			[json({ data: [], page: { number: 1 } }), []],
		],
		misfits: [
			[json({ data: {} }), UNEXPECTED],
			[json({ data: { items: two } }), /found an object with "items" \(list\)$/],
			[json({ data: null }), /found null$/],
			[json({ success: true }), UNEXPECTED],
		],
	},
	'a record of a list': {
		parameters: forms,
		fits: [[json({ data: [{ id: 'a', other: [1] }] }), [{ id: 'a', other: [1] }]]],
		misfits: [
			[json({ data: [{ uuid: 'a' }] }), /expected a list of forms with IDs, found a list/],
			[json({ data: [{ id: 1.5 }] }), UNEXPECTED],
			// JSON.parse has rounded it, so that two records would have one
			[json({ data: [{ id: 2 ** 53 }] }), UNEXPECTED],
			[json({ data: ['a'] }), /found a list with string$/],
			[json({ data: [null] }), /found a list with null$/],
		],
	},
	'the next page': {
		parameters: pages,
		fits: [
			[page({ next_page_url: null, has_more: false, next_cursor: '' }), two],
			[page({ current_page: 2, last_page: 2 }), two],
			[page({ page: { number: 1, size: 20 } }), two],
			firstPage({ next_page_url: '?page=2' }),
			firstPage({ links: { next: '?page=2' }, has_more: true }),
			firstPage({ meta: { current_page: 1, last_page: 2 } }),
			firstPage({ data: { data: [record], next_page_url: '?page=2' } }),
			firstPage({ data: { data: [record], links: { next: '?page=2' } } }),
			firstPage({ data: { data: [record], current_page: 1, last_page: 2 } }),
			firstPage({}, '<?page=0>; rel="prev", <?page=2>; rel="next"'),
			firstPage({}, '<?page=2>; title="a, b; c"; rel = "last next"'),
			firstPage({}, "<?page=2>; rel='next'"),
		],
		misfits: [
			[page({ has_more: true }), /expected a link to the next page, found "has_more"/],
			[page({ hasMore: true }), /found "hasMore"/],
			[page({ next: '?page=2' }), /found "next"/],
			[page({ meta: { next_cursor: 'c' } }), /found "meta\.next_cursor"/],
			[page({ cursor: 'c' }), /found "cursor"/],
			[page({ last_page: 4 }), /found "last_page"/],
			[page({ pagination: { page: 1, pages: 4 } }), /found "pagination\.pages"/],
			[page({ meta: { paging: { total_pages: 4 } } }), /found "meta\.paging\.total_pages"/],
			[page({ links: { next: { href: '?page=2' } } }), /found "links\.next"/],
			[page({ links: { next: 'https://other.example/' } }), /found "links\.next"/],
			[page({ links: { next: '/api/v1/forms' } }), /found "links\.next"/],
		],
	},
	'the whole list': {
		parameters: raw,
		fits: [
			[page({ total: 2 }), two],
			[json({ data: [...two, record], total: 2 }), two],
			[page({ total_views: 60, count: 60 }), two],
		],
		misfits: [
			[page({ total: 3 }), /^The list stays incomplete: 3 readings found 2 of 3 records$/],
			[page({ meta: { total: '3' } }), /found 2 of 3 records$/],
			[page({ pagination: { totalCount: 3 } }), /found 2 of 3 records$/],
			[json({ data: [record, record] }), /found 1 records, some of them twice$/],
		],
	},
	'the answers of a response': {
		parameters: rows,
		request: { path: /^\/responses/ },
		fits: [
			[answered([{ key: 'Name', value: 'A' }]), [{ Name: 'A' }]],
			[answered([{ key: 'Old', label: 'Name', value: 'A' }]), [{ Name: 'A' }]],
			[answered([{ key: 'Old', custom_key: 'name', value: 'A' }]), [{ Name: 'A' }]],
			[answered([{ key: 'Old', uuid: NAME, value: 'A' }]), [{ Name: 'A' }]],
			[answered({ Name: 'A' }), [{ Name: 'A' }]],
			[answered({ [NAME]: 'A' }), [{ Name: 'A' }]],
			[answered([{ value: 'A' }]), [{ response_answers_error: expect.any(String) }]],
			[answered('A'), [{ response_answers_error: expect.any(String) }]],
			[json(two), [{ response_answers_error: expect.any(String) }, {}]],
		],
	},
	'a field': {
		parameters: createFor,
		request: { path: /fields$/ },
		fits: [
			[json([{ uuid: 'f', label: 'Name', type: 'odd' }]), [{ answers: { Name: 'Ada' } }]],
			[json([{ id: 5, name: 'Name' }]), [{ answers: { Name: 'Ada' } }]],
			[json([{ uuid: 'f', label: 'A', custom_key: 'Name' }]), [{ answers: { A: 'Ada' } }]],
		],
		misfits: [
			[json([{ label: 'Name' }]), /expected a list of fields with IDs/],
			[json([{ uuid: 'f', label: 'Name', type: 'number' }]), /must be a number/],
			[
				json([{ uuid: 'f', label: 'Name', type: 'select', options: ['Bob'] }]),
				/must be one of Bob/,
			],
			...['required', 'mandatory'].map((name): Misfit => {
				const required = { uuid: 'g', label: 'Email', [name]: true };
				return [json([{ uuid: 'f', label: 'Name' }, required]), /Email/];
			}),
		],
	},
	'the workspace': {
		parameters: workspace,
		fits: [[json({ data: { name: 'A', b: null } }), [{ name: 'A', b: null }]]],
		misfits: [[json({ data: { title: 'A' } }), /found an object with "title" \(string\)$/]],
	},
	'a PDF': {
		parameters: pdf,
		fits: [
			[json({ data: { pdf_url: link } }), [{ pdf_url: link }]],
			[json({ data: { url: link } }), [{ pdf_url: link }]],
			[json({ data: null, pdf_url: link }), [{ pdf_url: link }]],
			[json({ url: link }), [{ pdf_url: link }]],
		],
		misfits: [
			[json({ data: { pdf_url: null } }), /^Form Service has no PDF of this response$/],
			[json({ data: { link } }), /found an object with "link"/],
		],
	},
	'an added response': {
		parameters: { ...createFor, options: { allowMissingAnswers: true } },
		request: { method: 'POST', path: /response$/ },
		fits: [
			[json({ data: { uuid: 'new' } }), [{ uuid: 'new' }]],
			[json({ data: { id: 5 } }, 201), [{ uuid: '5' }]],
			[json({ message: 'Added.' }), [{ uuid: null }]],
		],
		misfits: [
			[json({ success: false, message: 'No.' }), /rejected the request \(status 200\): "No\."$/],
			[json({ errors: ['No.'] }), /The response may or may not have been added$/],
			[json({ success: true }, 500), /The response may or may not have been added$/],
		],
	},
	'a limit': {
		parameters: workspace,
		misfits: [
			[tooMany(60, 1), /per-minute limit is used up$/],
			[tooMany(1440, 1), /^Daily request limit reached/],
			[tooMany(60, 601), /^Daily request limit reached/],
			[tooMany(60), /per-minute limit is used up$/],
		],
	},
	maintenance: {
		parameters: workspace,
		fits: [
			[{ first: [unavailable(290)], then: json({ name: 'A' }) }, [{ name: 'A' }]],
			[{ first: Array(3).fill(json({}, 503)), then: json({ name: 'A' }) }, [{ name: 'A' }]],
		],
		misfits: [
			[
				{ first: [unavailable(301)], then: json({ name: 'A' }) },
				/is unavailable \(status 503\)\. It asks to wait until /,
			],
			[json({}, 503), /could not process the request \(status 503\)$/],
		],
	},
};

it('Each row of the contract is tested, and nothing else', () => {
	const text = readFileSync(join(root, 'docs/contract.md'), 'utf8');
	const names = [...text.matchAll(/^\| (.*?) \|/gm)].map(([, name]) => name).slice(2);
	expect(names).toEqual(Object.keys(contract));
});

async function runWith({ parameters, request: match }: Row, replies: Replies) {
	const { service, n8n } = await createWorld();
	const { faults } = service;
	const { first, then } = 'first' in replies ? replies : { first: [], then: replies };
	for (const fault of first) faults.set({ fault, match, times: 1 });
	faults.set({ fault: then, match });
	// what is added to a form with other fields
	faults.set({ fault: success({ uuid: 'new' }), match: { method: 'POST' } });
	const { items, error } = await n8n.runNode(parameters);
	return { items: items.map(({ json: output }) => output), error };
}

describe.each(Object.entries(contract))('The row "%s"', (_name, row) => {
	const { fits = [], misfits = [] } = row;

	it.each(fits.map((fit, index) => [index + 1, ...fit] as const))(
		'reads its fitting reply %i',
		async (_index, replies, output) => {
			const { items, error } = await runWith(row, replies);
			expect(error?.message).toBeUndefined();
			expect(items).toMatchObject(output);
			expect(items).toHaveLength(output.length);
		},
	);

	it.each(misfits.map((misfit, index) => [index + 1, ...misfit] as const))(
		'ends in the error for its other reply %i, and returns nothing',
		async (_index, replies, message) => {
			const { items, error } = await runWith(row, replies);
			expect(items).toEqual([]);
			expect(error?.message).toMatch(message);
			if (!error?.message.startsWith('Unexpected')) return;
			expect(error.description).toContain('npm run probe');
			expect(error.message).not.toContain('kept');
		},
	);
});
