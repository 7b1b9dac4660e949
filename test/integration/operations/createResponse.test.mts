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
const lastAnswers = (formId: string) => service.store.responses(formId).at(-1)!.answers;

describe('Response: Create from JSON', () => {
	const fromJson = { ...create, inputMode: 'json', formId: locator(survey) };

	it('adds a response and gives what the service says of it', async () => {
		const uuid = uuids(survey)['How satisfied are you?'];
		const { items } = await n8n.runNode({
			...fromJson,
			answersJson: JSON.stringify({ [uuid]: 'Very' }),
		});
		expect(items).toEqual([
			{
				json: { message: expect.any(String), uuid: service.store.responses(survey).at(-1)!.uuid },
				pairedItem: { item: 0 },
			},
		]);
		expect(lastAnswers(survey)).toEqual({ [uuid]: 'Very' });
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
		['{"a": null}', /must have an answer to at least one field/],
		['{"": "x"}', /"" is not the UUID of a field/],
		['{"Your Name": "x"}', /"Your Name" is not the UUID of a field/],
		['{"a": {"b": 1}}', /"a" must be text, .* not an object/],
		['{"data": {"a": "x"}}', /^Enter 'Answers \(JSON\)' without "data" around them/],
		['{"a": 9007199254740993}', /"a" is a number with too many digits/],
	])('stops at %s before anything is sent', async (answersJson, message) => {
		const { error } = await n8n.runNode({ ...fromJson, answersJson });
		expect(error?.message).toMatch(message);
		expect(service.requests).toEqual([]);
	});

	it.each(['constructor', 'prototype', '__proto__', 'toString'])(
		'refuses %s as the UUID of a field, which would be lost on the way',
		async (key) => {
			const { error } = await n8n.runNode({ ...fromJson, answersJson: `{"${key}": "x"}` });
			expect(error?.message).toBe(`"${key}" is not the UUID of a field`);
			expect(service.requests).toEqual([]);
		},
	);

	it('refuses a key that is no UUID beside one that is', async () => {
		const answersJson = JSON.stringify({ [uuids(survey).Comment]: 'x', email: 'a@b.example' });
		const { error } = await n8n.runNode({ ...fromJson, answersJson });
		expect(error?.message).toBe('"email" is not the UUID of a field');
		expect(service.requests).toEqual([]);
	});

	it('asks for the fields of the form, once, where no key is a UUID', async () => {
		const before = service.store.responses(survey).length;
		const { items } = await n8n.runNode(
			{ ...fromJson, answersJson: '={{ $json }}' },
			itemsOf({ email: 'a@b.example' }, { name: 'Ada' }),
			{ continueOnFail: true },
		);
		expect(items.map(({ json }) => json.error)).toEqual([
			'"email" is not the UUID of a field of this form',
			'"name" is not the UUID of a field of this form',
		]);
		expect(service.requests.map(({ path }) => path)).toEqual([`/forms/${survey}/fields`]);
		expect(service.store.responses(survey)).toHaveLength(before);
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

	it('sends nothing of a run when one of its items is not valid', async () => {
		const uuid = uuids(survey).Comment;
		const { error } = await n8n.runNode(
			{ ...fromJson, answersJson: '={{ $json }}' },
			itemsOf({ [uuid]: 'one' }, { [uuid]: 'two' }, { [uuid]: { not: 'an answer' } }),
		);
		expect(error).toMatchObject({ context: { itemIndex: 2 } });
		expect(service.requests).toEqual([]);
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
		const uuid = uuids(formId);
		const value = Object.fromEntries(
			Object.entries(answers).map(([label, given]) => [uuid[label], given]),
		);
		return await run(formId, { mappingMode: 'defineBelow', value }, json);
	};
	const autoMap = async (formId: string, json: IDataObject) =>
		await run(formId, { mappingMode: 'autoMapInputData', value: null }, json);

	it('sends what was mapped, and leaves out what was not', async () => {
		await define(
			application,
			{
				Name: '={{ $json.name }}',
				Email: 'ada@example.com',
				'Earliest start': '={{ $json.start }}',
				Portfolio: null,
				CV: 'https://files.example/cv.pdf',
			},
			{ name: 'Ada', start: '2027-01-04' },
		);
		const { Name, Email, CV, 'Earliest start': start } = uuids(application);
		expect(service.requests.map(({ body }) => body)).toEqual([
			{
				data: {
					[Name]: 'Ada',
					[Email]: 'ada@example.com',
					[start]: '2027-01-04',
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

	it('sends the date of an expression as ISO 8601', async () => {
		const start = '={{ DateTime.fromISO("2027-01-04T09:00:00Z", { zone: "utc" }) }}';
		await define(application, { Name: 'Ada', Email: 'a@b.example', 'Earliest start': start });
		expect(lastAnswers(application)[uuids(application)['Earliest start']]).toBe(
			'2027-01-04T09:00:00.000Z',
		);
	});

	it.each(['cv.pdf', '/cv.pdf', 'ftp://files.example/cv.pdf'])(
		'refuses %j for a file field before anything is sent',
		async (file) => {
			const { error } = await define(application, { Name: 'Ada', Email: 'a@b.example', CV: file });
			expect(error?.message).toMatch(/^"CV" must be an http\(s\) URL of an already uploaded file$/);
			expect(service.requests).toEqual([]);
		},
	);

	it('names the required fields that have no answer', async () => {
		const { error } = await define(application, {
			Name: '',
			Email: null,
			Portfolio: 'https://a.example',
		});
		expect(error?.message).toBe("2 answers can't be sent");
		expect(error?.description).toBe('Nothing was sent.\n"Name" is required.\n"Email" is required.');
		expect(service.requests).toEqual([]);
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

	it('tells two fields with one label apart when it maps automatically', async () => {
		const comments = service.store.fields(survey).filter(({ label }) => label === 'Comment');
		await autoMap(survey, {
			'How satisfied are you?': 'Very',
			Comment: 'good',
			'Comment (2)': 'bad',
		});
		expect(comments.map(({ uuid }) => lastAnswers(survey)[uuid])).toEqual(['good', 'bad']);
	});

	it('says so when no key of the item is a field', async () => {
		const schema: ResourceMapperField[] = [];
		const { error } = await run(
			survey,
			{ mappingMode: 'autoMapInputData', value: null, schema },
			{ a: 1 },
		);
		expect(error?.message).toMatch(
			/^No key of the input item is the name, the custom key or the UUID of a field/,
		);
	});

	it('maps automatically by custom key, which goes before a label', async () => {
		const { id } = service.store.addForm({
			name: 'Keys',
			fields: [
				{ label: 'Your email', customKey: 'email' },
				{ label: 'email', customKey: 'second_email' },
				{ label: 'Guests' },
			],
		});
		const [first, second, guests] = service.store.fields(id);
		await autoMap(id, { email: 'a@b.example', second_email: 'c@d.example', Guests: 2 });
		expect(service.requests.map(({ body }) => body)).toEqual([
			{ data: { [first.uuid]: 'a@b.example', [second.uuid]: 'c@d.example', [guests.uuid]: 2 } },
		]);
	});

	it('does not take the custom key of one field for the label of another', async () => {
		const { id } = service.store.addForm({
			name: 'Keys again',
			fields: [{ label: 'Your email', customKey: 'email' }, { label: 'email' }],
		});
		const [first] = service.store.fields(id);
		await autoMap(id, { email: 'a@b.example' });
		expect(service.requests.map(({ body }) => body)).toEqual([
			{ data: { [first.uuid]: 'a@b.example' } },
		]);
	});

	it('maps by UUID in a workflow that was never opened in the editor', async () => {
		const uuid = uuids(survey).Comment;
		const schema: ResourceMapperField[] = [];
		await run(
			survey,
			{ mappingMode: 'autoMapInputData', value: null, schema },
			{ [uuid]: 'x', number: 5 },
		);
		expect(service.requests.map(({ body }) => body)).toEqual([{ data: { [uuid]: 'x' } }]);
	});
});
