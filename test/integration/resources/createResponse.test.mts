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

const ADVICE =
	"To add a response without an answer to a required field, turn on 'Allow Missing Answers'.";

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
		['[]', /^'Answers \(JSON\)' must be an object/, []],
		['{}', /^There is no answer to send/, ['GET']],
		['{"data": {"a": "x"}}', /^"data" is not a field of this form/, ['GET']],
		['{"Comment": "x", "Coment": null}', /^"Coment" is not a field of this form/, ['GET']],
	])('refuses %s before anything is sent', async (answersJson, message, requests) => {
		const { error } = await create(survey, [{}], json(answersJson));
		expect(error?.message).toMatch(message);
		expect(methods()).toEqual(requests);
	});

	it.each(['', '__proto__', NO_FIELD])('refuses the name %j', async (key) => {
		const { error } = await create(survey, [{}], json(`{"Comment (2)": "x", "${key}": "x"}`));
		expect(error?.message).toBe(`"${key}" is not a field of this form`);
		expect(error?.description).toMatch(
			/^Nothing was sent\.\nForm fields without an answer: .*, Comment\.$/,
		);
		expect(methods()).toEqual(['GET']);
	});
});

describe('Response: Create with Using Fields Below', () => {
	const blanks = ['', '={{ null }}', '={{ [] }}', '={{ [null, ""] }}', '={{ "  " }}'];
	it.each(blanks)('refuses %j as the answer to a required field', async (empty) => {
		const mapped = await mapFields(application, { Name: empty, Email: empty });
		const { error } = await create(application, [{}], mapped);
		expect(error?.message).toBe("2 answers can't be sent");
		const missing = ['"Name" is required.', '"Email" is required.'];
		expect(error?.description).toBe(['Nothing was sent.', ...missing, ADVICE].join('\n'));
		expect(methods()).toEqual(['GET']);
	});

	it('adds a response without an answer to a required field with Allow Missing Answers', async () => {
		const options = { allowMissingAnswers: true };
		const mapped = await mapFields(application, { Name: 'Ada', Email: '' });
		await create(application, [{}], { ...mapped, options });
		await create(application, [{ name: 'Ada' }], { inputMode: 'auto', options });
		const added = { [uuids(application).Name]: 'Ada' };
		expect(addedTo(application).slice(-2)).toEqual([added, added]);
	});

	it('refuses the answer to a field that was deleted after it was mapped, unless it is empty', async () => {
		const { id } = newForm([{ label: 'Name' }]);
		for (const [deleted, outcome] of [
			['7', expect.stringMatching(/^An answer is for a field that the form no longer has\. /)],
			[null, 'created'],
		]) {
			const mapped = await mapFields(id, { Name: 'Ada', [NO_FIELD]: deleted });
			const { items } = await create(id, [{}], mapped, true);
			expect(outcomesOf(items)).toEqual([outcome]);
			expect(items[0].json).not.toHaveProperty('ignored');
		}
	});
});

describe('Response: Create with Map Automatically', () => {
	const auto = { inputMode: 'auto' };
	const email = { label: 'Email', customKey: 'email' };

	it('takes input fields by UUID, custom key or label, and lists the others as ignored, except the form', async () => {
		const { id, ids } = newForm([email, { label: 'Note' }, { label: 'Size' }]);
		const row = { email: '', Email: 'ada@x.example', [ids[1]]: 'x', size: 'L', row: 7, form: id };
		const { items } = await create(id, [row], auto);
		expect(addedTo(id)).toEqual([{ [ids[0]]: 'ada@x.example', [ids[1]]: 'x', [ids[2]]: 'L' }]);
		const answers = { Email: 'ada@x.example', Note: 'x', Size: 'L' };
		expect(items[0].json).toMatchObject({ answers, ignored: ['row'] });
	});

	it('lists the input fields and the fields of the form, if names do not match', async () => {
		const { error } = await create(application, [{ 'full name': 'Ada', mail: 'a' }], auto);
		expect(error?.message).toBe("2 answers can't be sent");
		const names = [
			'Input fields: full name, mail.',
			'Form fields without an answer: Name, Email, Earliest start, Portfolio, CV.',
		];
		const missing = ['"Name" is required.', '"Email" is required.'];
		expect(error?.description).toBe(['Nothing was sent.', ...missing, ...names, ADVICE].join('\n'));
		const { error: none } = await create(newForm([{ label: 'Note' }]).id, [{ notes: 2 }], auto);
		expect(none?.message).toBe('No input field with a value matches a field of the form');
	});

	it('refuses two input fields with answers to one field', async () => {
		const { error } = await create(newForm([email]).id, [{ email: 'a', Email: 'b' }], auto);
		expect(error?.message).toBe('"Email" has an answer in "email" and "Email". Keep one of them');
		expect(methods()).toEqual(['GET']);
	});
});

const { id, ids } = newForm([
	{ label: 'Name' },
	{ label: 'Size', type: 'dropdown', options: ['Small', 'Large'] },
	{ label: 'Uses', type: 'multiple_choice', options: ['Forms', 'Reports', 'PDF, printed'] },
	{ label: 'Guests', type: 'number' },
	{ label: 'News', type: 'boolean' as 'text' },
	{ label: 'Start', type: 'date' },
]);
const labels = service.store.fields(id).map(({ label }) => label);
const value = Object.fromEntries(labels.map((label) => [label, `={{ $json.${label} }}`]));

it.each(['auto', 'fields', 'json'])('An answer is checked and encoded (%s)', async (way) => {
	const ways: Record<string, object> = { auto: { inputMode: way }, json: asJson };
	const given = ways[way] ?? (await mapFields(id, value));
	const blank = { Size: '', Uses: '', Guests: '', News: '', Start: ' ' };
	const spelled = { Size: ' Small ', Uses: 'PDF, printed,Forms', Guests: '2', News: 'yes' };
	const rows = [
		{ Size: 'Medium' },
		{ Guests: 'lots' },
		{ Name: 'Ada', ...blank },
		{ ...spelled, Start: '2027-01-04' },
	];
	const { items } = await create(id, rows, given, true);
	expect(outcomesOf(items)).toEqual([
		'"Size" must be one of Small, Large',
		expect.stringMatching(/^"Guests" must be a number/),
		...['created', 'created'],
	]);
	const other = { Size: 'Medium', Uses: ['Forms', 'Nonsense'] };
	await create(id, [other], { ...given, options: { allowOtherChoices: true } });
	const [name, ...others] = ids;
	const all = ['Small', 'PDF, printed, Forms', '2', 1, '2027-01-04'];
	const added = [{ [name]: 'Ada' }, zipObject(others, all)];
	const more = zipObject(others.slice(0, 2), ['Medium', 'Forms, Nonsense']);
	expect(addedTo(id).slice(-3)).toEqual(expect.arrayContaining([...added, more]));
});
