import fc from 'fast-check';
import { traverseNodeParameters, type FromAIArgument, type INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	computeModelKey,
	findKeyConflict,
	makeKeysUnique,
} from '../../../nodes/FormService/execution/toolKeys.ts';
import { toMapperFields } from '../../../nodes/FormService/methods/resourceMapping.ts';

/** What n8n's editor stores for a parameter that a model sets. */
const askModel = (displayName: string) =>
	`={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${computeModelKey(displayName)}', \`\`, 'string') }}`;

/** A tool in whose mapper a model sets each of the fields. */
function toTool(fields: ReadonlyArray<{ id: string; displayName: string }>) {
	const value = Object.fromEntries(
		fields.map(({ id, displayName }) => [id, askModel(displayName)]),
	);
	return { parameters: { fields: { value, schema: fields } } } as unknown as INode;
}

/** The keys by which n8n asks a model for values: one value for each (`getSchema` in `create-node-as-tool`). */
function getKeys({ parameters }: INode): string[] {
	const calls: FromAIArgument[] = [];
	traverseNodeParameters(parameters, calls);
	return [...new Set(calls.map(({ key }) => key))];
}

describe('The names of fields that a model sets', () => {
	it.each([
		['other letters', ['Имя', 'Дом', 'Тел', '2. Имя']],
		['other punctuation', ['Phone (home)', 'Phone [home]', 'Phone {home}']],
		['the same first 63 characters', [`${'x'.repeat(63)}1`, `${'x'.repeat(63)}2`]],
		['emoji', ['😀', '😎']],
	])('have a key each, also with %s', (_, labels) => {
		const records = labels.map((label, index) => ({ uuid: `f${index}`, label }));
		const fields = toMapperFields(records, true);
		expect(getKeys(toTool(fields))).toHaveLength(labels.length);
		expect(findKeyConflict(toTool(fields))).toBeUndefined();
		// the panel of a person has no numbers
		const names = toMapperFields(records).map(({ displayName }) => displayName);
		expect(names).toEqual(labels);
	});

	it('always have a key each, which n8n accepts', () => {
		const labels = fc.array(fc.string({ unit: 'grapheme', maxLength: 80 }), { maxLength: 20 });
		fc.assert(
			fc.property(labels, (names) => {
				const keys = makeKeysUnique(names).map(computeModelKey);
				expect(new Set(keys).size).toBe(keys.length);
				for (const key of keys) expect(key).toMatch(/^[a-zA-Z0-9_-]{0,64}$/);
			}),
		);
	});
});

describe('A key that two parameters share', () => {
	it('is found, with the names of the parameters', () => {
		const fields = ['Phone (home)', 'Phone [home]'].map((displayName) => {
			return { id: displayName, displayName };
		});
		const tool = toTool(fields);
		expect(getKeys(tool)).toEqual(['Phone__home_']);
		expect(findKeyConflict(tool)).toEqual({
			key: 'Phone__home_',
			names: ['Phone (home)', 'Phone [home]'],
		});
		const settings = { name: askModel('Title'), seo: { title: "={{ $fromAI('Title') }}" } };
		expect(findKeyConflict({ parameters: settings })).toEqual({
			key: 'Title',
			names: ['name', 'seo.title'],
		});
	});

	it('is not one that is twice in one parameter, or in a text that is no expression', () => {
		const parameters = { a: askModel('x') + askModel('x'), b: askModel('x').slice(1) };
		expect(findKeyConflict({ parameters })).toBeUndefined();
	});

	it('is fine if a person wrote each of the expressions', () => {
		const ask = "={{ $fromAI('email', 'The address of the customer', 'string') }}";
		expect(findKeyConflict({ parameters: { a: ask, b: `${ask} again` } })).toBeUndefined();
		const parameters = { a: ask, b: ask, c: askModel('email') };
		expect(findKeyConflict({ parameters })?.names).toEqual(['a', 'b', 'c']);
	});
});
