import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { root, temporaryFolder } from '../../../scripts/lib/paths.mts';
import { connect } from '../../../scripts/probe/connect.mts';
import { isFit, probe, renderRows } from '../../../scripts/probe/probe.mts';
import { rawReply, redirect, status, success, tooMany, type Fault } from '../../service/index.mts';
import { NOWHERE } from '../servers.mts';
import { AT_ONCE, running } from '../world.mts';

/** What is in all labels, texts, numbers and IDs of the account, and in the service's address. */
const PRIVATE = /Zq|zq[.@ ]|7777777|127\.0|[\da-f]{8}-[\da-f]{4}/;
const FORMS = /^\/forms(\?|$)/;
const RESPONSES = /^\/responses/;

const { service } = await running({ ...AT_ONCE, seed: false, secret: 'Zq' });
const { store, faults } = service;
const fields = ['email', 'signature_pad'].map((type) => ({ label: `Zq ${type}`, type }));
for (const id of ['zq1', 'zq2', 'zq3']) store.addForm({ id, name: 'Zq', fields });
const [{ uuid: field }] = store.fields('zq3');
for (const text of ['Zq', 'zq@zq.example', 'zq zq'])
	store.addResponse('zq3', { answers: { [field]: text } });
const { uuid, createdAt } = store.responses('zq3')[0];
const record = { uuid, number: 7_777_777, created_at: createdAt };

/** Probes the service as a new account, and checks what any probe promises. */
async function run() {
	const { tokens } = store.accounts[0];
	const accessToken = `Zq-${tokens.length}`;
	tokens.push(accessToken);
	service.requests.length = 0;
	const rows = await probe(connect({ accessToken, baseUrl: service.url }));
	expect(renderRows(rows)).not.toMatch(PRIVATE);
	expect(service.requests.length).toBeLessThanOrEqual(10);
	expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
	return { rows, isFit: isFit(rows), text: renderRows(rows) };
}

const reply = (body: unknown) => rawReply(200, 'application/json', JSON.stringify(body));

describe('a probe', () => {
	it.each([undefined, 2])(
		'says that a service fits the contract, with pages of %s',
		async (pageSize) => {
			service.shapes.pageSize = pageSize;
			const { text, isFit: fits } = await run();
			expect(fits).toBe(true);
			const announced =
				pageSize === undefined ? 'not seen  the next page' : 'met       the next page';
			expect(text).toContain(announced);
			expect(text).toContain('read as text: email, signature_pad');
		},
	);

	it.each<[name: string, found: string, path: RegExp, fault: Fault]>([
		['the workspace', '{success: boolean, data: string}', /workspace/, success('Zq')],
		[
			'the list of forms',
			'data: {items: list of 1 (object)}',
			FORMS,
			success({ items: [{ id: 'zq3' }] }),
		],
		['the list of forms', '1 others', FORMS, success({ 'Zq zq': 1 })],
		[
			'the list of forms',
			'no JSON. Check the address.',
			FORMS,
			rawReply(200, 'text/html', '<p>Zq'),
		],
		['the list of forms', 'Check what the token may read.', FORMS, status(403, 'Zq')],
		['the list of forms', 'Check the address.', FORMS, status(404, 'Zq')],
		['the list of forms', 'status 302', FORMS, redirect('https://zq.example')],
		['the list of forms', 'Try again in a minute.', FORMS, tooMany(7_777_777)],
		[
			'the list of responses',
			'has_more: boolean',
			RESPONSES,
			reply({ data: [record], has_more: true }),
		],
		['the times', '1 of 1: number', RESPONSES, success([{ ...record, created_at: 7_777_777 }])],
		[
			'the answers of a response',
			'1 of 1 responses are unreadable',
			RESPONSES,
			success([{ ...record, responses: 'Zq' }]),
		],
		[
			'the answers of a response',
			'1 answers, 1 without',
			RESPONSES,
			success([{ ...record, responses: { zq: 1 } }]),
		],
		['a PDF', 'data: {zq: string}', /pdf$/, success({ zq: 'Zq' })],
	])('says that the row %s is not met: %s', async (name, found, path, fault) => {
		faults.set({ fault, match: { path } });
		const { rows, isFit: fits } = await run();
		expect(fits).toBe(false);
		expect(rows.find((row) => row.name === name)).toMatchObject({
			status: 'not met',
			found: expect.stringContaining(found),
		});
	});

	it('finds a list that is cut without a word, because its page 2 has other records', async () => {
		const second = success([{ ...record, uuid: randomUUID() }]);
		faults.set({ fault: second, match: { path: /page=2/ } });
		faults.set({ fault: success([record]), match: { path: RESPONSES } });
		expect((await run()).text).toContain('not met   the whole list');
	});

	it('cannot judge a service without responses', async () => {
		faults.set({ fault: success([]), match: { path: RESPONSES } });
		const { text, isFit: fits } = await run();
		expect(fits).toBe(false);
		expect(text).toContain('not seen  the list of responses');
	});

	it('prints nothing private of replies that nobody expects', async () => {
		const text = fc.constantFrom('Zq', 'Zq: zq "zq"', 'Zq\nzq', 'https://zq.example/?zq=zq', uuid);
		const known = 'id uuid type label data responses answers key value links next'.split(' ');
		const values = [text, fc.constantFrom(7_777_777, true, null)];
		const key = fc.oneof(fc.constantFrom(...known), text);
		const attributes = fc.object({ key, values, maxDepth: 3, maxKeys: 4 });
		const property = fc.asyncProperty(attributes, fc.array(attributes), async (around, records) => {
			const data = records.map((one) => ({ id: 'zq3', uuid, ...one }));
			faults.clear();
			faults.set({ fault: reply({ success: true, data, ...around }) });
			await run();
		});
		await fc.assert(property, { numRuns: 50 });
	});
});

/** Runs the command as a person does: what it prints, and its exit code. */
async function runCommand(args: string[] = [], changed: NodeJS.ProcessEnv = {}) {
	const account = { FORM_SERVICE_URL: service.url, FORM_SERVICE_TOKEN: service.token };
	const env = { ...process.env, ...account, ...changed };
	const command = [join(root, 'scripts/probe/main.mts'), ...args];
	return await new Promise((resolve) => {
		execFile(process.execPath, command, { env }, (error, ...texts) =>
			resolve({ code: error?.code ?? 0, texts: texts.join('') }),
		);
	});
}

it.each<[said: string, code: number, changed: NodeJS.ProcessEnv, args?: string[]]>([
	['Check the address and the access token.', 1, { FORM_SERVICE_TOKEN: 'Zq' }],
	['no reply. Check the address', 1, { FORM_SERVICE_URL: NOWHERE }],
	['Set FORM_SERVICE_URL and FORM_SERVICE_TOKEN', 1, { FORM_SERVICE_TOKEN: '' }],
	['Address and token are not taken as arguments', 1, {}, ['--token=Zq']],
])('npm run probe says %j, with exit code %i', async (said, code, changed, args = []) => {
	const ended = await runCommand(args, changed);
	expect(ended).toEqual({ code, texts: expect.stringContaining(said) });
	expect(ended).toEqual({ code, texts: expect.not.stringMatching(PRIVATE) });
});

it('npm run probe -- --save writes a recording without anything private', async () => {
	await using cleanup = new AsyncDisposableStack();
	const file = join(await temporaryFolder('probe', cleanup), 'recording.json');
	expect(await runCommand(['--save', file])).toMatchObject({
		code: 0,
		texts: expect.stringContaining('The service fits the contract'),
	});
	const text = await readFile(file, 'utf8');
	expect(text).not.toMatch(/zq@zq\.example|Zq email/i);
	expect(text).not.toContain(service.token);
	expect(text).not.toContain(new URL(service.url).host);
	expect(text).toContain('"label": "Label 1"');
});
