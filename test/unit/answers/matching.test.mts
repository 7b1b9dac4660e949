import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	findField,
	findFieldBySpelling,
	parseFields,
} from '../../../nodes/FormService/answers/fields.ts';
import {
	hasUnknownAnswer,
	matchAnswers,
	createAnswerKeys,
} from '../../../nodes/FormService/answers/matchAnswers.ts';

const UUID = '9b1f2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d';

const form = [
	{ uuid: 'u1', label: 'About you', type: 'heading' },
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

describe('Answers of a response', () => {
	it.each([
		['pairs of key and value', [{ key: 'Name', value: 'Ada' }]],
		['a former label and the UUID', [{ label: 'Old', value: 'Ada', uuid: 'u2' }]],
		['a former label and the custom key', [{ label: 'Old', value: 'Ada', custom_key: 'name' }]],
		['an object by label', { Name: 'Ada' }],
		['an object by UUID', { u2: 'Ada' }],
		['a list with gaps, which PHP sends as an object', { 0: { key: 'Name', value: 'Ada' }, 2: {} }],
	])('are read from %s', (_, responses) => {
		expect(match({ responses }).values).toEqual({ u2: 'Ada' });
	});

	it.each<[object, string, object?]>([
		[{ state: 'x' }, 'No answers were found in an object with "state"'],
		[{ answers: { Name: 'Ada' } }, 'No answers were found in an object with "answers"'],
		[{ responses: 'Name: Ada' }, 'The answers could not be read from a string'],
		[{ responses: null }, 'The answers could not be read from null'],
		[{ responses: [['Name', 'Ada']] }, 'from 1 of 1 entries'],
		[{ responses: [{ label: 'Name', answer: 'Ada' }] }, '"label" (string), "answer"'],
		[{ responses: [{ field_uuid: 'u2', value: 'Ada' }] }, '"field_uuid" (string)'],
		[{ responses: [{ key: 'Name', value: 'B' }, { x: 1 }] }, '1 of 2 entries', { u2: 'B' }],
	])('of another shape are a problem that names what came: %j', (record, text, read = {}) => {
		const { values, problem } = match(record);
		expect(values).toEqual(read);
		expect(problem).toContain(text);
		expect(problem).not.toContain('Ada');
	});

	it('are none in an empty list or object', () => {
		for (const responses of [[], {}]) {
			expect(match({ responses })).toMatchObject({ answers: [], problem: undefined });
		}
	});

	it.each<[string, object[], object, object]>([
		[
			'by label, if another field has the label as its custom key',
			[{ label: 'email' }, { label: 'Your email', custom_key: 'email' }],
			{ email: 1, 'Your email': 2 },
			{ u0: 1, u1: 2 },
		],
		['by numbers for labels', [{ label: 2024 }], [{ key: 2024, value: 1 }], { u0: 1 }],
		['by an empty label', [{ label: '' }], [{ key: '', value: 1 }], { u0: 1 }],
		['by a label in the same case first', [{ label: 'ID' }, { label: 'Id' }], { Id: 1 }, { u1: 1 }],
		['by a label with invisible characters', [{ label: 'A' }], { '\u200fA\u00a0': 1 }, { u0: 1 }],
	])('are matched %s', (_, fields, responses, values) => {
		const records = fields.map((field, index) => ({ uuid: `u${index}`, ...field }));
		expect(match({ responses }, records)).toMatchObject({ values, problem: undefined });
	});

	it('belong to no field by a name that none has, unless they have no value', async () => {
		for (const value of ['x', '', null]) {
			const records = [{ responses: [{ label: 'Old', value }] }];
			expect(await hasUnknownAnswer(records, parseFields(form))).toBe(value === 'x');
		}
	});

	it('are matched in order if two fields have one label and no answer has a UUID', () => {
		const responses = [1, 2, 3].map((value) => ({ label: 'Comment', value }));
		const { values, answers } = match({ responses });
		expect(values).toEqual({ u3: 1, u4: 2, Comment: 3 });
		expect(createAnswerKeys(answers)).toEqual(['Comment', 'Comment (2)', 'Comment (3)']);
		expect(match({ responses: [{ ...responses[0], uuid: 'u4' }] }).values).toEqual({ u4: 1 });
	});

	it('are never matched by a label beside the UUID of a deleted field', () => {
		const amounts = [{ uuid: UUID, label: 'Amount' }];
		const deleted = { label: 'Amount', uuid: UUID.replace('9', '8'), value: 'deleted' };
		const current = { label: 'Amount', uuid: UUID, value: 'current' };
		for (const responses of [[deleted, current], [current, deleted], [deleted]]) {
			const { values } = match({ responses }, amounts);
			expect(values[UUID]).toBe(responses.includes(current) ? 'current' : undefined);
		}
	});
});

it.each([
	[UUID.toUpperCase(), UUID],
	['Kunde', UUID],
	['EMAIL', UUID],
	['comment', 'c'],
	[' Comment (2)', 'd'],
	['café', 'e'],
	['Size', 'g'],
	// the names of two fields differ only by case
	['SIZE', undefined],
	['STRASSE', 'h'],
])(
	'The name %j means a field by UUID, custom key or label, and in the same case first',
	(...row) => {
		const fields = parseFields([
			{ uuid: UUID, label: 'email', custom_key: 'Kunde' },
			{ uuid: 'b', label: 'Kunde', custom_key: 'mail' },
			...[...'cd'].map((uuid) => ({ uuid, label: 'Comment' })),
			{ uuid: 'e', label: 'Cafe\u0301 ' },
			{ uuid: 'f', label: 'size' },
			{ uuid: 'g', label: 'Size' },
			{ uuid: 'h', label: 'Straße' },
		]);
		const [name, uuid] = row;
		expect(findField(name!, fields)?.uuid).toBe(uuid);
	},
);

const questions = [
	...['How satisfied are you?', 'First name', 'Q 1.5', 'Price (€)', 'Price ($)', 'Size?', 'Size!'],
	...['C++', 'C#', 'Cost ($)', 'İsim', 'がく', 'Comment', 'Comment', '***', 'E-mail (work)'],
];

it.each<[string, string?]>([
	['how\u00a0satisfied are\u00a0you', 'How satisfied are you?'],
	['first_name *', 'First name'],
	['email work', 'E-mail (work)'],
	['mail-key!', 'E-mail (work)'],
	['Comment 2', 'Comment (2)'],
	['Q15'],
	['Price'],
	['C'],
	['cost:', 'Cost ($)'],
	['İSİM', 'İsim'],
	['かく'],
	['!!!'],
])('A column %j is the field %j by its letters and digits, if no other has them', (name, title) => {
	const fields = parseFields(questions.map((label, index) => ({ uuid: `f${index}`, label })));
	Object.assign(fields.at(-1)!, { customKey: 'mail_key' });
	expect(findFieldBySpelling(name, fields)?.title).toBe(title);
});

it('A column is never one of two fields that have its letters and digits', () => {
	const letters = fc.constantFrom('C', 'ß', 'SS', 'ı', 'σας', 'Q 1.5', '履歴書');
	const signs = fc.uniqueArray(fc.constantFrom(...'+-#!?°€$<>=~^_.:(|"', '😀', ''), {
		minLength: 3,
		maxLength: 3,
	});
	const property = fc.property(letters, signs, (text, [columnSign, ...fieldSigns]) => {
		const labels = fieldSigns.map((sign) => text + sign);
		const fields = parseFields(labels.map((label, id) => ({ id, label })));
		expect(findFieldBySpelling(text + columnSign, fields)).toBeUndefined();
	});
	fc.assert(property);
});
