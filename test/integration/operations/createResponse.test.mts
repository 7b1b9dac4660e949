import type { IDataObject, ResourceMapperField } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answer, demoForms } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { running } from './running.mts';

const { service, n8n } = await running();
const { application, survey, event } = demoForms;
const create = { resource: 'response', operation: 'create' };

const uuids = (formId: string) =>
	Object.fromEntries(service.store.fields(formId).map(({ label, uuid }) => [label, uuid]));
const NO_FIELD = '5f1c9a52-0b1c-4d2e-8f3a-9b8c7d6e5f40';

const posts = () => service.requests.filter(({ method }) => method === 'POST');
const lastAnswers = (formId: string) => service.store.responses(formId).at(-1)!.answers;

describe('Response: Create from JSON', () => {
	const fromJson = { ...create, inputMode: 'json', formId: locator(survey) };

	it('adds a response and gives its ID, the form and the answers as they were sent', async () => {
		const uuid = uuids(survey)['How satisfied are you?'];
		const { items } = await n8n.runNode({
			...fromJson,
			answersJson: JSON.stringify({ [uuid]: 'Very' }),
		});
		expect(items).toEqual([
			{
				json: {
					status: 'created',
					uuid: service.store.responses(survey).at(-1)!.uuid,
					form: { id: survey, name: null },
					answers: { [uuid]: 'Very' },
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(lastAnswers(survey)).toEqual({ [uuid]: 'Very' });
		expect(service.requests.map(({ method }) => method)).toEqual(['POST']);
	});

	it.each(['uuid', 'id', 'message'] as const)(
		'gives the same attributes where the service confirms with its %s',
		async (created) => {
			service.shapes.created = created;
			const answersJson = JSON.stringify({ Comment: 'x', 'Comment (2)': 'y' });
			const { items } = await n8n.runNode({ ...fromJson, answersJson });
			const { uuid } = service.store.responses(survey).at(-1)!;
			expect(items[0].json).toEqual({
				status: 'created',
				uuid: created === 'message' ? null : uuid,
				form: { id: survey, name: null },
				answers: { Comment: 'x', 'Comment (2)': 'y' },
			});
		},
	);

	it('names a form that was chosen from the list', async () => {
		const formId = { ...locator(survey, 'list'), cachedResultName: 'Customer Survey' };
		const answersJson = JSON.stringify({ [uuids(survey).Comment]: 'x' });
		const { items } = await n8n.runNode({ ...fromJson, formId, answersJson });
		expect(items[0].json.form).toEqual({ id: survey, name: 'Customer Survey' });
	});

	it('takes an object from an expression, and sends text and integers', async () => {
		const {
			'Score from 0 to 10': score,
			'What do you use?': uses,
			Comment: comment,
		} = uuids(survey);
		await n8n.runNode(
			{ ...fromJson, answersJson: '={{ $json.answers }}' },
			itemsOf({ answers: { [score]: 7, [uses]: ['Forms', 'Reports'], [comment]: 2.5 } }),
		);
		expect(service.requests.map(({ body }) => body)).toEqual([
			{ data: { [score]: 7, [uses]: 'Forms, Reports', [comment]: '2.5' } },
		]);
	});

	it.each([
		['{"a": ', /^'Answers \(JSON\)' is not valid JSON$/],
		['[]', /^'Answers \(JSON\)' must be an object/],
		['"text"', /^'Answers \(JSON\)' must be an object/],
		['', /^'Answers \(JSON\)' is not valid JSON$/],
		['{}', /must have an answer to at least one field/],
		[`{"${NO_FIELD}": null}`, /must have an answer to at least one field/],
		[`{"${NO_FIELD}": {"b": 1}}`, /must be text, .* not an object/],
		['{"data": {"a": "x"}}', /^Enter 'Answers \(JSON\)' without "data" around them/],
		[`{"${NO_FIELD}": 9007199254740993}`, /is a number with too many digits/],
	])('stops at %s before any request', async (answersJson, message) => {
		const { error } = await n8n.runNode({ ...fromJson, answersJson });
		expect(error?.message).toMatch(message);
		expect(service.requests).toEqual([]);
	});

	it.each(['', 'Your Name', 'constructor', 'prototype', '__proto__', 'toString', NO_FIELD])(
		'refuses %j, which is not a field, before anything is sent',
		async (key) => {
			const answers = [`"Comment (2)": "x"`, `"${key}": "x"`].join();
			const { error } = await n8n.runNode({ ...fromJson, answersJson: `{${answers}}` });
			expect(error?.message).toBe(`"${key}" is not a field of this form`);
			expect(error?.description).toContain('Form fields without one: ');
			expect(posts()).toEqual([]);
		},
	);

	it('asks for the fields of the form, once, where a key is no UUID', async () => {
		const { items } = await n8n.runNode(
			{ ...fromJson, answersJson: '={{ $json }}' },
			itemsOf({ email: 'a@b.example' }, { [uuids(survey).Comment]: 'x' }, { 'Comment (2)': 'y' }),
			{ continueOnFail: true },
		);
		expect(items.map(({ json }) => json.error ?? json.answers)).toEqual([
			'"email" is not a field of this form',
			{ [uuids(survey).Comment]: 'x' },
			{ 'Comment (2)': 'y' },
		]);
		expect(service.requests.filter(({ method }) => method === 'GET')).toHaveLength(1);
	});

	it('takes custom keys, labels in any Unicode form and with blanks, and UUIDs in capital letters', async () => {
		const { id } = service.store.addForm({
			name: 'Names',
			fields: [
				{ label: 'Your email', customKey: 'email' },
				{ label: 'Café ' },
				{ label: 'Guests' },
			],
		});
		const [email, cafe, guests] = service.store.fields(id).map(({ uuid }) => uuid);
		const answers = { email: 'a', ['Café'.normalize('NFD')]: 'b', [guests.toUpperCase()]: 2 };
		const { items } = await n8n.runNode(
			{ ...fromJson, formId: locator(id), answersJson: '={{ $json }}' },
			itemsOf(answers),
		);
		expect(lastAnswers(id)).toEqual({ [email]: 'a', [cafe]: 'b', [guests]: 2 });
		expect(items[0].json.answers).toEqual({ 'Your email': 'a', 'Café ': 'b', Guests: 2 });
	});

	it('refuses a label of several fields, unless a numbered one stands beside it', async () => {
		const run = async (answers: IDataObject) =>
			await n8n.runNode({ ...fromJson, answersJson: JSON.stringify(answers) });
		const { error } = await run({ Comment: 'x' });
		expect(error?.message).toBe(
			'"Comment" is the label of 2 fields. Use the UUID of the field, or "Comment (2)" for a later one',
		);
		expect(posts()).toEqual([]);
		expect((await run({ Comment: 'x', 'Comment (2)': 'y' })).error).toBeUndefined();
	});

	it('sends nothing of a run if the fields of the form show that one item is not valid', async () => {
		const { error } = await n8n.runNode(
			{ ...fromJson, answersJson: '={{ $json }}' },
			itemsOf(
				{ [uuids(survey).Comment]: 'x' },
				{ 'Comment (2)': 'y' },
				{ 'How satisfied are you?': 'Terrible' },
			),
		);
		expect(error).toMatchObject({
			message:
				'"How satisfied are you?" must be one of Very, Somewhat, Not at all (got "Terrible")',
			context: { itemIndex: 2 },
		});
		expect(posts()).toEqual([]);
	});

	it('takes other keys from a service whose fields have no UUIDs', async () => {
		const field = { id: 7, label: 'Name' };
		service.faults.set({
			fault: answer(200, 'application/json', JSON.stringify({ success: true, data: [field] })),
			match: { path: /fields$/ },
		});
		await n8n.runNode({ ...fromJson, answersJson: '{"7": "Ada"}' });
		expect(service.requests.at(-1)).toMatchObject({ method: 'POST', body: { data: { 7: 'Ada' } } });
	});
});

describe('Response: Create from fields', () => {
	const fromFields = { ...create, inputMode: 'fields' };
	const run = async (formId: string, mapper: IDataObject, json: IDataObject = {}) => {
		const { fields: schema } = await n8n.getFormFields(formId);
		service.requests.length = 0;
		return await n8n.runNode(
			{
				...fromFields,
				formId: locator(formId),
				fields: { matchingColumns: [], schema, ...mapper } as never,
			},
			itemsOf(json),
		);
	};
	const define = async (formId: string, answers: IDataObject, json: IDataObject = {}) => {
		return await run(formId, { mappingMode: 'defineBelow', value: answers }, json);
	};
	const autoMap = async (formId: string, json: IDataObject) =>
		await run(formId, { mappingMode: 'autoMapInputData', value: null }, json);

	it('sends what was mapped, a date of an expression as ISO 8601, and leaves out what was not', async () => {
		await define(
			application,
			{
				Name: '={{ $json.name }}',
				Email: 'ada@example.com',
				'Earliest start': '={{ DateTime.fromISO($json.start, { zone: "utc" }) }}',
				Portfolio: null,
				CV: 'https://files.example/cv.pdf',
			},
			{ name: 'Ada', start: '2027-01-04T09:00:00Z' },
		);
		const { Name, Email, CV, 'Earliest start': start } = uuids(application);
		expect(service.requests.map(({ body }) => body)).toEqual([
			{
				data: {
					[Name]: 'Ada',
					[Email]: 'ada@example.com',
					[start]: '2027-01-04T09:00:00.000Z',
					[CV]: 'https://files.example/cv.pdf',
				},
			},
		]);
	});

	it('does not turn empty text into the number 0', async () => {
		await define(
			event,
			{ Name: 'Ada', Email: 'a@b.example', Guests: '={{ $json.guests }}' },
			{ guests: '' },
		);
		const { Name, Email, Guests } = uuids(event);
		expect(service.requests.map(({ body }) => body)).toEqual([
			{ data: { [Name]: 'Ada', [Email]: 'a@b.example', [Guests]: '' } },
		]);
	});

	it('names the required fields that have no answer', async () => {
		const { error } = await define(application, {
			Name: '',
			Email: '={{ null }}',
			Portfolio: 'https://a.example',
		});
		expect(error?.message).toBe("2 answers can't be sent");
		expect(error?.description).toBe('Nothing was sent.\n"Name" is required.\n"Email" is required.');
		expect(service.requests).toEqual([]);
	});

	it.each<[string, IDataObject, RegExp]>([
		['a required field without an answer', { Name: 'Ada' }, /Field "Email" is required/],
		[
			'a choice that the field does not offer',
			{ Size: 'Terrible' },
			/'Size' expects one of the following values: \[Small, Large\]/,
		],
		['text for a number', { Guests: 'lots' }, /'Guests' expects a number/],
	])("n8n's own check names %s by its label", async (_, value, message) => {
		const { id } = service.store.addForm({
			name: 'Checked by n8n',
			fields: [
				{ label: 'Email', mandatory: !('Size' in value) && !('Guests' in value) },
				{ label: 'Name' },
				{ label: 'Size', type: 'dropdown', options: ['Small', 'Large'] },
				{ label: 'Guests', type: 'number' },
			],
		});
		const stopped = run(id, { mappingMode: 'defineBelow', value });
		await expect(stopped).rejects.toThrow(message);
		await expect(stopped).rejects.not.toThrow(/[0-9a-f]{8}-[0-9a-f]{4}-/);
		expect(service.requests).toEqual([]);
	});

	it('takes the answers of a field that was renamed after it was mapped', async () => {
		const { id } = service.store.addForm({ name: 'Renamed', fields: [{ label: 'Name' }] });
		const [{ uuid }] = service.store.fields(id);
		const { fields: before } = await n8n.getFormFields(id);
		service.store.renameField(uuid, 'Full name');
		const mapper = { mappingMode: 'defineBelow', value: { Name: 'Ada' }, schema: before };
		await run(id, mapper);
		expect(lastAnswers(id)).toEqual({ [uuid]: 'Ada' });
	});

	it.each(['[]', '[null, ""]', '"  "'])(
		'takes %s for no answer to a required field',
		async (given) => {
			const { error } = await define(application, {
				Name: `={{ ${given} }}`,
				Email: 'ada@example.com',
			});
			expect(error?.message).toBe('"Name" is required');
			expect(service.requests).toEqual([]);
		},
	);

	it('maps automatically by label and by UUID, and leaves other keys alone', async () => {
		const { Name, Email, 'Earliest start': start } = uuids(application);
		await autoMap(application, {
			Name: 'Ada',
			[Email]: 'a@b.example',
			'Earliest start': '2027-01-04',
			other: 1,
		});
		expect(service.requests.map(({ body }) => body)).toEqual([
			{ data: { [Name]: 'Ada', [Email]: 'a@b.example', [start]: '2027-01-04' } },
		]);
	});

	it('takes the simplified answers of another response', async () => {
		const source = { resource: 'response', operation: 'getAll', formId: locator(application) };
		const { items } = await n8n.runNode({ ...source, limit: 100 });
		const alan = items.find(({ json }) => (json.answers as IDataObject).Name === 'Alan Turing')!;
		const { error } = await autoMap(application, alan.json.answers as IDataObject);
		expect(error).toBeUndefined();
		expect(lastAnswers(application)[uuids(application).CV]).toEqual([
			expect.stringMatching(/^cv\.txt\|http/),
		]);
	});

	it('says which input fields there are, and which fields of the form got none', async () => {
		const { error } = await autoMap(application, { 'full name': 'Ada', mail: 'a@b.example' });
		expect(error?.message).toBe("2 answers can't be sent");
		expect(error?.description).toBe(
			[
				'Nothing was sent.',
				'"Name" is required, but no input field matches it.',
				'"Email" is required, but no input field matches it.',
				'Input fields: full name, mail.',
				'Form fields without one: Name, Email, Earliest start, Portfolio, CV.',
			].join('\n'),
		);
		const { id } = service.store.addForm({ name: 'Free', fields: [{ label: 'Note' }] });
		const { error: none } = await autoMap(id, { a: 1, note: 2 });
		expect(none?.message).toBe('No input field matches a field of the form');
		expect(none?.description).toMatch(/Input fields: a, note\.\nForm fields without one: Note\.$/);
	});

	it('takes the one of two input fields for a field that has an answer, and says what it ignored', async () => {
		const { id } = service.store.addForm({
			name: 'Twice',
			fields: [{ label: 'Email', customKey: 'email' }, { label: 'Note' }],
		});
		const [email] = service.store.fields(id);
		const { items } = await autoMap(id, { email: '', Email: 'ada@x.example', row: 7 });
		expect(posts().map(({ body }) => body)).toEqual([{ data: { [email.uuid]: 'ada@x.example' } }]);
		expect(items[0].json).toMatchObject({
			answers: { Email: 'ada@x.example' },
			ignored: ['email', 'row'],
		});
	});

	it('refuses two input fields with answers to one field', async () => {
		const { id } = service.store.addForm({
			name: 'Twice',
			fields: [{ label: 'Email', customKey: 'email' }],
		});
		const { error } = await autoMap(id, { email: 'a@x.example', Email: 'ada@x.example' });
		expect(error?.message).toBe('"Email" has an answer in "email" and "Email". Keep one of them');
		expect(posts()).toEqual([]);
	});

	it('maps automatically by custom key, which is never taken for the label of another field', async () => {
		const { id } = service.store.addForm({
			name: 'Keys',
			fields: [
				{ label: 'Your email', customKey: 'email' },
				{ label: 'email', customKey: 'second_email' },
			],
		});
		const [first, second] = service.store.fields(id).map(({ uuid }) => uuid);
		for (const [json, data] of [
			[{ email: 'a' }, { [first]: 'a' }],
			[
				{ email: 'a', second_email: 'b' },
				{ [first]: 'a', [second]: 'b' },
			],
		]) {
			await autoMap(id, json);
			expect(posts().map(({ body }) => body)).toEqual([{ data }]);
		}
	});

	it('reads the fields of the form in a workflow that was never opened in the editor', async () => {
		const { id } = service.store.addForm({ name: 'New', fields: [{ label: 'A' }, { label: 'B' }] });
		const [first, second] = service.store.fields(id);
		const schema: ResourceMapperField[] = [];
		const mapper = { mappingMode: 'autoMapInputData', value: null, schema };
		await run(id, mapper, { [first.uuid]: 'x', B: 'y', number: 5 });
		expect(posts().map(({ body }) => body)).toEqual([
			{ data: { [first.uuid]: 'x', [second.uuid]: 'y' } },
		]);
	});

	it('takes a choice that the form offers since the fields were mapped', async () => {
		const size = { label: 'Size', type: 'dropdown' as const };
		const { id } = service.store.addForm({ name: 'New', fields: [{ ...size, options: ['L'] }] });
		const { fields } = await n8n.getFormFields(id);
		const schema = fields.map((field) => ({ ...field, options: [{ name: 'S', value: 'S' }] }));
		const value = { Size: '={{ $json.size }}' };
		await run(id, { mappingMode: 'defineBelow', value, schema }, { size: 'L' });
		expect(lastAnswers(id)).toEqual({ [service.store.fields(id)[0].uuid]: 'L' });
		const mapper = { mappingMode: 'defineBelow', value, schema };
		const { error } = await run(id, mapper, { size: 'XL' });
		expect(error?.message).toBe('"Size" must be one of L (got "XL")');
		expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
	});

	it('reads the fields of the form that an expression chooses, and not those of the stored one', async () => {
		const { id } = service.store.addForm({ name: 'Other', fields: [{ label: 'Only' }] });
		const { fields: schema } = await n8n.getFormFields(application);
		await n8n.runNode(
			{
				...fromFields,
				formId: locator('={{ $json.form }}'),
				fields: { mappingMode: 'autoMapInputData', value: null, schema } as never,
			},
			itemsOf({ form: id, Only: 'x' }),
		);
		expect(lastAnswers(id)).toEqual({ [service.store.fields(id)[0].uuid]: 'x' });
	});
});

describe('An answer that its field does not offer', () => {
	const { id } = service.store.addForm({
		name: 'Checked',
		fields: [
			{ label: 'Size', type: 'dropdown', options: ['Small', 'Large'] },
			{ label: 'Uses', type: 'multiple_choice', options: ['Forms', 'Reports', 'PDF, printed'] },
			{ label: 'Guests', type: 'number' },
			{ label: 'News', type: 'boolean' as 'text' },
			{ label: 'Start', type: 'date' },
		],
	});
	const fields = service.store.fields(id);
	const sent = (answers: IDataObject) =>
		Object.fromEntries(fields.map(({ label, uuid }) => [uuid, answers[label]]));

	const mapped = async (mappingMode: string, value: IDataObject | null) => ({
		inputMode: 'fields',
		fields: { mappingMode, value, schema: (await n8n.getFormFields(id)).fields } as never,
	});
	const expressions = Object.fromEntries(
		fields.map(({ label }) => [label, `={{ $json[${JSON.stringify(label)}] }}`]),
	);
	const modes = {
		'field by field': async () => await mapped('defineBelow', expressions),
		automatically: async () => await mapped('autoMapInputData', null),
		'as JSON': async () =>
			await Promise.resolve({ inputMode: 'json', answersJson: '={{ $json }}' }),
	};

	describe.each(Object.entries(modes))('given %s', (_, parametersOf) => {
		const run = async (rows: IDataObject[], options = {}) => {
			const parameters = { ...create, formId: locator(id), ...(await parametersOf()), options };
			service.requests.length = 0;
			return await n8n.runNode(parameters, itemsOf(...rows), { continueOnFail: true });
		};

		it('is refused, with what the field takes', async () => {
			const refused: Array<[string, unknown, string]> = [
				['Size', 'Medium', 'one of Small, Large (got "Medium")'],
				['Size', ['Small', 'Large'], 'one of Small, Large (got "Small", "Large")'],
				['Uses', 'Forms, Other', 'one or more of Forms, Reports, PDF, printed (got "Other")'],
				['Uses', ['Forms', 5], 'one or more of Forms, Reports, PDF, printed (got 5)'],
				['Guests', 'lots', 'a number (got "lots")'],
				['Guests', true, 'a number (got true)'],
				['News', 'maybe', 'true or false (got "maybe")'],
				['Start', 'soon', 'a date, such as 2027-01-31 (got "soon")'],
			];
			const rows = refused.map(([label, value]) => ({ [label]: value }) as IDataObject);
			const { items } = await run(rows);
			expect(items.map(({ json }) => json.error)).toEqual(
				refused.map(([label, _value, what]) => `"${label}" must be ${what}`),
			);
			expect(posts()).toEqual([]);
		});

		it('is sent with Allow Other Choices, if the field has choices', async () => {
			const answers = { Size: 'Medium', Uses: ['Forms', 'Nonsense'] };
			const { items } = await run([answers, { Guests: 'lots' }], { allowOtherChoices: true });
			const errors = items.map(({ json }) => json.error);
			expect(errors).toEqual([undefined, expect.stringMatching(/^"Guests" must be a number/)]);
			expect(lastAnswers(id)).toEqual(sent({ Size: 'Medium', Uses: 'Forms, Nonsense' }));
		});

		it('is not one that is written in another way', async () => {
			const answers = {
				Size: ' Small ',
				Uses: 'PDF, printed,Forms',
				Guests: '2',
				News: 'yes',
				Start: '2027-01-04 09:00',
			};
			const { items } = await run([answers]);
			expect(items[0].json.error).toBeUndefined();
			expect(lastAnswers(id)).toEqual(
				sent({ ...answers, Size: 'Small', Uses: 'PDF, printed, Forms', News: 1 }),
			);
		});
	});
});
