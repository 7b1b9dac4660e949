import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseFields } from '../../../nodes/FormService/answers/fields.ts';
import { computeModelKey, makeKeysUnique } from '../../../nodes/FormService/execution/tool.ts';
import { toMapperFields } from '../../../nodes/FormService/methods/resourceMapping.ts';

it('The names of fields that a model sets always have a key each, which n8n accepts', () => {
	const labels = fc.array(fc.string({ unit: 'grapheme', maxLength: 80 }), { maxLength: 20 });
	fc.assert(
		fc.property(labels, (names) => {
			const keys = makeKeysUnique(names).map(computeModelKey);
			expect(new Set(keys).size).toBe(keys.length);
			for (const key of keys) expect(key).toMatch(/^[a-zA-Z0-9_-]{0,64}$/);
		}),
	);
});

it('The mapper gives a model names whose keys differ, and a user the labels', () => {
	const fields = parseFields(['é', 'ü'].map((label, index) => ({ uuid: `f${index}`, label })));
	const namesFor = (forModel: boolean) =>
		toMapperFields(fields, forModel).map(({ displayName }) => displayName);
	expect([namesFor(true), namesFor(false)]).toEqual([
		['é', '2. ü'],
		['é', 'ü'],
	]);
});
