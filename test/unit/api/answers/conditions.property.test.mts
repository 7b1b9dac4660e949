import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { afterAll, describe, expect, it } from 'vitest';
import {
	explainUnknownField,
	filterByConditions,
	operators,
	type Operator,
} from '../../../../nodes/FormService/api/answers/conditions.ts';
import { parseFields } from '../../../../nodes/FormService/api/answers/fields.ts';

/** A form with two fields of one label, a label in a decomposed Unicode form, and every kind that is read in its own way. */
const form = [
	{ id: 11, label: 'About you', type: 'heading', key: undefined },
	{ id: 12, label: 'Full name', type: 'text', key: 'name' },
	{ id: 13, label: 'Full name', type: 'text', key: 'partner' },
	{ id: 14, label: 'Guests', type: 'number', key: 'guests' },
	{ id: 15, label: 'Day', type: 'date', key: 'day' },
	{ id: 16, label: 'Agreed', type: 'boolean', key: 'agreed' },
	{ id: 17, label: 'Cafe\u0301 topics ', type: 'multiple_choice', key: 'topics' },
	{ id: 18, label: 'CV', type: 'file_upload', key: 'cv' },
].map((field) => ({ ...field, uuid: `0a1b2c3d-0000-4000-8000-0000000000${field.id}` }));
type Field = (typeof form)[number];
const answerable = form.filter(({ type }) => type !== 'heading');
const records = form.map(
	({ key, ...field }): IDataObject => ({ ...field, custom_key: key ?? null }),
);
const fields = parseFields(records);

/** What the naive matcher knows of a form: a value for each field, by its ID. */
type Filled = Record<number, unknown>;
type Entry = { field: Field; value: unknown };

/** How a service gives the answers. A map has each label once, so it can't give both full names. */
const shapes: Record<string, { of: (entries: Entry[]) => unknown; mergesLabels?: true }> = {
	pairs: { of: (entries) => entries.map(({ field, value }) => ({ key: field.label, value })) },
	'pairs of lists': { of: (entries) => entries.map(({ field, value }) => [field.label, value]) },
	events: {
		of: (entries) =>
			entries.map(({ field, value }) => ({
				label: field.label,
				response: value,
				uuid: field.uuid,
				custom_key: field.key,
			})),
	},
	'a former label': {
		of: (entries) => entries.map(({ field, value }) => ({ label: 'Old', value, uuid: field.uuid })),
	},
	'UUIDs alone': {
		of: (entries) => entries.map(({ field, value }) => ({ uuid: field.uuid, value })),
	},
	'UUIDs in capitals': {
		of: (entries) =>
			entries.map(({ field, value }) => ({ field_uuid: field.uuid.toUpperCase(), value })),
	},
	'numeric IDs': {
		of: (entries) => entries.map(({ field, value }) => ({ field_id: field.id, value })),
	},
	'nested fields': {
		of: (entries) =>
			entries.map(({ field: { uuid, label }, value }, index) => ({
				id: 900 + index,
				field: { uuid, label },
				value,
			})),
	},
	'custom keys': {
		of: (entries) =>
			entries.map(({ field, value }) => ({ label: field.label, custom_key: field.key, value })),
	},
	'JSON as text': {
		of: (entries) =>
			JSON.stringify(entries.map(({ field, value }) => ({ key: field.label, value }))),
	},
	'a map by UUID': { of: (entries) => mapBy(entries, ({ uuid }) => uuid) },
	'a map by ID': { of: (entries) => mapBy(entries, ({ id }) => String(id)) },
	'a map by custom key': { of: (entries) => mapBy(entries, ({ key, label }) => key ?? label) },
	'a map by label': { of: (entries) => mapBy(entries, ({ label }) => label), mergesLabels: true },
	'composed labels': {
		of: (entries) =>
			entries.map(({ field, value }) => ({ key: field.label.normalize('NFC').trim(), value })),
	},
};

function mapBy(entries: Entry[], nameOf: (field: Field) => string) {
	return Object.fromEntries(entries.map(({ field, value }) => [nameOf(field), value]));
}

/** The names by which a person means a field. */
const names: Record<string, (field: Field) => string> = {
	label: ({ id, label }) => (id === 13 ? 'Full name (2)' : label),
	'label in other spelling': ({ id, label }) =>
		id === 13 ? ' full NAME (2)' : label.normalize('NFC').trim().toLowerCase(),
	UUID: ({ uuid }) => uuid,
	'UUID in capitals': ({ uuid }) => uuid.toUpperCase(),
	ID: ({ id }) => String(id),
	'custom key': ({ key }) => key!,
};

/** Minutes that the workflow's zone is before UTC: it has no summer time, so that the oracle can reckon. */
const zones = { utc: 0, 'Asia/Kolkata': 330, 'America/Phoenix': -420 };

/** The naive matcher: it has never heard of shapes. */
function naive(value: unknown, operator: Operator, wanted: string, type: string, offset: number) {
	const parts = [value].flat().filter((part) => part !== null && String(part).trim() !== '');
	const shown = parts.map((part) => String(part).split('|http')[0]);
	const small = (text: string) => text.normalize('NFC').trim().toLowerCase();
	const number = (text: string) =>
		/^-?\d+([.,]\d+)?$/.test(text.trim()) ? Number(text.replace(',', '.')) : NaN;
	const time = (text: string) => {
		const [all, y, m, d, h = 0, min = 0, zone] =
			/^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(Z?))?$/.exec(text) ?? [];
		if (all === undefined) return NaN;
		const utc = Date.UTC(+y, +m - 1, +d, +h, +min);
		return zone === 'Z' ? utc : utc - offset * 60_000;
	};
	const yes = (text: string) => ({ true: 1, 1: 1, false: 0, 0: 0 })[small(text)];
	const is = shown.some(
		(text, index) =>
			small(text) === small(wanted) ||
			((type === 'number' || typeof parts[index] === 'number') &&
				number(text) === number(wanted)) ||
			((type === 'boolean' ||
				typeof parts[index] === 'boolean' ||
				/^(true|false)$/.test(small(wanted))) &&
				yes(text) !== undefined &&
				yes(text) === yes(wanted)),
	);
	const some = (holds: (text: string) => boolean) => shown.some(holds);
	return {
		is,
		isNot: !is,
		isEmpty: shown.length === 0,
		isNotEmpty: shown.length > 0,
		contains: some((text) => small(text).includes(small(wanted))),
		greater: some((text) => number(text) > number(wanted)),
		less: some((text) => number(text) < number(wanted)),
		after: some((text) => time(text) > time(wanted)),
		before: some((text) => time(text) < time(wanted)),
	}[operator];
}

const texts = [
	'Ada',
	'ADA ',
	'Rene\u0301',
	'René',
	'3',
	'3,0',
	'2.5',
	'007',
	'1',
	'0',
	'true',
	'False',
];
const times = [
	'2026-01-31',
	'2026-01-31T08:00',
	'2026-01-31 08:00',
	'2026-01-31T08:00Z',
	'Room 5',
	'2026',
];
const value = fc.oneof(
	fc.constantFrom<unknown>(null, '', ' ', 3, 0, 1, 2.5, true, false, ...texts, ...times),
	fc.constantFrom('cv.pdf|https://files.example/ada/cv.pdf', 'a, b.pdf|https://h/1'),
	fc.array(fc.constantFrom('Music', 'Maths', 'ada'), { maxLength: 3 }),
);
const wanted = fc.constantFrom(
	'music',
	'cv',
	'files.example',
	'b.pdf',
	'5',
	'2026-01-31T02:30Z',
	...texts,
	...times,
);
const filled = fc
	.tuple(...answerable.map(() => value))
	.map((values): Filled => Object.fromEntries(values.map((one, at) => [answerable[at].id, one])));

const zoneBefore = process.env.TZ;
afterAll(() => {
	process.env.TZ = zoneBefore;
});

const processZone = fc.constantFrom('UTC', 'Pacific/Auckland', 'America/Los_Angeles');

describe('In any time zone of the process, a condition', () => {
	it.each(Object.entries(shapes))(
		'means the same field, however named, of answers as %s',
		(_, { of, mergesLabels }) => {
			const usable = answerable.filter(({ id }) => mergesLabels !== true || id !== 13);
			const condition = fc.record({
				target: fc.constantFrom(...usable),
				name: fc.constantFrom(...Object.keys(names)),
				operator: fc.constantFrom(...operators),
				value: wanted,
			});
			const workflowZone = fc.constantFrom(...(Object.keys(zones) as Array<keyof typeof zones>));
			fc.assert(
				fc.property(
					filled,
					fc.array(condition, { minLength: 1, maxLength: 3 }),
					fc.constantFrom('all' as const, 'any' as const),
					workflowZone,
					processZone,
					(answers, list, match, of_, zone) => {
						process.env.TZ = zone;
						const entries = usable.map((field) => ({ field, value: answers[field.id] }));
						const record = { uuid: 'r', responses: of(entries) } as IDataObject;
						const each = list.map(({ target, operator, value: to }) =>
							naive(answers[target.id], operator, to, target.type, zones[of_]),
						);
						const conditions = list.map(({ target, name, ...rest }) => ({
							...rest,
							field: names[name](target),
						}));
						const expected = match === 'all' ? each.every(Boolean) : each.some(Boolean);
						const given = { match, conditions, zone: of_ };
						expect(filterByConditions([{ record }], given, fields).met.length === 1).toBe(expected);
					},
				),
				{ numRuns: 400 },
			);
		},
	);
});

describe('A name that nothing has', () => {
	const problem = (field: string, among: IDataObject[] = []) =>
		explainUnknownField(
			{ match: 'all', zone: 'utc', conditions: [{ field, operator: 'isEmpty', value: '' }] },
			fields,
			among,
		);

	it('is a problem that lists the fields', () => {
		expect(problem('Fulname')).toBe(
			'The form has no field "Fulname". Its fields are "Full name", "Full name (2)", "Guests", "Day", "Agreed", "Cafe\u0301 topics ", "CV"',
		);
	});

	it('is none where a field or the response has it', () => {
		for (const field of form.slice(1)) {
			for (const nameOf of Object.values(names)) expect(problem(nameOf(field))).toBeUndefined();
		}
		expect(problem('created_at')).toBeUndefined();
		expect(problem('source', [{ uuid: 'r', source: 'web' }])).toBeUndefined();
	});
});
