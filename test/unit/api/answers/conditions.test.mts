import type { IDataObject } from 'n8n-workflow';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
	conditionsNeedFields,
	filterByConditions,
	findConditionProblem,
	type Operator,
} from '../../../../nodes/FormService/api/answers/conditions.ts';
import { parseFields, type FormField } from '../../../../nodes/FormService/api/answers/fields.ts';
import {
	findResponses,
	type Wanted,
} from '../../../../nodes/FormService/api/answers/findResponses.ts';
import { hasUnmatchedAnswers } from '../../../../nodes/FormService/api/answers/match.ts';
import { toResponseItem } from '../../../../nodes/FormService/api/answers/responseItem.ts';
import { clock } from '../../../../nodes/FormService/api/clock.ts';

afterEach(() => {
	vi.unstubAllEnvs();
	vi.restoreAllMocks();
});

const toConditions = (field: string, operator: Operator, value: string, zone = 'utc') =>
	({ match: 'all', conditions: [{ field, operator, value }], zone }) as const;

const meets = async (
	record: IDataObject,
	conditions: ReturnType<typeof toConditions>,
	fields: FormField[] = [],
) => (await filterByConditions([{ record }], conditions, fields)).length === 1;

describe('A condition on an answer', () => {
	const options = [{ label: 'Red', value: 'r' }, { label: 'Blue, dark', value: 'b' }, 'Green'];
	const answerMeets = async (type: string, value: unknown, ...how: [Operator, string, string]) => {
		const field = { uuid: 'f', label: 'F', type, options: type === 'checkbox' ? [] : options };
		const record = { responses: [{ key: 'F', value }] } as IDataObject;
		return await meets(record, toConditions('F', ...how), parseFields([field]));
	};

	it.each<[string, unknown, Operator, string, boolean]>([
		['number', '1.2e3', 'is', '1200', true],
		['number', '10', 'greater', '9', true],
		['number', '9', 'greater', '9', false],
		['number', '9', 'less', '10', true],
		['number', '9', 'less', '9', false],
		['number', '1 200', 'greater', '5', false],
		['number', '1 200', 'isNot', '5', true],
		['checkbox', [1], 'is', 'true', true],
		['checkbox', 'Ja', 'isNot', 'true', true],
		['date', '2026-01-31T23:00:00-05:00', 'is', '2026-01-31', true],
		['date', '31.01.2026', 'after', '2026-01-01', false],
		['date', '31.01.2026', 'is', '31.01.2026', true],
		['datetime', 1_769_842_800, 'is', '2026-01-31T07:00:00Z', true],
		['datetime', '2026-12-24T03:00:00Z', 'is', '2026-12-24', true],
		['datetime', '2026-12-24T03:00:00Z', 'before', '2026-12-24T03:00:01Z', true],
		['datetime', '2026-12-24T03:00:00Z', 'before', '2026-12-24T03:00:00Z', false],
		['datetime', '2026-12-24T03:00:00Z', 'after', '2026-12-24T03:00:00Z', false],
		['select', 'b', 'is', 'BLUE, dark', true],
		['select', ['r'], 'isNot', 'red', false],
		['select', 'r', 'contains', 'ed', true],
		['multiple_choice', 'Green,r', 'is', 'Red', true],
		['multiple_choice', 'Green,r', 'isNot', 'Red', false],
		['text', 'Jose\u0301', 'is', ' josé ', true],
		['text', 'Jose\u0301', 'contains', 'SÉ', true],
		['text', 'Two\r\nlines', 'is', 'Two\nlines', true],
		['text', true, 'is', 'True', true],
		['text', { a: { b: 'Ada' } }, 'is', 'ada', true],
		['text', ' ', 'isEmpty', '', true],
		['text', ' ', 'isNotEmpty', '', false],
		['text', null, 'isNot', 'x', true],
		['file_upload', ['cv.pdf|https://files.example/cv.pdf'], 'is', 'CV.pdf', true],
		['file_upload', ['cv.pdf|https://files.example/cv.pdf'], 'contains', 'files.example', false],
	])('of the type %s: %j %s %j: %s', async (type, value, operator, wanted, expected) => {
		expect(await answerMeets(type, value, operator, wanted, 'utc')).toBe(expected);
	});

	it.each<[string, string, Operator, string]>([
		// New York is five hours before UTC
		['datetime', '2026-12-24T03:00:00Z', 'is', '2026-12-23T22:00'],
		['datetime', '2026-12-24T03:00:00Z', 'is', '2026-12-23'],
		['datetime', '2026-12-24T10:00', 'is', '2026-12-24T15:00Z'],
		['date', '2026-12-24', 'is', '2026-12-24'],
		['date', '2026-12-24', 'after', '2026-12-23T23:59'],
	])('of the type %s counts in the workflow’s zone: %s %s %s', async (type, value, ...how) => {
		vi.stubEnv('TZ', 'Pacific/Auckland');
		expect(await answerMeets(type, value, ...how, 'America/New_York')).toBe(true);
	});
});

describe('A condition on a name', () => {
	const fields = parseFields([
		{ uuid: 'a', label: 'Full name', custom_key: 'name' },
		{ uuid: 'b', label: 'Full name' },
		{ uuid: 'c', label: 'Number' },
	]);
	const record: IDataObject = {
		number: 12,
		is_incomplete: 0,
		created_at: '2026-11-21T12:00:00.000000Z',
		responses: { a: 'Ada', b: 'Grace', Number: 'A-7' },
	};

	it.each<[string, Operator, string, boolean]>([
		['full NAME ', 'is', 'Ada', true],
		['name', 'is', 'Ada', true],
		['Full name (2)', 'is', 'Grace', true],
		// a name that is both means the field
		['number', 'is', 'A-7', true],
		['attribute:number', 'greater', '9', true],
		['attribute:is_incomplete', 'is', 'false', true],
		['attribute:submitted_at', 'is', '2026-11-21', true],
		['attribute:referrer', 'isEmpty', '', true],
		['attribute:referrer', 'isNot', 'x', true],
		['created_at', 'after', '2026-11-21T06:59', true],
		['created_at', 'after', '2026-11-21T07:00', false],
		['submitted_at', 'is', '2026-11-21T07:00', true],
	])('is one on a field or an attribute: %s %s %j: %s', async (...given) => {
		const [field, operator, value, expected] = given;
		const conditions = toConditions(field, operator, value, 'America/New_York');
		expect(findConditionProblem(conditions, fields)).toBeUndefined();
		expect(await meets(record, conditions, fields)).toBe(expected);
	});

	const explain = (field: string, of = fields) =>
		findConditionProblem(toConditions(field, 'is', 'x'), of);

	it('that is neither is explained with at most 20 fields of the form', () => {
		expect(explain('source')).toEqual({
			message: 'The form has no field "source"',
			description:
				'Choose the field of condition 1 again, or remove the condition. The form\'s fields are "Full name", "Full name (2)", "Number".',
		});
		const many = parseFields(Array.from({ length: 25 }, (_, at) => ({ label: `F${at}` })));
		expect(explain('x', many)?.description).toMatch(/"F19" and 5 more\.$/);
	});

	it('needs the fields of the form, unless it is marked as an attribute', () => {
		const names = ['number', 'attribute:number'];
		const needed = names.map((name) => conditionsNeedFields(toConditions(name, 'is', '1')));
		expect(needed).toEqual([true, false]);
	});
});

describe('Finding responses', () => {
	const conditions = { match: 'all', conditions: [], zone: 'utc' } as const;
	const find = async (records: IDataObject[], wanted: Partial<Wanted>) => {
		const met = await findResponses(records, { sort: 'listed', conditions, ...wanted });
		return met.map(({ uuid }) => uuid);
	};

	const fields = parseFields([{ uuid: 'a', label: 'A' }]);
	const toItem = async (record: IDataObject) =>
		await toResponseItem({} as never, record, {} as never);
	it.each<[string, (records: IDataObject[]) => Promise<unknown>]>([
		['search a text', async (records) => await find(records, { text: 'x' })],
		[
			'filter',
			async (records) => {
				const entries = records.map((record) => ({ record }));
				await filterByConditions(entries, toConditions('A', 'isEmpty', ''), fields);
			},
		],
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
	])('leaves out the bounds of time, and what has no time: %j', async (wanted, found) => {
		const times = [...[1, 2, 3].map((day) => `2026-11-0${day}T08:00:00Z`), 'some day', undefined];
		const records = times.map((created_at, uuid) => ({ created_at, uuid }) as IDataObject);
		expect(await find(records, wanted)).toEqual(found);
	});

	it.each([
		['NEEDLEham', true],
		['42', true],
		// a label, an attribute and the address of a file
		['topic', false],
		['response', false],
		['files.example', false],
	])('looks into all of an answer, but not further: %s', async (text, isFound) => {
		const CV = 'cv.pdf|https://files.example/cv.pdf';
		const responses = { Topic: ['a', { city: 'Needleham' }], Other: 42, CV };
		expect(await find([{ uuid: 'response', responses }], { text })).toHaveLength(Number(isFound));
	});
});
