import { describe, expect, it } from 'vitest';
import { connect } from '../../../scripts/probe/connect.mts';
import { probe, type ProbeOptions } from '../../../scripts/probe/probe.mts';
import { answer, demoForms, success } from '../../service/index.mts';
import type { Fault, Shapes } from '../../service/index.mts';
import { closedPort } from '../servers.mts';
import { running } from '../world.mts';

const { service } = await running();
const account = { accessToken: service.token, baseUrl: service.url };
for (let day = 1; day < 7; day++) {
	const createdAt = `2030-01-0${day}T08:00:00.000000Z`;
	service.store.addResponse(demoForms.contact, { answers: { Name: 'Ada' }, createdAt });
}

const run = async (options: ProbeOptions = {}, credential = account) =>
	await probe(connect(credential), { formId: demoForms.contact, ...options });

/** The facts of a section. */
const factsOf = ({ sections }: Awaited<ReturnType<typeof run>>, title: string) =>
	sections.find((section) => section.title === title)?.facts ?? {};

const OPEN = 'What the specification leaves open (its sections)';
const AS_DOCUMENTED = 'Everything here is read as documented.';

describe('a probe of a service', () => {
	const shapes: Array<[name: string, shapes: Partial<Shapes>, section: string, facts: object]> = [
		['one page', {}, 'List of responses', { pages: 'none', 'found in': 'data' }],
		['pages by link', { paging: 'link' }, 'List of responses', { pages: 'by a link (page)' }],
		['pages by number', { paging: 'number' }, 'List of forms', { pages: 'by a number (page)' }],
		['pages by cursor', { paging: 'cursor' }, 'List of forms', { pages: 'by a cursor (cursor)' }],
		['oldest first', { order: 'asc' }, 'List of responses', { order: 'newest last, by time' }],
		['newest first', { order: 'desc' }, 'List of responses', { order: 'newest first, by time' }],
		['no order', { order: 'random' }, 'List of responses', { order: 'none by time or number' }],
		[
			'answers by label',
			{},
			'Answers',
			{ 'found in': ['responses, list of objects {key, value}'], 'named by': ['label (32)'] },
		],
		['answers by UUID', { mapAnswers: 'list' }, 'Answers', { 'named by': ['UUID (32)'] }],
		['fields by ID', { fieldNames: 'idName' }, 'Attributes of a field', { UUID: ['id'] }],
	];
	it.each(shapes)('finds %s', async (_, chosen, section, facts) => {
		Object.assign(service.shapes, { pageSize: 20, ...chosen });
		if (section.startsWith('List')) service.shapes.pageSize = 3;
		const report = await run();
		expect(factsOf(report, section)).toMatchObject(facts);
		expect(report).toMatchObject({ isAsDocumented: true, verdict: AS_DOCUMENTED });
	});

	it('sends at most ten requests, all GET, while it looks for a form with responses', async () => {
		Object.assign(service.shapes, { paging: 'link', pageSize: 1 });
		const report = await run({ formId: undefined, pdf: true });
		expect(factsOf(report, OPEN)['link to a PDF (4)']).toBe('data.pdf_url');
		expect(service.requests.length).toBeLessThanOrEqual(10);
		expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
	});

	it('asks for a PDF only if told to', async () => {
		expect(factsOf(await run(), OPEN)['link to a PDF (4)']).toBe('not asked: add --pdf');
		expect(service.requests.filter(({ path }) => path.endsWith('/pdf'))).toEqual([]);
	});

	it('reports status, shape and limits of each request', async () => {
		const body = {
			data: { forms: [], records: [{ id: 'Ada' }], total: 1, Ada: 'Ada' },
			success: true,
		};
		const fault = answer(200, 'application/json', JSON.stringify(body));
		service.faults.set({ fault, match: { path: /^\/forms$/ } });
		const facts = factsOf(await run(), 'Requests (GET)');
		const workspace = '200, {success, data: {owner: object, members: empty list, ';
		expect(facts['1. /workspace']).toMatch(/\d+\/10000 left$/);
		expect(facts['1. /workspace']).toContain(workspace);
		const forms = '{data: {forms: empty list, records: list of objects, …}, success}';
		expect(facts['2. /forms']).toContain(forms);
	});

	it('counts the types of fields that the package knows, and others', async () => {
		const types = ['email', 'email', 'signature', 'Our own type'];
		const fields = types.map((type, index) => ({ uuid: `field-${index}`, type }));
		service.faults.set({ fault: success([{ id: 'f1', fields }]), match: { path: /^\/forms$/ } });
		const report = await run();
		expect(report).toMatchObject({ isAsDocumented: true });
		expect(report.verdict).toContain('types of fields that are not known are read as text');
		const facts = factsOf(report, 'Types of fields');
		expect(facts.known).toEqual(['email (2)']);
		const others = ['signature (1)', 'another type of 12 characters (1)'];
		expect(facts['not known, read as text']).toEqual(others);
	});
});

describe('a verdict says what is not read, and what to do, for', () => {
	const record = { uuid: 'r1', number: 1, created_at: '2026-11-01T00:00:00.000000Z' };
	const replyWith = (rest: object) =>
		answer(200, 'application/json', JSON.stringify({ success: true, ...rest }));
	const REPORT = 'Report this output as an issue of n8n-nodes-formservice.';
	const both = 'the workspace, the list of forms';
	const replies: Array<[name: string, path: RegExp, fault: Fault, verdict: string]> = [
		[
			'answers of another shape',
			/^\/responses/,
			success([{ ...record, answers: [['Ada'], 'Bob'] }]),
			`answers (not readable in 1 of 1 responses). ${REPORT}`,
		],
		[
			'answers of other fields',
			/^\/responses/,
			success([{ ...record, answers: { other: 'Ada' } }]),
			`answers (none matches a field). ${REPORT}`,
		],
		[
			'pages that cannot be followed',
			/^\/responses/,
			replyWith({ data: [{ ...record, answers: {} }], has_more: true }),
			`the list of responses (There are more pages, but the reply has no link to the next one). ${REPORT}`,
		],
		[
			'two lists in one reply',
			/^\/forms$/,
			replyWith({ data: { one: [record], two: [record] } }),
			`the list of forms (Unexpected reply instead of a list). ${REPORT}`,
		],
		[
			'a web page',
			/./,
			answer(200, 'text/html', '<title>Ada</title>'),
			`${both} (the address returned a web page instead of data). Check the address.`,
		],
	];
	it.each(replies)('%s', async (_, path, fault, problem) => {
		service.faults.set({ fault, match: { path } });
		const verdict = `Not read as documented: ${problem}`;
		expect(await run()).toMatchObject({ isAsDocumented: false, verdict });
	});

	it('a wrong token', async () => {
		const { verdict } = await run({}, { ...account, accessToken: 'wrong' });
		const why = `${both} (Form Service rejected the access token). Check the access token.`;
		expect(verdict).toBe(`Not read as documented: ${why}`);
		expect(service.requests).toHaveLength(2);
	});

	it('nothing at the address', async () => {
		const { port, free } = await closedPort();
		const { verdict } = await run({}, { ...account, baseUrl: `http://127.0.0.1:${port}` });
		await free();
		const why = "Couldn't connect to the address). Check the address, or try again later.";
		expect(verdict).toBe(`Not read as documented: ${both} (${why}`);
	});

	it.each(['form', 'response'])('a service without a %s', async (missing) => {
		const path = missing === 'form' ? /^\/forms$/ : /^\/responses/;
		service.faults.set({ fault: success([]), match: { path } });
		const report = await run({ formId: undefined });
		expect(report.isAsDocumented).toBe(false);
		expect(report.verdict).toContain(`there is no ${missing}: add one`);
	});
});
