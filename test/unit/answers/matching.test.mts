import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import {
	createAnswerKeys,
	findField,
	matchAnswers,
	parseFields,
} from '../../../nodes/FormService/answers/fields.ts';

const form = [
	{ uuid: 'u2', label: 'Name', custom_key: ' name' },
	{ uuid: 'u3', label: 'Comment', custom_key: 'good' },
	{ uuid: 'u4', label: 'Comment' },
	{ uuid: 'u5', label: '' },
	{ uuid: 'u6', label: 2024 },
	// another field has this label as its custom key
	{ uuid: 'u7', label: 'good' },
];
const fields = parseFields(form);

const DELETED = '8b1f2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d';

it.each<[string, object, object]>([
	['a number for a label', [{ key: 2024, value: 1 }], { u6: 1 }],
	['a label with invisible characters', { '\u200fName\u00a0': 1 }, { u2: 1 }],
	['the titles of fields with one label', { Comment: 1, 'Comment (2)': 2 }, { u3: 1, u4: 2 }],
	['a label rather than a custom key', { good: 1 }, { u7: 1 }],
	['a UUID rather than a label', [{ label: 'Comment', value: 1, uuid: 'u4' }], { u4: 1 }],
	['the UUID of a deleted field', [{ label: 'Name', value: 1, uuid: DELETED }], { Name: 1 }],
	['an empty list', [], {}],
])('Answers are matched by %s', (_what, responses, values) => {
	const { answers, problem } = matchAnswers({ responses } as IDataObject, fields);
	expect(problem).toBeUndefined();
	const pairs = answers.map(({ field, label, value }) => [field?.uuid ?? label, value]);
	expect(Object.fromEntries(pairs)).toEqual(values);
});

it('Answers are matched in order if two fields have one label, and all keep a name', () => {
	const responses = [1, 2, 3].map((value) => ({ label: 'Comment', value }));
	const { answers } = matchAnswers({ responses }, fields);
	expect(answers.map(({ field }) => field?.uuid)).toEqual(['u3', 'u4', undefined]);
	expect(createAnswerKeys(answers)).toEqual(['Comment', 'Comment (2)', 'Comment (3)']);
});

it('No column of a field is that of another one, or of an attribute', () => {
	const labels = ['Response_UUID', 'response_answers_error', 'NAME', 'name'];
	const records = labels.map((label, id) => ({ id, label }));
	const columns = parseFields(records, { columns: true }).map(({ answerKey }) => answerKey);
	const names = ['Response_UUID (2)', 'response_answers_error (2)', 'NAME', 'name (2)'];
	expect(columns).toEqual(names);
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
	['かく'],
	['C'],
])('A column %j is the field %j, by its letters and digits if no other has them', (name, title) => {
	const asked = parseFields(questions.map((label, index) => ({ uuid: `f${index}`, label })));
	Object.assign(asked.at(-1)!, { customKey: 'mail_key' });
	expect(findField(name, asked)?.title).toBe(title);
});
