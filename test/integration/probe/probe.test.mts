import { execFile } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mts';
import { connect } from '../../../scripts/probe/connect.mts';
import { probe } from '../../../scripts/probe/probe.mts';
import { renderText } from '../../../scripts/probe/report.mts';
import { answer, redirect, status, success, tooMany, type Fault } from '../../service/index.mts';
import { NOWHERE } from '../servers.mts';
import { AT_ONCE, running } from '../world.mts';

/** What is in all texts, numbers, names and IDs of the account's own, and in the service's address. */
const PRIVATE = /zq|7777777|127\.0|[\da-f]{8}-[\da-f]{4}/i;
const AS_DOCUMENTED = 'Everything here is read as documented';
const FORMS = /^\/forms(\?|$)/;
const RESPONSES = /^\/responses/;

const { service } = await running({ ...AT_ONCE, seed: false, secret: 'zq' });
const { store, faults } = service;
const fields = ['email', 'signature', 'zq'].map((type) => {
	return { label: `Zq ${type}`, type, customKey: `zq_${type}` };
});
for (const id of ['zq1', 'zq2', 'zq3']) store.addForm({ id, name: 'Zq', fields });
const [{ uuid: field }] = store.fields('zq3');
for (const zq of ['zq', 'zq@zq.example']) store.addResponse('zq3', { answers: { [field]: zq } });
const { uuid } = store.addResponse('zq3');
const record = { uuid, number: 7_777_777, created_at: '2026-11-01T00:00:00.000000Z' };

/** Probes the service as a new account, and checks what any probe promises. */
async function run() {
	const { tokens } = store.accounts[0];
	const accessToken = `zq-${tokens.length}`;
	tokens.push(accessToken);
	service.requests.length = 0;
	const report = await probe(connect({ accessToken, baseUrl: service.url }));
	expect(renderText(report)).not.toMatch(PRIVATE);
	expect(service.requests.length).toBeLessThanOrEqual(10);
	expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
	return report;
}

const reply = (body: unknown) => answer(200, 'application/json', JSON.stringify(body));
const webPage = answer(200, 'text/html', '<title>zq</title>');
const more = reply({ data: [record], has_more: true });
const refused = tooMany(7_777_777);

describe('a probe reports', () => {
	it('what the specification leaves open, of lists on one page and on several', async () => {
		const others = ['signature (3)', 'another type (3)'];
		const asked = expect.stringMatching(/^200, {success: boolean; data: object}, x-ratelimit/);
		const sections = {
			'Requests (GET)': { '1. /workspace': asked },
			'Attributes of a response': { UUID: ['uuid'], number: ['number'], time: ['created_at'] },
			'Attributes of a field': { UUID: ['uuid'], boolean: ['mandatory'] },
			'Types of fields': { known: ['email (3)'], 'not known, read as text': others },
			Answers: { 'named by': ['label (9)'], 'match a field': '2 of 2 that are not empty' },
			'Link to a PDF': { 'found in': 'data.pdf_url' },
		};
		const verdict = expect.stringContaining(`${AS_DOCUMENTED}; unknown types of fields are`);
		for (const pages of ['none', 'by page']) {
			if (pages !== 'none') service.shapes.pageSize = 2;
			const list = { 'found in': 'data', records: '3', pages };
			expect(await run()).toMatchObject({
				...{ isAsDocumented: true, verdict },
				sections: { ...sections, 'List of forms': list, 'List of responses': list },
			});
		}
	});

	it('other shapes, without texts that somebody may have chosen', async () => {
		const replyTo = (path: RegExp, fault: Fault) => faults.set({ fault, match: { path } });
		const items = [{ id: 'zq3', zq: 1, fields: [{ type: 'email' }] }, { id: 'zq4' }];
		replyTo(FORMS, reply({ data: { items }, zq: 1, links: { next: '/api/v1/forms?zq=zq' } }));
		const answers = { [field]: 'zq', zq_signature: 'zq', 'Zq zq': 'zq' };
		replyTo(RESPONSES, reply([{ ...record, answers }]));
		replyTo(/pdf$/, success({ zq: 'https://zq.example/zq' }));
		expect(await run()).toMatchObject({
			verdict: `${AS_DOCUMENTED}.`,
			sections: {
				'List of forms': { 'found in': 'data.items', pages: 'by 1 with another name' },
				'Attributes of a form': { 'number, in some': ['1 with another name'] },
				'List of responses': { 'found in': 'the whole reply' },
				'Types of fields': { known: ['email (2)'] },
				Answers: { 'named by': ['UUID (1)', 'custom key (1)', 'label (1)'] },
				'Link to a PDF': { 'found in': 'data.1 with another name' },
			},
		});
	});

	it('that responses without any answer are read', async () => {
		faults.set({ fault: success([{ ...record, answers: {} }]), match: { path: RESPONSES } });
		expect(await run()).toMatchObject({ isAsDocumented: true });
	});

	it.each<[problem: string, path: RegExp, fault: Fault]>([
		['the answers. In 1 of 1 responses.', RESPONSES, success([{ ...record, answers: ['zq'] }])],
		['the answers. None matches a field.', RESPONSES, success([{ ...record, answers: { zq: 1 } }])],
		['the list of responses. There are more pages, but the reply has no link', RESPONSES, more],
		['the list of forms. Unexpected reply instead of a list of records.', FORMS, success('zq')],
		['the workspace. Unexpected reply instead of a workspace. Report', /workspace/, reply('zq')],
		['the list of fields. <address> returned a web page instead of data.', /fields$/, webPage],
		['the list of forms. <address> redirects to <address>.', FORMS, redirect('https://zq.example')],
		['the list of forms. <address> redirects. Check the address.', FORMS, redirect('/zq')],
		['the list of forms. Access denied. Check what the token may read.', FORMS, status(403, 'zq')],
		["the list of forms. This account's per-minute limit is used up. Try again", FORMS, refused],
		['the list of forms. This is not a Form Service address. Check the', FORMS, status(404, 'zq')],
		['no form is there. Add one, and run the probe again.', FORMS, success([])],
		['no response is there. Add one, and run the probe again.', RESPONSES, success([])],
	])('"Not read as documented: %s"', async (problem, path, fault) => {
		faults.set({ fault, match: { path } });
		const verdict = expect.stringContaining(`Not read as documented: ${problem}`);
		expect(await run()).toMatchObject({ verdict, isAsDocumented: false });
	});

	it('nothing private of replies that nobody expects', async () => {
		const text = fc.constantFrom('zq', 'Zq: zq "zq"', 'zq\nzq', 'https://zq.example/?zq=zq', '/zq');
		const known = 'id uuid type label data responses answers key value links next'.split(' ');
		const name = fc.oneof(fc.constantFrom(...known), text);
		const values = [text, fc.constantFrom(7_777_777, true, null, uuid)];
		const attributes = fc.object({ key: name, values, maxDepth: 3, maxKeys: 4 });
		const property = fc.asyncProperty(attributes, fc.array(attributes), async (around, records) => {
			const data = records.map((one) => ({ id: 'zq3', uuid, ...one }));
			faults.clear();
			faults.set({ fault: reply({ success: true, data, ...around }) });
			await run();
		});
		await fc.assert(property);
	});
});

it.each<[said: string, code: number, changed: NodeJS.ProcessEnv, args?: string[]]>([
	[`  found in: data.pdf_url\n\n${AS_DOCUMENTED}`, 0, {}],
	['rejected the access token. Check the access token.', 1, { FORM_SERVICE_TOKEN: 'zq' }],
	["Couldn't connect to <address>. Check the address, or try", 1, { FORM_SERVICE_URL: NOWHERE }],
	["'Base URL' is not the address of a service", 1, { FORM_SERVICE_URL: 'https://zq.example/?zq' }],
	['Set FORM_SERVICE_URL and FORM_SERVICE_TOKEN', 1, { FORM_SERVICE_TOKEN: '' }],
	['Address and token are not taken as arguments', 1, {}, ['--token=zq']],
])('npm run probe says %j, with exit code %i', async (said, code, changed, args = []) => {
	const account = { FORM_SERVICE_URL: service.url, FORM_SERVICE_TOKEN: service.token };
	const env = { ...process.env, ...account, ...changed };
	const command = [join(root, 'scripts/probe/main.mts'), ...args];
	const ended = await new Promise((resolve) => {
		execFile(process.execPath, command, { env }, (error, ...texts) =>
			resolve({ code: error?.code ?? 0, texts: texts.join('') }),
		);
	});
	expect(ended).toEqual({ code, texts: expect.stringContaining(said) });
	expect(ended).toEqual({ code, texts: expect.not.stringMatching(PRIVATE) });
});
