import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
	findConditionMismatch,
	type Operator,
} from '../../../nodes/FormService/answers/conditions.ts';
import { parseFields, type FormField } from '../../../nodes/FormService/answers/fields.ts';
import {
	describeUncompared,
	filterByConditions,
	findResponses,
	type ResponseQuery,
} from '../../../nodes/FormService/answers/findResponses.ts';

// the machine's zone is never that of the workflow
beforeEach(() => void vi.stubEnv('TZ', 'Pacific/Auckland'));
afterEach(() => vi.unstubAllEnvs());

const toConditions = (field: string, operator: Operator, value: string) =>
	({
		combinator: 'all',
		conditions: [{ field, operator, value }],
		// five hours before UTC
		zone: 'America/New_York',
	}) as const;

const meets = async (
	record: IDataObject,
	conditions: ReturnType<typeof toConditions>,
	fields: FormField[],
) => (await filterByConditions([{ record }], conditions, fields)).length === 1;

const FILE = ['cv.pdf|https://files.example/cv.pdf'];

it.each<[string, unknown, Operator, string, boolean]>([
	['number', '10', 'greater', '9', true],
	['number', '9', 'greater', '9', false],
	['number', '9', 'less', '10', true],
	['number', '10', 'less', '9', false],
	['number', [1, 10], 'greater', '9', true],
	// not readable as a number, so the filter does not hide the response
	['number', '1,200', 'less', '5', true],
	['number', 0, 'isEmpty', '', false],
	['checkbox', [1], 'is', 'true', true],
	['boolean', false, 'isNotEmpty', '', true],
	['date', ['2026-01-31', '2026-02-02'], 'after', '2026-02-01', true],
	['date', '31.1.2026', 'before', '01.02.2026', true],
	['date', '2026-12-24', 'after', '2026-12-23T23:59', true],
	['date', '2026-12-24', 'before', '2026-12-24', false],
	// midnight in UTC is the day as written
	['date', '2026-01-31T00:00:00Z', 'is', '2026-01-31', true],
	['date', '2026-01-31', 'is', '2026-01-31T05:00:00.000Z', true],
	['datetime', '2026-01-31', 'is', '2026-01-31T00:00:00.000Z', true],
	['datetime', 1_769_842_800, 'is', '2026-01-31T07:00:00Z', true],
	['datetime', '2026-12-24T03:00:00Z', 'is', '2026-12-23T22:00', true],
	['datetime', '2026-12-24T03:00:00Z', 'is', '2026-12-23', true],
	['datetime', '2026-12-24T03:00:00Z', 'before', '2026-12-24T03:00:00Z', false],
	['select', 'b', 'is', 'BLUE, dark', true],
	['select', ['r'], 'isNot', 'red', false],
	['select', 'r', 'contains', 'ed', true],
	['multiple_choice', 'Green,r', 'isNot', 'Red', false],
	['multiple_choice', { 0: 'Green', 2: 'r' }, 'is', 'Red', true],
	['multiple_choice', ['r', 'my, own'], 'is', 'Red', true],
	['multiple_choice', ['r', 'my, own'], 'is', 'my, own', true],
	['multiple_choice', 'Green, Blue, dark', 'isNot', 'b', false],
	['text', 'Jose\u0301', 'contains', ' SÉ', true],
	['text', { a: { b: 'Ada' } }, 'is', 'ada', true],
	['text', '2026-01', 'is', '2026-01-01', false],
	['text', ' \u200b', 'isEmpty', '', true],
	['text', ' ', 'isNotEmpty', '', false],
	['text', null, 'isNot', 'x', true],
	['file_upload', FILE, 'is', 'CV.pdf', true],
	['file_upload', FILE, 'contains', 'files.example', false],
	['file_upload', ['scan|https://files.example/1'], 'is', 'scan', true],
])('A condition on an answer of the type %s: %j %s %j: %s', async (type, value, ...how) => {
	const [operator, wanted, expected] = how;
	const colors = [{ label: 'Red', value: 'r' }, { label: 'Blue, dark', value: 'b' }, 'Green'];
	const options = type === 'checkbox' ? [] : colors;
	const fields = parseFields([{ uuid: 'f', label: 'F', type, options }]);
	const record = { responses: [{ key: 'F', value }] } as IDataObject;
	expect(await meets(record, toConditions('F', operator, wanted), fields)).toBe(expected);
});

it.each<[string, Operator, string, boolean]>([
	['full NAME ', 'is', 'Ada', true],
	['Full name (2)', 'is', 'Grace', true],
	['number', 'is', 'A-7', true],
	['attribute:number', 'greater', '9', true],
	['attribute:is_incomplete', 'is', 'false', true],
	['attribute:referrer', 'isEmpty', '', true],
	['attribute:created_at', 'is', '2026-11-21T07:00', true],
	['attribute:created_at', 'before', '2026-11-21T07:00', false],
])('A condition compares a field or an attribute: %s %s %j: %s', async (...given) => {
	const [field, operator, value, expected] = given;
	const labels = ['Full name', 'Full name', 'Number'];
	const fields = parseFields(labels.map((label, index) => ({ uuid: `f${index}`, label })));
	const record: IDataObject = {
		...{ number: 12, is_incomplete: 0, created_at: '2026-11-21T12:00:00Z' },
		responses: { f0: 'Ada', f1: 'Grace', Number: 'A-7' },
	};
	const conditions = toConditions(field, operator, value);
	expect(findConditionMismatch(conditions, fields)).toBeUndefined();
	expect(await meets(record, conditions, fields)).toBe(expected);
});

const form = parseFields([
	{ uuid: 'f0', label: 'Mood', type: 'radio', options: ['Good', { label: 'Bad', value: 0 }] },
	{ uuid: 'f1', label: 'Topics', type: 'checkboxes', options: ['News', 'Tips, tricks'] },
	{ uuid: 'f2', label: 'Terms', type: 'toggle' },
	{ uuid: 'f3', label: 'Start', type: 'date' },
	{ uuid: 'f4', label: 'Country', type: 'select' },
]);
const NO_DATE = 'Condition 1 needs a date, such as 2026-01-31';

it.each<[string, Operator, string, string?]>([
	['f0', 'is', 'Happy', 'Condition 1 needs one of "Good", "Bad"'],
	['f1', 'isNot', 'News, Tips', 'Condition 1 needs one of "News", "Tips, tricks"'],
	['f2', 'is', 'maybe', 'Condition 1 needs yes or no'],
	['f3', 'is', '31/12/2026', NO_DATE],
	['attribute:created_at', 'isNot', '12/31/26', NO_DATE],
	['f0', 'is', ' GOOD'],
	['f0', 'is', '0'],
	['f0', 'contains', 'Happy'],
	['f1', 'isNot', 'tips, tricks'],
	['f2', 'is', 'no'],
	['f4', 'is', 'France'],
])('A condition has a value that no answer can have, or not: %s %s %j: %s', (...row) => {
	const [name, operator, value, message] = row;
	const conditions = toConditions(name, operator, value);
	expect(findConditionMismatch(conditions, form)?.message).toBe(message);
	expect(findConditionMismatch(conditions, form, { checksValues: false })).toBeUndefined();
});

it.each([
	['f0', 'Condition 1 needs one of "Good", "Bad"', 'It compares "Mood".'],
	['source', 'The form has no field "source"', 'Choose the field of condition 1 again'],
	[
		'attribute:foo',
		'The form has no field "attribute:foo"',
		'attribute:number, attribute:referrer, "Mo',
	],
])('The error of a condition on %s says what there is instead', (name, message, description) => {
	const mismatch = findConditionMismatch(toConditions(name, 'is', 'x'), form);
	expect(mismatch).toEqual({ message, description: expect.stringContaining(description) });
});

it.each<[string, Operator, string, boolean]>([
	['date', 'before', '31/12/2026', true],
	['date', 'is', '31-12-2026', true],
	['date', 'is', '31.12.2026', false],
	['text', 'after', '12/31/2026', true],
	['text', 'after', 'Room 5', true],
	['text', 'is', '12/31/2026', false],
	['number', 'greater', '1,200', true],
	['number', 'contains', '1,200', false],
])('An answer to a %s that cannot be compared is kept, and its item says so', async (...row) => {
	const [type, operator, value, isUncompared] = row;
	const fields = parseFields([{ uuid: 'f', label: 'F', type }]);
	const record = { responses: { F: value } };
	const conditions = toConditions('F', operator, '2026-06-15');
	const note = isUncompared ? expect.stringMatching(/^Not compared .*: "F"$/) : undefined;
	expect(describeUncompared(record, conditions, fields)).toEqual(note);
	if (isUncompared) expect(await meets(record, conditions, fields)).toBe(true);
});

it('An answered time is always either before or after any other', async () => {
	const day = fc.integer({ min: 10, max: 28 }).map((date) => `2026-02-${date}`);
	const clocks = ['', 'T00:00', 'T23:59', 'T05:00:00Z', ' 12:00', 'T00:00-05:00'];
	const time = fc.tuple(day, fc.constantFrom(...clocks)).map((parts) => parts.join(''));
	const fieldType = fc.constantFrom('date', 'datetime', 'text');
	const property = fc.asyncProperty(fieldType, time, time, async (type, value, bound) => {
		const fields = parseFields([{ uuid: 'f', label: 'F', type }]);
		const record = { responses: { f: value } };
		const isAfter = await meets(record, toConditions('F', 'after', bound), fields);
		const isBefore = await meets(record, toConditions('F', 'before', bound), fields);
		expect(isAfter).toBe(!isBefore);
	});
	await fc.assert(property, { numRuns: 200 });
});

describe('Found responses', () => {
	const conditions = { combinator: 'all', conditions: [], zone: 'utc' } as const;
	const find = async (records: IDataObject[], wanted: Partial<ResponseQuery>) => {
		const met = await findResponses(records, { sort: 'listed', conditions, ...wanted });
		return met.map((record) => records.indexOf(record));
	};

	it('are in one of two periods that meet, and in none without a time', async () => {
		const times = [...[1, 2, 3].map((day) => `2026-11-0${day}T08:00:00Z`), 'some day', undefined];
		const records = times.map((created_at) => ({ created_at }) as IDataObject);
		const bound = Date.UTC(2026, 10, 2, 8);
		expect(await find(records, { submittedAfterMs: bound })).toEqual([1, 2]);
		expect(await find(records, { submittedBeforeMs: bound })).toEqual([0]);
	});

	it('have the text anywhere in an answer, but not in a label, an ID or an address', async () => {
		const CV = 'cv.pdf|https://files.example/cv.pdf';
		const responses = { Topic: ['a', { city: 'Needleham' }], Other: 42, CV };
		const findText = async (text: string) =>
			await find([{ uuid: 'response', responses }], { text });
		for (const text of ['NEEDLEham', '42']) expect(await findText(text)).toEqual([0]);
		for (const text of ['topic', 'response', 'files.example'])
			expect(await findText(text)).toEqual([]);
	});

	const at = (second: number) => `2026-11-21T10:00:0${second}.000000Z`;
	it.each<[string, IDataObject, IDataObject]>([
		['submitted_at', { submitted_at: at(1), created_at: at(0) }, { created_at: at(0), number: 2 }],
		// without a zone, a time of the service is in UTC
		['the zone', { created_at: '2026-11-21 10:00:01' }, { created_at: at(0) }],
		['the number', { created_at: at(0), number: 10 }, { created_at: at(0), number: '9' }],
	])('are sorted by %s, and those without a time come last', async (_, later, earlier) => {
		const records = [{ created_at: 'soon' }, later, earlier, { ...later }];
		expect(await find(records, { sort: 'oldest' })).toEqual([2, 1, 3, 0]);
		expect(await find(records, { sort: 'newest' })).toEqual([1, 3, 2, 0]);
	});
});
