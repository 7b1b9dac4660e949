import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { root, temporaryFolder } from '../../../scripts/lib/paths.mts';
import { connect } from '../../../scripts/probe/connect.mts';
import { isFit, probe, renderRows } from '../../../scripts/probe/probe.mts';
import type { RecordedReply } from '../../../scripts/probe/recording.mts';
import { faultTable, rawReply, status, success, tooMany } from '../../service/index.mts';
import type { Fault } from '../../service/index.mts';
import { running } from '../world.mts';

/** What is in all labels, texts, numbers and IDs of the account, and in the service's address. */
const PRIVATE = /zqzqzq|7777777|127\.0|[\da-f]{8}-[\da-f]{4}/i;
const RESPONSES = /^\/responses/;

const { service } = await running({ seed: false, secret: 'Zqzqzq' });
const { store, faults } = service;
const fields = ['email', 'signature_pad'].map((type) => ({ label: `Zqzqzq ${type}`, type }));
for (const id of ['zqzqzq1', 'zqzqzq2', 'zqzqzq3']) store.addForm({ id, name: 'Zqzqzq', fields });
for (const text of ['Zqzqzq', 'zqzqzq@zqzqzq.example', 'zqzqzq 7777777'])
	store.addResponse('zqzqzq3', { answers: { 'Zqzqzq email': text } });
const [{ uuid }] = store.responses('zqzqzq3');
const record = { uuid, number: 7_777_777 };

/** Probes the service as a new account, and checks what any probe promises. */
async function run() {
	const { tokens } = store.accounts[0];
	const accessToken = `Zqzqzq-${tokens.length}`;
	tokens.push(accessToken);
	const rows = await probe(connect({ accessToken, baseUrl: service.url }));
	expect(renderRows(rows)).not.toMatch(PRIVATE);
	expect(service.requests.length).toBeLessThanOrEqual(10);
	expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
	return { isFit: isFit(rows), text: renderRows(rows) };
}

const reply = (body: unknown) => rawReply(200, 'application/json', JSON.stringify(body));

it.each([undefined, 2])('A service fits the contract, with pages of %s', async (pageSize) => {
	service.shapes.pageSize = pageSize;
	const { text, isFit: fits } = await run();
	expect(fits, text).toBe(true);
	expect(text).toContain(`${pageSize ? 'met     ' : 'not seen'}  the next page`);
	expect(text).toContain('read as text: email, signature_pad, 0 others');
});

it.each<[row: string, path: RegExp, fault: Fault]>([
	['not met   the workspace', /workspace/, success('Zqzqzq')],
	['not met   a list', /^\/forms(\?|$)/, success({ 'Zqzqzq zqzqzq': 1 })],
	['not met   a record of a list', RESPONSES, success([{ other: 'Zqzqzq' }])],
	['not met   every reply', /./, rawReply(200, 'text/html', '<p>Zqzqzq')],
	['not met   every reply', /./, faultTable.dropBefore],
	['met       a refusal', /./, status(403, 'Zqzqzq')],
	['met       a limit', /./, tooMany(7_777_777, 1)],
	['not met   the next page', RESPONSES, reply({ data: [record], has_more: true })],
	['not met   the whole list', RESPONSES, reply({ data: [record], total: 3 })],
	['not met   the answers of a response', RESPONSES, success([{ ...record, responses: 'Zqzqzq' }])],
	['not met   a field', /fields$/, success([{ uuid, type: 'text' }])],
	['not met   a PDF', /pdf$/, success({ other: 'Zqzqzq' })],
	['not seen  a PDF', RESPONSES, success([])],
])('A service does not fit if a row is %j', async (row, path, fault) => {
	faults.set({ fault, match: { path } });
	const { text, isFit: fits } = await run();
	expect(fits).toBe(false);
	expect(text.split('\n')).toContain(row);
});

it('A saved recording has nothing private, and equal values stay equal', async () => {
	await using cleanup = new AsyncDisposableStack();
	const file = join(await temporaryFolder('probe', cleanup), 'recording.json');
	const account = { FORM_SERVICE_URL: service.url, FORM_SERVICE_TOKEN: service.token };
	const options = { env: { ...process.env, ...account } };
	const command = [join(root, 'scripts/probe/main.mts'), '--save', file];
	const { promise, resolve } = Promise.withResolvers<string>();
	execFile(process.execPath, command, options, (_error, output) => resolve(output));
	expect(await promise).toContain('The service fits the contract');
	const text = await readFile(file, 'utf8');
	expect(text).not.toMatch(/zqzqzq|7777777|127\.0/i);
	expect(text).not.toContain(uuid);
	const { replies } = JSON.parse(text) as { replies: RecordedReply[] };
	const listAt = (path: string) => {
		const { body } = replies.find((one) => one.path === path)!;
		return (body as { data: IDataObject[] }).data;
	};
	const { id } = listAt('/forms')[2];
	const [{ label }] = listAt(`/forms/${String(id)}/fields`);
	const [{ responses }] = listAt(`/responses/${String(id)}`);
	expect(responses).toMatchObject([{ key: label }, {}]);
});
