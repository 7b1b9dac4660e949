import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { decodeAnswers } from '../../../../nodes/FormService/api/answers/decode.ts';
import { parseFields } from '../../../../nodes/FormService/api/answers/fields.ts';
import {
	simplifyResponse,
	toColumns,
} from '../../../../nodes/FormService/api/answers/responseItem.ts';
import { filesIn } from '../../../../nodes/FormService/api/answers/uploads.ts';
import { makeUnique } from '../../../../nodes/FormService/api/answers/names.ts';

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

const UUID = '9b1f2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d';

const simplify = (record: object) => simplifyResponse(record as IDataObject);

const answersOf = (responses: unknown) => simplify(seen(responses)).answers;

const filesOf = (record: object) =>
	decodeAnswers(record as IDataObject).answers.flatMap(({ value }) => filesIn(value));

describe('simplifying a response', () => {
	it("keeps the service's own names of who, which and when, and drops its bookkeeping", () => {
		expect(simplify(seen([{ key: 'Name', value: 'Ada' }]))).toEqual({
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
		expect(simplify(seen(list)).fields).toEqual([{ uuid: 'f-1', label: 'Name', value: 'Ada' }]);
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
		['a map by UUID that brings the label', { [UUID]: { label: 'Name', value: 'Ada' } }],
		['a map by a key that brings the question', { q1: { question: 'Name', answer: 'Ada' } }],
		['a list within a list', [[{ label: 'Name', response: 'Ada', uuid: UUID }]]],
		['lists of several steps', [[[{ key: 'Name', value: 'Ada' }]]]],
		['JSON in a text', '[{"key": "Name", "value": "Ada"}]'],
		['a list inside another object', { answers: [{ key: 'Name', value: 'Ada' }] }],
		['a list that PHP turned into an object', { 3: { key: 'Name', value: 'Ada' } }],
	])('reads answers that come as %s', (_, responses) => {
		expect(answersOf(responses)).toEqual({ Name: 'Ada' });
	});

	it.each(['answers', 'responses', 'response', 'fields', 'data'])(
		'finds the answers under "%s"',
		(attribute) => {
			expect(simplify({ uuid: 'r', [attribute]: { Name: 'Ada' } })).toEqual({
				uuid: 'r',
				answers: { Name: 'Ada' },
			});
		},
	);

	it('is not misled by an empty list beside the answers', () => {
		expect(simplify({ answers: [], responses: [{ key: 'A', value: 1 }] })).toEqual({
			answers: { A: 1 },
		});
	});

	it.each([
		['a map', { 1: 'yes', 2: 'no' }, { 1: 'yes', 2: 'no' }],
		['pairs, which PHP makes of "2024"', [{ key: 2024, value: 'yes' }], { 2024: 'yes' }],
	])('takes numbers for labels in %s', (_, responses, answers) => {
		expect(answersOf(responses)).toEqual(answers);
	});

	it('gives values of every kind as the service gave them', () => {
		const values = { a: 'text', b: 4.5, c: null, d: ['x', 'y'], e: '', f: [], g: { city: 'Ulm' } };
		const pairs = Object.entries(values).map(([key, value]) => ({ key, value }));
		expect(answersOf(pairs)).toEqual(values);
	});

	it('keeps answers whose labels are missing or would be lost on their way', () => {
		const labels = ['__proto__', '', ' ', 'constructor', 'prototype'];
		expect(answersOf(labels.map((key, value) => ({ key, value })))).toEqual({
			'__proto__ (2)': 0,
			Untitled: 1,
			'Untitled (2)': 2,
			'constructor (2)': 3,
			'prototype (2)': 4,
		});
		expect(answersOf(JSON.parse('{"__proto__": 1, "constructor": 2}'))).toEqual({
			'__proto__ (2)': 1,
			'constructor (2)': 2,
		});
	});

	it.each([
		['a heading', { label: 'About you', type: 'heading' }],
		['a question that was not answered', { label: 'About you', uuid: UUID }],
		['an answer of null', { label: 'About you', response: null }],
	])('gives null for %s, and the other answers beside it', (_, entry) => {
		expect(simplify(seen([entry, { label: 'Name', response: 'Ada' }]))).toMatchObject({
			answers: { 'About you': null, Name: 'Ada' },
		});
		expect(simplify(seen([entry])).answers).toEqual({ 'About you': null });
	});

	it.each([
		{ Size: { label: 'Large', value: 'L' } },
		{ Size: { name: 'Large', value: 'L' }, Name: 'Ada' },
		{ Size: { text: 'Large' } },
	])('takes an object of label and value in a map for the value: %j', (map) => {
		expect(answersOf(map)).toEqual(map);
	});

	it.each([
		['an empty list', []],
		['an empty object', {}],
		['null', null],
		['an empty text', ''],
	])('finds no answers in %s, and does not look for others', (_, responses) => {
		const record = { uuid: 'r', responses, data: { ip: '203.0.113.7', browser: 'Firefox' } };
		expect(simplify(record)).toEqual({ uuid: 'r', answers: {} });
		expect(simplify({ uuid: 'r', fields: responses, data: record.data }).answers).toEqual({});
	});

	const unlike = { colour: 'red' };

	it.each([
		['no answers at all', { state: 'x' }, {}, 'an object with "uuid", "state"'],
		['answers that are text', { responses: 'Name: Ada' }, {}, 'a string'],
		['a list of something else', { responses: [unlike, 5] }, {}, 'a list of 2'],
		[
			'one entry of something else',
			{ responses: [{ key: 'Name', value: 'Ada' }, unlike] },
			{ Name: 'Ada' },
			'1 of 2 entries',
		],
	])('says in the item that it could not read %s', (_, record, answers, what) => {
		const { answersError, ...rest } = simplify({ uuid: 'r', ...record });
		expect(rest).toEqual({ uuid: 'r', answers });
		expect(answersError).toMatch(what);
		expect(answersError).not.toContain('red');
	});

	it('never throws, and always gives an item of the same shape, whatever the record', () => {
		const names = ['uuid', 'number', 'answers', 'responses', 'fields', 'data', 'x'];
		const attribute = fc.constantFrom(...names);
		fc.assert(
			fc.property(fc.dictionary(attribute, fc.jsonValue({ maxDepth: 4 })), (record) => {
				expect(simplify(record).answers).toBeTypeOf('object');
				expect(filesOf(record)).toBeInstanceOf(Array);
			}),
			{ numRuns: 1_000 },
		);
	});

	it('gives every response of a form the same columns, in the same order', () => {
		const [id, label] = [fc.constantFrom('a', 'b', 'x'), fc.constantFrom('Name', 'Other', 'uuid')];
		const answer = fc.oneof(
			fc.record({ key: label, value: fc.constantFrom('x', '', null) }),
			fc.record({ label, uuid: id, response: fc.constantFrom('x', 1) }),
			fc.constant('unreadable'),
		);
		const attribute = fc.constantFrom('uuid', 'created_at', 'submitted_at', 'hubspot_sync');
		const one = fc
			.tuple(fc.dictionary(attribute, fc.string()), fc.array(answer, { maxLength: 4 }))
			.map(([attributes, responses]): IDataObject => ({ ...attributes, responses }) as IDataObject);
		const form = fc.array(label, { maxLength: 4 }).map((labels) => {
			const records = labels.map((given, at) => ({ uuid: 'abcd'[at], label: given }));
			return parseFields(records, { columns: true });
		});
		fc.assert(
			fc.property(form, one, one, (fields, ...records) => {
				const [first, second] = records.map((record) =>
					Object.keys(toColumns(record, fields, true)),
				);
				expect(first).toEqual(second);
				expect(first.slice(0, fields.length)).toEqual(fields.map(({ name }) => name));
			}),
			{ numRuns: 1_000 },
		);
	});
});

describe('telling labels apart', () => {
	it('lets a label that is already there keep its name', () => {
		expect(makeUnique(['A', 'A', 'A (2)'])).toEqual(['A', 'A (3)', 'A (2)']);
	});

	it('gives every field a name of its own, and the first of each label the label', () => {
		const label = fc.constantFrom('A', 'A (2)', 'A (2) (2)', 'B', '__proto__', 'constructor', '');
		fc.assert(
			fc.property(fc.array(label, { maxLength: 20 }), (labels) => {
				const names = makeUnique(labels);
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
	const b = { name: 'b.pdf', url: 'https://files.example/b.pdf' };

	it.each<[string, unknown, unknown]>([
		['alone', file, decoded],
		['in a list', [file, file], [decoded, decoded]],
		['beside entries that are none', [file, 'none', null, 7], [decoded, 'none', null, 7]],
		['several in one text', `${file}, b.pdf|${b.url}`, [decoded, b]],
		[
			'with commas in their names',
			`a, b.pdf|https://h.example/1, b.pdf|${b.url}`,
			[{ name: 'a, b.pdf', url: 'https://h.example/1' }, b],
		],
		[
			'with commas in an address',
			`a, b.pdf|https://h.example/a, b.pdf, b.pdf|${b.url}`,
			[{ name: 'a, b.pdf', url: 'https://h.example/a,%20b.pdf' }, b],
		],
		['with a "|" in a name', [`a|b.pdf|${b.url}`], [{ ...b, name: 'a|b.pdf' }]],
		[
			'without an extension, if the address ends with the name',
			'README|https://files.example/README',
			{ name: 'README', url: 'https://files.example/README' },
		],
	])('become names and URLs: %s', (_, value, files) => {
		expect(answersOf({ Field: value })).toEqual({ Field: files });
	});

	it.each([
		['text with a link', 'see here|https://example.com/a'],
		['an unknown scheme', 'a.pdf|ftp://files.example/a.pdf'],
		['an address in a sentence', 'cv.pdf|https://files.example and some more'],
		['no name', '|https://files.example/a.pdf'],
		['a URL that is none', 'a.pdf|https://'],
	])('are not made out of %s', (_, value) => {
		expect(answersOf({ Field: value })).toEqual({ Field: value });
		expect(filesOf(seen({ Field: value }))).toEqual([]);
	});

	it.each([
		['a blank in its address', 'my cv.pdf|https://files.example/u/my cv.pdf'],
		['a blank and a query', 'my cv.pdf|https://files.example/u/my cv.pdf?sig=a'],
		['an encoded blank', 'my cv.pdf|https://files.example/u/my%20cv.pdf'],
		['blanks around it', ' my cv.pdf|https://files.example/u/my cv.pdf\n'],
	])('may have %s', (_, value) => {
		const [found, ...others] = filesOf(seen({ File: value }));
		expect(found.name).toBe('my cv.pdf');
		expect(found.url).toMatch(/^https:\/\/files\.example\/u\/my%20cv\.pdf(\?sig=a)?$/);
		expect(others).toEqual([]);
	});

	it.each(['../../etc/cv.pdf', 'C:\\temp\\cv.pdf', '/cv.pdf'])(
		'are named without the folders in %s',
		(name) => {
			const record = seen([{ key: 'CV', value: { name, url: 'https://files.example/1' } }]);
			expect(filesOf(record).map((one) => one.name)).toEqual(['cv.pdf']);
		},
	);

	it('are listed in order', () => {
		const pairs = { CV: [file], Name: 'Ada', Other: b };
		expect(filesOf(seen(pairs))).toEqual([decoded, b]);
	});
});
