import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { findField, parseFields } from '../../../nodes/FormService/answers/fields.ts';
import {
	createAnswerKeys,
	hasUnknownAnswer,
	matchAnswers,
} from '../../../nodes/FormService/answers/matchAnswers.ts';

const form = [
	{ uuid: 'u2', label: 'Name', custom_key: ' name' },
	{ uuid: 'u3', label: 'Comment', custom_key: 'good' },
	{ uuid: 'u4', label: 'Comment' },
	{ uuid: 'u5', label: '' },
	{ uuid: 'u6', label: 'id' },
];

/** The values of a response by the UUIDs of their fields; by its label, an answer of no field. */
function match(record: object, fields: IDataObject[] = form) {
	const matched = matchAnswers(record as IDataObject, parseFields(fields));
	const pairs = matched.answers.map(({ field, label, value }) => [field?.uuid ?? label, value]);
	return { ...matched, values: Object.fromEntries(pairs) as IDataObject };
}

it.each([
	['label', ['Name', 'Comment', 'Comment (2)', 'Untitled', 'id']],
	['uuid', ['u2', 'u3', 'u4', 'u5', 'u6']],
	['customKey', ['name', 'good', 'Comment', 'Untitled', 'id']],
] as const)('The names of answers by %s are %j', (answerKeys, names) => {
	expect(parseFields(form, { answerKeys }).map(({ answerKey }) => answerKey)).toEqual(names);
});

const DELETED = '8b1f2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d';

describe('Answers of a response', () => {
	it.each<[string, unknown, object, object[]?]>([
		[
			'a list with gaps, as PHP sends it',
			{ 0: { key: 'Name', value: 1 }, 2: { key: 'id', value: 2 } },
			{ u2: 1, u6: 2 },
		],
		['numbers for labels', [{ key: 2024, value: 1 }], { n: 1 }, [{ uuid: 'n', label: 2024 }]],
		['a label with invisible characters', { '\u200fName\u00a0': 1 }, { u2: 1 }],
		['the titles of fields with one label', { Comment: 1, 'Comment (2)': 2 }, { u3: 1, u4: 2 }],
		// another field has this label as its custom key
		[
			'a label rather than a custom key',
			{ good: 1 },
			{ u7: 1 },
			[...form, { uuid: 'u7', label: 'good' }],
		],
		['a label of two fields and a UUID', [{ label: 'Comment', value: 1, uuid: 'u4' }], { u4: 1 }],
		[
			'a label beside the UUID of a deleted field',
			[{ label: 'Name', value: 1, uuid: DELETED }],
			{ Name: 1 },
		],
		['an empty list', [], {}],
	])('are read from %s', (_what, responses, values, fields) => {
		const matched = match({ responses }, fields as IDataObject[]);
		expect(matched).toMatchObject({ values, problem: undefined });
	});

	it.each<[object, string, object?]>([
		[{ state: 'x' }, 'The answers could not be read from an object with "state"'],
		[{ responses: 'Name: Ada' }, 'The answers could not be read from a string'],
		[{ responses: [{ label: 'Name', answer: 'Ada' }] }, '"label" (string), "answer"'],
		[{ responses: [{ key: 'Name', value: 'B' }, { x: 1 }] }, '1 of 2 entries', { u2: 'B' }],
	])('of another shape are a problem that names what came: %j', (record, text, read = {}) => {
		const { values, problem } = match(record);
		expect(values).toEqual(read);
		expect(problem).toContain(text);
		expect(problem).not.toContain('Ada');
	});

	it('belong to no field by a name that none has, unless they have no value', async () => {
		for (const value of ['x', '', null]) {
			const records = [{ responses: [{ label: 'Old', value }] }];
			expect(await hasUnknownAnswer(records, parseFields(form))).toBe(value === 'x');
		}
	});

	it('are matched in order if two fields have one label, and all keep a name', () => {
		const responses = [1, 2, 3].map((value) => ({ label: 'Comment', value }));
		const { values, answers } = match({ responses });
		expect(values).toEqual({ u3: 1, u4: 2, Comment: 3 });
		expect(createAnswerKeys(answers)).toEqual(['Comment', 'Comment (2)', 'Comment (3)']);
	});
});

const questions = [
	...['How satisfied are you?', 'First name', 'Q 1.5', 'Price (€)', 'Price ($)', 'C++', 'C#'],
	...['Size', 'size', 'Straße', 'Comment', 'Comment', 'がく', '***', 'mail_key', 'E-mail (work)'],
];

it.each<[string, string?]>([
	// another field has this label
	['mail_key', 'E-mail (work)'],
	['how\u00a0satisfied are\u00a0you', 'How satisfied are you?'],
	['email work', 'E-mail (work)'],
	['Comment 2', 'Comment (2)'],
	['size', 'size'],
	['SIZE'],
	['Q15', 'Q 1.5'],
	['かく'],
])('A column %j is the field %j, by its letters and digits if no other has them', (name, title) => {
	const fields = parseFields(questions.map((label, index) => ({ uuid: `f${index}`, label })));
	Object.assign(fields.at(-1)!, { customKey: 'mail_key' });
	expect(findField(name, fields)?.title).toBe(title);
});

it('A column is never one of two fields that have its letters and digits', () => {
	const letters = fc.constantFrom('C', 'ß', 'SS', 'ı', 'σας', 'Q 1.5', '履歴書');
	const sign = fc.constantFrom(...'+-#!?°€$<>=~^_.:(|"', '😀', '');
	const signs = fc.uniqueArray(sign, { minLength: 3, maxLength: 3 });
	const property = fc.property(letters, signs, (text, [columnSign, ...fieldSigns]) => {
		const labels = fieldSigns.map((one) => text + one);
		const fields = parseFields(labels.map((label, id) => ({ id, label })));
		expect(findField(text + columnSign, fields)).toBeUndefined();
	});
	fc.assert(property);
});
