import { mapKeys, zipObject } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answer, demoForms } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const { application, survey } = demoForms;

const uuids = (formId: string) =>
	Object.fromEntries(service.store.fields(formId).map(({ label, uuid }) => [label, uuid]));
const NO_FIELD = '5f1c9a52-0b1c-4d2e-8f3a-9b8c7d6e5f40';

const methods = () => service.requests.map(({ method }) => method);
const addedTo = (formId: string) => service.store.responses(formId).map(({ answers }) => answers);

type Fields = Parameters<typeof service.store.addForm>[0]['fields'];

/** A form of its own, and the UUIDs of its fields. */
function newForm(fields: Fields) {
	const { id } = service.store.addForm({ name: 'New', fields });
	return { id, ids: service.store.fields(id).map(({ uuid }) => uuid) };
}

async function create(formId: string, rows: IDataObject[], more: object, continueOnFail = false) {
	const given = { resource: 'response', operation: 'create', formId: locator(formId), ...more };
	return await n8n.runNode(given, itemsOf(...rows), { continueOnFail });
}

const json = (answersJson: string) => ({ inputMode: 'json', answersJson });
const asJson = json('={{ $json }}');
const outcomesOf = (items: Array<{ json: IDataObject }>) =>
	items.map(({ json }) => json.error ?? json.status);

/** The mapper with answers by label, as the editor stores them. */
async function mapFields(formId: string, answers: IDataObject) {
	const { fields: schema } = await n8n.getFormFields(formId);
	service.requests.length = 0;
	const value = mapKeys(answers, (_, label) => uuids(formId)[label] ?? label);
	const mapper = { mappingMode: 'defineBelow', matchingColumns: [], value, schema };
	return { inputMode: 'fields', fields: mapper };
}

describe('Response: Create with Using JSON', () => {
	it('adds a response and returns its UUID, the form and the answers as sent', async () => {
		const answers = { 'How satisfied are you?': 'Very' };
		const data = { [uuids(survey)['How satisfied are you?']]: 'Very' };
		const { items } = await create(survey, [{}], json(JSON.stringify(data)));
		const { uuid } = service.store.responses(survey).at(-1)!;
		const form = { id: survey, name: null };
		expect(items).toEqual([
			{ json: { status: 'created', uuid, form, answers }, pairedItem: { item: 0 } },
		]);
		expect(addedTo(survey).at(-1)).toEqual(data);
		expect(methods()).toEqual(['GET', 'POST']);
	});

	it('returns no UUID if the service does not give one, and the name of a form from the list', async () => {
		const reply = answer(200, 'application/json', '{"success":true,"message":"Added."}');
		service.faults.set({ fault: reply, match: { method: 'POST' } });
		const cachedResultName = `Customer Survey (${survey})\u00a0(closed)`;
		const formId = { ...locator(survey, 'list'), cachedResultName };
		const { items } = await create('', [{ [uuids(survey).Comment]: 'x' }], { ...asJson, formId });
		const form = { id: survey, name: 'Customer Survey' };
		expect(items[0].json).toMatchObject({ status: 'created', uuid: null, form });
	});

	it.each([
		['{}', 'There is no answer to send'],
		['{"data": {"a": "x"}}', '"data" is not a field of this form'],
		['{"Comment (2)": "x", "Coment": null}', '"Coment" is not a field of this form'],
		['{"Comment (2)": "x", "__proto__": "x"}', '"__proto__" is not a field of this form'],
	])('refuses %s, and names the fields of the form', async (answersJson, message) => {
		const { error } = await create(survey, [{}], json(answersJson));
		expect(error?.message).toBe(message);
		expect(error?.description).toMatch(/^Nothing was sent\.\nThe form's fields are .+, Comment/);
		expect(methods()).toEqual(['GET']);
	});
});

describe('Response: Create with Using Fields Below', () => {
	const blanks = ['', '={{ null }}', '={{ [null, ""] }}', '={{ "  " }}'];
	it.each(blanks)('refuses %j as the answer to a required field', async (empty) => {
		const mapped = await mapFields(application, { Name: empty, Email: empty });
		const { error } = await create(application, [{}], mapped);
		expect(error?.message).toBe("2 answers can't be sent");
		const required = "is required, unless 'Allow Missing Answers' is on.";
		expect(error?.description).toContain(`\n"Name" ${required}\n"Email" ${required}\n`);
		expect(methods()).toEqual(['GET']);
	});

	it('adds a response without an answer to a required field with Allow Missing Answers', async () => {
		const options = { allowMissingAnswers: true };
		const mapped = await mapFields(application, { Name: 'Ada', Email: '' });
		await create(application, [{}], { ...mapped, options });
		expect(addedTo(application).at(-1)).toEqual({ [uuids(application).Name]: 'Ada' });
	});

	it('refuses the answer to a field that was deleted after it was mapped, unless it is empty', async () => {
		const { id } = newForm([{ label: 'Name' }]);
		for (const [deleted, outcome] of [
			['7', `"${NO_FIELD}" is not a field of this form`],
			[null, 'created'],
		]) {
			const mapped = await mapFields(id, { Name: 'Ada', [NO_FIELD]: deleted });
			const { items } = await create(id, [{}], mapped, true);
			expect(outcomesOf(items)).toEqual([expect.stringContaining(String(outcome))]);
		}
	});
});

describe('Response: Create with Map Automatically', () => {
	const auto = { inputMode: 'auto' };
	const email = { label: 'Email', customKey: 'email' };

	it('takes input fields by UUID, custom key or label, and lists the others as ignored', async () => {
		const { id, ids } = newForm([email, { label: 'Note' }, { label: 'Size' }]);
		const row = { email: '', Email: 'ada@x.example', [ids[1]]: 'x', size: 'L', row: 7 };
		const { items } = await create(id, [row], auto);
		expect(addedTo(id)).toEqual([{ [ids[0]]: 'ada@x.example', [ids[1]]: 'x', [ids[2]]: 'L' }]);
		const answers = { Email: 'ada@x.example', Note: 'x', Size: 'L' };
		expect(items[0].json).toMatchObject({ answers, ignored: ['row'] });
	});

	it('refuses an item without an answer to a required field', async () => {
		const { error } = await create(application, [{ name: 'Ada', email: '' }], auto);
		expect(error?.message).toMatch(/^"Email" is required/);
		expect(methods()).toEqual(['GET']);
	});

	it('returns the answers to two fields with one label', async () => {
		const { id } = newForm([{ label: 'Note' }, { label: 'Note' }]);
		const row = { Note: 'a', 'Note (2)': 'b' };
		expect((await create(id, [row], auto)).items[0].json.answers).toEqual(row);
	});

	it('refuses two input fields with answers to one field', async () => {
		const { error } = await create(newForm([email]).id, [{ email: 'a', Email: 'b' }], auto);
		expect(error?.message).toBe('"Email" has two answers');
		expect(methods()).toEqual(['GET']);
	});
});

const { id, ids } = newForm([
	{ label: 'Name' },
	{ label: 'Size', type: 'dropdown', options: ['Small', 'Large'] },
	{ label: 'News', type: 'boolean' as 'text' },
]);

it.each(['auto', 'fields', 'json'])('An answer is checked and encoded (%s)', async (way) => {
	const ways: Record<string, object> = { auto: { inputMode: way }, json: asJson };
	const labels = service.store.fields(id).map(({ label }) => label);
	const values = labels.map((label) => `={{ $json.${label} }}`);
	const given = ways[way] ?? (await mapFields(id, zipObject(labels, values)));
	const rows = [{ Size: 'Medium' }, { Name: 'Ada', Size: '', News: ' ' }];
	const { items } = await create(id, [...rows, { Size: ' Small ', News: 'yes' }], given, true);
	const refusal = /^"Size" must be one of Small, Large\. The form's fields are/;
	expect(outcomesOf(items)).toEqual([expect.stringMatching(refusal), 'created', 'created']);
	await create(id, rows, { ...given, options: { allowOtherChoices: true } });
	const [name, size, news] = ids;
	const added = [{ [name]: 'Ada' }, { [size]: 'Small', [news]: 1 }, { [size]: 'Medium' }];
	expect(addedTo(id).slice(-4)).toEqual(expect.arrayContaining(added));
});
