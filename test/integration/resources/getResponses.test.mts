import { describe, expect, it } from 'vitest';
import { demoForms, rawReply, success } from '../../service/index.mts';
import { itemsOf, locator, placesOf } from '../harness.mts';
import { running } from '../world.mts';

/** Response: Get Many, Get and Get PDF. */

const { service, n8n } = await running();
const { application, contact, survey } = demoForms;
const getAll = { resource: 'response', operation: 'getAll', returnAll: true };
const get = { resource: 'response', operation: 'get' };
const listed = { sort: { order: 'listed' } };

async function list(formId: string, parameters: object = {}) {
	const given = { ...getAll, formId: locator(formId), ...parameters } as never;
	const { items, error } = await n8n.runNode(given);
	expect(error).toBeUndefined();
	return items;
}

/** A form with six responses, a day apart, the first at the first of the month. */
const { id: filled } = service.store.addForm({ name: 'Filled', fields: [{ label: 'Day' }] });
for (let day = 1; day <= 6; day++) {
	const createdAt = `2026-10-0${day}T08:00:00.000000Z`;
	service.store.addResponse(filled, { answers: { Day: `Day ${day}` }, createdAt });
}

async function findDays(parameters: object): Promise<number[]> {
	service.shapes.order = 'asc';
	const items = await list(filled, parameters);
	return items.map(({ json }) => Number((json.answers as { Day: string }).Day.slice(-1)));
}

const condition = (field: string, operator: string, value: string) => ({ field, operator, value });
const meeting = (...conditions: object[]) => ({ conditions: { conditions } });
const isSecond = condition('Day', 'is', 'Day 2');
const isLast = condition('attribute:number', 'greater', '={{ 5 }}');
// in the workflow's zone, if it has none
const time = '2026-10-05T06:00';
const utc = `={{ DateTime.fromISO("${time}", { zone: "utc" }) }}`;
const limited = { returnAll: false, limit: 1 };

describe('Filters, Sort and Limit', () => {
	it.each([
		[{}, [6, 5, 4, 3, 2, 1], 1],
		[{ sort: { order: 'oldest' }, returnAll: false, limit: 2 }, [1, 2], 1],
		[{ filters: { text: 'day 3' } }, [3], 1],
		// conditions on answers need the fields of the form
		[{ filters: { match: 'any', ...meeting(isSecond, isLast) } }, [6, 2], 2],
		[{ filters: meeting(isSecond, isLast) }, [], 2],
		[{ filters: { after: '2026-10-01', before: '2026-10-05T08:00Z' } }, [4, 3, 2, 1], 1],
		[{ filters: { after: time } }, [6], 1],
		// the fourth was submitted at this time
		[{ filters: { after: '2026-10-04T08:00Z' } }, [6, 5, 4], 1],
		[{ filters: { before: '2026-10-04T08:00Z' } }, [3, 2, 1], 1],
		[{ filters: meeting(condition('attribute:created_at', 'after', utc)) }, [6, 5], 1],
		[{ filters: meeting(condition('attribute:is_incomplete', 'is', '={{ true }}')) }, [], 1],
	])('give the responses that %j asks for: %j', async (parameters, expected, requests) => {
		expect(await findDays(parameters)).toEqual(expected);
		expect(service.requests).toHaveLength(requests);
	});

	it.each([
		[{}, 6, 3],
		[listed, 1, 1],
		[{ ...listed, status: 'complete' }, 1, 3],
		[{ ...listed, filters: { after: '2026-10-03' } }, 3, 3],
		[{ ...listed, filters: meeting(isLast) }, 6, 3],
	])('with %j, one response is number %i, after %i pages', async (parameters, found, pages) => {
		service.shapes.pageSize = 2;
		expect(await findDays({ ...limited, ...parameters })).toEqual([found]);
		expect(service.requests).toHaveLength(pages);
	});

	it('are those of each item', async () => {
		const given = { ...getAll, formId: locator(filled), returnAll: false, ...listed };
		const input = itemsOf({ limit: '1' }, { limit: 4 });
		const { items } = await n8n.runNode({ ...given, limit: '={{ $json.limit }}' }, input);
		expect(placesOf(items)).toEqual([0, 1, 1, 1, 1]);
	});

	it.each([
		['is', 'Day 3'],
		['isNot', 'Day 4'],
	])(
		'keep a response with unreadable answers, which says that they are unreadable (%s)',
		async (operator, value) => {
			const readable = ['Day 3', 'Day 4'].map((Day) => ({ uuid: Day, responses: { Day } }));
			const data = [...readable, { uuid: 'odd', responses: 42 }];
			service.faults.set({ fault: success(data), match: { path: /^\/responses/ } });
			const filters = meeting(condition('Day', operator, value));
			const items = await list(filled, { filters, ...listed });
			expect(items.map(({ json }) => [json.uuid, json.answersError])).toEqual([
				['Day 3', undefined],
				['odd', 'The answers could not be read from a number'],
			]);
		},
	);

	it.each([
		['all', 'abcde'],
		['complete', 'bce'],
		['incomplete', 'ade'],
	])('leave %s responses, also if the service sends others', async (status, uuids) => {
		const all = { a: true, b: false, c: '0', d: 1, e: undefined };
		const records = Object.entries(all).map(([uuid, is_incomplete]) => ({ uuid, is_incomplete }));
		service.faults.set({ fault: success(records), match: { path: /^\/responses/ } });
		const items = await list(contact, { status, ...listed });
		expect(items.map(({ json }) => json.uuid).join('')).toBe(uuids);
	});
});

it('One Column per Field gives a column for each field, and response_ columns for the attributes', async () => {
	const fields = ['Name', 'number', 'Phone'].map((label) => ({ label }));
	const { id } = service.store.addForm({ name: 'New', id: '123456', fields });
	const { uuid } = service.store.addResponse(id, { answers: { Name: 'Ada', number: 'A-7' } });
	// an expression can give a number and a text in place of a text and a switch
	const given = { formId: locator('={{ 123456 }}'), options: { columns: '={{ "yes" }}' } };
	const attributes = { response_number: 1, response_uuid: uuid };
	const row = { Name: 'Ada', number: 'A-7', Phone: null, ...attributes };
	expect(await list(id, given)).toMatchObject([{ json: row }]);
	const { items } = await n8n.runNode({ ...get, ...given, responseId: uuid });
	expect(items).toMatchObject([{ json: row }]);
});

describe('Download Files', () => {
	it('names files by the labels of their fields, whatever the keys of the answers are', async () => {
		const keys = ['customKey', 'uuid', 'label'];
		const options = { downloadFiles: true, nameAnswersBy: '={{ $json.keys }}' };
		const given = { ...getAll, formId: locator(application), options };
		const { items } = await n8n.runNode(given, itemsOf(...keys.map((key) => ({ keys: key }))));
		expect(items.flatMap(({ binary = {} }) => Object.keys(binary))).toEqual(['cv', 'cv', 'cv']);
		const { uuid } = service.store.fields(application)[0];
		const first = items.map(({ json }) => Object.keys(json.answers as object)[0]);
		expect(first).toEqual(['name', uuid, 'Name']);
	});

	it('knows by the field what is a file, and says what it has not downloaded', async () => {
		const fields = [{ label: 'Scan', type: 'file_upload' as const }, { label: 'Link' }];
		const { id } = service.store.addForm({ name: 'Uploads', fields });
		const { id: fileId } = service.store.addFile({ type: 'text/plain', data: Buffer.from('scan') });
		const link = `${service.url}/files/${fileId}/scan`;
		const Scan = [`scan|${link}`, 'lost', `foto.jpg (1)|${link}`];
		service.store.addResponse(id, { answers: { Scan, Link: `see here|${link}` } });
		for (const simplify of [true, false]) {
			const [item] = await list(id, { simplify, options: { downloadFiles: true } });
			expect(Object.keys(item.binary ?? {})).toEqual(['scan', 'scan_2']);
			const fileError = 'Scan: The answer has no web address of a file';
			expect(item.json).toMatchObject({ fileError });
		}
	});
});

it('Response: Get finds a UUID in capital or small letters', async () => {
	const [{ uuid }] = service.store.responses(survey);
	const given = { ...get, formId: locator(survey), responseId: uuid.toUpperCase() };
	expect((await n8n.runNode(given)).items).toMatchObject([{ json: { uuid } }]);
});

describe('Response: Get PDF', () => {
	const [{ uuid }] = service.store.responses(contact);
	const getPdf = { resource: 'response', operation: 'getPdf', responseId: uuid };

	it('gives the file and its link, or the link alone', async () => {
		const json = { uuid, pdf_url: expect.stringMatching(/\.pdf$/) };
		const [item] = (await n8n.runNode({ ...getPdf, binaryPropertyName: ' summary ' })).items;
		const file = { mimeType: 'application/pdf', fileName: `response-${uuid}.pdf` };
		expect(item).toMatchObject({ json, binary: { summary: file } });
		const { items } = await n8n.runNode({ ...getPdf, download: false });
		expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
		expect(service.visits).toHaveLength(1);
	});

	it('is an error if a web page comes in place of the file', async () => {
		const fault = rawReply(200, 'text/html', '<!doctype html><title>Log in</title>');
		service.faults.set({ fault, match: { path: /^\/pdf\// } });
		const { error } = await n8n.runNode(getPdf);
		expect(error?.message).toMatch(/ its link leads to a web page or JSON$/);
	});
});
