import type { IDataObject } from 'n8n-workflow';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
	conditionsNeedFields,
	explainUnknownField,
	filterByConditions,
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
		{ key: 'Address', value: { city: 'London' } },
	],
};

const filter = (condition: Condition, zone: string) =>
	filterByConditions([{ record }], { match: 'all', conditions: [condition], zone }, fields);
const isMet = (field: string, operator: Operator, value: string, zone = 'utc') =>
	filter({ field, operator, value }, zone).met.length === 1;

describe('A condition', () => {
	afterEach(() => {
		vi.unstubAllEnvs();
	});

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
		['attribute:referrer', 'isNotEmpty', '', false],
		['attribute:referrer', 'isNot', 'x', true],
		['attribute:referrer', 'is', 'x', false],
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
		['updated_at', 'is', '2026-11-21T07:00', true],
	])('in New York: %s %s "%s": %s', (field, operator, value, expected) => {
		for (const processZone of ['UTC', 'Pacific/Auckland']) {
			vi.stubEnv('TZ', processZone);
			expect(isMet(field, operator, value, 'America/New_York')).toBe(expected);
		}
	});

	it('counts answers that cannot be compared, and says so in one sentence', () => {
		const noteOf = (field: string, operator: Operator) =>
			filter({ field, operator, value: '5' }, 'utc').note;
		expect(noteOf('Full name', 'less')).toMatch(/^1 answer could not be compared/);
		expect(noteOf('Guests', 'isNot')).toBeUndefined();
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
	const explain = (field: string, records: IDataObject[] = []) =>
		explainUnknownField(
			{ match: 'all', zone: 'utc', conditions: [{ field, operator: 'isEmpty', value: '' }] },
			fields.slice(0, 3),
			records,
		);

	it('that is the UUID of a removed field is explained without the UUID', () => {
		expect(explain(form[8].uuid)).toEqual({
			message: 'The field of condition 1 is no longer in the form',
			description:
				'Choose the field again, or remove the condition. The form\'s fields are "Full name", "Full name (2)", "Guests".',
		});
	});

	it('is one on a field, an attribute that has been seen, or one of the responses', () => {
		const names = ['name', form[2].uuid.toUpperCase(), 'created_at', 'attribute:referrer'];
		expect(names.filter((name) => explain(name) !== undefined)).toEqual([]);
		expect(explain('source', [record])).toBeUndefined();
		expect(explain('source')?.message).toBe('The form has no field "source"');
	});
});

describe('Finding responses', () => {
	const conditions = { match: 'all', conditions: [], zone: 'utc' } as const;
	const find = (records: IDataObject[], wanted: Partial<Wanted>) =>
		findResponses(records, { sort: 'listed', conditions, ...wanted }).met.map(({ uuid }) => uuid);

	it('excludes the bounds of time, and responses whose time cannot be read', () => {
		const times = [...[1, 2, 3].map((day) => `2026-11-0${day}T08:00:00Z`), 'some day', undefined];
		const records = times.map((created_at, uuid) => ({ created_at, uuid }) as IDataObject);
		const second = Date.UTC(2026, 10, 2, 8);
		expect(find(records, { after: second })).toEqual([2]);
		expect(find(records, { before: second })).toEqual([0]);
		expect(find(records, { sort: 'newest' })).toEqual([2, 1, 0, 3, 4]);
		expect(find(records, { sort: 'oldest' })).toEqual([0, 1, 2, 3, 4]);
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
