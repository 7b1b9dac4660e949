import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseFields } from '../../../nodes/FormService/answers/fields.ts';
import {
	computeModelKey,
	toMapperFields,
} from '../../../nodes/FormService/methods/resourceMapping.ts';

it('The names of fields that a model sets always have a key each, which n8n accepts', () => {
	const known = fc.constantFrom('é', 'ü', '=a', '_a', ' =a', '2. é', 'x'.repeat(70));
	const labels = fc.array(fc.oneof(known, fc.string({ unit: 'grapheme', maxLength: 80 })));
	fc.assert(
		fc.property(labels, (names) => {
			const fields = parseFields(names.map((label, index) => ({ uuid: `f${index}`, label })));
			const mapped = toMapperFields(fields, true);
			const keys = mapped.map(({ displayName }) => computeModelKey(displayName));
			expect(new Set(keys).size).toBe(keys.length);
			// n8n accepts 64 characters, but its editor creates at most 63
			for (const key of keys) expect(key).toMatch(/^[a-zA-Z0-9_-]{0,63}$/);
		}),
	);
});
