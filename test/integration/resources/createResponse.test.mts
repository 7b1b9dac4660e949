import { mapValues } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { rawReply, demoForms } from '../../service/index.mts';
import type { NewField } from '../../service/store.mts';
import { itemsOf, locator } from '../harness.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const { survey } = demoForms;

/** Adds a form whose fields have their labels as UUIDs. */
function addForm(id: string, fields: NewField[]): string {
	const withUuids = fields.map((field) => ({ uuid: field.label, ...field }));
	return service.store.addForm({ id, name: 'New', fields: withUuids }).id;
}

const uuidsOf = (formId: string) =>
	Object.fromEntries(service.store.fields(formId).map(({ label, uuid }) => [label, uuid]));
const addedTo = (formId: string) => service.store.responses(formId).map(({ answers }) => answers);

async function create(formId: string, rows: IDataObject[], more: object, continueOnFail = false) {
	const given = { resource: 'response', operation: 'create', formId: locator(formId), ...more };
	return await n8n.runNode(given, itemsOf(...rows), { continueOnFail });
}

const asJson = { inputMode: 'json', answersJson: '={{ $json }}' };
const allowMissing = { options: { allowMissingAnswers: true } };

/** The mapper with values by the UUIDs of fields, as the editor stores them. */
async function mapFields(formId: string, value: IDataObject) {
	const { fields: schema } = await n8n.getFormFields(formId);
	service.requests.length = 0;
	const fields = { mappingMode: 'defineBelow', matchingColumns: [], value, schema };
	return { inputMode: 'fields', fields };
}

it('Response: Create returns the UUID of the response, if it has it, the form and the answers', async () => {
	const answers = { 'How satisfied are you?': 'Very' };
	const data = { [uuidsOf(survey)['How satisfied are you?']]: 'Very' };
	const { items } = await create(survey, [data], asJson);
	const { uuid } = service.store.responses(survey).at(-1)!;
	const json = { status: 'created', uuid, form: { id: survey, name: null }, answers };
	expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
	expect(addedTo(survey).at(-1)).toEqual(data);
	const reply = rawReply(200, 'application/json', '{"success":true,"message":"Added."}');
	service.faults.set({ fault: reply, match: { method: 'POST' } });
	const cachedResultName = `Customer Survey (${survey})\u00a0(closed)`;
	const formId = { ...locator(survey, 'list'), cachedResultName };
	const again = await create('', [data], { ...asJson, formId });
	const form = { id: survey, name: 'Customer Survey' };
	expect(again.items[0].json).toEqual({ ...json, uuid: null, form });
});

describe('Using Fields Below', () => {
	const id = addForm('mapped', [{ label: 'Name', mandatory: true }, { label: 'Note' }]);

	it.each(['', '={{ null }}', '={{ [null, ""] }}'])(
		'takes %j as no answer, which Allow Missing Answers allows',
		async (empty) => {
			const mapped = await mapFields(id, { Name: empty, deleted: empty, Note: 'x' });
			expect((await create(id, [{}], mapped)).error?.message).toBe('"Name" is required');
			await create(id, [{}], { ...mapped, ...allowMissing });
			expect(addedTo(id).at(-1)).toEqual({ Note: 'x' });
		},
	);

	it('names a field by its label that was deleted after it was mapped', async () => {
		const mapped = await mapFields(id, { deleted: '7' });
		mapped.fields.schema.push({ ...mapped.fields.schema[0], id: 'deleted', displayName: 'Fax' });
		const { error } = await create(id, [{}], { ...mapped, ...allowMissing });
		expect(error?.message).toBe('"Fax" is not a field of this form');
	});
});

it('Map Automatically takes input fields by UUID, custom key or label, and lists the others as ignored', async () => {
	const notes = ['a', 'b'].map((uuid) => ({ uuid, label: 'Note' }));
	const id = addForm('auto', [{ label: 'Email', customKey: 'mail' }, ...notes, { label: 'Size' }]);
	const row = { mail: '', Email: 'x', a: 'y', ' size:\n': 'L', 'Note (2)': 'z', row: 7 };
	const { items } = await create(id, [row], { inputMode: 'auto' });
	expect(addedTo(id)).toEqual([{ Email: 'x', a: 'y', b: 'z', Size: 'L' }]);
	const answers = { Email: 'x', Note: 'y', 'Note (2)': 'z', Size: 'L' };
	expect(items[0].json).toMatchObject({ answers, ignored: ['row'] });
});

it.each(['auto', 'fields', 'json'])('An answer is checked and encoded (%s)', async (way) => {
	const id = addForm(way, [
		{ label: 'Name' },
		{ label: 'Size', type: 'dropdown', options: ['Small', 'Large'] },
		{ label: 'Topics', type: 'checkboxes', options: ['A', 'B'] },
		{ label: 'News', type: 'boolean' },
		{ label: 'Time', type: 'datetime' },
	]);
	const values = mapValues(uuidsOf(id), (_, label) => `={{ $json.${label} }}`);
	const mapped = await mapFields(id, values);
	const given = { auto: { inputMode: way }, fields: mapped, json: asJson }[way]!;
	const second = { Size: ' Small ', Topics: ['a', 'B'], News: 'yes', Time: '2026-01-31 08:00' };
	await create(id, [{ Name: 'Ada', Size: '', News: ' ' }, second], given);
	await create(id, [{ Size: 'Medium' }], { ...given, options: { allowOtherChoices: true } });
	expect(addedTo(id)).toEqual([
		{ Name: 'Ada' },
		{ Size: 'Small', Topics: 'A, B', News: 1, Time: '2026-01-31T08:00:00.000-05:00' },
		{ Size: 'Medium' },
	]);
});
