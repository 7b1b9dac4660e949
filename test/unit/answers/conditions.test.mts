import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
	filterByConditions,
	findConditionMismatch,
	type Operator,
} from '../../../nodes/FormService/answers/conditions.ts';
import { parseFields, type FormField } from '../../../nodes/FormService/answers/fields.ts';
import { findResponses } from '../../../nodes/FormService/answers/findResponses.ts';

// the machine's zone is never that of the workflow
beforeEach(() => void vi.stubEnv('TZ', 'Pacific/Auckland'));
afterEach(() => vi.unstubAllEnvs());

const ZONE = 'America/New_York';

const toConditions = (field: string, operator: Operator, value: string) =>
	({ combinator: 'all', conditions: [{ field, operator, value, zone: ZONE }] }) as const;

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
	['number', [1, 10], 'greater', '9', true],
	['number', 0, 'isEmpty', '', false],
	['boolean', false, 'isNotEmpty', '', true],
	['date', ['2026-01-31', '2026-02-02'], 'after', '2026-02-01', true],
	['date', '31.1.2026', 'before', '01.02.2026', true],
	// midnight in UTC is the day as written
	['date', '2026-01-31T00:00:00Z', 'is', '2026-01-31', true],
	['datetime', '2026-01-31', 'is', '2026-01-31T00:00:00.000Z', true],
	['datetime', 1_769_842_800, 'is', '2026-01-31T07:00:00Z', true],
	// five hours before UTC
	['datetime', '2026-12-24T03:00:00Z', 'is', '2026-12-23', true],
	['select', 'b', 'is', 'BLUE, dark', true],
	['select', ['r'], 'isNot', 'red', false],
	['select', 'r', 'contains', 'ed', true],
	['multiple_choice', 'Green,r', 'isNot', 'Red', false],
	['multiple_choice', { 0: 'Green', 2: 'r' }, 'is', 'Red', true],
	['multiple_choice', ['r', 'my, own'], 'is', 'my, own', true],
	['multiple_choice', 'r, my, own', 'is', 'Red', true],
	['multiple_choice', 'my, own, r', 'isNot', 'my, own', false],
	['multiple_choice', 'Green, Blue, dark', 'isNot', 'b', false],
	['text', 'Jose\u0301', 'contains', ' SÉ', true],
	['text', { a: { b: 'Ada' } }, 'is', 'ada', true],
	['text', '2026-01', 'is', '2026-01-01', false],
	['text', ' \u200b', 'isEmpty', '', true],
	['text', null, 'isNot', 'x', true],
	['file_upload', FILE, 'is', 'CV.pdf', true],
	['file_upload', FILE, 'contains', 'files.example', false],
	// no filter hides what cannot be compared
	['number', '1,200', 'less', '5', true],
	['date', '31/12/2026', 'before', '2026-06-15', true],
	['text', 'Room 5', 'after', '2026-06-15', true],
])('A condition on an answer of the type %s: %j %s %j: %s', async (type, value, ...how) => {
	const [operator, wanted, expected] = how;
	const options = [{ label: 'Red', value: 'r' }, { label: 'Blue, dark', value: 'b' }, 'Green'];
	const fields = parseFields([{ uuid: 'f', label: 'F', type, options }]);
	const record = { responses: [{ key: 'F', value }] } as IDataObject;
	expect(await meets(record, toConditions('F', operator, wanted), fields)).toBe(expected);
});

it.each<[string, Operator, string, boolean]>([
	['full NAME ', 'is', 'Ada', true],
	['Full name (2)', 'is', 'Grace', true],
	['number', 'is', 'A-7', true],
	['attribute:number', 'greater', '9', true],
	['attribute:referrer', 'isEmpty', '', true],
	['attribute:created_at', 'is', '2026-11-21T07:00', true],
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

const TOPICS = { label: 'Topics', type: 'checkboxes', options: ['News', 'Tips, tricks'] };
const MOOD = { label: 'Mood', type: 'radio', options: ['Good', { label: 'Bad', value: 0 }] };
const DAY = { label: 'Day', type: 'date' };

it.each<[object, Operator, string, string?]>([
	[TOPICS, 'isNot', 'News, Tips', 'Condition 1 needs one of "News", "Tips, tricks"'],
	[TOPICS, 'isNot', 'tips, tricks'],
	[MOOD, 'is', '0'],
	[MOOD, 'contains', 'Happy'],
	[{ label: 'Country', type: 'select' }, 'is', 'France'],
	[DAY, 'isNot', '12/31/26', 'Condition 1 needs a date, such as 2026-01-31'],
])('A condition on %j has a value that an answer can have: %s %s', (field, ...given) => {
	const [operator, value, message] = given;
	const fields = parseFields([{ id: 'f', ...field }]);
	const conditions = toConditions('f', operator, value);
	expect(findConditionMismatch(conditions, fields)?.message).toBe(message);
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

const none = { combinator: 'all', conditions: [] } as const;

it('A text is found anywhere in an answer, but not in a label, an ID or an address', async () => {
	const CV = 'cv.pdf|https://files.example/cv.pdf';
	const responses = { Topic: ['a', { city: 'Needleham' }], Other: 42, CV };
	const records = [{ uuid: 'response', responses }];
	for (const text of ['NEEDLEham', '42', 'topic', 'response', 'files.example']) {
		const found = await findResponses(records, { text, conditions: none, sort: 'listed' });
		expect(found, text).toEqual(/needle|42/i.test(text) ? records : []);
	}
});

it('Responses are sorted by time, then by number, and those without a time come last', async () => {
	const time = '2026-11-21T10:00:00.000000Z';
	const ids: Array<[string, IDataObject]> = [
		['never', { created_at: 'soon' }],
		// without a zone, a time of the service is in UTC
		['last', { created_at: '2026-11-21 10:00:01' }],
		['second', { created_at: time, number: 10 }],
		['first', { created_at: time, number: '9' }],
	];
	const records = ids.map(([id, record]) => ({ id, ...record }));
	const sort = async (order: 'newest' | 'oldest') =>
		(await findResponses(records, { conditions: none, sort: order })).map(({ id }) => id);
	expect(await sort('oldest')).toEqual(['first', 'second', 'last', 'never']);
	expect(await sort('newest')).toEqual(['last', 'second', 'first', 'never']);
});
