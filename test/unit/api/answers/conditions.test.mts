import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { afterAll, describe, expect, it } from 'vitest';
import {
	conditionsNeedFields,
	explainUnknownField,
	filterByConditions,
	OPERATORS,
	type Condition,
	type Operator,
} from '../../../../nodes/FormService/api/answers/conditions.ts';
import { parseFields } from '../../../../nodes/FormService/api/answers/fields.ts';
import {
	findResponses,
	type Wanted,
} from '../../../../nodes/FormService/api/answers/findResponses.ts';

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
		{ key: 'Address', value: { city: 'London' } },
	],
};

const filter = (condition: Condition, zone: string) =>
	filterByConditions([{ record }], { match: 'all', conditions: [condition], zone }, fields);
const isMet = (field: string, operator: Operator, value: string, zone = 'utc') =>
	filter({ field, operator, value }, zone).met.length === 1;

describe('A condition', () => {
	it.each<[string, Operator, string, boolean]>([
		[' full NAME', 'is', ' ada ', true],
		['Full name', 'is', 'ad', false],
		['Full name (2)', 'contains', 'RENÉ', true],
		['partner', 'isNotEmpty', '', true],
		['Guests', 'is', '3.0', true],
		['Guests', 'greater', '3', false],
		['Guests', 'less', '3.5', true],
		['Agreed', 'is', 'yes', true],
		['Agreed', 'isNot', 'true', false],
		['topics', 'is', 'music', true],
		['topics', 'is', 'M', true],
		['topics', 'contains', 'usi', true],
		['topics', 'isNot', 'Maths', false],
		['topics', 'isNot', 'Art', true],
		['CV', 'is', 'CV.pdf', true],
		['CV', 'contains', 'files.example', false],
		['Day', 'is', '2026-12-24T23:00', true],
		['Time', 'is', '2026-12-24', true],
		['Time', 'after', '2026-12-24', false],
		['Time', 'before', '2026-12-24T03:00:01Z', true],
		['Full name', 'after', '1990-01-01', false],
		// a name that is both means the field
		['Number', 'is', 'A-7', true],
		['number', 'greater', '9', false],
		['attribute:number', 'greater', '9', true],
		['attribute:submitted_at', 'is', '2026-11-21', true],
		['attribute:is_incomplete', 'is', 'false', true],
		['attribute:referrer', 'isEmpty', '', true],
		['created_at', 'after', '2026-11-21 11:59:59', true],
		['source', 'is', 'WEB', true],
	])('%s %s "%s": %s', (field, operator, value, expected) => {
		expect(isMet(field, operator, value)).toBe(expected);
	});

	it.each<[string, Operator, string, boolean]>([
		// New York is five hours before UTC
		['Time', 'is', '2026-12-23', true],
		['Time', 'is', '2026-12-23T22:00', true],
		['Day', 'is', '2026-12-24', true],
		['Day', 'after', '2026-12-23T23:59', true],
		['created_at', 'after', '2026-11-21T06:59', true],
		['created_at', 'after', '2026-11-21T07:00', false],
	])('in New York: %s %s "%s": %s', (field, operator, value, expected) => {
		expect(isMet(field, operator, value, 'America/New_York')).toBe(expected);
	});

	it('counts answers that cannot be compared, and says so in one sentence', () => {
		const noteOf = (field: string, operator: Operator) =>
			filter({ field, operator, value: '5' }, 'utc').note;
		expect(noteOf('Full name', 'less')).toMatch(/^1 answer could not be compared/);
		expect(noteOf('Guests', 'isNot')).toBeUndefined();
	});

	it('needs the fields of the form unless it is marked as an attribute', () => {
		const needFields = (field: string) =>
			conditionsNeedFields({
				match: 'all',
				conditions: [{ field, operator: 'is', value: '1' }],
				zone: '',
			});
		expect([needFields('attribute:number'), needFields('number')]).toEqual([false, true]);
	});
});

describe('A condition on an unknown name', () => {
	const explain = (field: string, records: IDataObject[] = []) =>
		explainUnknownField(
			{ match: 'all', zone: 'utc', conditions: [{ field, operator: 'isEmpty', value: '' }] },
			fields.slice(0, 3),
			records,
		);

	it('is explained with the names that there are', () => {
		expect(explain('Fulname')).toEqual({
			message: 'The form has no field "Fulname"',
			description:
				'Correct the field of condition 1. The form\'s fields are "Full name", "Full name (2)", "Guests".',
		});
		expect(explain(form[8].uuid)).toMatchObject({
			message: 'The field of condition 1 is no longer in the form',
			description: expect.stringMatching(/^Choose the field again, or remove the condition\./),
		});
	});

	it('is none if a field or a response has the name', () => {
		for (const name of ['name', form[2].uuid.toUpperCase(), 'created_at', 'attribute:referrer']) {
			expect(explain(name)).toBeUndefined();
		}
		expect(explain('source', [record])).toBeUndefined();
	});
});

describe('Conditions', () => {
	const zoneBefore = process.env.TZ;
	afterAll(() => {
		process.env.TZ = zoneBefore;
	});

	/** Minutes that a zone is before UTC; without summer time, so that the naive reader can reckon. */
	const zones = { utc: 0, 'Asia/Kolkata': 330, 'America/Phoenix': -420 };

	/** The naive reader of an answer to a field of unknown type: it knows texts, numbers and times. */
	function naive(value: unknown, operator: Operator, wanted: string, offset: number): boolean {
		const parts = [value].flat().filter((part) => part !== null && String(part).trim() !== '');
		const small = (text: unknown) => String(text).normalize('NFC').trim().toLowerCase();
		const number = (text: unknown) => (/^-?\d+(\.\d+)?$/.test(small(text)) ? Number(text) : NaN);
		const day = (text: string) => text.slice(0, 10);
		const time = (text: unknown) => {
			const [all, date, clock, zone] =
				/^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(Z?))?$/.exec(String(text)) ?? [];
			if (all === undefined) return undefined;
			if (clock === undefined) return { date };
			const utc = Date.parse(`${date}T${clock}Z`) - (zone === 'Z' ? 0 : offset * 60_000);
			return { date: day(new Date(utc + offset * 60_000).toISOString()), utc };
		};
		const difference = (text: unknown) => {
			const [one, other] = [time(text), time(wanted)];
			if (one === undefined || other === undefined) return NaN;
			if (one.utc !== undefined && other.utc !== undefined) return one.utc - other.utc;
			return one.date.localeCompare(other.date);
		};
		const is = parts.some(
			(part) =>
				(typeof part === 'number' && number(part) === number(wanted)) ||
				(typeof part !== 'number' && small(part) === small(wanted)),
		);
		return {
			is,
			isNot: !is,
			isEmpty: parts.length === 0,
			isNotEmpty: parts.length > 0,
			contains: parts.some((part) => small(part).includes(small(wanted))),
			greater: parts.some((part) => number(part) > number(wanted)),
			less: parts.some((part) => number(part) < number(wanted)),
			after: parts.some((part) => difference(part) > 0),
			before: parts.some((part) => difference(part) < 0),
		}[operator];
	}

	const texts = ['Ada', 'ADA ', 'Rene\u0301', 'René', '3', '3,0', '2.5', '007', 'true', 'Room 5'];
	const times = ['2026-01-31', '2026-01-31T08:00', '2026-01-31 20:00', '2026-01-31T02:30Z', '2026'];
	const value = fc.oneof(
		fc.constantFrom<unknown>(null, '', ' ', 3, 0, 2.5, ...texts, ...times),
		fc.array(fc.constantFrom('Music', 'Maths', 'ada'), { maxLength: 3 }),
	);
	const condition = fc.record({
		field: fc.constantFrom('A', 'B', 'C'),
		operator: fc.constantFrom(...(Object.keys(OPERATORS) as Operator[])),
		value: fc.constantFrom('music', '5', ...texts, ...times),
	});
	const plain = parseFields(['A', 'B', 'C'].map((label) => ({ uuid: label, label })));

	it('are met by the responses that a naive reader finds, in any time zone of the process', () => {
		fc.assert(
			fc.property(
				fc.array(fc.record({ A: value, B: value, C: value }), { maxLength: 5 }),
				fc.array(condition, { minLength: 1, maxLength: 3 }),
				fc.constantFrom('all' as const, 'any' as const),
				fc.constantFrom(...(Object.keys(zones) as Array<keyof typeof zones>)),
				fc.constantFrom('UTC', 'Pacific/Auckland', 'America/Los_Angeles'),
				(list, conditions, match, zone, processZone) => {
					process.env.TZ = processZone;
					const entries = list.map((responses) => ({ record: { responses } as IDataObject }));
					const expected = entries.filter((_, index) => {
						const answers: Record<string, unknown> = list[index];
						const each = conditions.map(({ field, operator, value: wanted }) =>
							naive(answers[field], operator, wanted, zones[zone]),
						);
						return match === 'all' ? each.every(Boolean) : each.some(Boolean);
					});
					const { met } = filterByConditions(entries, { match, conditions, zone }, plain);
					expect(met).toEqual(expected);
				},
			),
			{ numRuns: 2_000 },
		);
	});
});

describe('Finding responses', () => {
	const none = { match: 'all', conditions: [], zone: 'utc' } as const;
	const at = (day: number) => `2026-11-${String(day).padStart(2, '0')}T08:00:00.000000Z`;
	const epoch = (day: number | undefined) =>
		day === undefined ? undefined : Date.UTC(2026, 10, day, 8);
	const find = (records: IDataObject[], wanted: Partial<Wanted>) =>
		findResponses(records, { sort: 'listed', conditions: none, ...wanted }).met.map(
			({ uuid }) => uuid,
		);

	const optional = <T,>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
	const response = fc.record({
		// missing and equal times are common
		day: optional(fc.integer({ min: 1, max: 5 })),
		text: fc.constantFrom('Ada', 'GRACE', 'a|b', 'straße', ''),
	});
	const wanted = fc.record({
		after: optional(fc.integer({ min: 0, max: 5 })),
		before: optional(fc.integer({ min: 1, max: 6 })),
		text: optional(fc.constantFrom('ad', 'grace', 'B', 'STRASSE', 'x')),
		sort: fc.constantFrom<Wanted['sort']>('newest', 'oldest', 'listed'),
	});

	it('gives those that a plain filter gives, in the order of their times', () => {
		fc.assert(
			fc.property(fc.array(response, { maxLength: 12 }), wanted, (given, query) => {
				const { after, before, text, sort } = query;
				const list = given.map((one, index) => ({ ...one, uuid: `r${index}` }));
				const expected = list.filter(
					({ day, text: answer }) =>
						(after === undefined || (day !== undefined && day > after)) &&
						(before === undefined || (day !== undefined && day < before)) &&
						(text === undefined || answer.toLowerCase().includes(text.toLowerCase())),
				);
				// those without a time come last
				const direction = sort === 'newest' ? -1 : 1;
				const rank = ({ day }: { day?: number }) => (day === undefined ? 9 : day * direction);
				if (sort !== 'listed') expected.sort((a, b) => rank(a) - rank(b));
				const records = list.map(({ uuid, day, text: answer }) => ({
					uuid,
					created_at: day === undefined ? 'some day' : at(day),
					responses: [{ key: 'Name', value: answer }],
				}));
				const found = find(records, { after: epoch(after), before: epoch(before), text, sort });
				expect(found).toEqual(expected.map(({ uuid }) => uuid));
			}),
			{ numRuns: 1_000 },
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
});
