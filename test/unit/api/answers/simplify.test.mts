import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filesOf, simplifyResponse } from '../../../../nodes/FormService/api/answers/simplify.ts';
import { tellApart } from '../../../../nodes/FormService/api/answers/labels.ts';

const seen = (responses: unknown) => ({
	uuid: '9b1c',
	number: 7,
	number_formatted: 'R-7',
	is_incomplete: false,
	created_at: '2026-11-21T08:00:00.000000Z',
	referrer: null,
	hubspot_sync: false,
	google_sheets_sync: false,
	webhook_sent: false,
	responses,
});

const answersOf = (responses: unknown) => simplifyResponse(seen(responses) as never).answers;

describe('simplifying a response', () => {
	it("keeps the service's own names of who, which and when, and drops its bookkeeping", () => {
		expect(simplifyResponse(seen([{ key: 'Name', value: 'Ada' }]) as never)).toEqual({
			uuid: '9b1c',
			number: 7,
			number_formatted: 'R-7',
			is_incomplete: false,
			created_at: '2026-11-21T08:00:00.000000Z',
			referrer: null,
			answers: { Name: 'Ada' },
		});
	});

	it('gives the fields with their UUIDs where the service gives them', () => {
		const list = [{ label: 'Name', response: 'Ada', uuid: 'f-1', custom_key: 'name' }];
		expect(simplifyResponse(seen(list) as never).fields).toEqual([
			{ uuid: 'f-1', label: 'Name', value: 'Ada' },
		]);
	});

	it.each([
		['pairs of key and value', [{ key: 'Name', value: 'Ada' }]],
		['a list of objects', [{ label: 'Name', response: 'Ada', uuid: 'f-1' }]],
		[
			'a list whose objects hold the field',
			[{ field: { uuid: 'f-1', label: 'Name' }, value: 'Ada' }],
		],
		['two-element lists', [['Name', 'Ada']]],
		['a map', { Name: 'Ada' }],
		['a map by UUID that brings the label', { 'f-1': { label: 'Name', value: 'Ada' } }],
		['a list that PHP turned into an object', { 3: { key: 'Name', value: 'Ada' } }],
	])('reads answers that come as %s', (_, responses) => {
		expect(answersOf(responses)).toEqual({ Name: 'Ada' });
	});

	it.each(['answers', 'responses', 'response', 'fields', 'data'])(
		'finds the answers under "%s"',
		(attribute) => {
			expect(simplifyResponse({ uuid: 'r', [attribute]: { Name: 'Ada' } })).toEqual({
				uuid: 'r',
				answers: { Name: 'Ada' },
			});
		},
	);

	it('is not misled by an empty list beside the answers', () => {
		expect(simplifyResponse({ answers: [], responses: [{ key: 'A', value: 1 }] })).toEqual({
			answers: { A: 1 },
		});
	});

	it('takes a map with numbers for labels for what it is', () => {
		expect(answersOf({ 1: 'yes', 2: 'no' })).toEqual({ 1: 'yes', 2: 'no' });
	});

	it('takes a number for a label, which PHP makes of "2024"', () => {
		expect(answersOf([{ key: 2024, value: 'yes' }])).toEqual({ 2024: 'yes' });
	});

	it('gives values of every kind as the service gave them', () => {
		const values = { a: 'text', b: 4.5, c: null, d: ['x', 'y'], e: '', f: [], g: { city: 'Ulm' } };
		expect(answersOf(Object.entries(values).map(([key, value]) => ({ key, value })))).toEqual(
			values,
		);
	});

	it('keeps both of two fields with one label', () => {
		const list = [
			{ key: 'Name', value: 'Ada' },
			{ key: 'Name', value: 'Grace' },
		];
		expect(answersOf(list)).toEqual({ Name: 'Ada', 'Name (2)': 'Grace' });
	});

	it('keeps answers whose labels are missing or would change the object', () => {
		const list = JSON.parse(
			'[{"key":"__proto__","value":1},{"key":"","value":2},{"key":" ","value":3},{"key":"constructor","value":4}]',
		) as unknown;
		expect(answersOf(list)).toEqual({
			'__proto__ (2)': 1,
			Untitled: 2,
			'Untitled (2)': 3,
			constructor: 4,
		});
	});

	it.each([
		['no answers at all', { uuid: 'r', state: 'x' }],
		['answers that are text', { uuid: 'r', responses: 'Name: Ada' }],
		['a list of something else', { uuid: 'r', responses: [{ colour: 'red' }, 5] }],
	])('gives back a record with %s as it came', (_, record) => {
		expect(simplifyResponse(record as never)).toEqual(record);
	});

	it('never throws, and never loses the answers, whatever the record', () => {
		const attribute = fc.constantFrom(
			'uuid',
			'number',
			'answers',
			'responses',
			'fields',
			'data',
			'x',
		);
		const value = fc.anything({ withNullPrototype: true });
		fc.assert(
			fc.property(fc.dictionary(attribute, value), (record) => {
				const simplified = simplifyResponse(record as never);
				if (!Object.hasOwn(simplified, 'answers')) expect(simplified).toEqual(record);
				expect(filesOf(record as never)).toBeInstanceOf(Array);
			}),
			{ numRuns: 2000 },
		);
	});

	it('never loses a value, whatever the labels', () => {
		const label = fc.oneof(fc.string(), fc.constantFrom('A', 'A (2)', '__proto__', '', 'toString'));
		fc.assert(
			fc.property(fc.array(label, { maxLength: 12 }), (labels) => {
				const answers = answersOf(labels.map((key, value) => ({ key, value })));
				expect(Object.values(answers as object).sort((a, b) => a - b)).toEqual(
					labels.map((_l, i) => i),
				);
			}),
		);
	});
});

describe('telling labels apart', () => {
	it('lets a label that is already there keep its name', () => {
		expect(tellApart(['A', 'A', 'A (2)'])).toEqual(['A', 'A (3)', 'A (2)']);
	});

	it('gives every field a name of its own, and the first of each label the label', () => {
		const label = fc.constantFrom('A', 'A (2)', 'A (2) (2)', 'B', '__proto__', '', 'Untitled');
		fc.assert(
			fc.property(fc.array(label, { maxLength: 20 }), (labels) => {
				const names = tellApart(labels);
				expect(new Set(names).size).toBe(labels.length);
				for (const known of labels.filter((text) => /^[AB]/.test(text))) {
					expect(names.indexOf(known)).toBe(labels.indexOf(known));
				}
			}),
		);
	});
});

describe('uploaded files', () => {
	const file = 'photo.jpg|https://files.example/u/photo.jpg';
	const decoded = { name: 'photo.jpg', url: 'https://files.example/u/photo.jpg' };

	it('become a name and a URL, alone or in a list', () => {
		expect(answersOf({ One: file, Many: [file, file] })).toEqual({
			One: decoded,
			Many: [decoded, decoded],
		});
	});

	it('may have a "|" in their name', () => {
		expect(answersOf({ File: ['a|b.pdf|https://files.example/x.pdf'] })).toEqual({
			File: [{ name: 'a|b.pdf', url: 'https://files.example/x.pdf' }],
		});
	});

	it.each([
		['text with a link', 'see here|https://example.com/a'],
		['an unknown scheme', 'a.pdf|ftp://files.example/a.pdf'],
		['a list that is only partly files', [file, 'none']],
		['no name', '|https://files.example/a.pdf'],
		['a URL that is none', 'a.pdf|https://'],
	])('are not made out of %s', (_, value) => {
		expect(answersOf({ Field: value })).toEqual({ Field: value });
		expect(filesOf(seen({ Field: value }) as never)).toEqual([]);
	});

	it.each(['../../etc/cv.pdf', 'C:\\temp\\cv.pdf', '/cv.pdf'])(
		'are named without the folders in %s',
		(name) => {
			const record = seen([{ key: 'CV', value: { name, url: 'https://files.example/1' } }]);
			expect(filesOf(record as never).map((one) => one.name)).toEqual(['cv.pdf']);
		},
	);

	it('are listed with the name of their field, in order', () => {
		const record = seen([
			{ key: 'CV', value: [file] },
			{ key: 'Name', value: 'Ada' },
			{ key: 'CV', value: { name: 'b.pdf', url: 'https://files.example/b.pdf' } },
		]);
		expect(filesOf(record as never)).toEqual([
			{ label: 'CV', ...decoded },
			{ label: 'CV (2)', name: 'b.pdf', url: 'https://files.example/b.pdf' },
		]);
	});
});
