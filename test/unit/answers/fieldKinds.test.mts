import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { encodeAnswer } from '../../../nodes/FormService/answers/encode.ts';
import {
	fieldKinds,
	findFieldKind,
	getExample,
	normalizeAnswer,
	parseAnswer,
	type FieldKind,
} from '../../../nodes/FormService/answers/fieldKinds.ts';
import { parseFields } from '../../../nodes/FormService/answers/fields.ts';

const FIELD_KINDS = Object.keys(fieldKinds) as FieldKind[];
const choices = [
	{ name: 'Red', value: 'r' },
	{ name: 'Blue, dark', value: 'b' },
	{ name: 'Two', value: 2 },
	{ name: 'نعم', value: 'نعم' },
	// the name of one choice is the value of another
	{ name: 'b', value: 'Green' },
];
const fieldOf = (kind: FieldKind) => ({ kind, choices: /Choice/.test(kind) ? choices : [] });
const encode = (value: unknown, kind: FieldKind, allowOther = false) =>
	encodeAnswer(value, fieldOf(kind), { zone: 'America/New_York', allowOther });

it.each<[FieldKind, string, string]>([
	['file', 'url', 'file file_upload upload attachment'],
	['date', 'dateTime', 'date Date'],
	['dateTime', 'dateTime', 'datetime date_time dateTime datetime-local'],
	['number', 'number', 'number integer decimal rating scale NPS'],
	['boolean', 'boolean', 'boolean toggle yes_no yesNo checkbox'],
	['multipleChoice', 'string', 'multiple_choice multipleChoice multi_select checkboxes'],
	['singleChoice', 'string', 'select dropdown radio radios single_choice'],
	['text', 'string', 'text profile filename anything'],
])('A field of the kind %s is entered as %s, and has a type such as %s', (kind, widget, types) => {
	expect(fieldKinds[kind].widget).toBe(widget);
	for (const type of types.split(' ')) expect(findFieldKind({ type }), type).toBe(kind);
});

it.each(['heading', 'divider', 'page_break', 'pageBreak'])('A %s takes no answer', (type) => {
	expect(parseFields([{ uuid: 'u', label: 'F', type }])).toEqual([]);
});

describe('An answer of a new response', () => {
	it.each<[FieldKind, unknown, string | number, boolean?]>([
		['text', ' Ada\u00a0\u200bL ', ' Ada\u00a0\u200bL '],
		['text', DateTime.fromISO('2026-11-21', { zone: 'utc+1' }), '2026-11-21T00:00:00.000+01:00'],
		['text', ['Red', 2, true, null, 0.5], 'Red, 2, 1, 0.5'],
		['boolean', 'No', 0],
		['file', { name: 'a b.pdf', url: 'https://h/a%20b.pdf' }, 'https://h/a%20b.pdf'],
		['file', ['scan|https://f.example/1'], 'https://f.example/1'],
		['singleChoice', ' red', 'r'],
		['singleChoice', '\u200fنعم', 'نعم'],
		['multipleChoice', ['Red', 2, 'red'], 'r, 2'],
		['multipleChoice', 'Two, Blue, dark,RED', '2, b, r'],
		['multipleChoice', ['Red', '1,234'], 'r, 1,234', true],
		['dateTime', '2026-07-31 08:00:30', '2026-07-31T08:00:30.000-04:00'],
		['dateTime', 1767225600, '2025-12-31T19:00:00.000-05:00'],
		['dateTime', '31.12.2026, 8:30', '2026-12-31T08:30:00.000-05:00'],
		['date', '2026-01-31T04:59:59Z', '2026-01-30'],
		// midnight in UTC, as a database node gives a day in most containers
		['date', ' 2026-01-31 00:00:00+00 ', '2026-01-31'],
		['date', new Date('2026-01-31'), '2026-01-31'],
		// the same moment, by a clock that does not show midnight
		['date', '2026-01-30T19:00:00-05:00', '2026-01-30'],
	])('to a field of the kind %s is sent from %j as %j', (kind, value, sent, allowOther) => {
		expect(encode(value, kind, allowOther)).toEqual({ answer: sent });
	});

	it.each(FIELD_KINDS)('to a field of the kind %s can be left empty', (kind) => {
		for (const nothing of [undefined, null, '', '\u202a\u00a0\u202c', [], [null]]) {
			expect(encode(nothing, kind)).toEqual({ answer: undefined });
			expect(parseAnswer(nothing as never, fieldOf(kind))).toBeNull();
		}
	});

	it.each<[FieldKind, string, unknown[]]>([
		['text', 'must be text, a number, a date or a list, not an object', [{ a: 1 }]],
		['text', 'too many digits', [2 ** 53]],
		['number', 'must be a number in plain digits', ['1.000', '1,000', '1 000', '9,99', '1e3']],
		['date', 'must be a date, such as 2027-01-31', ['2026-01', '31/01/2026', '31.02.2026', 46022]],
		['dateTime', 'must be a date', [' 2026-01 ', [1767225600, 1767225601]]],
		['singleChoice', 'must be one of Red, Blue, dark, Two, نعم, b', ['own', ['Red', 'Two']]],
		['multipleChoice', 'must be one or more of Red', [['Red', 'x'], 'Red, own', ['Red, x']]],
		['file', 'URL of one', ['ftp://f/a.pdf', { name: 'a' }, 'https://f/a, https://f/b']],
	])('to a field of the kind %s %s: %j', (kind, text, values) => {
		const problem = expect.stringContaining(text);
		for (const value of values)
			expect(encode(value, kind), String(value)).toMatchObject({ problem });
	});

	const ADVICE = `To send other answers, turn on 'Allow "Other" Answers'`;
	const oneOf = { problem: `must be one of A, B. ${ADVICE}` };
	it.each<[string, unknown, object]>([
		['radio', ['A', 'B'], oneOf],
		// PHP sends a list with gaps as an object
		['radio', { 0: 'A', 2: { label: 'B', value: null } }, oneOf],
		['checkbox', ['A', 'B'], { problem: `must be one or more of A, B. ${ADVICE}` }],
		// any answer is better than none
		['radio', ['A', { name: 'B' }], { answer: 'C' }],
		['checkbox', 'A\nB', { answer: 'C' }],
	])('to a %s is checked against choices that are %j', (type, options, checked) => {
		const [field] = parseFields([{ uuid: 'u', label: 'F', type, options } as never]);
		expect(encodeAnswer('C', field, { zone: 'utc' })).toMatchObject(checked);
	});
});

const files = [{ name: 'scan', url: 'https://h/1' }];

it.each<[type: string, value: unknown, parsed?: unknown]>([
	['text', { street: 'Main', number: 1 }],
	['number', '007'],
	['number', '20261122000000017'],
	['number', '123456789012345', 123456789012345],
	['number', ' -0.50 ', -0.5],
	['boolean', 'yes', true],
	['multiple_choice', 'News', ['News']],
	['multiple_choice', { 0: 'News', 2: 'Tips' }, ['News', 'Tips']],
	['checkboxes', 'News, A, B, tips', ['News', 'A, B', 'tips']],
	['checkboxes', 'News, other', ['News, other']],
	['file_upload', { 3: 'scan|https://h/1' }, files],
])('A listed answer of the type %s stays as it is, or is read: %j as %j', (...row) => {
	const [type, value, parsed = value] = row;
	const options = type === 'boolean' ? [] : ['News', 'Tips', 'A', { label: 'A, B' }, 'B'];
	const [field] = parseFields([{ uuid: 'u', label: 'F', type, options }]);
	expect(parseAnswer(value as never, field)).toEqual(parsed);
});

it.each<[FieldKind, unknown, unknown, string]>([
	['number', ' 03.0 ', 3, 'equal'],
	// one of many numbers that JSON.parse rounds to it
	['number', 20261122000000016, '20261122000000016', 'not compared'],
	['text', '+49 151 1234', '\u202a+49\u00a0151 1234\u202c', 'equal'],
	['date', '2026-01-31', '2026-02-01', 'different'],
	['date', '2026-01-31T00:00:00Z', '2026-01-31', 'not compared'],
	['date', '31.12.2026', '2026-12-31', 'equal'],
	['dateTime', '2026-01-31T08:00Z', '2026-01-31T03:00-05:00', 'equal'],
	['dateTime', '2026-01-31 08:00:00', '2026-01-31T08:00:00Z', 'not compared'],
	['singleChoice', 'r', ' RED', 'equal'],
])('Two answers of the kind %s, %j and %j, are %s', (kind, listed, sent, outcome) => {
	const [one, other] = [listed, sent].map((answer) => normalizeAnswer(fieldOf(kind), answer));
	const compared = one === other ? 'equal' : 'different';
	expect(one === undefined || other === undefined ? 'not compared' : compared).toBe(outcome);
});

it('Each kind of field takes its own example', () => {
	for (const kind of FIELD_KINDS) {
		const field = fieldOf(kind);
		expect(encodeAnswer(getExample(field), field, { zone: 'utc' }), kind).toHaveProperty('answer');
	}
});
