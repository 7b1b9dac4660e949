import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeListSearchResult } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answer, demoForms } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { withWorld, type World } from '../world.mts';

const { survey, application, contact, event } = demoForms;
const getAll = { resource: 'response', operation: 'getAll', returnAll: true };
const get = { resource: 'response', operation: 'get' };

const pathsOf = ({ service }: World) => service.requests.map(({ path }) => path.split('?')[0]);

/** What Get Many gives of a form. */
const list = async ({ n8n }: World, formId: string, parameters: object = {}) => {
	const given = { ...getAll, formId: locator(formId), ...parameters } as never;
	const { items, error } = await n8n.runNode(given);
	return { items, error, rows: items.map(({ json }) => json) };
};

describe('Answer Keys', () => {
	const options = { answerKeys: 'customKey' };

	it.each(['pairs', 'list', 'map'] as const)('names answers by custom key (%s)', async (shape) => {
		await withWorld(async (world) => {
			world.service.shapes.mapAnswers = shape;
			const { rows } = await list(world, contact, { options });
			expect(rows).toHaveLength(2);
			for (const { answers } of rows) {
				expect(Object.keys(answers as object)).toEqual(['name', 'email', 'phone', 'message']);
			}
			expect(pathsOf(world)).toEqual([`/responses/${contact}`, `/forms/${contact}/fields`]);
		});
	});

	it('names answers by the UUIDs of the fields, whatever they are called', async () => {
		await withWorld(async (world) => {
			const uuids = world.service.store.fields(contact).map(({ uuid }) => uuid);
			const { rows } = await list(world, contact, { options: { answerKeys: 'uuid' } });
			expect(Object.keys(rows[0].answers as object)).toEqual(uuids);
		});
	});

	it('says which labels were told apart by their order alone', async () => {
		await withWorld(async (world) => {
			const { rows } = await list(world, survey, { options });
			expect(rows[1].answers).toMatchObject({ comment_good: 'It is quick.' });
			for (const { matchedByPosition } of rows) expect(matchedByPosition).toEqual(['Comment']);
			world.service.shapes.mapAnswers = 'list';
			const [first] = (await list(world, survey, { options })).rows;
			expect(first).not.toHaveProperty('matchedByPosition');
		});
	});

	it('asks for the fields once for all items of a form', async () => {
		await withWorld(async (world) => {
			const [{ uuid: id }] = world.service.store.responses(contact);
			const responseId = '={{ $json.id }}';
			const parameters = { ...get, formId: locator(contact), responseId, options };
			const { items } = await world.n8n.runNode(parameters, itemsOf({ id }, { id }, { id }));
			expect(items).toHaveLength(3);
			const paths = [`/forms/${contact}/fields`, `/responses/${contact}`];
			expect(pathsOf(world).toSorted()).toEqual(paths);
		});
	});
});

describe('One Column per Field', () => {
	it('gives each item the same columns, the answers first and in the form’s order', async () => {
		await withWorld(async (world) => {
			const { rows } = await list(world, survey, { options: { columns: true } });
			for (const row of rows) {
				expect(Object.keys(row)).toEqual([
					...['How did you hear about us?', 'How satisfied are you?', 'What do you use?'],
					...['Score from 0 to 10', 'Comment', 'Comment (2)'],
					...['uuid', 'number', 'created_at', 'is_incomplete'],
				]);
			}
			expect(rows[0]).toMatchObject({
				'How did you hear about us?': null,
				'Score from 0 to 10': 6,
				'What do you use?': ['Reports'],
			});
		});
	});

	it('names the columns and the binary fields, with all attributes and columns for problems on request', async () => {
		await withWorld(async (world) => {
			const given = { columns: true, details: true, downloadFiles: true, answerKeys: 'customKey' };
			const { items, rows } = await list(world, application, { options: given });
			const notes = { otherAnswers: null, answersError: null, fileError: null };
			for (const row of rows) expect(row).toMatchObject({ referrer: null, ...notes });
			const [withFile] = items.filter(({ binary }) => binary !== undefined);
			expect(withFile.json).toMatchObject({ name: 'Alan Turing', number_formatted: '1' });
			expect(Object.keys(withFile.binary!)).toEqual(['cv']);
		});
	});
});

describe('Filters and Sort', () => {
	/** A form with six responses, a day apart, the first at the first of the month. */
	const filled = async (work: (world: World, formId: string) => Promise<void>) =>
		await withWorld(async (world) => {
			const { store, shapes } = world.service;
			const { id } = store.addForm({ name: 'Filled', fields: [{ label: 'Day' }] });
			for (let day = 1; day <= 6; day++) {
				const createdAt = `2026-10-0${day}T08:00:00.000000Z`;
				store.addResponse(id, { answers: { Day: `Day ${day}` }, createdAt });
			}
			shapes.order = 'asc';
			await work(world, id);
		});

	const daysOf = async (world: World, formId: string, parameters: object) => {
		const { error, rows } = await list(world, formId, parameters);
		expect(error).toBeUndefined();
		return rows.map(({ answers }) => Number((answers as { Day: string }).Day.slice(-1)));
	};

	const conditions = {
		conditions: [
			{ field: 'Day', operator: 'is', value: 'Day 2' },
			{ field: 'number', operator: 'greater', value: '5' },
		],
	};

	it.each([
		[{}, [6, 5, 4, 3, 2, 1]],
		[{ sort: 'oldest', returnAll: false, limit: 2 }, [1, 2]],
		[{ returnAll: false, limit: 2 }, [6, 5]],
		[{ sort: 'listed', returnAll: false, limit: 1 }, [1]],
		[{ filters: { text: 'day 3' } }, [3]],
		[{ filters: { match: 'any', conditions } }, [6, 2]],
		[{ filters: { after: '2026-10-04T08:00:00Z' } }, [6, 5]],
		[{ filters: { before: '2026-10-02T08:00:00Z' } }, [1]],
		[{ filters: { after: '2026-10-01', before: '2026-10-05' }, returnAll: false, limit: 1 }, [4]],
	])('give the responses that %j asks for', async (parameters, expected) => {
		await filled(async (world, formId) => {
			expect(await daysOf(world, formId, parameters)).toEqual(expected);
			// conditions on answers need the fields of the form
			const isByField = 'conditions' in ((parameters as { filters?: object }).filters ?? {});
			expect(world.service.requests).toHaveLength(isByField ? 2 : 1);
		});
	});

	it.each([
		['2026-10-05T06:00', [6]],
		['2026-10-05 06:00', [6]],
		['2026-10-05T06:00Z', [6, 5]],
		['={{ DateTime.fromISO("2026-10-05T06:00", { zone: "utc" }) }}', [6, 5]],
		['={{ new Date("2026-10-05T06:00:00Z") }}', [6, 5]],
	])('take %s for the workflow’s time where it has no zone', async (time, expected) => {
		await filled(async (world, formId) => {
			const condition = { field: 'created_at', operator: 'after', value: time };
			for (const filters of [{ after: time }, { conditions: { conditions: [condition] } }]) {
				expect(await daysOf(world, formId, { filters })).toEqual(expected);
			}
		});
	});

	it('counts the limit after filters and order on paged lists too', async () => {
		await filled(async (world, formId) => {
			Object.assign(world.service.shapes, { paging: 'linkAbsolute', pageSize: 2 });
			const limit = { returnAll: false, limit: 1 };
			expect(await daysOf(world, formId, limit)).toEqual([6]);
			expect(world.service.requests).toHaveLength(3);
			world.service.requests.length = 0;
			await daysOf(world, formId, { ...limit, sort: 'listed' });
			expect(world.service.requests).toHaveLength(1);
		});
	});

	it.each([
		[{ after: 'soon' }, "'Submitted After' must be a date, such as 2026-01-31 or 2026-01-31T08:00"],
		[
			{ conditions: '[{"field": "uuid", "operator": "is", "value": "b"}]' },
			"'Conditions' is empty",
		],
		[{ conditions: '{"conditions": [{"field": "uuid", "value": "b"}]}' }, "'Conditions' is empty"],
		[{ conditions: { conditions: '={{ [{ field: "uuid" }] }}' } }, 'Condition 1 has no field'],
		[
			{ match: '={{ "either" }}' },
			"'Match' must be one of All Conditions (all), Any Condition (any)",
		],
		['={{ ({ text: "ada" }) }}', "'Match' must be"],
		[{ match: 'any' }, "'Match' needs conditions"],
		[
			{ conditions: { conditions: [{ field: 'Price', operator: 'greater', value: '1,000' }] } },
			'Condition 1 ("Price" Greater Than "1,000") needs a number to compare with, such as 1234.5, without commas',
		],
		[{ conditions: { conditions: [{ field: 'a', operator: 'like' }] } }, 'one of the operators'],
		[
			{ conditions: { conditions: [{ field: 'a', operator: 'is', value: '={{ [1] }}' }] } },
			'Condition 1 ("a" Is) must have text',
		],
	])(
		'that cannot be understood are an error before anything is sent: %j',
		async (filters, text) => {
			await withWorld(async (world) => {
				expect((await list(world, contact, { filters })).error?.message).toContain(text);
				expect(world.service.requests).toEqual([]);
			});
		},
	);

	it('on a name that nothing has are an error that lists the fields', async () => {
		await withWorld(async (world) => {
			const unknown = { conditions: [{ field: 'Fulname', operator: 'isEmpty' }] };
			const { error } = await list(world, contact, { filters: { conditions: unknown } });
			expect(error).toMatchObject({
				message: 'The form has no field "Fulname"',
				description: expect.stringContaining(
					'Correct the field of condition 1. The form\'s fields are "Name", "Email", "Phone", "Message".',
				),
			});
		});
	});
});

describe('The list of fields for a condition', () => {
	const listed = async ({ n8n }: World, parameters: object) => {
		const method = 'getConditionFields';
		const given = parameters as never;
		const all = await n8n.callMethod<IDataObject[]>('loadOptions', method, given);
		return all.map(({ name, value }) => [name, value]);
	};
	const attribute = ['Incomplete', 'attribute:is_incomplete'];

	it('has the fields of the form as items name them, and the attributes of a response', async () => {
		await withWorld(async (world) => {
			const found = await listed(world, { ...getAll, formId: locator(survey) });
			const uuids = world.service.store.fields(survey).map(({ uuid }) => uuid);
			expect(found.slice(4, 7)).toEqual([
				['Comment', uuids[4]],
				['Comment (2)', uuids[5]],
				attribute,
			]);
			expect(found.slice(6).map(([name]) => name)).toEqual([
				...['Incomplete', 'Number', 'Referrer', 'Submitted At'],
			]);
		});
	});

	it('has the attributes before a form is chosen, without a request', async () => {
		await withWorld(async (world) => {
			expect((await listed(world, { ...getAll, formId: locator('') }))[0]).toEqual(attribute);
			expect(world.service.requests).toEqual([]);
		});
	});

	it('marks an attribute that is called like a field, so that both can be filtered', async () => {
		await withWorld(async (world) => {
			const { store } = world.service;
			const { id } = store.addForm({ name: 'Orders', fields: [{ label: 'Number' }] });
			const [{ uuid }] = store.fields(id);
			for (const text of ['A', 'B']) store.addResponse(id, { answers: { [uuid]: text } });
			const found = await listed(world, { ...getAll, formId: locator(id) });
			expect(found).toContainEqual(['Number', uuid]);
			expect(found).toContainEqual(['Number (Attribute)', 'attribute:number']);
			const numbersOf = async (field: string, value: string) => {
				const conditions = { conditions: [{ field, operator: 'is', value }] };
				const { rows } = await list(world, id, { filters: { conditions } });
				return rows.map(({ number }) => number);
			};
			expect(await numbersOf('number', 'B')).toEqual([2]);
			expect(await numbersOf('attribute:number', '1')).toEqual([1]);
		});
	});

	it('has the labels of the watched forms: with Form Created all but the excluded ones', async () => {
		await withWorld(async (world) => {
			const { store } = world.service;
			const forms = ['A', 'B'].map(
				(name) => store.addForm({ name, fields: [{ label: `Of ${name}` }] }).id,
			);
			const events = ['formCreated', 'responseCompleted'];
			const given = { events, formId: locator(''), exceptFormIds: [forms[1]] };
			const found = await listed(world, given);
			expect(found).toContainEqual(['Of A', 'Of A']);
			expect(found).not.toContainEqual(['Of B', 'Of B']);
			const except = await listed(world, { watch: 'all', exceptFormIds: [forms[0]] });
			expect(except).toContainEqual(['Of B', 'Of B']);
		});
	});

	it('has the labels of all forms where several are watched', async () => {
		await withWorld(async (world) => {
			const { store } = world.service;
			const formIds = ['A', 'B'].map(
				(name) => store.addForm({ name, fields: [{ label: 'Email' }, { label: `Of ${name}` }] }).id,
			);
			const found = await listed(world, { watch: 'several', formIds });
			const labels = ['Email', 'Of A', 'Of B'];
			expect(found.slice(0, 4)).toEqual([...labels.map((label) => [label, label]), attribute]);
			expect(world.service.requests).toHaveLength(1);
		});
	});
});

describe('Response: Get', () => {
	it('finds a response by its UUID in any case, and by its ID', async () => {
		await withWorld(async ({ n8n, service }) => {
			const uuid = randomUUID();
			const record = { success: true, data: [{ uuid: uuid.toUpperCase(), id: 7 }] };
			service.faults.set({ fault: answer(200, 'application/json', JSON.stringify(record)) });
			for (const responseId of [uuid, '7']) {
				const { items } = await n8n.runNode({ ...get, formId: locator(contact), responseId });
				expect(items[0]?.json).toMatchObject({ id: 7 });
			}
		});
	});
});

describe('Several choices', () => {
	it('that were added read back as a list where the fields are read, as submitted ones do', async () => {
		await withWorld(async (world) => {
			const label = 'What do you use?';
			const field = world.service.store.fields(survey).find((one) => one.label === label)!;
			const create = { resource: 'response', operation: 'create', formId: locator(survey) };
			const answersJson = JSON.stringify({ [field.uuid]: ['Forms', 'Integrations'] });
			await world.n8n.runNode({ ...create, inputMode: 'json', answersJson });
			const { rows } = await list(world, survey, { options: { columns: true } });
			expect(rows[0]).toMatchObject({ [label]: ['Forms', 'Integrations'] });
		});
	});
});

describe('A response without an attribute for its answers', () => {
	const given = async (data: object) =>
		await withWorld(async (world) => {
			const record = { uuid: 'r', number: 1, data };
			const body = JSON.stringify({ success: true, data: [record] });
			const match = { path: /^\/responses\// };
			world.service.faults.set({ fault: answer(200, 'application/json', body), match });
			return (await list(world, contact)).rows[0];
		});

	it('has them in "data", if the form has a field of one of the names', async () => {
		expect(await given({ Name: 'Ada', ip: '203.0.113.7' })).toMatchObject({
			answers: { Name: 'Ada', ip: '203.0.113.7' },
		});
		const none = await given({ ip: '203.0.113.7', browser: 'Firefox' });
		expect(none).toMatchObject({
			answers: {},
			answersError: 'No answers were found in an object with "uuid", "number", "data"',
		});
	});
});

describe('the list of responses', () => {
	const search = async ({ n8n }: World, formId: string, ...filter: string[]) =>
		await n8n.callMethod<INodeListSearchResult>(
			'listSearch',
			'searchResponses',
			{ resource: 'response', operation: 'get', formId: locator(formId) },
			...filter,
		);

	it('has the newest first, by number and time and without their answers', async () => {
		await withWorld(async (world) => {
			const { results } = await search(world, survey);
			expect(results.map(({ name }) => name.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, 'time'))).toEqual([
				'S-2 · time',
				'S-1 · time',
			]);
			const [{ value }] = results;
			const responseId = { __rl: true, mode: 'list', value };
			const { items } = await world.n8n.runNode({
				...get,
				formId: locator(survey),
				responseId,
			} as never);
			expect(items[0].json.number).toBe(2);
		});
	});

	it('finds responses by their answers, also by those that it does not show', async () => {
		await withWorld(async (world) => {
			const { results } = await search(world, survey, 'IT IS QUICK');
			expect(results).toHaveLength(1);
			expect((await search(world, survey, 'nothing like it')).results).toEqual([]);
			expect(world.service.requests).toHaveLength(1);
		});
	});

	it('is empty before a form is chosen', async () => {
		await withWorld(async (world) => {
			expect((await search(world, '')).results).toEqual([]);
			expect(world.service.requests).toEqual([]);
		});
	});

	it('comes in parts where it is long', async () => {
		await withWorld(async (world) => {
			for (let count = 0; count < 60; count++) world.service.store.addResponse(event);
			const first = await search(world, event);
			const second = await search(world, event, '', String(first.paginationToken));
			expect([first.results.length, second.results.length]).toEqual([50, 11]);
			expect(second.paginationToken).toBeUndefined();
			expect(world.service.requests).toHaveLength(1);
		});
	});
});
