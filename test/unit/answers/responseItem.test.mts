import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { parseFields } from '../../../nodes/FormService/answers/fields.ts';
import { createFileFieldNames, makeUnique } from '../../../nodes/FormService/api/text.ts';
import { parseFile } from '../../../nodes/FormService/answers/decode.ts';
import {
	simplifyResponse,
	toRow,
	createResponseItem,
	type ResponseOutput,
} from '../../../nodes/FormService/answers/responseItem.ts';

const simplify = (record: object) => simplifyResponse(record as IDataObject);
const answersOf = (responses: unknown) => simplify({ responses }).answers;

it('Simplified, a response has its answers and at most eight attributes: who, which and when', () => {
	const text = 'uuid id number number_formatted is_incomplete created_at submitted_at referrer';
	const kept = Object.fromEntries(text.split(' ').map((name) => [name, `the ${name}`]));
	const responses = [{ label: 'Name', value: 'Ada', uuid: 'f-1' }];
	const item = simplify({ ...kept, hubspot_sync: false, updated_at: 'x', responses });
	expect(item).toEqual({ answers: { Name: 'Ada' }, ...kept });
	const sizes = ['1.0', '2'].map((value) => ({ label: 'Size', value, type: 'number' }));
	const noted = simplifyResponse({ responses: [...sizes, 3] }, parseFields(sizes));
	expect(noted).toEqual({
		answers: { Size: '1.0', 'Size (2)': '2' },
		answersError: expect.stringContaining('1 of 3 entries'),
	});
});

it('Not simplified, it shares nothing with the record, which other items have too', async () => {
	const record = { responses: [{ key: 'Name', value: 'Ada' }] };
	const output = { simplify: false } as ResponseOutput;
	const { item } = await createResponseItem({} as never, record, output);
	expect(item.json).toEqual(record);
	expect(item.json.responses).not.toBe(record.responses);
});

it('In columns, responses of a form have the same ones, the fields first, and then notes', () => {
	const reserved = ['Response_UUID', 'response_answers_error'];
	const form = ['Name', 'Name', ...reserved].map((label, uuid) => ({ uuid, label }));
	const fields = parseFields(form, { columns: true });
	const file = 'a.pdf|https://h/a.pdf';
	const rows = [
		{ uuid: 'r', is_incomplete: false, responses: [{ key: 'About you', value: null }] },
		{ hubspot_sync: false, responses: [...[file, '2'].map((value) => ({ key: 'Fax', value })), 3] },
	].map((record) => toRow(record, fields));
	const columns = ['Name', 'Name (2)', ...reserved.map((label) => `${label} (2)`)];
	const attributes = ['uuid', 'number', 'created_at', 'is_incomplete', 'referrer'];
	const names = [...columns, ...attributes.map((name) => `response_${name}`)];
	expect(Object.keys(rows[0])).toEqual(names);
	expect(Object.keys(rows[1])).toEqual([
		...names,
		...['response_other_answers', 'response_answers_error'],
	]);
	expect(rows[0]).toMatchObject({
		Name: null,
		response_is_incomplete: false,
		response_number: null,
	});
	expect(rows[1].response_other_answers).toEqual({
		Fax: { name: 'a.pdf', url: 'https://h/a.pdf' },
		'Fax (2)': '2',
	});
});

describe('Names', () => {
	it.each([
		[['A', 'A', 'A (2)'], [], ['A', 'A (3)', 'A (2)']],
		[['A', '', ' ', 'A'], ['A'], ['A (2)', 'Untitled', 'Untitled (2)', 'A (3)']],
		// n8n drops these properties
		[['__proto__', 'constructor'], [], ['__proto__ (2)', 'constructor (2)']],
		[['prototype'], [], ['prototype (2)']],
	])('of answers for %j are unique, and none is one of %j', (labels, taken, names) => {
		expect(makeUnique(labels, taken)).toEqual(names);
	});

	it.each([
		['CV, CV, Cover letter!', 'cv, cv_2, cover_letter'],
		['Ihr Résumé, 履歴書, !, constructor', 'ihr_resume, 履歴書, file, constructor_2'],
	])('of binary fields for %j are %j', (labels, names) => {
		expect(createFileFieldNames(labels.split(', '))).toEqual(names.split(', '));
	});
});

describe('An uploaded file', () => {
	it('is shown with its name and address, next to what is no file', () => {
		const url = 'https://files.example/u/photo.jpeg';
		const [file, decoded] = [`photo.jpeg|${url}`, { name: 'photo.jpeg', url }];
		const answers = answersOf({ One: file, More: [file, 'none', null, 7] });
		expect(answers).toEqual({ One: decoded, More: [decoded, 'none', null, 7] });
	});

	it.each([
		'see here|https://example.com/a',
		'1.50|https://example.com/a',
		'https://example.com/a.pdf',
		'a.pdf|ftp://h/a.pdf',
		'cv.pdf|https://h and some more',
		'|https://h/a.pdf',
	])('is not seen in %j of an unknown field', (text) => {
		expect(parseFile(text)).toBeUndefined();
		expect(answersOf({ Field: text })).toEqual({ Field: text });
	});

	it.each([
		[' my cv.pdf|https://h/my cv.pdf\n', 'my cv.pdf', 'https://h/my%20cv.pdf'],
		// a path could lead out of the folder that a workflow writes the file into
		['../../etc/cv.pdf|https://h/1', 'cv.pdf', 'https://h/1'],
		['C:\\temp\\cv.pdf|https://h/1', 'cv.pdf', 'https://h/1'],
		['foto.jpg (1)|https://h/1', 'foto.jpg (1)', 'https://h/1'],
		['a|b.pdf|https://h/1', 'a|b.pdf', 'https://h/1'],
	])('that is %j has the name %s and the address %s', (answer, name, url) => {
		expect(parseFile(answer)).toEqual({ name, url });
	});

	it.each([
		['scan|https://h/1', 'scan', 'https://h/1'],
		['https://h/a/c%20v.pdf?signature=x', 'c v.pdf', 'https://h/a/c%20v.pdf?signature=x'],
		['a/b|https://h/1', 'b', 'https://h/1'],
		['https://h/', 'file', 'https://h/'],
	])('in a field for files needs no extension: %j is %s at %s', (answer, name, url) => {
		expect(parseFile(answer, true)).toEqual({ name, url });
	});
});

it('Simplified, several choices and files are always a list if the field is known', () => {
	const fields = parseFields([
		{ uuid: 'a', label: 'Topics', type: 'checkboxes', options: ['News', 'Tips'] },
		{ uuid: 'b', label: 'CV', type: 'file' },
		{ uuid: 'c', label: 'Age', type: 'number' },
	]);
	const file = { name: 'scan', url: 'https://h/1' };
	const listed = [
		{ a: 'News, Tips', b: 'scan|https://h/1', c: '07' },
		{ a: ['News', 'Tips'], b: [file], c: '07' },
	];
	for (const responses of listed) {
		expect(simplifyResponse({ responses } as IDataObject, fields).answers).toEqual({
			...{ Topics: ['News', 'Tips'], CV: [file], Age: '07' },
		});
	}
	expect(answersOf({ Topics: 'News, Tips' })).toEqual({ Topics: 'News, Tips' });
});

it('No two columns have names that differ by case alone', () => {
	const labels = [
		'Name',
		'NAME',
		'name (2)',
		'Number',
		'response_UUID',
		'Caf\u00e9',
		'CAFE\u0301 ',
	];
	const columns = parseFields(
		labels.map((label, id) => ({ id, label })),
		{ columns: true },
	).map(({ answerKey }) => answerKey);
	expect(columns).toEqual([
		...['Name', 'NAME (3)', 'name (2)', 'Number', 'response_UUID (2)', 'Café', 'CAFE\u0301  (2)'],
	]);
	// answers in an object keep their labels
	const keys = parseFields(labels.map((label, id) => ({ id, label }))).map(
		({ answerKey }) => answerKey,
	);
	expect(keys).toEqual(labels);
	const spellings = ['straße', 'STRASSE', 'ΟΔΟΣ', 'οδος', 'οδοσ', 'ADI', 'adı'];
	const records = spellings.map((label, id) => ({ id, label }));
	const names = parseFields(records, { columns: true }).map(({ answerKey }) => answerKey);
	for (const fold of [(name: string) => name.toUpperCase(), (name: string) => name.toLowerCase()])
		expect(new Set(names.map(fold)).size).toBe(names.length);
});
