import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { parseFields } from '../../../../nodes/FormService/api/answers/fields.ts';
import { matchAnswers } from '../../../../nodes/FormService/api/answers/match.ts';
import { makeFileFieldNames } from '../../../../nodes/FormService/api/answers/names.ts';
import { readAnswer } from '../../../../nodes/FormService/api/answers/kinds.ts';

const form = [
	{ uuid: 'u1', label: 'About you', type: 'heading' },
	{ uuid: 'u2', label: 'Name', type: 'text', custom_key: 'name' },
	{ uuid: 'u3', label: 'Comment', type: 'text', custom_key: 'good' },
	{ uuid: 'u4', label: 'Comment', type: 'text' },
];

describe('the names of answers', () => {
	it.each([
		['label', ['Name', 'Comment', 'Comment (2)']],
		['uuid', ['u2', 'u3', 'u4']],
		['customKey', ['name', 'good', 'Comment']],
	] as const)('by %s are those of the fields that take an answer', (keys, names) => {
		expect(parseFields(form, { answerKeys: keys }).map(({ name }) => name)).toEqual(names);
	});

	it('take no name that is needed for something else', () => {
		const fields = parseFields([{ uuid: 'u', label: 'number' }], { columns: true });
		expect(fields[0].name).toBe('number (2)');
	});
});

describe('the field of an answer', () => {
	const fields = parseFields(form, { answerKeys: 'uuid' });
	const match = (responses: unknown, of = fields) => {
		const matched = matchAnswers({ responses } as IDataObject, of);
		const pairs = matched.answers.map(({ field, value }) => [field?.uuid ?? 'other', value]);
		return { values: Object.fromEntries(pairs) as IDataObject, ...matched };
	};
	const comment = { label: 'Comment', value: 1 };

	it.each<[string, IDataObject[], IDataObject, string[]]>([
		[
			'by UUID whatever the label, by custom key, and else by label',
			[
				{ label: 'Former label', uuid: 'u4', value: 1 },
				{ label: 'Former label', custom_key: 'good', value: 2 },
				{ label: 'Name', value: 3 },
			],
			{ u4: 1, u3: 2, u2: 3 },
			[],
		],
		[
			'by position where two fields have one label, and that is said',
			[comment, { ...comment, value: 2 }],
			{ u3: 1, u4: 2 },
			['Comment'],
		],
		['with certainty where all answers have a UUID', [{ ...comment, uuid: 'u4' }], { u4: 1 }, []],
		['not, if the form no longer has the field', [{ label: 'Fax', value: 1 }], { other: 1 }, []],
		[
			'not by a label beside the UUID of a deleted field',
			[
				{ label: 'Name', uuid: 'old', value: 1 },
				{ ...comment, uuid: 'u4' },
			],
			{ other: 1, u4: 1 },
			[],
		],
		[
			'for all entries of one UUID',
			[
				{ ...comment, uuid: 'u3' },
				{ ...comment, uuid: 'u3', value: [2, 3] },
				{ ...comment, uuid: 'u4', value: 4 },
			],
			{ u3: [1, 2, 3], u4: 4 },
			[],
		],
	])('is found %s', (_, responses, values, byPosition) => {
		expect(match(responses)).toMatchObject({ values, byPosition });
	});

	it.each([
		['has no entry for the heading', []],
		['has an entry for the heading', [{ label: 'Name', value: null }]],
	])('is found beside a heading of the same label, where the response %s', (_, heading) => {
		const named = [{ uuid: 'h', label: 'Name', type: 'heading' }, form[1]];
		const { values } = match([...heading, { label: 'Name', value: 'Ada' }], parseFields(named));
		expect(values.u2).toBe('Ada');
	});

	it('is in doubt where one of two answers with one label is missing', () => {
		expect(match([comment]).doubtful.map(({ uuid }) => uuid)).toEqual(['u3', 'u4']);
	});

	it('is never that of another field with the same label that was deleted', () => {
		const amounts = parseFields([{ uuid: 'new', label: 'Amount' }]);
		const list = ['old', 'new'].map((uuid) => ({ label: 'Amount', uuid, value: uuid }));
		for (const responses of [list, list.toReversed()]) {
			expect(match(responses, amounts).values).toEqual({ new: 'new', other: 'old' });
		}
	});

	it('is found by labels, if another field has one of them as its custom key', () => {
		const keyed = [
			{ uuid: 'a', label: 'email' },
			{ uuid: 'b', label: 'Your email', custom_key: 'email' },
		];
		const { values } = match({ email: 1, 'Your email': 2 }, parseFields(keyed));
		expect(values).toEqual({ a: 1, b: 2 });
	});

	it('is found in the spelling of the answer, where labels differ in whitespace alone', () => {
		const alike = parseFields(['Name', 'Name '].map((label, at) => ({ uuid: `n${at}`, label })));
		expect(match({ 'Name ': 'Ada' }, alike).values).toEqual({ n1: 'Ada' });
		expect(match({ ' Name': 'Ada' }, alike.slice(0, 1)).values).toEqual({ n0: 'Ada' });
	});

	it('is never that of two answers, and no answer is lost', () => {
		const label = fc.constantFrom('Name', 'Comment', 'Fax');
		const id = fc.option(fc.constantFrom('u2', 'u3', 'u4', 'u9'), { nil: undefined });
		const answer = fc.record({ label, uuid: id, value: fc.uuid() });
		fc.assert(
			fc.property(fc.array(answer, { maxLength: 8 }), (answers) => {
				const matched = match(answers).answers;
				const taken = matched.flatMap(({ field }) => (field === undefined ? [] : [field]));
				expect(new Set(taken).size).toBe(taken.length);
				expect(new Set(matched.map(({ name }) => name)).size).toBe(matched.length);
				const values = matched.flatMap(({ value }) => value as string[] | string);
				expect(values.toSorted()).toEqual(answers.map(({ value }) => value).toSorted());
			}),
		);
	});
});

describe('the value of an answer by the kind of its field', () => {
	const typed = (field: object, value: unknown) =>
		readAnswer(value as never, parseFields([{ uuid: 'u', label: 'F', ...field }])[0]);

	/** Values that stay as the service gave them, by the type of the field. */
	const kept = {
		text: ['007', 'true'],
		phone: ['0123'],
		number: ['007', '+4912345', '4.50', '1e3', 9, 'about 5', '12345678901234567890'],
		boolean: ['perhaps'],
		date: ['2027-01-04', '1800000000', '202601311230', 202601311230, '20260131', '4.1.2027'],
		multiple_choice: [['News']],
		single_choice: ['News'],
	};
	const changed: Array<[string, unknown, unknown]> = [
		['number', '7', 7],
		['number', '-4.5', -4.5],
		['rating', '4', 4],
		['boolean', 1, true],
		['boolean', '0', false],
		['toggle', 'yes', true],
		['date', 1_800_000_000, '2027-01-15T08:00:00.000Z'],
		['date', 1_800_000_000_000, '2027-01-15T08:00:00.000Z'],
		['multiple_choice', 'News', ['News']],
	];

	it.each([
		...Object.entries(kept).flatMap(([type, values]) =>
			values.map((value): [string, unknown, unknown] => [type, value, value]),
		),
		...changed,
	])('of the type %s: %j becomes %j', (type, value, expected) => {
		expect(typed({ type }, value)).toEqual(expected);
	});

	it.each(['text', 'number', 'boolean', 'date', 'multiple_choice', 'file_upload'])(
		'of the type %s is null where nothing was answered',
		(type) => {
			for (const nothing of [null, undefined, '', []]) {
				expect(typed({ type }, nothing)).toBeNull();
			}
		},
	);

	it('is a list of choices where the text has several of them', () => {
		const field = { type: 'select', multiple: 1, options: ['News', 'Tips', { value: 'A, B' }] };
		expect(typed(field, 'News, Tips')).toEqual(['News', 'Tips']);
		expect(typed(field, 'A, B')).toEqual(['A, B']);
		expect(typed(field, 'News, A, B, Tips')).toEqual(['News', 'A, B', 'Tips']);
		expect(typed(field, 'News, other')).toEqual(['News, other']);
	});

	it('is a list of files', () => {
		const file = { name: 'cv.pdf', url: 'https://files.example/cv.pdf' };
		expect(typed({ type: 'file_upload' }, file)).toEqual([file]);
	});
});

describe('the names of binary fields', () => {
	const namesOf = (owners: string[], all = owners) => makeFileFieldNames(owners, all);

	it('are those of the answers, in small letters, numbered from 2', () => {
		expect(namesOf(['CV', 'CV', 'Cover letter!'])).toEqual(['cv', 'cv_2', 'cover_letter']);
	});

	it('leave another answer its name', () => {
		expect(namesOf(['CV', 'CV', 'CV 2'])).toEqual(['cv', 'cv_3', 'cv_2']);
	});

	it.each([
		['Ihr Résumé', 'ihr_resume'],
		['履歴書', '履歴書'],
		['!', 'file'],
		['constructor', 'constructor_2'],
	])('of %j is %j', (label, name) => {
		expect(namesOf([label])).toEqual([name]);
	});

	it('are never the same twice', () => {
		const label = fc.constantFrom('CV', 'cv', 'cv 2', 'cv_2_2', '', '__proto__', 'constructor');
		fc.assert(
			fc.property(fc.array(label, { maxLength: 12 }), (labels) => {
				expect(new Set(namesOf(labels)).size).toBe(labels.length);
			}),
		);
	});
});
