import type { IDataObject } from 'n8n-workflow';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
	conditionsNeedFields,
	filterByConditions,
	findConditionProblem,
	type Condition,
	type Operator,
} from '../../../../nodes/FormService/api/answers/conditions.ts';
import { parseFields } from '../../../../nodes/FormService/api/answers/fields.ts';
import {
	findResponses,
	type Wanted,
} from '../../../../nodes/FormService/api/answers/findResponses.ts';
import { hasUnmatchedAnswers } from '../../../../nodes/FormService/api/answers/match.ts';
import { toResponseItem } from '../../../../nodes/FormService/api/answers/responseItem.ts';
import { clock } from '../../../../nodes/FormService/api/clock.ts';

/** A form with two fields of one label, a label in a decomposed Unicode form, and fields called as attributes. */
const form = [
	['Full name', 'text', 'name'],
	['Full name', 'text', 'partner'],
	['Guests', 'number', 'guests'],
	['Day', 'date', 'day'],
	['Time', 'datetime', 'time'],
	['Agreed', 'checkbox', 'agreed'],
	['Cafe\u0301 topics ', 'multiple_choice', 'topics'],
	['CV', 'file_upload', 'cv'],
	['Number', 'text', 'number'],
	['Arrival', 'datetime', 'arrival'],
].map(([label, type, custom_key], index) => ({
	uuid: `0a1b2c3d-0000-4000-8000-00000000000${index}`,
	label,
	type,
	custom_key,
	options: type === 'multiple_choice' ? [{ label: 'Music', value: 'm' }, 'Maths'] : undefined,
}));
const fields = parseFields(form);

const record: IDataObject = {
	uuid: 'response',
	number: 12,
	is_incomplete: 0,
	created_at: '2026-11-21T12:00:00.000000Z',
	updated_at: '2026-11-21 12:00:00',
	source: 'web',
	responses: [
		{ key: 'Full name', value: 'Ada' },
		{ key: 'Full name', value: 'Rene\u0301' },
		{ key: 'Guests', value: '3' },
		{ key: 'Day', value: '2026-12-24' },
		{ key: 'Time', value: '2026-12-24T03:00:00Z' },
		{ key: 'Agreed', value: '1' },
		{ key: 'Cafe\u0301 topics ', value: 'm, Maths' },
		{ key: 'CV', value: ['cv.pdf|https://files.example/cv.pdf'] },
		{ key: 'Number', value: 'A-7' },
		{ key: 'Arrival', value: '2026-12-24T10:00' },
		{ key: 'Address', value: { city: 'London' } },
	],
};

const filter = async (condition: Condition, zone: string) =>
	await filterByConditions([{ record }], { match: 'all', conditions: [condition], zone }, fields);
const isMet = async (field: string, operator: Operator, value: string, zone = 'utc') =>
	(await filter({ field, operator, value }, zone)).length === 1;

afterEach(() => {
	vi.unstubAllEnvs();
	vi.restoreAllMocks();
});

describe('A condition', () => {
	it.each<[string, Operator, string, boolean]>([
		[' NAME', 'is', ' ada ', true],
		['Full name (2)', 'contains', 'RENÉ', true],
		['partner', 'isNotEmpty', '', true],
		['Guests', 'isNot', '1,200', true],
		['topics', 'contains', 'usi', true],
		['CV', 'is', 'CV.pdf', true],
		['CV', 'contains', 'files.example', false],
		['Day', 'is', '2026-12-24T23:00', true],
		['Time', 'is', '2026-12-24', true],
		['Time', 'before', '2026-12-24T03:00:01Z', true],
		['name', 'after', '1990-01-01', false],
		// a name that is both means the field
		['Number', 'is', 'A-7', true],
		['number', 'greater', '9', false],
		['attribute:number', 'greater', '9', true],
		['attribute:submitted_at', 'is', '2026-11-21', true],
		['attribute:is_incomplete', 'is', 'false', true],
		['attribute:referrer', 'isEmpty', '', true],
		['attribute:referrer', 'isNotEmpty', '', false],
		['attribute:referrer', 'isNot', 'x', true],
		['created_at', 'after', '2026-11-21 11:59:59', true],
	])('%s %s "%s": %s', async (field, operator, value, expected) => {
		expect(await isMet(field, operator, value)).toBe(expected);
	});

	it.each<[string, Operator, string, boolean]>([
		// New York is five hours before UTC
		['Time', 'is', '2026-12-23T22:00', true],
		['Arrival', 'after', '2026-12-24T09:59', true],
		['Arrival', 'is', '2026-12-24T15:00Z', true],
		['Day', 'is', '2026-12-24', true],
		['Day', 'after', '2026-12-23T23:59', true],
		['created_at', 'after', '2026-11-21T06:59', true],
		['created_at', 'after', '2026-11-21T07:00', false],
		['updated_at', 'is', '2026-11-21T07:00', true],
	])('in New York: %s %s "%s": %s', async (field, operator, value, expected) => {
		for (const processZone of ['UTC', 'Pacific/Auckland']) {
			vi.stubEnv('TZ', processZone);
			expect(await isMet(field, operator, value, 'America/New_York')).toBe(expected);
		}
	});

	const options = [
		{ label: 'Red', value: 'r' },
		{ label: 'Blue, dark', value: 'b' },
		{ label: 'Gold', value: 'pro-1' },
		'Green',
	];

	it.each<[string, unknown, Operator, string, boolean]>([
		['number', '1.2e3', 'is', '1200', true],
		['number', '1 200', 'greater', '5', false],
		['number', '1 200', 'isNot', '5', true],
		['checkbox', [1], 'is', 'true', true],
		['checkbox', 'Ja', 'isNot', 'true', true],
		['date', '2026-01-31T23:00:00-05:00', 'is', '2026-01-31', true],
		['date', '31.01.2026', 'after', '2026-01-01', false],
		['datetime', 1_769_842_800, 'is', '2026-01-31T07:00:00Z', true],
		['select', 'b', 'is', 'BLUE, dark', true],
		['select', ['r'], 'isNot', 'red', false],
		['select', 'pro-1', 'contains', 'PRO', true],
		['select', 'pro-1', 'contains', 'gold', true],
		['multiple_choice', 'Green,r', 'is', 'Red', true],
		['text', 'Jose\u0301', 'is', 'josé', true],
		['text', 'Two\r\nlines', 'is', 'Two\nlines', true],
		['text', true, 'isNot', 'no', true],
		['text', { a: { b: 'Ada' } }, 'is', 'ada', true],
	])('on a field of the type %s with the answer %j: %s "%s": %s', async (...given) => {
		const [type, value, operator, wanted, expected] = given;
		const [zone, condition] = ['utc', { field: 'F', operator, value: wanted }];
		const one = parseFields([
			{ uuid: 'f', label: 'F', type, options: type === 'checkbox' ? [] : options },
		]);
		const entries = [{ record: { responses: [{ key: 'F', value }] } as IDataObject }];
		const filters = { match: 'all', conditions: [condition], zone } as const;
		expect(await filterByConditions(entries, filters, one)).toHaveLength(Number(expected));
	});

	it.each([
		['number', true],
		['attribute:number', false],
	])('on %s needs the fields of the form: %s', (field, isNeeded) => {
		const conditions = [{ field, operator: 'is', value: '1' }] as const;
		expect(conditionsNeedFields({ match: 'all', conditions, zone: '' })).toBe(isNeeded);
	});
});

describe('A condition on a name', () => {
	const explain = (field: string, records?: IDataObject[], of = fields.slice(0, 3)) => {
		const conditions = [{ field, operator: 'isEmpty', value: '' }] as const;
		return findConditionProblem({ match: 'all', zone: 'utc', conditions }, of, records);
	};

	it('that is the UUID of a removed field is explained without the UUID', () => {
		expect(explain(form[8].uuid)).toEqual({
			message: 'The field of condition 1 is no longer in the form',
			description:
				'Choose the field of condition 1 again, or remove the condition. The form\'s fields are "Full name", "Full name (2)", "Guests".',
		});
	});

	it('is one on a field, an attribute that has been seen, or one of the responses', () => {
		const names = ['name', form[2].uuid, 'created_at', 'attribute:referrer'];
		expect(names.filter((name) => explain(name) !== undefined)).toEqual([]);
		expect(explain('source', [record])).toBeUndefined();
		expect(explain('source')?.message).toBe('The form has no field "source"');
	});

	it('lists at most 20 fields of the form', () => {
		const many = parseFields(Array.from({ length: 25 }, (_, at) => ({ label: `F${at}` })));
		expect(explain('x', [], many)?.description).toMatch(/"F19" and 5 more\.$/);
	});

	it('that two fields share means the first, and its numbered name the second', async () => {
		expect(await isMet('full name', 'is', 'Ada')).toBe(true);
		expect(await isMet('Full name', 'is', 'René')).toBe(false);
		expect(await isMet('Full name (2)', 'is', 'René')).toBe(true);
	});
});

describe('Finding responses', () => {
	const conditions = { match: 'all', conditions: [], zone: 'utc' } as const;
	const find = async (records: IDataObject[], wanted: Partial<Wanted>) => {
		const met = await findResponses(records, { sort: 'listed', conditions, ...wanted });
		return met.map(({ uuid }) => uuid);
	};

	const isEmpty = { field: 'name', operator: 'isEmpty', value: '' } as const;
	const all = { ...conditions, conditions: [isEmpty] };
	const toItem = async (record: IDataObject) =>
		await toResponseItem({} as never, record, {} as never);
	const toEntry = (record: IDataObject) => ({ record });
	it.each<[string, (records: IDataObject[]) => Promise<unknown>]>([
		['search a text', async (records) => await find(records, { text: 'x' })],
		['filter', async (records) => await filterByConditions(records.map(toEntry), all, fields)],
		['look for new fields', async (records) => await hasUnmatchedAnswers(records, fields)],
		['make items', async (records) => await Promise.all(records.map(toItem))],
	])('lets others work while responses are read to %s', async (_, read) => {
		let nowMs = 0;
		vi.spyOn(clock, 'now').mockImplementation(() => (nowMs += 5));
		const paused = vi.spyOn(clock, 'sleep');
		await read(Array.from({ length: 30 }, () => ({ responses: {} })));
		expect(paused.mock.calls.length).toBeGreaterThan(5);
	});

	it.each<[Partial<Wanted>, number[]]>([
		[{ after: Date.UTC(2026, 10, 2, 8) }, [2]],
		[{ before: Date.UTC(2026, 10, 2, 8) }, [0]],
		[{ sort: 'newest' }, [2, 1, 0, 3, 4]],
		[{ sort: 'oldest' }, [0, 1, 2, 3, 4]],
	])('orders by time, and excludes bounds of time: %j', async (...given) => {
		const [wanted, found] = given;
		const times = [...[1, 2, 3].map((day) => `2026-11-0${day}T08:00:00Z`), 'some day', undefined];
		const records = times.map((created_at, uuid) => ({ created_at, uuid }) as IDataObject);
		expect(await find(records, wanted)).toEqual(found);
	});

	it.each([
		['needleham', true],
		// a label, an attribute and the address of a file
		['topic', false],
		['response', false],
		['files.example', false],
	])('looks into all of an answer, but not further: %s', async (text, isFound) => {
		const responses = {
			Topic: ['a', { city: 'Needleham' }],
			Other: 42,
			CV: 'cv.pdf|https://files.example/cv.pdf',
		};
		expect(await find([{ uuid: 'response', responses }], { text })).toHaveLength(Number(isFound));
	});
});
