import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answer, demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { AT_ONCE, withWorld, type World } from '../world.mts';

const FORM = 'aB3xY9';
const getAll = { resource: 'response', operation: 'getAll', returnAll: true, sort: 'listed' };

type Reply = { responses: IDataObject[]; fields?: IDataObject[] };

/** A service that lists these responses and fields, whatever else it knows. */
const withReply = async (
	{ responses, fields = [] }: Reply,
	work: (world: World) => Promise<void>,
) =>
	await withWorld(async (world) => {
		const { faults } = world.service;
		const json = (data: unknown) =>
			answer(200, 'application/json', JSON.stringify({ success: true, data }));
		faults.set({ fault: json(responses), match: { path: /^\/responses\// } });
		faults.set({ fault: json(fields), match: { path: /^\/forms\/.*\/fields/ } });
		await work(world);
	}, AT_ONCE);

const run = async ({ n8n }: World, parameters: object = {}) => {
	const node = { ...getAll, formId: locator(FORM), ...parameters };
	const { items, error } = await n8n.runNode(node as never);
	return { error, rows: items.map(({ json }) => json) };
};

const filtered = (field: string, operator: string, value?: unknown, match?: unknown) => ({
	filters: {
		conditions: { conditions: [{ field, operator, value }] },
		...(match !== undefined && { match }),
	},
});

const u1 = '0a1b2c3d-0000-4000-8000-000000000001';
const u2 = '0a1b2c3d-0000-4000-8000-000000000002';
const columns = { options: { columns: true } };

describe('A long answer', () => {
	it.each([
		['commas', ','.repeat(250_000)],
		['an address', `x.pdf|http://h/${'.a?'.repeat(80_000)}`],
		['digits', `${'9'.repeat(250_000)}x`],
		['files', 'a.pdf|http://h/,'.repeat(15_000)],
	])('of %s holds nobody up', async (_, text) => {
		const fields = ['text', 'number', 'date'].map((type, at) => ({
			uuid: `f${at}`,
			label: type,
			type,
		}));
		const responses = [
			{ uuid: 'r', responses: fields.map(({ label }) => ({ key: label, value: text })) },
		];
		await withReply({ responses, fields }, async (world) => {
			const start = process.cpuUsage();
			for (const parameters of [
				{},
				columns,
				filtered('number', 'greater', 5),
				filtered('date', 'after', '2026-01-31'),
				{ filters: { text: 'needle' } },
			]) {
				expect((await run(world, parameters)).error).toBeUndefined();
			}
			expect(process.cpuUsage(start).user / 1_000).toBeLessThan(2_000);
		});
	});
});

describe('A condition', () => {
	const fields = [
		{ uuid: u1, label: 'Full name', custom_key: 'name' },
		{ uuid: u2, label: 'Full name', custom_key: 'partner' },
	];
	const shapes: Record<string, unknown> = {
		'labels alone': [
			{ key: 'Full name', value: 'Ada' },
			{ key: 'Full name', value: 'Grace' },
		],
		'UUIDs alone': [
			{ uuid: u1, value: 'Ada' },
			{ uuid: u2, value: 'Grace' },
		],
		'a map by custom key': { name: 'Ada', partner: 'Grace' },
	};

	it.each(
		Object.keys(shapes).flatMap((shape) =>
			['Full name (2)', u2, u2.toUpperCase(), 'partner'].map((name) => [name, shape]),
		),
	)('on %s finds the second of two equal labels among %s', async (name, shape) => {
		await withReply(
			{ responses: [{ uuid: 'r', responses: shapes[shape] } as IDataObject], fields },
			async (world) => {
				const found = async (operator: string, value?: string) =>
					(await run(world, filtered(name, operator, value))).rows.length;
				expect(await found('is', 'grace')).toBe(1);
				expect(await found('is', 'ada')).toBe(0);
				expect(await found('isNot', 'grace')).toBe(0);
				expect(await found('isEmpty')).toBe(0);
				expect(await found('isNotEmpty')).toBe(1);
			},
		);
	});

	it('on a name that nothing has is an error that lists the fields', async () => {
		const responses = [{ uuid: 'r', responses: shapes['labels alone'] } as IDataObject];
		await withReply({ responses, fields }, async (world) => {
			const { error } = await run(world, filtered('Fulname', 'isEmpty'));
			expect(error?.message).toBe(
				'The form has no field "Fulname". Its fields are "Full name", "Full name (2)"',
			);
		});
	});

	it.each([
		['is true', 'agreed', 'is', 'true', ['a', 'b', 'c', 'd']],
		['a luxon DateTime', 'when', 'after', '={{ DateTime.fromISO("2026-01-30") }}', ['a']],
		['a Date', 'when', 'before', '={{ new Date("2026-02-28T00:00:00Z") }}', ['a']],
		['a composed letter', 'place', 'is', 'café', ['a']],
		['a date that is none', 'room', 'after', '2000-01-01', []],
	])('understands %s', async (_, field, operator, value, expected) => {
		const agreed = [true, 'true', 1, '1', 0, 'false'];
		const responses = agreed.map((one, at) => ({
			uuid: 'abcdef'[at],
			responses: {
				agreed: one,
				...(at === 0 && { when: '2026-01-31', place: 'Cafe\u0301', room: 'Room 5' }),
			},
		}));
		const known = ['agreed', 'when', 'place', 'room'].map((label) => ({ uuid: label, label }));
		await withReply({ responses, fields: known }, async (world) => {
			const { error, rows } = await run(world, filtered(field, operator, value));
			expect(error).toBeUndefined();
			expect(rows.map(({ uuid }) => uuid)).toEqual(expected);
		});
	});

	it.each([
		[{ conditions: '[{"field": "uuid", "operator": "is", "value": "b"}]' }, "'Conditions' has no"],
		[{ conditions: '{"conditions": [{"field": "uuid", "value": "b"}]}' }, "'Conditions' has no"],
		[{ conditions: { conditions: '={{ [{ field: "uuid" }] }}' } }, 'Condition 1 has no field'],
		[{ match: '={{ "either" }}' }, "'Match' must be one of all, any"],
		['={{ ({ text: "ada" }) }}', "'Match' must be"],
		[
			{ conditions: { conditions: [{ field: 'a', operator: 'like', value: 1 }] } },
			'Condition 1 must have one of the operators',
		],
		[
			{ conditions: { conditions: [{ field: 'a', operator: 'is', value: '={{ [1] }}' }] } },
			'Condition 1 must have a text',
		],
	])(
		'that cannot be understood is an error before anything is sent: %j',
		async (filters, message) => {
			await withReply({ responses: [{ uuid: 'a' }] }, async (world) => {
				const { error } = await run(world, { filters });
				expect(error?.message).toContain(message);
				expect(world.service.requests).toEqual([]);
			});
		},
	);
});

describe('Answers Contain', () => {
	it('searches the name of a file and not its address', async () => {
		const responses = [
			{ uuid: 'a', responses: { CV: 'ada.pdf|https://files.example/uploads/ada.pdf' } },
		];
		await withReply({ responses }, async (world) => {
			expect((await run(world, { filters: { text: 'uploads' } })).rows).toEqual([]);
			expect((await run(world, { filters: { text: 'ada.pdf' } })).rows).toHaveLength(1);
		});
	});
});

describe('A column', () => {
	const row = async (responses: unknown, fields: IDataObject[]) => {
		let found: IDataObject = {};
		await withReply(
			{ responses: [{ uuid: 'r', responses } as IDataObject], fields },
			async (world) => {
				[found] = (await run(world, columns)).rows;
			},
		);
		return found;
	};

	it('has the answer of its own field, and not of a deleted one with the same label', async () => {
		const answers = [
			{ label: 'Amount', uuid: u1, value: 100 },
			{ label: 'Amount', uuid: u2, value: 250 },
		];
		const found = await row(answers, [{ uuid: u2, label: 'Amount' }]);
		expect(found).toMatchObject({ Amount: 250, otherAnswers: { Amount: 100 } });
	});

	it('keeps all entries of one UUID', async () => {
		const answers = ['News', 'Tips'].map((value) => ({ label: 'Topics', uuid: u1, value }));
		expect(await row(answers, [{ uuid: u1, label: 'Topics' }])).toMatchObject({
			Topics: ['News', 'Tips'],
		});
	});

	it.each([
		['a trailing blank', [{ key: 'Name ', value: 'Ada' }]],
		['a map by custom key', { name: 'Ada' }],
		['a map by numeric field ID', { 17: 'Ada' }],
		['a UUID in capitals', [{ uuid: u1.toUpperCase(), value: 'Ada' }]],
	])('is filled in spite of %s', async (_, answers) => {
		const fields = [{ uuid: u1, id: 17, label: 'Name', custom_key: 'name' }];
		expect(await row(answers, fields)).toMatchObject({ Name: 'Ada' });
	});

	it.each([
		['number', '01234', '01234'],
		['number', '+4912345', '+4912345'],
		['number', '42', 42],
		['number', '-1.5', -1.5],
		['number', '1.50', '1.50'],
		['date', '202601311230', '202601311230'],
		['date', '20260131', '20260131'],
	])('of the type %s makes of %j %j', async (type, value, expected) => {
		expect(await row({ F: value }, [{ uuid: u1, label: 'F', type }])).toMatchObject({
			F: expected,
		});
	});

	it('has each of several files in one text, with commas in their names', async () => {
		const value = 'a, b.pdf|https://h.example/1, c.pdf|https://h.example/2';
		expect(
			await row({ CV: value }, [{ uuid: u1, label: 'CV', type: 'file_upload' }]),
		).toMatchObject({
			CV: [
				{ name: 'a, b.pdf', url: 'https://h.example/1' },
				{ name: 'c.pdf', url: 'https://h.example/2' },
			],
		});
	});
});

describe('Sort', () => {
	it('gives the newest where one response has no time', async () => {
		const responses = [
			{ uuid: 'old', created_at: '2026-01-01T08:00:00Z' },
			{ uuid: 'none' },
			{ uuid: 'new', created_at: '2026-03-01T08:00:00Z' },
		];
		await withReply({ responses }, async (world) => {
			const limit = { returnAll: false, limit: 1 };
			expect((await run(world, { ...limit, sort: 'newest' })).rows[0].uuid).toBe('new');
			expect((await run(world, { ...limit, sort: 'oldest' })).rows[0].uuid).toBe('old');
		});
	});

	it('goes by the same time as Submitted After', async () => {
		const responses = [
			{ uuid: 'a', created_at: '2026-01-01T08:00:00Z', submitted_at: '2026-03-01T08:00:00Z' },
			{ uuid: 'b', created_at: '2026-02-01T08:00:00Z', submitted_at: '2026-02-02T08:00:00Z' },
		];
		await withReply({ responses }, async (world) => {
			const filters = { after: '2026-02-15' };
			expect((await run(world, { filters })).rows.map(({ uuid }) => uuid)).toEqual(['a']);
			const { rows } = await run(world, { sort: 'newest' });
			expect(rows.map(({ uuid }) => uuid)).toEqual(['a', 'b']);
		});
	});
});

describe('Response: Get', () => {
	it('finds a response by its UUID in any case, and by its ID', async () => {
		await withReply({ responses: [{ uuid: u1.toUpperCase(), id: 7 }] }, async ({ n8n }) => {
			for (const responseId of [u1, '7']) {
				const get = { resource: 'response', operation: 'get', formId: locator(FORM), responseId };
				expect((await n8n.runNode(get)).items[0]?.json).toMatchObject({ id: 7 });
			}
		});
	});
});

describe('The list of fields for a condition', () => {
	const fields = [
		{ uuid: u1, label: 'Full name' },
		{ uuid: u2, label: 'Full name' },
		{ uuid: 'u3', label: 'About you', type: 'heading' },
	];
	const listed = async (world: World, parameters: object) => {
		const method = 'getConditionFields';
		const all = await world.n8n.callMethod<IDataObject[]>(
			'loadOptions',
			method,
			parameters as never,
		);
		return all.map(({ name, value }) => [name, value]);
	};

	it('has the fields of the form as items name them, and the attributes of a response', async () => {
		await withReply({ responses: [], fields }, async (world) => {
			const found = await listed(world, { ...getAll, formId: locator(FORM) });
			expect(found.slice(0, 3)).toEqual([
				['Full name', u1],
				['Full name (2)', u2],
				['uuid', 'uuid'],
			]);
			expect(found).toContainEqual(['is_incomplete', 'is_incomplete']);
		});
	});

	it('has the attributes before a form is chosen, without a request', async () => {
		await withReply({ responses: [] }, async (world) => {
			const found = await listed(world, { ...getAll, formId: locator('') });
			expect(found[0]).toEqual(['uuid', 'uuid']);
			expect(world.service.requests).toEqual([]);
		});
	});

	it('has the labels of all forms where several are watched', async () => {
		await withWorld(async (world) => {
			const { store } = world.service;
			const formIds = ['A', 'B'].map(
				(name) => store.addForm({ name, fields: [{ label: 'Email' }, { label: `Of ${name}` }] }).id,
			);
			const found = await listed(world, { watch: 'several', formIds });
			expect(found.slice(0, 4)).toEqual([
				['Email', 'Email'],
				['Of A', 'Of A'],
				['Of B', 'Of B'],
				['uuid', 'uuid'],
			]);
			expect(world.service.requests).toHaveLength(1);
		}, AT_ONCE);
	});
});

describe('Several choices', () => {
	it('that were added read back as a list where the fields are read, as submitted ones do', async () => {
		await withWorld(async (world) => {
			const { survey } = demoForms;
			const label = 'What do you use?';
			const field = world.service.store.fields(survey).find((one) => one.label === label)!;
			const { error } = await world.n8n.runNode({
				resource: 'response',
				operation: 'create',
				formId: locator(survey),
				inputMode: 'json',
				answersJson: JSON.stringify({ [field.uuid]: ['Forms', 'Integrations'] }),
			});
			expect(error).toBeUndefined();
			const { items } = await world.n8n.runNode({
				...getAll,
				formId: locator(survey),
				sort: 'newest',
				...columns,
			});
			expect(items[0].json).toMatchObject({ [label]: ['Forms', 'Integrations'] });
		});
	});
});
