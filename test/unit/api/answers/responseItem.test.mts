import fc from 'fast-check';
import { zipObject } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { parseFields } from '../../../../nodes/FormService/api/answers/fields.ts';
import {
	COLUMN_ATTRIBUTES,
	makeFileFieldNames,
	makeUnique,
} from '../../../../nodes/FormService/api/answers/names.ts';
import {
	simplifyResponse,
	toColumns,
} from '../../../../nodes/FormService/api/answers/responseItem.ts';
import { listFiles } from '../../../../nodes/FormService/api/answers/uploads.ts';

const simplify = (record: object) => simplifyResponse(record as IDataObject);
const answersOf = (responses: unknown) => simplify({ responses }).answers;

describe('Simplified, a response', () => {
	it('has its answers and at most eight attributes: who, which and when', () => {
		const text = 'uuid id number number_formatted is_incomplete created_at submitted_at referrer';
		const kept = Object.fromEntries(text.split(' ').map((name) => [name, `the ${name}`]));
		const responses = [{ label: 'Name', response: 'Ada', uuid: 'f-1' }];
		const item = simplify({ ...kept, hubspot_sync: false, updated_at: 'x', responses });
		expect(item).toEqual({ answers: { Name: 'Ada' }, ...kept });
	});

	it('keeps answers whose labels are missing or would be lost on their way', () => {
		const labels = ['__proto__', '', ' ', 'constructor', 'prototype'];
		const names = ['__proto__ (2)', 'Untitled', 'Untitled (2)', 'constructor (2)', 'prototype (2)'];
		const pairs = labels.map((key, value) => ({ key, value }));
		expect(answersOf(pairs)).toEqual(zipObject(names, [0, 1, 2, 3, 4]));
		expect(answersOf(JSON.parse('{"__proto__": 1}'))).toEqual({ '__proto__ (2)': 1 });
	});
});

describe('In columns, a response', () => {
	it('of a form has the same ones, the fields first, and then notes', () => {
		const form = ['Name', 'Name', 'uuid', 'Email'].map((label, uuid) => ({ uuid, label }));
		const fields = parseFields(form, { columns: true });
		const records: IDataObject[] = [
			{ uuid: 'r', is_incomplete: false, responses: [] },
			{ number: 1, responses: [{ key: 'Email', value: 'a@b.example' }] },
			{ responses: [{ key: 'About you', value: null }] },
			{ hubspot_sync: false, responses: [{ key: 'Fax', value: '1' }, 'unreadable'] },
		];
		const names = ['Name', 'Name (2)', 'uuid (2)', 'Email', ...COLUMN_ATTRIBUTES];
		const rows = records.map((record) => toColumns(record, fields));
		const notes = ['otherAnswers', 'answersError'];
		expect(rows.map((row) => Object.keys(row))).toEqual([
			...[names, names, names],
			[...names, ...notes],
		]);
		expect(rows[0]).toMatchObject({ Name: null, is_incomplete: false });
		expect(rows[3].otherAnswers).toEqual({ Fax: '1' });
	});
});

it('Any record becomes an item, simplified and in columns', () => {
	const keys = 'uuid id data responses answers key value label custom_key __proto__'.split(' ');
	const record = fc.object({ key: fc.constantFrom(...keys), maxDepth: 4 });
	const fields = parseFields([{ uuid: 'a', label: 'value', custom_key: 'key' }], { columns: true });
	const property = fc.property(record, (any) => {
		expect(simplify(any)).toHaveProperty('answers');
		expect(toColumns(any as IDataObject, fields)).toHaveProperty('referrer');
	});
	fc.assert(property, { numRuns: 500 });
});

describe('Names', () => {
	it('of answers are unique, and the first of each label is the label', () => {
		expect(makeUnique(['A', 'A', 'A (2)'])).toEqual(['A', 'A (3)', 'A (2)']);
		expect(makeUnique(['A', '', 'A'], ['A'])).toEqual(['A (2)', 'Untitled', 'A (3)']);
	});

	it.each([
		['CV, CV, Cover letter!', 'cv, cv_2, cover_letter'],
		['CV, CV, CV 2', 'cv, cv_3, cv_2'],
		['Ihr Résumé, 履歴書, !, constructor', 'ihr_resume, 履歴書, file, constructor_2'],
	])('of binary fields for %j are %j', (labels, names) => {
		const owners = labels.split(', ');
		expect(makeFileFieldNames(owners)).toEqual(names.split(', '));
	});
});

describe('An uploaded file', () => {
	const file = 'photo.jpg|https://files.example/u/photo.jpg';
	const decoded = { name: 'photo.jpg', url: 'https://files.example/u/photo.jpg' };

	it('is shown with its name and address, next to what is no file', () => {
		const value = [file, 'none', null, 7];
		expect(answersOf({ One: file, More: value })).toEqual({
			One: decoded,
			More: [decoded, 'none', null, 7],
		});
	});

	it.each([
		'see here|https://example.com/a',
		'a.pdf|ftp://h/a.pdf',
		'cv.pdf|https://h and some more',
		'|https://h/a.pdf',
	])('is not seen in the text %j', (text) => {
		expect(answersOf({ Field: text })).toEqual({ Field: text });
	});

	it.each(['my cv.pdf', 'my%20cv.pdf'])('may be at %j', (address) => {
		const [found] = listFiles(` my cv.pdf|https://h/u/${address}\n`);
		expect(found).toEqual({ name: 'my cv.pdf', url: 'https://h/u/my%20cv.pdf' });
	});

	it.each(['../../etc/cv.pdf', 'C:\\temp\\cv.pdf'])('is named without its folders: %s', (name) => {
		expect(listFiles({ name, url: 'https://h/1' })).toMatchObject([{ name: 'cv.pdf' }]);
	});
});
