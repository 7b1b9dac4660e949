import { describe, expect, it } from 'vitest';
import { connect } from '../../../scripts/probe/connect.mts';
import { probe } from '../../../scripts/probe/probe.mts';
import { answer, demoForms, redirect, success } from '../../service/index.mts';
import type { Fault, Shapes } from '../../service/index.mts';
import { NOWHERE } from '../servers.mts';
import { running } from '../world.mts';

const { service } = await running();
const account = { accessToken: service.token, baseUrl: service.url };
for (let day = 1; day < 7; day++) {
	const createdAt = `2030-01-0${day}T08:00:00.000000Z`;
	service.store.addResponse(demoForms.contact, { answers: { Name: 'Ada' }, createdAt });
}

const run = async (credential = account) => await probe(connect(credential));

const AS_DOCUMENTED = 'Everything here is read as documented.';

describe('a probe of a service', () => {
	const shapes: Array<[name: string, shapes: Partial<Shapes>, section: string, facts: object]> = [
		['one page', {}, 'List of responses', { pages: 'none', 'found in': 'data' }],
		['pages by link', { pageSize: 3 }, 'List of responses', { pages: 'by page' }],
		['answers by label', {}, 'Answers', { 'named by': ['label (32)'] }],
		['fields by ID', { fieldNames: 'idName' }, 'Attributes of a field', { UUID: ['id'] }],
	];
	it.each(shapes)('finds %s', async (_, chosen, section, facts) => {
		Object.assign(service.shapes, chosen);
		const report = await run();
		expect(report.sections[section]).toMatchObject(facts);
		expect(report).toMatchObject({ isAsDocumented: true, verdict: AS_DOCUMENTED });
	});

	it('sends at most ten requests, all GET, while it looks for a form with responses', async () => {
		service.shapes.pageSize = 1;
		const report = await run();
		expect(report.sections['Link to a PDF']['found in']).toBe('data.pdf_url');
		expect(service.requests.length).toBeLessThanOrEqual(10);
		expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
	});

	it('reports status, shape and limits of each request, and no name that can be a label', async () => {
		const body = { success: true, data: [{ id: 'a' }], Ada: 'Ada' };
		const fault = answer(200, 'application/json', JSON.stringify(body));
		service.faults.set({ fault, match: { path: /^\/forms$/ } });
		const requests = (await run()).sections['Requests (GET)'];
		expect(requests['1. /workspace']).toMatch(
			/^200, {success: boolean; data: object}, x-ratelimit-limit 10000, x-ratelimit-remaining \d+$/,
		);
		const shape = '{success: boolean; data: list of object; 1 with another name: text}';
		expect(requests['2. /forms']).toContain(shape);
	});

	it('counts the types of fields that the package knows, and others', async () => {
		const types = ['email', 'email', 'signature', 'Our own type'];
		const fields = types.map((type, index) => ({ uuid: `field-${index}`, type }));
		service.faults.set({
			fault: success([{ id: demoForms.contact, fields }]),
			match: { path: /^\/forms$/ },
		});
		const report = await run();
		expect(report.isAsDocumented).toBe(true);
		expect(report.verdict).toContain('unknown types of fields are read as text');
		expect(report.sections['Types of fields']).toEqual({
			known: ['email (2)'],
			'not known, read as text': ['signature (1)', 'another type (1)'],
		});
	});
});

describe('a verdict says what is not read, and what to do, for', () => {
	const [{ uuid }] = service.store.responses(demoForms.contact);
	const record = { uuid, number: 1, created_at: '2026-11-01T00:00:00.000000Z' };
	const replyWith = (rest: object) =>
		answer(200, 'application/json', JSON.stringify({ success: true, ...rest }));
	const REPORT = 'Report this output as an issue of n8n-nodes-formservice.';
	const both = 'the workspace, the list of forms';
	const replies: Array<[name: string, path: RegExp, fault: Fault, verdict: string]> = [
		[
			'answers of another shape',
			/^\/responses/,
			success([{ ...record, answers: [['Ada'], 'Bob'] }]),
			`the answers. In 1 of 1 responses. ${REPORT}`,
		],
		[
			'answers of other fields',
			/^\/responses/,
			success([{ ...record, answers: { other: 'Ada' } }]),
			`the answers. None matches a field. ${REPORT}`,
		],
		[
			'pages that cannot be followed',
			/^\/responses/,
			replyWith({ data: [{ ...record, answers: {} }], has_more: true }),
			`the list of responses. There are more pages, but the reply has no link to the next one. ${REPORT}`,
		],
		[
			'two lists in one reply',
			/^\/forms$/,
			replyWith({ data: { one: [record], two: [record] } }),
			`the list of forms. Unexpected reply instead of a list of records. ${REPORT}`,
		],
		[
			'a web page',
			/./,
			answer(200, 'text/html', '<title>Ada</title>'),
			`${both}. <address> returned a web page instead of data. Check the address.`,
		],
		[
			'a redirect',
			/./,
			redirect('https://ada.example/'),
			`${both}. <address> redirects to <address>. Check the address.`,
		],
		[
			'a service without forms',
			/^\/forms$/,
			success([]),
			'no form is there. Add one, and run the probe again.',
		],
		[
			'a form without responses',
			/^\/responses/,
			success([]),
			'no response is there. Add one, and run the probe again.',
		],
	];
	it.each(replies)('%s', async (_, path, fault, problem) => {
		service.faults.set({ fault, match: { path } });
		const verdict = `Not read as documented: ${problem}`;
		expect(await run()).toMatchObject({ isAsDocumented: false, verdict });
	});

	it('a wrong token', async () => {
		const { verdict } = await run({ ...account, accessToken: 'wrong' });
		const why = 'Form Service rejected the access token. Check the access token.';
		expect(verdict).toBe(`Not read as documented: ${both}. ${why}`);
	});

	it('nothing at the address', async () => {
		const { verdict } = await run({ ...account, baseUrl: NOWHERE });
		const why = "Couldn't connect to <address>. Check the address, or try again later.";
		expect(verdict).toBe(`Not read as documented: ${both}. ${why}`);
	});
});
