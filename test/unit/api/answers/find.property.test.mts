import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	findResponses,
	type Conditions,
	type Wanted,
} from '../../../../nodes/FormService/api/answers/conditions.ts';

const at = (day: number) => `2026-11-${String(day).padStart(2, '0')}T08:00:00.000000Z`;
const epoch = (day: number) => Date.UTC(2026, 10, day, 8);

const none: Conditions = { match: 'all', conditions: [], zone: 'utc' };

/** A response, and what a plain reading of it knows. */
const response = fc.record({
	// missing, equal and unreadable times are common
	day: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
	unreadable: fc.boolean(),
	text: fc.constantFrom('Ada', 'GRACE', 'a|b', 'straße', ''),
});

const responses = fc.array(response, { maxLength: 12 }).map((list) =>
	list.map(({ day, unreadable, text }, index) => {
		const time = day !== undefined && !unreadable ? day : undefined;
		const record: IDataObject = {
			uuid: `r${index}`,
			...(day !== undefined && { created_at: unreadable ? 'some day' : at(day) }),
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

describe('finding responses', () => {
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
				const found = findResponses(
					list.map(({ record }) => record),
					{
						after: after === undefined ? undefined : epoch(after),
						before: before === undefined ? undefined : epoch(before),
						text,
						sort,
						conditions: none,
					},
				);
				expect(found.map(({ uuid }) => uuid)).toEqual(expected.map(({ record }) => record.uuid));
			}),
			{ numRuns: 3_000 },
		);
	});

	it('looks into all of an answer, and not into labels or attributes', () => {
		const record = {
			uuid: 'needle',
			responses: { Needle: ['a', { city: 'Needleham' }], Other: 42 },
		};
		const find = (text: string) =>
			findResponses([record], { text, sort: 'listed', conditions: none });
		expect(find('needleham')).toHaveLength(1);
		expect(find('42')).toHaveLength(1);
		expect(
			findResponses([{ uuid: 'needle', responses: { Needle: 'x' } }], {
				text: 'needle',
				sort: 'listed',
				conditions: none,
			}),
		).toEqual([]);
	});

	it('holds back what does not meet the conditions', () => {
		const records = [{ uuid: 'a' }, { uuid: 'b' }];
		const conditions: Conditions = {
			...none,
			conditions: [{ field: 'uuid', operator: 'is', value: 'b' }],
		};
		expect(findResponses(records, { conditions, sort: 'listed' })).toEqual([{ uuid: 'b' }]);
	});
});
