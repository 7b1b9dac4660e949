import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	meets,
	operators,
	type Conditions,
	type Operator,
} from '../../../../nodes/FormService/api/answers/conditions.ts';
import { formFieldsOf } from '../../../../nodes/FormService/api/answers/fields.ts';

const record: IDataObject = {
	uuid: 'response',
	number: 12,
	is_incomplete: false,
	created_at: '2026-11-21T12:00:00.000000Z',
	without_zone: '2026-11-21 12:00:00',
	responses: [
		{ key: 'Email', value: 'Ada@Example.com' },
		{ key: 'Guests', value: '3' },
		{ key: 'Price', value: 2.5 },
		{ key: 'Topics', value: ['Music', 'Maths'] },
		{ key: 'Day', value: '2026-12-24' },
		{ key: 'Room', value: 'Room 5' },
		{ key: 'Notes', value: '  ' },
		{ key: 'Twice', value: 'one' },
		{ key: 'Twice', value: 'two' },
		{ key: 'Code', value: '007' },
		{ key: 'Address', value: { city: 'London', zip: 'W1' } },
	],
};

const fields = formFieldsOf(
	(record.responses as IDataObject[]).map(({ key }, index) => ({ uuid: `f${index}`, label: key })),
);

const met = (field: string, operator: Operator, value = '', zone = 'utc') =>
	meets(record, { match: 'all', conditions: [{ field, operator, value }], zone }, fields);

describe('A condition', () => {
	it.each<[string, Operator, string, boolean]>([
		['Email', 'is', 'ada@example.com', true],
		[' email ', 'is', ' ada@example.com ', true],
		['Email', 'is', 'ada', false],
		['Email', 'isNot', 'ada', true],
		['Email', 'contains', 'EXAMPLE', true],
		['Email', 'isEmpty', '', false],
		['Notes', 'isEmpty', '', true],
		['Nothing', 'isEmpty', '', true],
		['Nothing', 'is', 'x', false],
		['Nothing', 'isNot', 'x', true],
		['Nothing', 'contains', 'x', false],
		['Nothing', 'less', '5', false],
		['Guests', 'greater', '2', true],
		['Guests', 'greater', '3', false],
		['Guests', 'less', '3,5', true],
		['Price', 'is', '2.50', true],
		['Code', 'is', '7', false],
		['Room', 'greater', '1', false],
		['Topics', 'is', 'maths', true],
		['Topics', 'isNot', 'maths', false],
		['Topics', 'contains', 'usi', true],
		['Twice', 'is', 'two', false],
		['Twice (2)', 'is', 'two', true],
		['Notes', 'isNotEmpty', '', false],
		['Email', 'isNotEmpty', '', true],
		['Address', 'contains', 'london', true],
		['Day', 'before', '2026-12-25', true],
		['Day', 'after', '2026-12-24', false],
		['Day', 'after', '2026-12-23T23:00', true],
		['Room', 'after', '1990-01-01', false],
		['Guests', 'before', '2026-01-01', false],
		['number', 'greater', '9', true],
		['created_at', 'after', '2026-11-21 11:59:59', true],
		['is_incomplete', 'is', 'false', true],
		['is_incomplete', 'is', '1', false],
	])('%s %s "%s": %s', (field, operator, value, expected) => {
		expect(met(field, operator, value)).toBe(expected);
	});

	it.each<[string, Operator, string, boolean]>([
		['created_at', 'after', '2026-11-21T06:59', true],
		['created_at', 'after', '2026-11-21T07:00', false],
		['created_at', 'after', '2026-11-21T11:59Z', true],
		['created_at', 'before', '2026-11-22', true],
		['without_zone', 'after', '2026-11-21T06:59', true],
		['without_zone', 'after', '2026-11-21T07:00', false],
		['Day', 'after', '2026-12-23T23:59', true],
		['Day', 'after', '2026-12-24', false],
		['Day', 'after', '2026-12-24T04:59Z', true],
		['Day', 'after', '2026-12-24T05:00Z', false],
	])(
		'in New York, takes a time without a zone for one there, but for the service’s own: %s %s %s: %s',
		(field, operator, value, expected) => {
			expect(met(field, operator, value, 'America/New_York')).toBe(expected);
		},
	);
});

describe('Conditions', () => {
	const one = fc.record({
		field: fc.constantFrom('Email', 'Guests', 'Nothing', 'number'),
		operator: fc.constantFrom(...operators),
		value: fc.constantFrom('3', '12', 'ada@example.com', '2026-11-21'),
	});

	it('are met when all of them or any of them are, and when there are none', () => {
		fc.assert(
			fc.property(fc.array(one), (conditions) => {
				const each = conditions.map((condition) =>
					meets(record, { match: 'all', conditions: [condition], zone: 'utc' }, fields),
				);
				const by = (match: Conditions['match']) =>
					meets(record, { match, conditions, zone: 'utc' }, fields);
				expect(by('all')).toBe(each.every(Boolean));
				expect(by('any')).toBe(conditions.length === 0 || each.some(Boolean));
			}),
		);
	});

	it('never are both met and not met', () => {
		fc.assert(
			fc.property(fc.string(), fc.string(), (field, value) => {
				expect(met(field, 'is', value)).toBe(!met(field, 'isNot', value));
			}),
		);
	});
});
