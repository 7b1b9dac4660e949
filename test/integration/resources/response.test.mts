import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answer, demoForms, success } from '../../service/index.mts';
import { itemsOf, locator, placesOf } from '../harness.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const { survey, newsletter, contact } = demoForms;

const getAll = { resource: 'response', operation: 'getAll', returnAll: true };

/** The service lists these responses, whatever the query asks. */
function listRecords(records: object[]) {
	service.faults.set({ fault: success(records), match: { path: /^\/responses/ } });
}

describe('Response: Get Many', () => {
	it('gives the responses of a form, simplified', async () => {
		const { items } = await n8n.runNode({ ...getAll, formId: locator(survey), sort: 'oldest' });
		expect(items).toHaveLength(2);
		const [{ json, pairedItem }] = items;
		expect(Object.keys(json)[0]).toBe('answers');
		const answers = { Comment: 'It is quick.', 'Comment (2)': 'Nothing comes to mind.' };
		const uses = ['Forms', 'Integrations'];
		expect(json.answers).toMatchObject({ 'What do you use?': uses, ...answers });
		expect(json).not.toHaveProperty('hubspot_sync');
		expect(pairedItem).toEqual({ item: 0 });
	});

	it.each([
		[undefined, 2, undefined],
		['complete', 1, 'false'],
		['incomplete', 1, 'true'],
	])('asks for the responses of the status %s', async (status, count, incomplete) => {
		const { items } = await n8n.runNode({ ...getAll, formId: locator(newsletter), status });
		expect(items).toHaveLength(count);
		expect(service.requests.map(({ query }) => query.incomplete)).toEqual([incomplete]);
	});

	it.each([
		['complete', 'bce'],
		['incomplete', 'ade'],
	])('leaves out what is not %s if the service lists it', async (status, uuids) => {
		const all = { a: true, b: false, c: '0', d: 1, e: undefined };
		listRecords(Object.entries(all).map(([uuid, is_incomplete]) => ({ uuid, is_incomplete })));
		const given = { ...getAll, formId: locator(contact), status, sort: 'listed' };
		for (const limit of [{}, { returnAll: false, limit: 3 }]) {
			const { items } = await n8n.runNode({ ...given, ...limit });
			expect(items.map(({ json }) => json.uuid).join('')).toBe(uuids);
		}
	});
});

it('Items that filter the responses of a form read them and the fields once', async () => {
	const conditions = { conditions: [{ field: 'Name', operator: 'isNotEmpty' }] };
	const parameters = { ...getAll, formId: locator(contact), filters: { conditions } };
	const { items } = await n8n.runNode(parameters, itemsOf({}, {}, {}));
	expect([...new Set(placesOf(items))]).toEqual([0, 1, 2]);
	expect(service.requests).toHaveLength(2);
});

it('Response: Get says that the form has no such response', async () => {
	const get = { resource: 'response', operation: 'get', formId: locator(survey) };
	const { error } = await n8n.runNode({ ...get, responseId: 'absent' });
	expect(error?.message).toBe(`The form ${survey} has no response with the UUID absent`);
	expect(error?.description).toContain('Check the UUID and the form.');
});

describe('Response: Get PDF', () => {
	const getPdf = { resource: 'response', operation: 'getPdf' };
	const uuid = () => service.store.responses(contact)[0].uuid;

	it('gives the link, and downloads the PDF into the binary field that was named', async () => {
		const download = { download: true, binaryPropertyName: ' summary ' };
		const { items } = await n8n.runNode({ ...getPdf, responseId: uuid(), ...download });
		const json = { uuid: uuid(), pdf_url: expect.stringMatching(/\.pdf$/) };
		expect(items).toMatchObject([{ json, pairedItem: { item: 0 } }]);
		const file = items[0].binary!.summary;
		expect(file).toMatchObject({ mimeType: 'application/pdf', fileName: `response-${uuid()}.pdf` });
		expect(Buffer.from(file.data, 'base64').toString('latin1')).toMatch(/^%PDF-/);
	});

	it.each([
		['list', '12 · 2026-11-22 00:43 UTC', 'Contact _ Sales-12.pdf'],
		['id', undefined, 'Contact _ Sales-<uuid>.pdf'],
	] as const)('names the PDF by what was chosen, with the response by %s', async (...given) => {
		const [mode, cachedResultName, name] = given;
		const formId = { ...locator(contact, 'list'), cachedResultName: 'Contact / Sales' };
		const responseId = { ...locator(uuid(), mode), cachedResultName } as INodeParameters;
		const { items } = await n8n.runNode({ ...getPdf, formId, responseId, download: true });
		expect(items[0].binary!.data.fileName).toBe(name.replace('<uuid>', uuid()));
	});

	it.each([
		['a web page', 'text/html', '<!doctype html><title>Log in</title>'],
		['JSON', 'application/json', '{"success": false, "message": "PDF not ready"}'],
	])('does not take %s for a PDF', async (_what, type, body) => {
		service.faults.set({ fault: answer(200, type, body), match: { path: /^\/pdf\// } });
		const { error } = await n8n.runNode({ ...getPdf, responseId: uuid(), download: true });
		expect(error?.message).toBe('The link to the file returned a web page or JSON');
	});
});
