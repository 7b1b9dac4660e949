import { describe, expect, it } from 'vitest';
import { rawReply, demoForms, success } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const { survey, contact } = demoForms;

it.each([
	['all', 'abcde', undefined],
	['complete', 'bce', 'false'],
	['incomplete', 'ade', 'true'],
])('Get Many asks for %s responses, and leaves out others', async (status, uuids, incomplete) => {
	const all = { a: true, b: false, c: '0', d: 1, e: undefined };
	const records = Object.entries(all).map(([uuid, is_incomplete]) => ({ uuid, is_incomplete }));
	service.faults.set({ fault: success(records), match: { path: /^\/responses/ } });
	const getAll = { resource: 'response', operation: 'getAll', formId: locator(contact) };
	for (const limit of [5, 3]) {
		const { items } = await n8n.runNode({ ...getAll, status, sort: { order: 'listed' }, limit });
		expect(items.map(({ json }) => json.uuid).join('')).toBe(uuids.slice(0, limit));
	}
	const asked = service.requests.map(({ query }) => query.incomplete);
	expect(asked).toEqual([incomplete, incomplete]);
});

it('Response: Get finds a UUID in capital or small letters', async () => {
	const get = { resource: 'response', operation: 'get', formId: locator(survey) };
	const [{ uuid }] = service.store.responses(survey);
	const { items } = await n8n.runNode({ ...get, responseId: uuid.toUpperCase() });
	expect(items[0].json.uuid).toBe(uuid);
});

it('Response: Get says that the form has no such response', async () => {
	const get = { resource: 'response', operation: 'get', formId: locator(survey) };
	const { error } = await n8n.runNode({ ...get, responseId: 'absent' });
	expect(error?.message).toBe(`The form ${survey} has no response with the UUID absent`);
	expect(error?.description).toContain('Check the UUID and the form.');
});

describe('Response: Get PDF', () => {
	const getPdf = { resource: 'response', operation: 'getPdf' };
	const [{ uuid }] = service.store.responses(contact);

	it('gives the file and its link, or the link alone, and names no binary field that is blank', async () => {
		const given = { ...getPdf, responseId: uuid };
		const json = { uuid, pdf_url: expect.stringMatching(/\.pdf$/) };
		const [item] = (await n8n.runNode({ ...given, binaryPropertyName: ' summary ' })).items;
		const file = { mimeType: 'application/pdf', fileName: `response-${uuid}.pdf` };
		expect(item).toMatchObject({ json, binary: { summary: file } });
		const { items } = await n8n.runNode({ ...given, download: false });
		expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
		expect(service.visits).toHaveLength(1);
		const { error } = await n8n.runNode({ ...given, binaryPropertyName: ' ' });
		expect(error?.message).toBe("'Put Output File in Field' is empty");
	});

	it.each([
		['a web page', 'text/html', '<!doctype html><title>Log in</title>'],
		['JSON', 'application/json', '{"success": false, "message": "PDF not ready"}'],
	])('does not take %s for a PDF', async (_what, type, body) => {
		service.faults.set({ fault: rawReply(200, type, body), match: { path: /^\/pdf\// } });
		const { error } = await n8n.runNode({ ...getPdf, responseId: uuid, download: true });
		expect(error?.message).toBe('The link to the file returned a web page or JSON');
	});
});
