import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answer, demoForms } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const { application, survey } = demoForms;
const create = { resource: 'response', operation: 'create' };

const uuids = (formId: string) =>
	Object.fromEntries(service.store.fields(formId).map(({ label, uuid }) => [label, uuid]));
const NO_FIELD = '5f1c9a52-0b1c-4d2e-8f3a-9b8c7d6e5f40';

const posts = () => service.requests.filter(({ method }) => method === 'POST');
const sentAnswers = () => posts().map(({ body }) => (body as IDataObject).data);
const lastAnswers = (formId: string) => service.store.responses(formId).at(-1)!.answers;

type Fields = Parameters<typeof service.store.addForm>[0]['fields'];

/** A form of its own, and the UUIDs of its fields. */
function newForm(fields: Fields) {
	const { id } = service.store.addForm({ name: 'New', fields });
	return { id, ids: service.store.fields(id).map(({ uuid }) => uuid) };
}

describe('Response: Create from JSON', () => {
	const fromJson = { ...create, inputMode: 'json', formId: locator(survey) };
	const run = async (rows: IDataObject[], more: object = {}, continueOnFail = false) => {
		const parameters = { ...fromJson, answersJson: '={{ $json }}', ...more };
		return await n8n.runNode(parameters, itemsOf(...rows), { continueOnFail });
	};

	it('adds a response and gives its ID, the form and the answers as they were sent', async () => {
		const uuid = uuids(survey)['How satisfied are you?'];
		const answersJson = JSON.stringify({ [uuid]: 'Very' });
		const { items } = await n8n.runNode({ ...fromJson, answersJson });
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
			const answers = { Comment: 'x', 'Comment (2)': 'y' };
			const { items } = await run([answers]);
			const { uuid } = service.store.responses(survey).at(-1)!;
			expect(items[0].json).toEqual({
				status: 'created',
				uuid: created === 'message' ? null : uuid,
				form: { id: survey, name: null },
				answers,
			});
		},
	);

	it('names a form that was chosen from the list', async () => {
		const formId = { ...locator(survey, 'list'), cachedResultName: 'Customer Survey' };
		const { items } = await run([{ [uuids(survey).Comment]: 'x' }], { formId });
		expect(items[0].json.form).toEqual({ id: survey, name: 'Customer Survey' });
	});

	it('sends text and integers', async () => {
		const names = ['Score from 0 to 10', 'What do you use?', 'Comment'];
		const [score, uses, comment] = names.map((name) => uuids(survey)[name]);
		await run([{ [score]: 7, [uses]: ['Forms', 'Reports'], [comment]: 2.5 }]);
		expect(sentAnswers()).toEqual([{ [score]: 7, [uses]: 'Forms, Reports', [comment]: '2.5' }]);
	});

	it.each([
		['{"a": ', /^'Answers \(JSON\)' is not valid JSON$/],
		['[]', /^'Answers \(JSON\)' must be an object/],
		['"text"', /^'Answers \(JSON\)' must be an object/],
		['', /^'Answers \(JSON\)' is not valid JSON$/],
		['{}', /^There is no answer to send/],
		[`{"${NO_FIELD}": null}`, /^There is no answer to send/],
		[`{"${NO_FIELD}": {"b": 1}}`, /must be text, .* not an object/],
		['{"data": {"a": "x"}}', /^Enter 'Answers \(JSON\)' without "data" around the answers/],
		[`{"${NO_FIELD}": 9007199254740993}`, /has too many digits/],
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
			expect(error?.description).toContain('Form fields without an answer: ');
			expect(posts()).toEqual([]);
		},
	);

	it('asks for the fields of the form, once, where a key is no UUID', async () => {
		const rows = [{ email: 'a' }, { [uuids(survey).Comment]: 'x' }, { 'Comment (2)': 'y' }];
		const { items } = await run(rows, {}, true);
		expect(items.map(({ json }) => json.error ?? json.answers)).toEqual([
			'"email" is not a field of this form',
			...rows.slice(1),
		]);
		expect(service.requests.filter(({ method }) => method === 'GET')).toHaveLength(1);
	});

	it('takes custom keys, labels in any Unicode form and with blanks, and UUIDs in capital letters', async () => {
		const email = { label: 'Your email', customKey: 'email' };
		const { id, ids } = newForm([email, { label: 'Café ' }, { label: 'Guests' }]);
		const answers = { email: 'a', ['Café'.normalize('NFD')]: 'b', [ids[2].toUpperCase()]: 2 };
		const { items } = await run([answers], { formId: locator(id) });
		expect(lastAnswers(id)).toEqual({ [ids[0]]: 'a', [ids[1]]: 'b', [ids[2]]: 2 });
		expect(items[0].json.answers).toEqual({ 'Your email': 'a', 'Café ': 'b', Guests: 2 });
	});

	it('refuses a label of several fields, unless a numbered one stands beside it', async () => {
		const { error } = await run([{ Comment: 'x' }]);
		expect(error?.message).toBe(
			'"Comment" is the name of 2 fields. Use the UUID of the field, or "Comment (2)" for a later field',
		);
		expect(posts()).toEqual([]);
		expect((await run([{ Comment: 'x', 'Comment (2)': 'y' }])).error).toBeUndefined();
	});

	it('sends nothing of a run if the fields of the form show that one item is not valid', async () => {
		const { error } = await run([
			{ [uuids(survey).Comment]: 'x' },
			{ 'Comment (2)': 'y' },
			{ 'How satisfied are you?': 'Terrible' },
		]);
		expect(error).toMatchObject({
			message: '"How satisfied are you?" must be one of Very, Somewhat, Not at all',
			context: { itemIndex: 2 },
		});
		expect(posts()).toEqual([]);
	});

	it('lists all items that only the fields of the form show to be invalid', async () => {
		const { error } = await run([
			{ 'How satisfied are you?': 'Terrible' },
			{ 'Comment (2)': 'y' },
			{ Coment: 'x' },
		]);
		const lines = String(error?.description).split('\n');
		expect(lines).toEqual([
			'Nothing was sent.',
			expect.stringMatching(/^Row 1 \(item 0\): "How satisfied are you\?" must be one of /),
			expect.stringMatching(/^Row 3 \(item 2\): "Coment" is not a field of this form\. /),
		]);
		expect(error).toMatchObject({
			message: '2 of 3 rows have errors',
			context: { itemIndex: 0 },
		});
		expect(posts()).toEqual([]);
	});

	it('quotes no answer in an error', async () => {
		const secret = 'my diagnosis is private';
		const rows = uuids(survey);
		for (const name of ['How satisfied are you?', 'Score from 0 to 10']) {
			const { error } = await run([{ [name]: secret }, { [rows[name]]: [secret, secret] }]);
			expect(error?.message).toContain(name);
			expect(JSON.stringify([error?.message, error?.description])).not.toContain(secret);
		}
	});

	it('takes other keys from a service whose fields have no UUIDs', async () => {
		const field = { id: 7, label: 'Name' };
		service.faults.set({
			fault: answer(200, 'application/json', JSON.stringify({ success: true, data: [field] })),
			match: { path: /fields$/ },
		});
		await run([{ 7: 'Ada' }]);
		expect(sentAnswers()).toEqual([{ 7: 'Ada' }]);
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
	const autoMap = async (formId: string, json: IDataObject) => {
		service.requests.length = 0;
		const parameters = { ...create, inputMode: 'auto', formId: locator(formId) };
		return await n8n.runNode(parameters, itemsOf(json));
	};

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
		expect(sentAnswers()).toEqual([
			{
				[Name]: 'Ada',
				[Email]: 'ada@example.com',
				[start]: '2027-01-04T09:00:00.000Z',
				[CV]: 'https://files.example/cv.pdf',
			},
		]);
	});

	it('takes an empty cell for no answer to a number, a date, a choice or a yes or no', async () => {
		const { id, ids } = newForm([
			{ label: 'Name' },
			{ label: 'Guests', type: 'number' },
			{ label: 'Day', type: 'date' },
			{ label: 'News', type: 'boolean' as 'text' },
			{ label: 'Size', type: 'dropdown', options: ['S', 'L'] },
			{ label: 'Uses', type: 'multiple_choice', options: ['A', 'B'] },
		]);
		const row = { Name: 'Ada', Guests: '', Day: ' ', News: '', Size: '', Uses: '' };
		await autoMap(id, row);
		await define(id, { Name: 'Ada', Guests: '={{ $json.guests }}' }, { guests: '' });
		const json = { ...create, inputMode: 'json', formId: locator(id), answersJson: '={{ $json }}' };
		await n8n.runNode(json, itemsOf(row));
		const sent = { [ids[0]]: 'Ada' };
		expect(service.store.responses(id).map(({ answers }) => answers)).toEqual([sent, sent, sent]);
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

	it.each<[string, NonNullable<Fields>[number], string, RegExp]>([
		['a required field', { label: 'F', mandatory: true }, '', /Field "F" is required/],
		[
			'a choice that the field does not offer',
			{ label: 'F', type: 'dropdown', options: ['Small', 'Large'] },
			'Terrible',
			/'F' expects one of the following values: \[Small, Large\]/,
		],
		['text for a number', { label: 'F', type: 'number' }, 'lots', /'F' expects a number/],
	])("n8n's own check names %s by its label", async (_, field, value, message) => {
		const { id } = newForm([field, { label: 'Other' }]);
		const stopped = define(id, value === '' ? { Other: 'x' } : { F: value });
		await expect(stopped).rejects.toThrow(message);
		await expect(stopped).rejects.not.toThrow(/[0-9a-f]{8}-[0-9a-f]{4}-/);
		expect(service.requests).toEqual([]);
	});

	it('takes the answers of a field that was renamed after it was mapped', async () => {
		const { id, ids } = newForm([{ label: 'Name' }]);
		const { fields: schema } = await n8n.getFormFields(id);
		service.store.renameField(ids[0], 'Full name');
		await run(id, { mappingMode: 'defineBelow', value: { Name: 'Ada' }, schema });
		expect(lastAnswers(id)).toEqual({ [ids[0]]: 'Ada' });
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
		const { Name, Email } = uuids(application);
		await autoMap(application, { Name: 'Ada', [Email]: 'a@b.example', other: 1 });
		expect(sentAnswers()).toEqual([{ [Name]: 'Ada', [Email]: 'a@b.example' }]);
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
				'Form fields without an input field: Name, Email, Earliest start, Portfolio, CV.',
			].join('\n'),
		);
		const { id } = newForm([{ label: 'Note' }]);
		const { error: none } = await autoMap(id, { a: 1, notes: 2 });
		expect(none?.message).toBe('No input field with a value matches a field of the form');
		expect(none?.description).toMatch(
			/Input fields: a, notes\.\nForm fields without an input field: Note\.$/,
		);
	});

	const email = { label: 'Email', customKey: 'email' };

	it('takes the one of two input fields for a field that has an answer, and says what it ignored', async () => {
		const { id, ids } = newForm([email, { label: 'Note' }]);
		const { items } = await autoMap(id, { email: '', Email: 'ada@x.example', row: 7 });
		expect(sentAnswers()).toEqual([{ [ids[0]]: 'ada@x.example' }]);
		expect(items[0].json).toMatchObject({
			answers: { Email: 'ada@x.example' },
			ignored: ['email', 'row'],
		});
	});

	it('refuses two input fields with answers to one field', async () => {
		const { error } = await autoMap(newForm([email]).id, { email: 'a', Email: 'b' });
		expect(error?.message).toBe('"Email" has an answer in "email" and "Email". Keep one of them');
		expect(posts()).toEqual([]);
	});

	it('maps automatically by custom key, which is never taken for the label of another field', async () => {
		const { id, ids } = newForm([
			{ ...email, label: 'Your email' },
			{ label: 'email', customKey: 'b' },
		]);
		await autoMap(id, { email: 'x' });
		expect(sentAnswers()).toEqual([{ [ids[0]]: 'x' }]);
		await autoMap(id, { email: 'x', b: 'y' });
		expect(sentAnswers()).toEqual([{ [ids[0]]: 'x', [ids[1]]: 'y' }]);
	});

	it('reads the fields of the form in a workflow that was never opened in the editor', async () => {
		const { id, ids } = newForm([{ label: 'A' }, { label: 'B' }]);
		await run(id, { mappingMode: 'defineBelow', value: { [ids[0]]: 'x', B: 'y' }, schema: [] });
		expect(sentAnswers()).toEqual([{ [ids[0]]: 'x', [ids[1]]: 'y' }]);
	});

	it('takes a choice that the form offers since the fields were mapped', async () => {
		const { id, ids } = newForm([{ label: 'Size', type: 'dropdown', options: ['L'] }]);
		const { fields } = await n8n.getFormFields(id);
		const schema = fields.map((field) => ({ ...field, options: [{ name: 'S', value: 'S' }] }));
		const mapper = { mappingMode: 'defineBelow', value: { Size: '={{ $json.size }}' }, schema };
		await run(id, mapper, { size: 'L' });
		expect(lastAnswers(id)).toEqual({ [ids[0]]: 'L' });
		const { error } = await run(id, mapper, { size: 'XL' });
		expect(error?.message).toBe('"Size" must be one of L');
		expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
	});

	it('reads the fields of the form that an expression chooses, and not those of the stored one', async () => {
		const { id, ids } = newForm([{ label: 'Only' }]);
		const { fields: schema } = await n8n.getFormFields(newForm([{ label: 'Other' }]).id);
		const fields = {
			mappingMode: 'defineBelow',
			value: { Only: '={{ $json.Only }}' },
			schema,
		} as never;
		const formId = locator('={{ $json.form }}');
		await n8n.runNode({ ...fromFields, formId, fields }, itemsOf({ form: id, Only: 'x' }));
		expect(lastAnswers(id)).toEqual({ [ids[0]]: 'x' });
	});
});

describe('An answer, however it is given', () => {
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
	const byUuid = (answers: IDataObject) =>
		Object.fromEntries(fields.map(({ label, uuid }) => [uuid, answers[label]]));
	const value = Object.fromEntries(
		fields.map(({ label }) => [label, `={{ $json[${JSON.stringify(label)}] }}`]),
	);

	/** Runs rows with each way to give the answers, and compares what comes of the rows. */
	async function runEachWay(rows: IDataObject[], options: IDataObject = {}) {
		const { fields: schema } = await n8n.getFormFields(id);
		const mapper = { mappingMode: 'defineBelow', matchingColumns: [], value, schema };
		const ways = [
			{ inputMode: 'auto' },
			{ inputMode: 'fields', fields: mapper },
			{ inputMode: 'json', answersJson: '={{ $json }}' },
		];
		return await Promise.all(
			ways.map(async (way) => {
				const parameters = { ...create, ...way, formId: locator(id), options } as never;
				const { items } = await n8n.runNode(parameters, itemsOf(...rows), { continueOnFail: true });
				return items.map(({ json }) => json.error ?? json.status);
			}),
		);
	}
	const eachWay = (outcomes: unknown[]) => [outcomes, outcomes, outcomes];

	it('is refused if its field does not take it, with what the field takes', async () => {
		const refused: Array<[string, unknown, RegExp]> = [
			['Size', 'Medium', /^"Size" must be one of Small, Large$/],
			['Size', ['Small', 'Large'], /^"Size" must be one of Small, Large$/],
			['Uses', ['Forms', 5], /^"Uses" must be one or more of Forms, Reports, PDF, printed$/],
			['Guests', 'lots', /^"Guests" must be a number/],
			['News', 'maybe', /^"News" must be true or false/],
			['Start', 'soon', /^"Start" must be a date, such as 2027-01-31/],
		];
		const rows = refused.map(([label, given]) => ({ [label]: given }) as IDataObject);
		const outcomes = refused.map(([, , what]) => expect.stringMatching(what));
		expect(await runEachWay(rows)).toEqual(eachWay(outcomes));
		expect(posts()).toEqual([]);
	});

	it('is sent with Allow "Other" Answers, if its field has choices', async () => {
		const rows = [{ Size: 'Medium', Uses: ['Forms', 'Nonsense'] }, { Guests: 'lots' }];
		const outcomes = ['created', expect.stringMatching(/^"Guests" must be a number/)];
		expect(await runEachWay(rows, { allowOtherChoices: true })).toEqual(eachWay(outcomes));
		expect(lastAnswers(id)).toEqual(byUuid({ Size: 'Medium', Uses: 'Forms, Nonsense' }));
	});

	it('is sent as the field takes it, however it is written', async () => {
		const row = { Size: ' Small ', Uses: 'PDF, printed,Forms', Guests: '2', News: 'yes' };
		expect(await runEachWay([{ ...row, Start: '2027-01-04' }])).toEqual(eachWay(['created']));
		const sent = { Size: 'Small', Uses: 'PDF, printed, Forms', Guests: '2', News: 1 };
		expect(lastAnswers(id)).toEqual(byUuid({ ...sent, Start: '2027-01-04' }));
	});
});
