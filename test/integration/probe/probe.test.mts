import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import lodash from 'lodash';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../../scripts/lib/paths.mts';
import { connect } from '../../../scripts/probe/connect.mts';
import { probe } from '../../../scripts/probe/probe.mts';
import { renderText } from '../../../scripts/probe/report.mts';
import { rawReply, redirect, status, success, tooMany, type Fault } from '../../service/index.mts';
import { NOWHERE } from '../servers.mts';
import { AT_ONCE, running } from '../world.mts';

/** What is in all texts, numbers, names and IDs of the account's own, and in the service's address. */
const PRIVATE = /zq|7777777|127\.0|[\da-f]{8}-[\da-f]{4}/i;
const AS_DOCUMENTED = 'Everything here is read as documented';
const FORMS = /^\/forms(\?|$)/;
const RESPONSES = /^\/responses/;

const { service } = await running({ ...AT_ONCE, seed: false, secret: 'zq' });
const { store, faults } = service;
const fields = ['email', 'signature_pad', 'zq'].map((type) => {
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

const reply = (body: unknown) => rawReply(200, 'application/json', JSON.stringify(body));
const webPage = rawReply(200, 'text/html', '<title>zq</title>');
const more = reply({ data: [record], has_more: true });
const refused = tooMany(7_777_777);

describe('a probe reports', () => {
	it('what the specification leaves open, of lists on one page and on several', async () => {
		const others = ['signature_pad (3)', 'another type (3)'];
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
		const answers = { [field]: 'zq', zq_signature_pad: 'zq', 'Zq zq': 'zq' };
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

	it('what answers look like by type of field, the order, the settings, and what three questions bring', async () => {
		const answers = [
			['date', '31.12.2026'],
			['date', '01.01.2027'],
			['checkboxes', ['zq', 'Zq zq']],
			['cv', ['zq.pdf|https://zq.example/zq.pdf']],
			['toggle', 'Yes'],
			['score', 4.5],
			['note', 'zq '.repeat(20)],
		] as const;
		const fields = lodash
			.uniqBy(answers, 0)
			.map(([type]) => ({ uuid: randomUUID(), type, label: type }));
		const records = answers.map(([label, value], index) => ({
			...{ ...record, uuid: randomUUID(), number: 9 - index, is_incomplete: index > 4 },
			responses: [{ key: label, value }],
		}));
		const formUuid = randomUUID();
		const replyTo = (path: RegExp, fault: Fault) => faults.set({ fault, match: { path } });
		replyTo(FORMS, success([{ id: 'zq3', uuid: formUuid, is_closed: false, name: 'Zq' }]));
		replyTo(new RegExp(`${formUuid}/fields`), status(404, 'zq'));
		replyTo(/fields$/, success(fields));
		replyTo(/incomplete=false/, success(records.slice(0, 5)));
		replyTo(RESPONSES, success(records));
		const report = await run();
		expect(report.sections).toMatchObject({
			'Answers by type of field (words are a, digits 9)': {
				date: ['"99.99.9999" (2)'],
				checkboxes: ['list of text (1)'],
				cv: ['list of name|URL (1)'],
				toggle: ['"yes" (1)'],
				score: ['number 9.9 (1)'],
				note: ['long text (1)'],
			},
			'Order of the responses': { 'by created_at': 'unknown: all are equal', 'by number': 'falls' },
			'Settings in the record of a form': { shown: ['is_closed', 'name'] },
			'Open questions': {
				'page 2 of the responses': 'the same records',
				'incomplete=false, where the list has incomplete responses':
					'5 of the 7 records, 2 of 7 are incomplete',
				"a form's fields by its UUID": 'cannot be read, status 404',
			},
		});
	});

	it('a list that is cut without a word, because its page 2 has other records', async () => {
		const second = success([{ ...record, uuid: randomUUID() }]);
		faults.set({ fault: second, match: { path: /page=2/ } });
		faults.set({ fault: success([record]), match: { path: RESPONSES } });
		const { verdict, isAsDocumented } = await run();
		expect(isAsDocumented).toBe(false);
		expect(verdict).toContain('the list of responses. Page 2 has other records');
	});

	it.each<[problem: string, path: RegExp, fault: Fault]>([
		['the answers. In 1 of 1 responses.', RESPONSES, success([{ ...record, answers: ['zq'] }])],
		['the answers. None matches a field.', RESPONSES, success([{ ...record, answers: { zq: 1 } }])],
		[
			'the list of responses. There are more pages, but the reply has no usable link',
			RESPONSES,
			more,
		],
		['the list of forms. Unexpected reply instead of a list of records.', FORMS, success('zq')],
		['the workspace. Unexpected reply instead of a workspace. Report', /workspace/, reply('zq')],
		['the list of fields. <address> returned a web page instead of data.', /fields$/, webPage],
		['the list of forms. <address> redirects to <address>.', FORMS, redirect('https://zq.example')],
		['the list of forms. <address> redirects. Check the address.', FORMS, redirect('/zq')],
		['the list of forms. Access denied. Check what the token may read.', FORMS, status(403, 'zq')],
		["the list of forms. This account's per-minute limit is used up. Try again", FORMS, refused],
		[
			'the list of forms. <address> is not the address of a Form Service. Check the',
			FORMS,
			status(404, 'zq'),
		],
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
	[`not asked: the form has no UUID besides its ID\n\n${AS_DOCUMENTED}`, 0, {}],
	['rejected the access token. Check the access token.', 1, { FORM_SERVICE_TOKEN: 'zq' }],
	["Couldn't connect to <address>. Check the address, or try", 1, { FORM_SERVICE_URL: NOWHERE }],
	["'Base URL' is not the address of a service", 1, { FORM_SERVICE_URL: 'https://zq.example/?zq' }],
	['Set FORM_SERVICE_URL and FORM_SERVICE_TOKEN', 1, { FORM_SERVICE_TOKEN: '' }],
	['Address and token are not taken as arguments', 1, {}, ['--token=zq']],
])('npm run probe says %j, with exit code %i', async (said, code, changed, args = []) => {
	const ended = await runCommand(args, changed);
	expect(ended).toEqual({ code, texts: expect.stringContaining(said) });
	expect(ended).toEqual({ code, texts: expect.not.stringMatching(PRIVATE) });
});

it('npm run probe -- --save writes a recording without anything private', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'probe-'));
	onTestFinished(async () => await rm(folder, { recursive: true }));
	const file = join(folder, 'recording.json');
	const said = `Saved 9 replies to ${file}. Read the file before you share it.`;
	expect(await runCommand(['--save', file])).toEqual({
		code: 0,
		texts: expect.stringContaining(said),
	});
	const text = await readFile(file, 'utf8');
	// chance can make up two letters, but no longer text
	const isPrivate = /zq@zq\.example|zq_signature_pad|zq email/i;
	expect(text).not.toMatch(isPrivate);
	expect(text).not.toContain(service.token);
	expect(text).not.toContain(new URL(service.url).host);
	expect(text).toContain('"label": "Label 1"');
});
