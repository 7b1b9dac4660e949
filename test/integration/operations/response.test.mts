import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answer, demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const { survey, newsletter, contact } = demoForms;

describe('Response: Get Many', () => {
	const getAll = { resource: 'response', operation: 'getAll', returnAll: true };

	it('gives the responses of a form, simplified', async () => {
		const { items } = await n8n.runNode({ ...getAll, formId: locator(survey), sort: 'oldest' });
		expect(items).toHaveLength(2);
		expect(Object.keys(items[0].json)[0]).toBe('answers');
		expect(items[0]).toEqual({
			json: {
				uuid: expect.any(String),
				number: 1,
				number_formatted: 'S-1',
				is_incomplete: false,
				created_at: expect.any(String),
				referrer: null,
				answers: {
					'How did you hear about us?': 'Search',
					'How satisfied are you?': 'Very',
					'What do you use?': ['Forms', 'Integrations'],
					'Score from 0 to 10': 9,
					Comment: 'It is quick.',
					'Comment (2)': 'Nothing comes to mind.',
				},
			},
			pairedItem: { item: 0 },
		});
	});

	it('gives the records as they came without Simplify', async () => {
		const { items } = await n8n.runNode({ ...getAll, formId: locator(survey), simplify: false });
		expect(items[0].json).toMatchObject({ hubspot_sync: false, responses: expect.any(Array) });
		expect(items[0].json).not.toHaveProperty('answers');
	});

	it.each([
		['all', 2, undefined],
		['complete', 1, 'false'],
		['incomplete', 1, 'true'],
	])('asks for %s responses', async (status, count, incomplete) => {
		const { items } = await n8n.runNode({ ...getAll, formId: locator(newsletter), status });
		expect(items).toHaveLength(count);
		expect(service.requests.map(({ query }) => query.incomplete)).toEqual([incomplete]);
	});
});

it('Response: Get says that the form has no such response', async () => {
	const get = { resource: 'response', operation: 'get', formId: locator(survey) };
	const { error } = await n8n.runNode({ ...get, responseId: 'absent' });
	expect(error?.message).toBe(`The form ${survey} has no response with the UUID absent`);
});

describe('Response: Get PDF', () => {
	const getPdf = { resource: 'response', operation: 'getPdf' };
	const uuid = () => service.store.responses(contact)[0].uuid;

	it('gives the link', async () => {
		const { items } = await n8n.runNode({ ...getPdf, responseId: uuid() });
		expect(items).toEqual([
			{ json: { uuid: uuid(), pdf_url: expect.stringMatching(/\.pdf$/) }, pairedItem: { item: 0 } },
		]);
	});

	it('downloads the PDF into the binary field that was named', async () => {
		const download = { download: true, binaryPropertyName: 'summary' };
		const { items } = await n8n.runNode({ ...getPdf, responseId: uuid(), ...download });
		const file = items[0].binary!.summary;
		expect(file).toMatchObject({ mimeType: 'application/pdf', fileName: `response-${uuid()}.pdf` });
		expect(Buffer.from(file.data, 'base64').toString('latin1')).toMatch(/^%PDF-/);
		expect(items[0].json.pdf_url).toMatch(/\.pdf$/);
	});

	it.each([
		['list', '12 · 2026-11-22 00:43', 'Contact _ Sales-12.pdf'],
		['id', undefined, 'Contact _ Sales-<uuid>.pdf'],
	] as const)('names the PDF by what was chosen, with the response by %s', async (...given) => {
		const [mode, cachedResultName, name] = given;
		const formId = { ...locator(contact, 'list'), cachedResultName: 'Contact / Sales' };
		const responseId = { ...locator(uuid(), mode), cachedResultName } as INodeParameters;
		const { items } = await n8n.runNode({ ...getPdf, formId, responseId, download: true });
		expect(items[0].binary!.data.fileName).toBe(name.replace('<uuid>', uuid()));
	});

	const servePdf = (type: string, body: string) =>
		service.faults.set({ fault: answer(200, type, body), match: { path: /^\/pdf\// } });

	it.each([
		['a web page', 'text/html', '<!doctype html><title>Log in</title>'],
		['JSON', 'application/json', '{"success": false, "message": "PDF not ready"}'],
		['an empty file', 'application/pdf', ''],
		['another file', 'application/pdf', '\x00'.repeat(1020) + '%PDF-1.7'],
	])('does not take %s for a PDF', async (what, type, body) => {
		servePdf(type, body);
		const { error } = await n8n.runNode({ ...getPdf, responseId: uuid(), download: true });
		expect(error?.message).toBe(`The link to the PDF returned ${what} instead of a PDF`);
	});

	it('takes a PDF that begins after other bytes', async () => {
		servePdf('application/pdf', `${'\x00'.repeat(1019)}%PDF-1.7`);
		const { items } = await n8n.runNode({ ...getPdf, responseId: uuid(), download: true });
		expect(items[0].binary?.data).toBeDefined();
	});

	it('asks for the name of the binary field', async () => {
		const named = { download: true, binaryPropertyName: '={{ "" }}' };
		const { error } = await n8n.runNode({ ...getPdf, responseId: uuid(), ...named });
		expect(error?.message).toBe("'Put Output File in Field' is missing");
		expect(service.requests).toEqual([]);
	});
});
