import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { parseFields } from '../../../../nodes/FormService/api/answers/fields.ts';
import {
	encodeAnswer,
	FIELD_KINDS,
	kinds,
	listMeanings,
	normalizeAnswer,
	readAnswer,
	type FieldKind,
} from '../../../../nodes/FormService/api/answers/kinds.ts';

const NEW_YORK = 'America/New_York';
const choices = [
	{ name: 'Red', value: 'r' },
	{ name: 'Blue, dark', value: 'b' },
	{ name: 'Two', value: 2 },
	// the name of one choice is the value of another
	{ name: 'b', value: 'Green' },
];
const fieldOf = (kind: FieldKind) => ({ kind, choices: /Choice/.test(kind) ? choices : [] });
const encode = (value: unknown, kind?: FieldKind, allowOther = false, zone = NEW_YORK) =>
	encodeAnswer(value, kind && fieldOf(kind), { zone, allowOther });

describe('An answer of a new response', () => {
	const luxon = DateTime.fromISO('2026-11-21T08:30:00+01:00', { setZone: true });

	it.each<[FieldKind | undefined, unknown, string | number]>([
		[undefined, ' Ada ', ' Ada '],
		[undefined, '007', '007'],
		[undefined, -42, -42],
		[undefined, 2.5, '2.5'],
		[undefined, 1e-7, '0.0000001'],
		[undefined, true, 1],
		[undefined, false, 0],
		[undefined, 9007199254740993n, '9007199254740993'],
		[undefined, new Date(Date.UTC(2026, 10, 21, 8, 30)), '2026-11-21T08:30:00.000Z'],
		[undefined, luxon, '2026-11-21T08:30:00.000+01:00'],
		[undefined, ['Red', 2, true, null, 0.5], 'Red, 2, 1, 0.5'],
		[undefined, ['Red'], 'Red'],
		['number', '12.50', '12.50'],
		['number', 12n, '12'],
		['boolean', 'No', 0],
		['boolean', ['yes'], 1],
		['date', '2026-01-31', '2026-01-31'],
		[
			'file',
			{ name: 'a b.pdf', url: 'https://f.example/a%20b.pdf' },
			'https://f.example/a%20b.pdf',
		],
		['file', ['https://f.example/a.pdf'], 'https://f.example/a.pdf'],
		['singleChoice', ' red', 'r'],
		['singleChoice', 'r', 'r'],
		['singleChoice', { label: 'Red', value: 'r' }, 'r'],
		['singleChoice', '2', 2],
		['singleChoice', 'b', 'b'],
		['multipleChoice', ['Red', 2], 'r, 2'],
		['multipleChoice', 'Two, Blue, dark,RED', '2, b, r'],
		['multipleChoice', 'Blue, dark', 'b'],
		['multipleChoice', ['Red', ''], 'r'],
	])('to a field of the kind %s is sent from %j as %j', (kind, value, sent) => {
		expect(encode(value, kind)).toEqual({ answer: sent });
	});

	it.each([
		[NEW_YORK, '2026-01-31T08:00', '2026-01-31T08:00:00.000-05:00'],
		['Asia/Kolkata', '2026-01-31 08:00:30', '2026-01-31T08:00:30.000+05:30'],
	])('that is a time without a zone is sent as one of %s', (zone, value, sent) => {
		for (const kind of ['date', 'dateTime'] as const) {
			expect(encode(value, kind, false, zone)).toEqual({ answer: sent });
		}
		expect(encode('2026-01-31T08:00Z', 'dateTime', false, zone)).toMatchObject({
			answer: '2026-01-31T08:00Z',
		});
		// the editor gives a day as its midnight
		expect(encode('2026-01-31T00:00:00', 'date', false, zone)).toEqual({ answer: '2026-01-31' });
	});

	it.each([...FIELD_KINDS, undefined])('to a field of the kind %s can be left empty', (kind) => {
		for (const nothing of [undefined, null, '', ' ', [], [null], ['']]) {
			expect(encode(nothing, kind)).toEqual({ answer: undefined });
		}
	});

	it.each<[FieldKind | undefined, unknown, RegExp]>([
		[undefined, { a: 1 }, /^must be text, a number, a date or a list, not an object$/],
		[undefined, [{ a: 1 }], /not an object$/],
		[undefined, [['a']], /list inside a list/],
		[undefined, 2 ** 53, /too many digits/],
		[undefined, NaN, /^must be a number$/],
		[undefined, new Date(NaN), /not a valid date/],
		[undefined, DateTime.invalid('test'), /not a valid date/],
		['number', '1,200', /^must be a number, such as 1234\.5 \(without commas or units\)$/],
		['boolean', 'Ja', /^must be true or false/],
		['date', '31.01.2026', /^must be a date, such as 2027-01-31$/],
		['singleChoice', 'my diagnosis', /^must be one of Red, Blue, dark, Two, b$/],
		['singleChoice', ['Red', 'Two'], /^must be one of/],
		['multipleChoice', ['Red', 'x'], /^must be one or more of Red/],
		...[
			...['a.pdf', '//f.example/a.pdf', 'ftp://f.example/a.pdf', 'javascript:alert(1)'],
			...['https://f.example/a b.pdf', 'https://', 5, { name: 'a.pdf' }],
		].map((value): [FieldKind, unknown, RegExp] => ['file', value, /^must be the http or https/]),
	])(
		'to a field of the kind %s cannot be %j, which the error does not quote',
		(kind, value, text) => {
			expect(encode(value, kind)).toEqual({ problem: expect.stringMatching(text) });
		},
	);

	it('may be none of the choices if that is allowed, and names at most 20 of them if not', () => {
		expect(encode('Other', 'singleChoice', true)).toEqual({ answer: 'Other' });
		const many = Array.from({ length: 30 }, (_, index) => ({ name: `C${index}`, value: index }));
		const field = { kind: 'singleChoice', choices: many } as const;
		expect(encodeAnswer('x', field, { zone: 'utc' })).toEqual({
			problem: expect.stringMatching(/^must be one of C0, .* C19 and 10 more$/),
		});
	});

	it('is text or a safe integer, and of a choice one of the choices, or refused', () => {
		const anything = fc.anything({ withDate: true, withBigInt: true });
		fc.assert(
			fc.property(anything, fc.constantFrom(...FIELD_KINDS, undefined), (value, kind) => {
				const encoded = encode(value, kind);
				if ('problem' in encoded || encoded.answer === undefined) return;
				const { answer } = encoded;
				expect(typeof answer === 'string' || Number.isSafeInteger(answer)).toBe(true);
				if (kind === 'singleChoice') expect(choices.map((one) => one.value)).toContain(answer);
				if (kind === undefined && typeof value === 'number') expect(Number(answer)).toBe(value);
			}),
			{ numRuns: 500 },
		);
	});
});

describe('A listed answer', () => {
	const read = (type: string, value: unknown, more: object = {}) =>
		readAnswer(value as never, parseFields([{ uuid: 'u', label: 'F', type, ...more }])[0]);

	/** Values that stay as the service gave them, by the type of the field. */
	const kept = {
		text: ['007', 'true', ' x '],
		number: ['007', '+4912345', '4.50', '1e3', 9, 'about 5', '1,200', '20261122000000016'],
		boolean: ['perhaps'],
		date: ['2027-01-04', '1800000000', 202601311230, '4.1.2027'],
		multiple_choice: [['News']],
		single_choice: ['News'],
	};

	it.each<[string, unknown, unknown]>([
		...Object.entries(kept).flatMap(([type, values]) =>
			values.map((value): [string, unknown, unknown] => [type, value, value]),
		),
		['number', '7', 7],
		['number', '1234567890123456', 1234567890123456],
		['rating', '-4.5', -4.5],
		['boolean', 1, true],
		['toggle', 'yes', true],
		['checkbox', [1], true],
		['checkbox', 'yes', true],
		['date', 1_800_000_000, '2027-01-15T08:00:00.000Z'],
		['datetime', 1_800_000_000_000, '2027-01-15T08:00:00.000Z'],
		['multiple_choice', 'News', ['News']],
		['file_upload', { name: 'a', url: 'https://h/a' }, [{ name: 'a', url: 'https://h/a' }]],
	])('of the type %s: %j becomes %j', (type, value, expected) => {
		expect(read(type, value)).toEqual(expected);
	});

	it('of any type is null if nothing was answered', () => {
		for (const type of ['text', 'number', 'boolean', 'date', 'multiple_choice', 'file_upload']) {
			for (const nothing of [null, undefined, '', [], [null]]) {
				expect(read(type, nothing)).toBeNull();
			}
		}
	});

	it('is a list of choices if all parts of the text are choices', () => {
		const several = { multiple: 1, options: ['News', 'Tips', { value: 'A, B' }] };
		expect(read('select', 'News, tips', several)).toEqual(['News', 'tips']);
		expect(read('select', 'News, A, B, Tips', several)).toEqual(['News', 'A, B', 'Tips']);
		expect(read('checkbox', 'News, other', several)).toEqual(['News, other']);
		expect(read('checkbox', 'yes', { options: [] })).toBe(true);
	});
});

describe('Two answers', () => {
	const meaning = (kind: FieldKind, value: unknown, zone = NEW_YORK) =>
		normalizeAnswer(value, fieldOf(kind), zone);

	it.each<[FieldKind, unknown, unknown]>([
		['number', '0.1', '0.10000000000000001'],
		['number', '-0', '-1'],
		['text', 'true', 1],
		['text', 'Ada', 'ada'],
		['dateTime', '2026-01-31T08:00Z', '2026-01-31T08:00:01Z'],
	])('of the kind %s are not equal: %j and %j', (kind, one, other) => {
		expect(meaning(kind, one)).not.toBe(meaning(kind, other));
	});

	it.each<[FieldKind, unknown]>([
		['number', 1e21],
		['number', 0.30000000000000004],
		['text', true],
		['text', [['a']]],
		['text', { a: 1 }],
	])('of the kind %s are not compared if one is %j', (kind, value) => {
		expect(meaning(kind, value)).toBeUndefined();
	});

	it('are the same choices in any order, also if some of them are listed as one text', () => {
		const same = [
			['Green', 'Two', 'Red'],
			'Two, red, Green',
			['r, 2', 'Green'],
			['2, Green', 'Red'],
		];
		expect(new Set(same.map((one) => meaning('multipleChoice', one))).size).toBe(1);
	});

	it('are compared as a whole, if one is a list where one answer is taken', () => {
		const files = ['a', 'b'].map((name) => `${name}.pdf|https://h/${name}.pdf`);
		expect(meaning('file', files)).toBe('https://h/a.pdf, https://h/b.pdf');
		expect(meaning('singleChoice', ['Red', null, 'two'])).toBe('r, 2');
		expect(meaning('number', ['1', '1,5'])).toBeUndefined();
	});

	it('may mean two times, if one is listed without a zone', () => {
		const count = (value: unknown) => listMeanings(value, fieldOf('dateTime'), NEW_YORK)?.size;
		const listed = ['2026-01-31 08:00:00', '2026-01-31T08:00:00Z', '31.01.2026'];
		expect(listed.map(count)).toEqual([2, 1, undefined]);
	});

	it('are the same time in any zone', () => {
		const noon = ['2026-01-31T12:00:00-05:00', '2026-01-31T17:00:00Z', '2026-01-31 12:00'];
		expect(new Set(noon.map((one) => meaning('dateTime', one))).size).toBe(1);
		expect(meaning('dateTime', noon[2], 'Asia/Kolkata')).not.toBe(meaning('dateTime', noon[2]));
	});
});

it('Each kind of field has an example that it reads and compares itself', () => {
	for (const kind of FIELD_KINDS.filter((one) => one !== 'layout')) {
		const field = fieldOf(kind);
		const example = kinds[kind].example(field.choices, 'Email');
		expect(normalizeAnswer(example, field, 'utc'), kind).toBeTruthy();
	}
});
