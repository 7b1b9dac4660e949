import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	filterByConditions,
	type Conditions,
	type Operator,
} from '../../../../nodes/FormService/api/answers/conditions.ts';
import {
	findResponses,
	type Wanted,
} from '../../../../nodes/FormService/api/answers/findResponses.ts';
import { parseFields } from '../../../../nodes/FormService/api/answers/fields.ts';

const answers = {
	Email: 'Ada@Example.com',
	Guests: '3',
	Price: 2.5,
	Topics: ['Music', 'Maths'],
	Day: '2026-12-24',
	Room: 'Room 5',
	Notes: '  ',
	Code: '007',
	Address: { city: 'London', zip: 'W1' },
};
const record: IDataObject = {
	uuid: 'response',
	number: 12,
	is_incomplete: false,
	created_at: '2026-11-21T12:00:00.000000Z',
	without_zone: '2026-11-21 12:00:00',
	responses: answers,
};
const fields = parseFields(Object.keys(answers).map((label) => ({ uuid: `of ${label}`, label })));

const none: Conditions = { match: 'all', conditions: [], zone: 'utc' };
const met = (field: string, operator: Operator, value: string, zone = 'utc') =>
	filterByConditions(
		[{ record }],
		{ match: 'all', conditions: [{ field, operator, value }], zone },
		fields,
	).met.length === 1;

describe('A condition', () => {
	it.each<[string, Operator, string, boolean]>([
		[' email ', 'is', ' ada@example.com ', true],
		['Email', 'is', 'ada', false],
		['Email', 'contains', 'EXAMPLE', true],
		['Notes', 'isEmpty', '', true],
		['Nothing', 'isEmpty', '', true],
		['Nothing', 'isNot', 'x', true],
		['Nothing', 'less', '5', false],
		['Guests', 'greater', '3', false],
		['Guests', 'less', '3,5', true],
		['Price', 'is', '2.50', true],
		['Code', 'is', '7', false],
		['Topics', 'isNot', 'maths', false],
		['Topics', 'contains', 'usi', true],
		['Address', 'contains', 'london', true],
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

	it.each<[string, string, string]>([
		// New York is five hours before UTC
		['created_at', '2026-11-21T06:59', '2026-11-21T07:00'],
		['created_at', '2026-11-21T11:59Z', '2026-11-22'],
		['without_zone', '2026-11-21T06:59', '2026-11-21T07:00'],
		['Day', '2026-12-23T23:59', '2026-12-24'],
		['Day', '2026-12-24T04:59Z', '2026-12-24T05:00Z'],
	])(
		'in New York, takes a time without a zone for one there, but for the service’s own: %s after %s, not %s',
		(field, before, after) => {
			expect(met(field, 'after', before, 'America/New_York')).toBe(true);
			expect(met(field, 'after', after, 'America/New_York')).toBe(false);
		},
	);
});

it('A condition means a custom key rather than a label in other capitals', () => {
	const alike = parseFields([
		{ uuid: 'a', label: 'Email' },
		{ uuid: 'b', label: 'Other', custom_key: 'email' },
	]);
	const conditions = [{ field: 'email', operator: 'is', value: 'of b' }] as const;
	const responses = ['a', 'b'].map((uuid) => ({ uuid, value: `of ${uuid}` }));
	const entries = [{ record: { responses } }];
	expect(filterByConditions(entries, { ...none, conditions }, alike).met).toEqual(entries);
});

describe('Finding responses', () => {
	const at = (day: number) => `2026-11-${String(day).padStart(2, '0')}T08:00:00.000000Z`;
	const epoch = (day: number) => Date.UTC(2026, 10, day, 8);
	const find = (records: IDataObject[], wanted: Partial<Wanted>) =>
		findResponses(records, { sort: 'listed', conditions: none, ...wanted }).met.map(
			({ uuid }) => uuid,
		);

	/** A response, and what a plain reading of it knows. */
	const response = fc.record({
		// missing, equal and unreadable times are common
		day: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
		attribute: fc.constantFrom('submitted_at', 'created_at'),
		unreadable: fc.boolean(),
		text: fc.constantFrom('Ada', 'GRACE', 'a|b', 'straße', ''),
	});

	const responses = fc.array(response, { maxLength: 12 }).map((list) =>
		list.map(({ day, attribute, unreadable, text }, index) => {
			const time = day !== undefined && !unreadable ? day : undefined;
			const record: IDataObject = {
				uuid: `r${index}`,
				...(attribute === 'submitted_at' && time !== undefined && { created_at: at(1) }),
				...(day !== undefined && { [attribute]: unreadable ? 'some day' : at(day) }),
				responses: [{ key: 'Name', value: text }],
			};
			return { record, time, text };
		}),
	);

	const wanted = fc.record({
		after: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
		before: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
		text: fc.option(fc.constantFrom('ad', 'grace', 'B', 'STRASSE', 'x'), { nil: undefined }),
		sort: fc.constantFrom<Wanted['sort']>('newest', 'oldest', 'listed'),
	});

	it('gives those that a plain filter gives, in the order of their times', () => {
		fc.assert(
			fc.property(responses, wanted, (list, { after, before, text, sort }) => {
				const expected = list.filter(
					({ time, text: given }) =>
						(after === undefined || (time !== undefined && time > after)) &&
						(before === undefined || (time !== undefined && time < before)) &&
						(text === undefined || given.toLowerCase().includes(text.toLowerCase())),
				);
				// those without a time come last
				const direction = sort === 'newest' ? -1 : 1;
				const rank = (time: number | undefined) => (time === undefined ? 9 : time * direction);
				if (sort !== 'listed') expected.sort((a, b) => rank(a.time) - rank(b.time));
				const records = list.map(({ record }) => record);
				const bounds = { after: after && epoch(after), before: before && epoch(before) };
				expect(find(records, { ...bounds, text, sort })).toEqual(
					expected.map(({ record }) => record.uuid),
				);
			}),
			{ numRuns: 2_000 },
		);
	});

	it.each([
		['needleham', true],
		['42', true],
		['cv.pdf', true],
		// a label, an attribute and the address of a file
		['topic', false],
		['response', false],
		['files.example', false],
	])('looks into all of an answer, but not further: %s', (text, isFound) => {
		const responses = {
			Topic: ['a', { city: 'Needleham' }],
			Other: 42,
			CV: 'cv.pdf|https://files.example/cv.pdf',
		};
		expect(find([{ uuid: 'response', responses }], { text })).toHaveLength(Number(isFound));
	});

	it('holds back what does not meet the conditions', () => {
		const condition = { field: 'uuid', operator: 'is', value: 'b' } as const;
		const conditions = { ...none, conditions: [condition] };
		expect(find([{ uuid: 'a' }, { uuid: 'b' }], { conditions })).toEqual(['b']);
	});
});
