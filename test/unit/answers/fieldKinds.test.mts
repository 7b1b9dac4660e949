import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { parseFields } from '../../../nodes/FormService/answers/fields.ts';
import {
	encodeAnswer,
	findFieldKind,
	fieldKinds,
	normalizeAnswer,
	parseAnswer,
	type FieldKind,
} from '../../../nodes/FormService/answers/fieldKinds.ts';

const FIELD_KINDS = Object.keys(fieldKinds) as FieldKind[];
const choices = [
	{ name: 'Red', value: 'r' },
	{ name: 'Blue, dark', value: 'b' },
	{ name: 'Two', value: 2 },
	// the name of one choice is the value of another
	{ name: 'b', value: 'Green' },
];
const fieldOf = (kind: FieldKind) => ({ kind, choices: /Choice/.test(kind) ? choices : [] });
const encode = (value: unknown, kind: FieldKind, allowOther = false) =>
	encodeAnswer(value, fieldOf(kind), { zone: 'America/New_York', allowOther });

it.each<[FieldKind, string, string]>([
	['layout', 'string', 'heading divider page_break pageBreak'],
	['file', 'url', 'file file_upload upload attachment'],
	['date', 'dateTime', 'date Date'],
	['dateTime', 'dateTime', 'datetime date_time dateTime datetime-local'],
	['number', 'number', 'number integer decimal rating scale NPS'],
	['boolean', 'boolean', 'boolean toggle yes_no yesNo checkbox'],
	['multipleChoice', 'string', 'multiple_choice multipleChoice multi_select checkboxes'],
	['singleChoice', 'string', 'select dropdown radio radios single_choice'],
	['text', 'string', 'text profile filename'],
])('A field of the kind %s is entered as %s, and has a type such as %s', (kind, widget, types) => {
	expect(fieldKinds[kind].widget).toBe(widget);
	for (const type of types.split(' ')) expect(findFieldKind({ type }), type).toBe(kind);
});

describe('An answer of a new response', () => {
	it.each<[FieldKind, unknown, string | number, boolean?]>([
		['text', ' Ada ', ' Ada '],
		['text', 2.5, '2.5'],
		['text', true, 1],
		['text', new Date(Date.UTC(2026, 10, 21, 8, 30)), '2026-11-21T08:30:00.000Z'],
		['text', DateTime.fromISO('2026-11-21', { zone: 'utc+1' }), '2026-11-21T00:00:00.000+01:00'],
		['text', ['Red', 2, true, null, 0.5], 'Red, 2, 1, 0.5'],
		['number', '12.50', '12.50'],
		['number', '+5', '+5'],
		['number', 0, 0],
		['boolean', 'No', 0],
		['boolean', false, 0],
		['boolean', ['yes'], 1],
		['file', { name: 'a b.pdf', url: 'https://h/a%20b.pdf' }, 'https://h/a%20b.pdf'],
		['file', [' https://f.example/a,b;c.pdf '], 'https://f.example/a,b;c.pdf'],
		['singleChoice', ' red', 'r'],
		['singleChoice', { label: 'Red', value: 'r' }, 'r'],
		['singleChoice', { label: 'Red' }, 'r'],
		['singleChoice', '2', 2],
		['singleChoice', 'Red, Two', 'Red, Two', true],
		['singleChoice', 'b', 'b'],
		['multipleChoice', ['Red', 2], 'r, 2'],
		['multipleChoice', 'Two, Blue, dark,RED', '2, b, r'],
		['multipleChoice', ['Red', ''], 'r'],
		['multipleChoice', 'Red, own', 'Red, own', true],
		['multipleChoice', ['Red', '1,234'], 'r, 1,234', true],
		['dateTime', '2026-01-31T08:00', '2026-01-31T08:00:00.000-05:00'],
		['dateTime', '2026-07-31 08:00:30', '2026-07-31T08:00:30.000-04:00'],
		['dateTime', '2026-11-01T01:30-05:00', '2026-11-01T01:30-05:00'],
		['dateTime', '2026-01-31', '2026-01-31T00:00:00.000-05:00'],
		['date', '2026-01-31', '2026-01-31'],
		// the editor gives a day as its midnight
		['date', '2026-01-31 00:00', '2026-01-31'],
		['date', '2026-01-31 08:00', '2026-01-31'],
		['date', 1767225600, '2026-01-01'],
		['date', 1767225601, '2025-12-31'],
		['date', '1767243600', '2026-01-01'],
		['date', 1767243600000, '2026-01-01'],
		['date', ' 1767243600000 ', '2026-01-01'],
		// midnight in the workflow's zone, as a database node gives a day
		['date', '2026-01-31T05:00:00.000Z', '2026-01-31'],
		['date', '2026-01-31T04:59:59Z', '2026-01-30'],
		['date', '2026-07-31T06:00:00+02:00', '2026-07-31'],
		['date', new Date('2026-01-31T05:00:00Z'), '2026-01-31'],
		// midnight in UTC, as a database node gives a day in most containers
		['date', '2026-01-31T00:00:00.000Z', '2026-01-31'],
		['date', ' 2026-01-31 00:00:00+00 ', '2026-01-31'],
		['date', new Date('2026-01-31'), '2026-01-31'],
		['date', DateTime.utc(2026, 1, 31), '2026-01-31'],
		['date', '1769817600000', '2026-01-31'],
		// the same moment, by a clock that does not show midnight
		['date', '2026-01-30T19:00:00-05:00', '2026-01-30'],
		['date', '2026-01-30T19:00', '2026-01-30'],
		['date', DateTime.fromISO('2026-01-30T19:00', { zone: 'America/New_York' }), '2026-01-30'],
		['date', '31.12.2026', '2026-12-31'],
		['date', '1.2.2026 8:30', '2026-02-01'],
		['dateTime', 1767225600, '2025-12-31T19:00:00.000-05:00'],
		['dateTime', '1767225600000', '2025-12-31T19:00:00.000-05:00'],
		['dateTime', '31.12.2026, 8:30', '2026-12-31T08:30:00.000-05:00'],
		['dateTime', ' 2026-01-31T08:00Z ', '2026-01-31T08:00Z'],
	])('to a field of the kind %s is sent from %j as %j', (kind, value, sent, allowOther) => {
		expect(encode(value, kind, allowOther)).toEqual({ answer: sent });
	});

	it.each(FIELD_KINDS)('to a field of the kind %s can be left empty', (kind) => {
		for (const nothing of [undefined, null, '', ' ', [], [null], ['']]) {
			expect(encode(nothing, kind)).toEqual({ answer: undefined });
			expect(parseAnswer(nothing as never, fieldOf(kind))).toBeNull();
		}
	});

	it.each<[FieldKind, unknown, string, boolean?]>([
		['text', { a: 1 }, 'must be text, a number, a date or a list, not an object'],
		['text', 2 ** 53, 'too many digits'],
		['text', NaN, 'must be a number'],
		['number', '1,200', 'must be a number, such as 1234.5 (without commas or units)'],
		['boolean', 'Ja', 'must be yes or no'],
		['date', '2026-01', 'must be a date, such as 2027-01-31'],
		['dateTime', ' 2026-01 ', 'must be a date'],
		['date', '31/01/2026', 'must be a date'],
		['date', '31.02.2026', 'must be a date'],
		['date', '31.12.26', 'must be a date'],
		['date', 46022, 'must be a date'],
		['date', [1767225600, 1767225601], 'must be a date'],
		['singleChoice', 'my diagnosis', 'must be one of Red, Blue, dark, Two, b'],
		['singleChoice', ['Red', 'Two'], 'must be one of', true],
		['multipleChoice', ['Red', 'x'], 'must be one or more of Red'],
		['multipleChoice', 'Red, own', 'must be one or more of Red'],
		['multipleChoice', ['Red, Two'], 'must be one or more of Red'],
		['file', 'ftp://f.example/a.pdf', 'must be the http or https URL'],
		['file', { name: 'a.pdf' }, 'must be the http or https URL'],
		...[',', ', ', ';', '; ', '|', '\n', ' '].map((separator): [FieldKind, unknown, string] => [
			'file',
			`https://f.example/a.pdf${separator}https://f.example/b.pdf`,
			'URL of one already uploaded file',
		]),
		['file', ['https://f.example/a.pdf', 'https://f.example/b.pdf'], 'URL of one already'],
	])('to a field of the kind %s cannot be %j', (kind, value, text, allowOther) => {
		expect(encode(value, kind, allowOther)).toMatchObject({
			problem: expect.stringContaining(text),
		});
	});

	const one = 'must be one of A, B';
	it.each<[string, string, unknown, object]>([
		['an object, as PHP sends a list with gaps', 'radio', { 0: 'A', 2: 'B' }, { problem: one }],
		['objects', 'radio', [{ text: 'A' }, { text: 'B', value: null }], { problem: one }],
		['after a prompt', 'radio', [{ label: 'Choose', value: '' }, 'A', 'B'], { problem: one }],
		['of a checkbox', 'checkbox', ['A', 'B'], { problem: 'must be one or more of A, B' }],
		['labels by value', 'radio', { a: 'A', b: 'B' }, { problem: one }],
		['lines', 'radio', 'A\r\n B\n\n', { problem: one }],
		['JSON text', 'radio', '["A", {"label": "B", "value": 2}]', { problem: one }],
		['labels by value as JSON text', 'select', ' {"a": "A", "b": "B"} ', { problem: one }],
		[
			'labels by value of a checkbox',
			'checkbox',
			{ a: 'A', b: 'B' },
			{ problem: one.replace('one', 'one or more') },
		],
		['lines of a checkbox', 'checkbox', 'A\nB', { problem: one.replace('one', 'one or more') }],
		...['radio', 'checkbox'].flatMap((type) =>
			[
				['A', {}],
				[{ label: 'Group', options: ['A', 'B'] }],
				[['a', 'A']],
				{ a: { label: 'A' } },
				'A, B',
				'a|A\nb|B',
				'a : A\nb : B',
				'["A", ',
				'[["a", "A"]]',
				7,
			].map((options): [string, string, unknown, object] => [
				`unreadable (${JSON.stringify(options)})`,
				type,
				options,
				{ answer: 'C' },
			]),
		),
	])('is checked against choices that are %s', (_, type, options, checked) => {
		const [field] = parseFields([{ uuid: 'u', label: 'F', type, options } as never]);
		expect(encodeAnswer('C', field, { zone: 'utc' })).toMatchObject(checked);
	});
});

describe('A listed answer', () => {
	const read = (type: string, value: unknown, more: object = {}) =>
		parseAnswer(value as never, parseFields([{ uuid: 'u', label: 'F', type, ...more }])[0]);

	it.each<[string, ...unknown[]]>([
		['text', '007', 'true', ' x '],
		['number', '007', '-0', '1e3', 9, 'about 5', '4,50', '20261122000000017'],
		['number', '12345678901234567890', '10000000000000000000', '0.1234567890123456789'],
		['boolean', 'perhaps'],
		['date', '2027-01-04', 1_800_000_000, '4.1.2027'],
		['multiple_choice', ['News']],
		['single_choice', 'News'],
	])('of the type %s stays as the service gave it, such as %j', (type, ...values) => {
		for (const value of values) expect(read(type, value)).toEqual(value);
	});

	it.each<[string, unknown, unknown]>([
		['number', '1234567890123456', 1234567890123456],
		['number', '19.90', 19.9],
		['number', '5.00', 5],
		['number', '+5', 5],
		['number', ' -0.50 ', -0.5],
		['rating', '-4.5', -4.5],
		['boolean', 1, true],
		['toggle', 'yes', true],
		['checkbox', 'yes', true],
		['multiple_choice', 'News', ['News']],
		['multiple_choice', { 0: 'News', 2: 'Tips' }, ['News', 'Tips']],
		['multiple_choice', { News: true, Tips: false }, ['News']],
		['file_upload', 'scan|https://h/1', [{ name: 'scan', url: 'https://h/1' }]],
		['file_upload', { 3: 'scan|https://h/1' }, [{ name: 'scan', url: 'https://h/1' }]],
		[
			'file_upload',
			['https://h/a%20b.pdf?x=1'],
			[{ name: 'a b.pdf', url: 'https://h/a%20b.pdf?x=1' }],
		],
		['file_upload', { name: 'a', url: 'https://h/a' }, [{ name: 'a', url: 'https://h/a' }]],
	])('of the type %s: %j becomes %j', (type, value, expected) => {
		expect(read(type, value)).toEqual(expected);
	});

	it.each([
		['News, tips', ['News', 'tips']],
		['News, A, B, Tips', ['News', 'A, B', 'Tips']],
		['A, B, A', ['A, B', 'A']],
		['News, other', ['News, other']],
	])('that is %j has the choices %j if each part is a choice', (text, parts) => {
		const options = ['News', 'Tips', 'A', { value: 'A, B' }, 'B'];
		for (const type of ['select', 'profile'])
			expect(read(type, text, { multiple: 1, options })).toEqual(parts);
	});
});

it.each<[FieldKind, unknown, unknown, string]>([
	['number', '1.2e3', 1200, 'equal'],
	['number', '+5', '5.0', 'equal'],
	['number', ' 03.0 ', 3, 'equal'],
	// one of many numbers that JSON.parse rounds to it
	['number', 20261122000000016, '20261122000000016', 'not compared'],
	['number', '1,200', 5, 'not compared'],
	['boolean', ['On'], true, 'equal'],
	['boolean', '0', true, 'different'],
	['boolean', 'Ja', true, 'not compared'],
	['text', 'Ada', 'ada', 'different'],
	['text', ' Two\r\nlines\n', 'Two\nlines', 'equal'],
	['text', '\u200b Ada\u00a0', 'Ada', 'equal'],
	['text', 'Rene\u0301', 'René', 'equal'],
	['text', 42, '42', 'equal'],
	['text', 20261122000000016, '20261122000000016', 'not compared'],
	['text', true, 'true', 'not compared'],
	['date', '2026-01-31', '2026-02-01', 'different'],
	['date', '2026-01-31T00:00:00Z', '2026-01-31', 'not compared'],
	['date', '01/02/2026', '2026-01-02', 'not compared'],
	['date', '31.12.2026', '2026-12-31', 'equal'],
	['date', ' 1.2.2026 ', '2026-01-02', 'different'],
	['date', '2026-01', '2026-01-01', 'not compared'],
	['dateTime', '2026-01-31T08:00Z', '2026-01-31T03:00-05:00', 'equal'],
	['dateTime', '2026-01-31T08:00Z', '2026-01-31T08:00:01Z', 'different'],
	['dateTime', '2026-01-31 08:00:00', '2026-01-31T08:00:00Z', 'not compared'],
	['singleChoice', [{ label: 'Red', value: 'r' }], ' RED', 'equal'],
	['singleChoice', 'Red', 'Blue, dark', 'different'],
	['singleChoice', 'other', 'other', 'equal'],
	['multipleChoice', 'Red', 'Red', 'not compared'],
	['file', 'a.pdf|https://h/a.pdf', 'https://h/a.pdf', 'not compared'],
])('Two answers of the kind %s, %j and %j, are %s', (kind, listed, sent, outcome) => {
	const [one, other] = [listed, sent].map((answer) => normalizeAnswer(fieldOf(kind), answer));
	const compared = one === other ? 'equal' : 'different';
	expect(one === undefined || other === undefined ? 'not compared' : compared).toBe(outcome);
});

it('Each kind of field takes its own example', () => {
	for (const kind of FIELD_KINDS.filter((one) => !['layout', 'file'].includes(one))) {
		const field = { ...fieldOf(kind), choices: choices.slice(0, 2) };
		const example = fieldKinds[kind].example(field.choices, 'Email');
		expect(encodeAnswer(example, field, { zone: 'utc' }), kind).toHaveProperty('answer');
	}
	expect(fieldKinds.text.example([], 'Your e-mail')).toBe('ada@example.com');
});
