import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mts';
import { demoForms, rawReply, tooMany, unavailable, type Fault } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { createWorld } from '../world.mts';

/** Each row of docs/contract.md: replies that fit, and replies that do not. */

const formId = locator(demoForms.contact);
const responses = { resource: 'response', operation: 'getAll', formId, returnAll: true };
const raw = { ...responses, simplify: false };
const forms = { resource: 'form', operation: 'getAll', simplify: false };
const fields = { resource: 'field', operation: 'getAll', formId };
const workspace = { resource: 'workspace', operation: 'get', simplify: false };
const pdf = { resource: 'response', operation: 'getPdf', responseId: 'r1', download: false };
const create = {
	...{ resource: 'response', operation: 'create', formId, inputMode: 'json' },
	answersJson: '{"Name": "Ada"}',
	options: { allowMissingAnswers: true },
};

const json = (body: unknown, status = 200) =>
	rawReply(status, 'application/json', JSON.stringify(body));
const record = { uuid: 'r1', note: 'kept' };
const two = [record, { id: 7 }];
const page = (body: object) => json({ data: two, ...body });

/** Each request gets the next reply. */
function serveInTurn(...replies: Fault[]): Replies {
	return () => replies.shift();
}

/** Two pages. The first one has the attributes. */
const servePages = (attributes: object) =>
	serveInTurn(json({ data: [record], ...attributes }), json({ data: [{ id: 7 }] }));

type Replies = Fault | (() => Fault | undefined);
type Fit = [reply: Replies, output: IDataObject[]];
type Misfit = [reply: Replies, error: RegExp];
type Row = { parameters: INodeParameters; fits: Fit[]; misfits: Misfit[]; method?: string };

const UNEXPECTED = /^Unexpected reply to GET \/.*: expected .*, found /;

const rows: Record<string, Row> = {
	'every reply': {
		parameters: workspace,
		fits: [
			[json({ data: { name: 'A' } }), [{ name: 'A' }]],
			[json({ success: true, data: { name: 'A' } }), [{ name: 'A' }]],
			[json({ name: 'A' }), [{ name: 'A' }]],
		],
		misfits: [[rawReply(200, 'text/html', '<html>'), /is not the address of a Form Service/]],
	},
	'a refusal': {
		parameters: workspace,
		fits: [],
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
			[json({ data: ['a'] }), /found a list with string$/],
			[json({ data: [null] }), /found a list with null$/],
		],
	},
	'the next page': {
		parameters: raw,
		fits: [
			[page({ next_page_url: null, has_more: false, next_cursor: '' }), two],
			[page({ current_page: 2, last_page: 2 }), two],
			[servePages({ meta: { current_page: 1, last_page: 2 } }), two],
			[servePages({ links: { next: '?page=2' } }), two],
		],
		misfits: [
			[page({ has_more: true }), /expected a link to the next page, found "has_more"/],
			[page({ meta: { next_cursor: 'c' } }), /found "meta\.next_cursor"/],
			[page({ cursor: 'c' }), /found "cursor"/],
			[page({ pagination: { page: 1, pages: 4 } }), /found "pagination\.pages"/],
			[page({ links: { next: 'https://other.example/' } }), /found "links\.next"/],
		],
	},
	'the whole list': {
		parameters: raw,
		fits: [[page({ total: 2 }), two]],
		misfits: [
			[page({ total: 3 }), /^The list stays incomplete: 3 readings found 2 of 3 records$/],
			[json({ data: [record, record] }), /found 1 records, some of them twice$/],
		],
	},
	'the answers of a response': {
		parameters: responses,
		fits: [
			[
				json([{ ...record, responses: [{ key: 'Name', value: 'A' }] }]),
				[{ answers: { Name: 'A' } }],
			],
			[json([{ ...record, responses: { Name: 'A' } }]), [{ answers: { Name: 'A' } }]],
			[json([{ ...record, responses: [{ value: 'A' }] }]), [{ answersError: expect.any(String) }]],
		],
		misfits: [],
	},
	'a field': {
		parameters: fields,
		fits: [
			[json([{ uuid: 'f', label: 'A', type: 'odd' }]), [{ uuid: 'f', label: 'A', type: 'odd' }]],
			[json({ data: { id: 'a', fields: [{ uuid: 'f' }] } }), [{ uuid: 'f' }]],
		],
		misfits: [[json([{ label: 'A' }]), /expected a list of fields with IDs/]],
	},
	'the workspace': {
		parameters: workspace,
		fits: [[json({ data: { name: 'A', b: null } }), [{ name: 'A', b: null }]]],
		misfits: [[json({ data: { title: 'A' } }), /found an object with "title" \(string\)$/]],
	},
	'a PDF': {
		parameters: pdf,
		fits: ['pdf_url', 'url'].flatMap((name): Fit[] => {
			const link = { [name]: 'https://a.example/b.pdf' };
			const output = [{ pdf_url: 'https://a.example/b.pdf' }];
			return [json({ data: link }), json({ data: null, ...link })].map((fault) => [fault, output]);
		}),
		misfits: [
			[json({ data: { pdf_url: null } }), /^Form Service has no PDF of this response$/],
			[json({ data: { link: 'https://a.example/b.pdf' } }), /found an object with "link"/],
		],
	},
	'an added response': {
		parameters: create,
		method: 'POST',
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
		fits: [],
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
			[serveInTurn(unavailable(290), json({ name: 'A' })), [{ name: 'A' }]],
			[serveInTurn(...Array<Fault>(3).fill(json({}, 503)), json({ name: 'A' })), [{ name: 'A' }]],
		],
		misfits: [
			[
				serveInTurn(unavailable(301), json({ name: 'A' })),
				/is unavailable \(status 503\)\. It asks to wait until /,
			],
			[json({}, 503), /could not process the request \(status 503\)$/],
		],
	},
};

const pageText = readFileSync(join(root, 'docs/contract.md'), 'utf8');
const tableRows = [...pageText.matchAll(/^\| (.*?) \|/gm)].map(([, name]) => name).slice(2);

it('Each row of the contract is tested, and nothing else', () => {
	expect(tableRows).toEqual(Object.keys(rows));
});

async function runWith({ parameters, method = 'GET' }: Row, fault: Replies) {
	const { service, n8n } = await createWorld();
	const path = method === 'POST' ? /response$/ : /./;
	service.faults.set({ fault, match: { method, path } });
	const { items, error } = await n8n.runNode(parameters);
	return { items: items.map(({ json: output }) => output), error };
}

describe.each(Object.entries(rows))('The row "%s"', (_name, row) => {
	it.each(row.fits.map((fit, index) => [index + 1, ...fit] as const))(
		'reads its fitting reply %i',
		async (_index, fault, output) => {
			const { items, error } = await runWith(row, fault);
			expect(error?.message).toBeUndefined();
			expect(items).toMatchObject(output);
			expect(items).toHaveLength(output.length);
		},
	);

	it.each(row.misfits.map((misfit, index) => [index + 1, ...misfit] as const))(
		'ends in the error for its other reply %i, and returns nothing',
		async (_index, fault, message) => {
			const { items, error } = await runWith(row, fault);
			expect(items).toEqual([]);
			expect(error?.message).toMatch(message);
			if (!error?.message.startsWith('Unexpected')) return;
			expect(error.description).toContain('npm run probe');
			expect(error.message).not.toContain('kept');
		},
	);
});
