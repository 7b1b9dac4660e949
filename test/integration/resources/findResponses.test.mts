import type { INodePropertyOptions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms, success } from '../../service/index.mts';
import { itemsOf, locator, placesOf } from '../harness.mts';
import { createWorld, pathsOf, running, type World } from '../world.mts';

const world = await running();
const { service, n8n } = world;
const { application, contact } = demoForms;
const getAll = { resource: 'response', operation: 'getAll', returnAll: true };

async function list(formId: string, parameters: object = {}) {
	const given = { ...getAll, formId: locator(formId), ...parameters } as never;
	const { items, error } = await n8n.runNode(given);
	return { items, error, rows: items.map(({ json }) => json) };
}

it('One Column per Field takes one request for the fields, and two items share it', async () => {
	const fields = ['Name', 'number', 'Phone'].map((label) => ({ label }));
	const { id } = service.store.addForm({ name: 'New', id: '123456', fields });
	const { uuid } = service.store.addResponse(id, { answers: { Name: 'Ada', number: 'A-7' } });
	// an expression can give a number and a text in place of a text and a switch
	const given = { formId: locator('={{ 123456 }}'), options: { columns: '={{ "yes" }}' } };
	const get = { resource: 'response', operation: 'get', responseId: uuid };
	const { items } = await n8n.runNode({ ...get, ...given }, itemsOf({}, {}));
	const attributes = { response_number: 1, response_uuid: uuid };
	const row = { Name: 'Ada', number: 'A-7', Phone: null, ...attributes };
	expect(items).toMatchObject([{ json: row }, { json: row }]);
	expect(pathsOf(service.requests).toSorted()).toEqual([`/forms/${id}/fields`, `/responses/${id}`]);
	const listed = await n8n.runNode({ ...getAll, ...given }, itemsOf({}, {}));
	expect(listed.items).toEqual(items);
	expect(service.requests).toHaveLength(4);
});

it('Download Files names files by the labels of their fields, whatever the keys of the answers are', async () => {
	const keys = ['customKey', 'uuid', 'label'];
	const options = { downloadFiles: true, nameAnswersBy: '={{ $json.keys }}' };
	const given = { ...getAll, formId: locator(application), options };
	const { items } = await n8n.runNode(given, itemsOf(...keys.map((key) => ({ keys: key }))));
	expect(items.flatMap(({ binary = {} }) => Object.keys(binary))).toEqual(['cv', 'cv', 'cv']);
	const { uuid } = service.store.fields(application)[0];
	const first = items.map(({ json }) => Object.keys(json.answers as object)[0]);
	expect(first).toEqual(['name', uuid, 'Name']);
});

it('Download Files knows by the field what is a file, and says what it has not downloaded', async () => {
	const fields = [{ label: 'Scan', type: 'file_upload' as const }, { label: 'Link' }];
	const { id } = service.store.addForm({ name: 'Uploads', fields });
	const { id: fileId } = service.store.addFile({ type: 'text/plain', data: Buffer.from('scan') });
	const link = `${service.url}/files/${fileId}/scan`;
	const Scan = [`scan|${link}`, 'lost', `foto.jpg (1)|${link}`];
	service.store.addResponse(id, { answers: { Scan, Link: `see here|${link}` } });
	for (const simplify of [true, false]) {
		const { items } = await list(id, { simplify, options: { downloadFiles: true } });
		expect(Object.keys(items[0].binary ?? {})).toEqual(['scan', 'scan_2']);
		const fileError = 'Scan: The answer has no web address of a file';
		expect(items[0].json).toMatchObject({ fileError });
	}
});

describe('Filters and Sort', () => {
	/** A form with six responses, a day apart, the first at the first of the month. */
	const { id: filled } = service.store.addForm({ name: 'Filled', fields: [{ label: 'Day' }] });
	for (let day = 1; day <= 6; day++) {
		const createdAt = `2026-10-0${day}T08:00:00.000000Z`;
		service.store.addResponse(filled, { answers: { Day: `Day ${day}` }, createdAt });
	}

	const findDays = async (parameters: object) => {
		service.shapes.order = 'asc';
		const { error, rows } = await list(filled, parameters);
		expect(error).toBeUndefined();
		return rows.map(({ answers }) => Number((answers as { Day: string }).Day.slice(-1)));
	};

	const conditionOn = (field: string, operator: string, value: string) => ({
		conditions: { conditions: [{ field, operator, value }] },
	});
	// in the workflow's zone, if it has none
	const time = '2026-10-05T06:00';
	const utc = `={{ DateTime.fromISO("${time}", { zone: "utc" }) }}`;
	const day = { field: 'Day', operator: 'is', value: 'Day 2' };
	const number = { field: 'attribute:number', operator: 'greater', value: '={{ 5 }}' };
	const conditions = { conditions: [day, number] };

	it.each([
		[{}, [6, 5, 4, 3, 2, 1], 1],
		[{ sort: { order: 'oldest' }, returnAll: false, limit: 2 }, [1, 2], 1],
		[{ sort: { order: 'listed' }, returnAll: false, limit: 1 }, [1], 1],
		[{ filters: { text: 'day 3' } }, [3], 1],
		// conditions on answers need the fields of the form
		[{ filters: { match: 'any', conditions } }, [6, 2], 2],
		[{ filters: { conditions } }, [], 2],
		[{ filters: { after: '2026-10-01', before: '2026-10-05T08:00Z' } }, [4, 3, 2, 1], 1],
		[{ filters: { after: time } }, [6], 1],
		// the fourth was submitted at this time
		[{ filters: { after: '2026-10-04T08:00Z' } }, [6, 5, 4], 1],
		[{ filters: { before: '2026-10-04T08:00Z' } }, [3, 2, 1], 1],
		[{ filters: conditionOn('attribute:created_at', 'after', utc) }, [6, 5], 1],
		[{ filters: conditionOn('attribute:is_incomplete', 'is', '={{ true }}') }, [], 1],
	])('give the responses that %j asks for: %j', async (parameters, expected, requests) => {
		expect(await findDays(parameters)).toEqual(expected);
		expect(service.requests).toHaveLength(requests);
	});

	it.each<[object]>([[conditionOn('Day', 'is', 'Day 3')], [conditionOn('Day', 'isNot', 'Day 4')]])(
		'return a response with unreadable answers, and say that they are unreadable: %j',
		async (filters) => {
			const readable = ['Day 3', 'Day 4'].map((Day) => ({ uuid: Day, responses: { Day } }));
			const data = [...readable, { uuid: 'odd', responses: 42 }];
			service.faults.set({ fault: success(data), match: { path: /^\/responses/ } });
			const { rows } = await list(filled, { filters, sort: { order: 'listed' } });
			expect(rows.map(({ uuid }) => uuid)).toEqual(['Day 3', 'odd']);
			expect(rows.map(({ answersError }) => answersError)).toEqual([
				undefined,
				'The answers could not be read from a number',
			]);
		},
	);

	it('are applied to the limit of each item', async () => {
		const given = {
			...getAll,
			formId: locator(filled),
			returnAll: false,
			sort: { order: 'listed' },
		};
		const input = itemsOf({ limit: 1 }, { limit: 4 });
		const { items } = await n8n.runNode({ ...given, limit: '={{ $json.limit }}' }, input);
		expect(placesOf(items)).toEqual([0, 1, 1, 1, 1]);
	});

	it.each([
		[{}, 6],
		[{ sort: { order: 'listed' }, status: 'complete' }, 1],
		[{ sort: { order: 'listed' }, filters: { after: '2026-10-03' } }, 3],
		[{ sort: { order: 'listed' }, filters: conditionOn('attribute:number', 'greater', '5') }, 6],
	])('are applied before the limit, so all pages are read: %j', async (parameters, found) => {
		service.shapes.pageSize = 2;
		expect(await findDays({ returnAll: false, limit: 1, ...parameters })).toEqual([found]);
		expect(service.requests).toHaveLength(3);
	});

	it.each<[unknown, string, object?]>([
		[{}, "'Limit' must be a whole number of at least 1", { returnAll: false, limit: 0 }],
		[{}, "'Limit' must be a whole number", { returnAll: false, limit: '={{ "1.000" }}' }],
		[
			{ after: 'soon' },
			"'Submitted At or After' must be a date, such as 2026-01-31 or 2026-01-31T08:00",
		],
		[{ text: '={{ $json.missing }}' }, "'Answers Contain' is empty"],
		[{ after: '={{ null }}' }, "'Submitted At or After' is empty"],
		[conditionOn('a', 'contains', '={{ undefined }}'), 'Condition 1 needs a value'],
		[{ conditions: '[{"field": "uuid", "value": "b"}]' }, "'Conditions' is empty"],
		[{ conditions: { conditions: [day, {}] } }, 'Condition 2 has no field'],
		['={{ ({ text: "ada" }) }}', "'Must Meet' must be"],
		[conditionOn('a', 'greater', '1,000'), 'Condition 1 needs a number in plain digits, such as'],
		[conditionOn('a', 'less', '1.000'), 'Condition 1 needs a number in plain digits, such as'],
		[conditionOn('a', 'after', 'soon'), 'Condition 1 needs a date, such as 2026-01-31'],
		[conditionOn('a', 'is', ' '), 'Condition 1 needs a value. To find missing answers, choose'],
		[
			conditionOn('attribute:is_incomplete', 'is', 'maybe'),
			'The value of condition 1 must be yes or no',
		],
	])('are an error before anything is sent if they are %j: %s', async (filters, text, more) => {
		expect((await list(contact, { filters, ...more })).error?.message).toContain(text);
		expect(service.requests).toEqual([]);
	});

	it('are an error that lists the choices if a value is not one of them', async () => {
		const question = { label: 'Satisfied?', type: 'dropdown', options: ['Yes', 'No'] };
		const { id } = service.store.addForm({ name: 'Poll', fields: [question] });
		for (const operator of ['is', 'isNot']) {
			const filters = conditionOn('Satisfied?', operator, 'Happy');
			expect((await list(id, { filters })).error).toMatchObject({
				message: 'The value of condition 1 is not a choice of "Satisfied?"',
				description: expect.stringContaining('The choices are "Yes", "No".'),
			});
		}
	});
});

describe('The list of fields for a condition', () => {
	const method = 'getConditionFields';
	const listFields = async ({ n8n }: World, parameters: object) =>
		await n8n.callMethod<INodePropertyOptions[]>('loadOptions', method, parameters as never);

	it('has the fields that take an answer with their choices, then the attributes', async () => {
		const choice = { label: 'Number', type: 'dropdown', options: ['One', 'Two'] };
		const fields = [{ label: 'About you', type: 'heading' }, choice];
		const { id } = service.store.addForm({ name: 'Orders', fields });
		const { uuid } = service.store.fields(id)[1];
		const [first, ...others] = await listFields(world, { ...getAll, formId: locator(id) });
		expect(first).toEqual({ name: 'Number', value: uuid, description: 'Choices: One, Two' });
		const attributes = ['is_incomplete', 'number', 'referrer', 'submitted_at'];
		expect(others.map(({ value }) => value)).toEqual(attributes.map((one) => `attribute:${one}`));
		expect(await listFields(world, getAll)).toEqual(others);
	});

	it('has each label of the watched forms once: of the chosen ones, or of all but the excluded', async () => {
		const own = await createWorld({ seed: false });
		const [a, b] = ['Email', 'email '].map((label, index) => {
			const fields = [{ label }, { label: 'AB'[index] }];
			return own.service.store.addForm({ name: 'New', fields }).id;
		});
		const exceptFormIds = [b];
		for (const [watched, labels] of [
			[{ watch: 'several', formIds: [a, b] }, ['A', 'B', 'Email']],
			[{ watch: 'all', exceptFormIds }, ['A', 'Email']],
			[{ events: ['responseCompleted', 'formCreated'], exceptFormIds }, ['A', 'Email']],
		] as const) {
			// each form has UUIDs of its own
			const values = (await listFields(own, watched)).map(({ value }) => value);
			expect(values.slice(0, -4).toSorted()).toEqual(labels);
		}
		expect(own.service.requests).toHaveLength(1);
	});
});
