import type { IDataObject } from 'n8n-workflow';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
	filterByConditions,
	findConditionMismatch,
	type Operator,
} from '../../../nodes/FormService/answers/conditions.ts';
import { parseFields } from '../../../nodes/FormService/answers/fields.ts';

// the machine's zone is never that of the workflow
beforeEach(() => void vi.stubEnv('TZ', 'Pacific/Auckland'));
afterEach(() => vi.unstubAllEnvs());

const FILE = ['cv.pdf|https://files.example/cv.pdf'];

/** Expected is whether the condition is met, or what its value has to be in place of the given one. */
it.each<[string, unknown, Operator, string, boolean | string]>([
	['number', '10', 'greater', '9', true],
	['number', '9', 'greater', '9', false],
	['number', '9', 'less', '10', true],
	['number', [1, 10], 'greater', '9', true],
	['number', 0, 'isEmpty', '', false],
	['boolean', false, 'isNotEmpty', '', true],
	['date', ['2026-01-31', '2026-02-02'], 'after', '2026-02-01', true],
	['date', '31.1.2026', 'before', '01.02.2026', true],
	['date', '2026-02-01', 'after', '2026-02-01', true],
	// midnight in UTC is the day as written
	['date', '2026-01-31T00:00:00Z', 'is', '2026-01-31', true],
	['datetime', '2026-01-31', 'is', '2026-01-31T00:00:00.000Z', true],
	['datetime', 1_769_842_800, 'is', '2026-01-31T07:00:00Z', true],
	// five hours before UTC
	['datetime', '2026-12-24T03:00:00Z', 'is', '2026-12-23', true],
	['datetime', '2026-12-23T05:00:00Z', 'before', '2026-12-23', false],
	['select', 'b', 'is', 'BLUE, dark', true],
	['select', ['r'], 'isNot', 'red', false],
	['select', 'r', 'contains', 'ed', true],
	['multiple_choice', 'Green,r', 'isNot', 'Red', false],
	['multiple_choice', { 0: 'Green', 2: 'r' }, 'is', 'Red', true],
	['multiple_choice', 'r, my, own', 'is', 'Red', true],
	['multiple_choice', 'my, own, r', 'isNot', 'red', false],
	['multiple_choice', 'r, my, own', 'contains', 'my, own', true],
	['multiple_choice', 'own, Blue, dark', 'isNot', 'b', false],
	['text', 'Jose\u0301', 'contains', ' SÉ', true],
	['text', { a: { b: 'Ada' } }, 'is', 'ada', true],
	['text', '2026-01', 'is', '2026-01-01', false],
	['text', ' \u200b', 'isEmpty', '', true],
	['text', null, 'isNot', 'x', true],
	['file_upload', FILE, 'is', 'CV.pdf', true],
	['file_upload', FILE, 'contains', 'files.example', false],
	['file_upload', 'cv|https://files.example/7', 'is', 'cv', true],
	['file_upload', 'https://files.example/7/cv.pdf', 'is', 'cv.pdf', true],
	['attribute:created_at', '2026-11-21T12:00:00Z', 'is', '2026-11-21T07:00', true],
	['attribute:is_incomplete', 0, 'is', 'no', true],
	['attribute:number', '10', 'greater', '9', true],
	['attribute:referrer', undefined, 'isEmpty', '', true],
	['multiple_choice', 'r', 'isNot', 'Green, Red', 'one of "Red", "Blue, dark", "Green"'],
	['date', '2026-12-31', 'isNot', '12/31/26', 'a date, such as 2026-01-31'],
	// no filter hides what cannot be compared
	['number', '1,200', 'less', '5', true],
	['date', '31/12/2026', 'before', '2026-06-15', true],
	['text', 'Room 5', 'after', '2026-06-15', true],
])('A condition on %s: %j %s %j: %s', async (type, value, ...how) => {
	const [operator, wanted, expected] = how;
	const options = [{ label: 'Red', value: 'r' }, { label: 'Blue, dark', value: 'b' }, 'Green'];
	// a field with the name of an attribute
	const fields = parseFields([{ uuid: 'f', label: 'Number', type, options }]);
	const [, attribute] = type.split(':');
	const answered = { number: 12, responses: [{ key: 'Number', value }] };
	const record = (attribute ? { ...answered, [attribute]: value } : answered) as IDataObject;
	const field = attribute ? type : 'number ';
	const condition = { field, operator, value: wanted, zone: 'America/New_York' };
	const conditions = { combinator: 'all', conditions: [condition] } as const;
	const needed = typeof expected === 'string' ? `Condition 1 needs ${expected}` : undefined;
	expect(findConditionMismatch(conditions, fields)?.message).toBe(needed);
	const found = await filterByConditions([{ record }], conditions, fields);
	if (needed === undefined) expect(found).toHaveLength(expected ? 1 : 0);
});
