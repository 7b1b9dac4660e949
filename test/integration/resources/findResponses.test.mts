import type { INodePropertyOptions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms, success } from '../../service/index.mts';
import { itemsOf, locator, placesOf } from '../harness.mts';
import { running, createWorld, type World } from '../world.mts';

const world = await running();
const { service, n8n } = world;
const { application, contact } = demoForms;
const getAll = { resource: 'response', operation: 'getAll', returnAll: true };
const get = { resource: 'response', operation: 'get' };

const listPaths = () => service.requests.map(({ path }) => path.split('?')[0]).toSorted();

async function list(formId: string, parameters: object = {}) {
	const given = { ...getAll, formId: locator(formId), ...parameters } as never;
	const { items, error } = await n8n.runNode(given);
	return { items, error, rows: items.map(({ json }) => json) };
}

const listRecord = (record: object) =>
	service.faults.set({ fault: success([record]), match: { path: /^\/responses\// } });

it('One Column per Field takes one request for the fields, and two items share it', async () => {
	const fields = ['Name', 'number', 'Phone'].map((label) => ({ label }));
	const { id } = service.store.addForm({ name: 'New', fields });
	const { uuid } = service.store.addResponse(id, { answers: { Name: 'Ada', number: 'A-7' } });
	const given = { formId: locator(id), options: { columns: true } };
	const { items } = await n8n.runNode({ ...get, ...given, responseId: uuid }, itemsOf({}, {}));
	const row = { Name: 'Ada', 'number (2)': 'A-7', Phone: null, number: 1, uuid };
	expect(items).toMatchObject([{ json: row }, { json: row }]);
	expect(listPaths()).toEqual([`/forms/${id}/fields`, `/responses/${id}`]);
	expect((await list(id, given)).rows).toEqual([items[0].json]);
});

it('Download Files names files by the labels of their fields, whatever the keys of the answers are', async () => {
	const options = { downloadFiles: true, answerKeys: 'uuid' };
	const { items } = await list(application, { options });
	expect(items.flatMap(({ binary = {} }) => Object.keys(binary))).toEqual(['cv']);
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
	const day = { field: 'Day', operator: 'is', value: 'Day 2' };
	const number = { field: 'number', operator: 'greater', value: '={{ 5 }}' };
	const conditions = { conditions: [day, number] };

	it.each([
		[{}, [6, 5, 4, 3, 2, 1], 1],
		[{ sort: 'oldest', returnAll: false, limit: 2 }, [1, 2], 1],
		[{ sort: 'listed', returnAll: false, limit: 1 }, [1], 1],
		[{ filters: { text: 'day 3', after: '', before: null } }, [3], 1],
		// conditions on answers need the fields of the form
		[{ filters: { match: 'any', conditions } }, [6, 2], 2],
		[{ filters: { conditions } }, [], 2],
		[{ filters: { after: '2026-10-01', before: '2026-10-05T08:00Z' } }, [4, 3, 2, 1], 1],
	])('give the responses that %j asks for: %j', async (parameters, expected, requests) => {
		expect(await findDays(parameters)).toEqual(expected);
		expect(service.requests).toHaveLength(requests);
	});

	it('are applied to the limit of each item', async () => {
		const given = { ...getAll, formId: locator(filled), returnAll: false, sort: 'listed' };
		const input = itemsOf({ limit: 1 }, { limit: 4 });
		const { items } = await n8n.runNode({ ...given, limit: '={{ $json.limit }}' }, input);
		expect(placesOf(items)).toEqual([0, 1, 1, 1, 1]);
	});

	it('leave answers as they were sent, also if they need the fields of the form', async () => {
		const fields = [{ label: 'Size', type: 'number' as const }];
		const { id } = service.store.addForm({ name: 'New', fields });
		service.store.addResponse(id, { answers: { Size: '10.5' } });
		const { rows } = await list(id, { filters: conditionOn('Size', 'is', '10.50') });
		expect(rows).toMatchObject([{ answers: { Size: '10.5' } }]);
	});

	it.each([
		['2026-10-05T06:00', [6]],
		['={{ DateTime.fromISO("2026-10-05T06:00", { zone: "utc" }) }}', [6, 5]],
	])('read the time %s in the workflow’s zone if it has none', async (time, expected) => {
		for (const filters of [{ after: time }, conditionOn('created_at', 'after', time)]) {
			expect(await findDays({ filters })).toEqual(expected);
		}
	});

	it.each([
		[{}, 6],
		[{ sort: 'listed', filters: { after: '2026-10-03' } }, 3],
		[{ sort: 'listed', filters: conditionOn('attribute:number', 'greater', '5') }, 6],
	])('are applied before the limit, so all pages are read: %j', async (parameters, found) => {
		service.shapes.pageSize = 2;
		expect(await findDays({ returnAll: false, limit: 1, ...parameters })).toEqual([found]);
		expect(service.requests).toHaveLength(3);
	});

	it.each<[unknown, string]>([
		[{ after: 'soon' }, "'Submitted After' must be a date, such as 2026-01-31 or 2026-01-31T08:00"],
		[{ conditions: '[{"field": "uuid", "value": "b"}]' }, "'Conditions' is empty"],
		[conditionOn('', 'is', 'x'), 'Condition 1 has no field'],
		['={{ ({ text: "ada" }) }}', "'Conditions: All or Any' must be"],
		[conditionOn('a', 'greater', '1,000'), 'Condition 1 needs a number to compare with, such as'],
		[conditionOn('a', 'after', 'soon'), 'Condition 1 needs a date, such as 2026-01-31'],
		[conditionOn('a', 'is', ''), 'Condition 1 needs a value. To find missing answers, choose'],
	])('are an error before anything is sent if they are %j', async (filters, text) => {
		expect((await list(contact, { filters })).error?.message).toContain(text);
		expect(service.requests).toEqual([]);
	});

	it('by time are an error if no response has a time, and none if the form has no response', async () => {
		const before = { filters: { before: '2026-10-05' } };
		const { id } = service.store.addForm({ name: 'Empty', fields: [] });
		expect(await list(id, before)).toMatchObject({ error: undefined, items: [] });
		listRecord({ uuid: 'r', responses: [] });
		const { error } = await list(contact, before);
		expect(error?.message).toBe('Form Service does not say when the responses were submitted');
		expect(error?.description).toMatch(/^Remove 'Submitted After' and 'Submitted Before'/);
	});
});

describe('The list of fields for a condition', () => {
	const listFields = async ({ n8n }: World, parameters: object) => {
		const given = parameters as never;
		return await n8n.callMethod<INodePropertyOptions[]>('loadOptions', 'getConditionFields', given);
	};

	it('has the fields that take an answer with their choices, then the attributes', async () => {
		const choice = { label: 'Number', type: 'dropdown' as const, options: ['One', 'Two'] };
		const fields = [{ label: 'About you', type: 'heading' as 'text' }, choice];
		const { id } = service.store.addForm({ name: 'Orders', fields });
		const { uuid } = service.store.fields(id)[1];
		const [first, ...others] = await listFields(world, { ...getAll, formId: locator(id) });
		expect(first).toEqual({ name: 'Number', value: uuid, description: 'Choices: One, Two' });
		expect(others.map(({ value }) => value)).toContain('attribute:number');
		expect(await listFields(world, getAll)).toEqual(others);
	});

	it('has each label of the watched forms once: of the chosen ones, or of all but the excluded', async () => {
		const own = await createWorld();
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
			const found = await listFields(own, watched);
			const ours = found.filter(({ name }) => /^(A|B|email ?)$/i.test(name));
			expect(ours.map(({ value }) => value).toSorted()).toEqual(labels);
		}
		expect(own.service.requests).toHaveLength(1);
	});
});
