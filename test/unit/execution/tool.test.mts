import fc from 'fast-check';
import { expect, describe, it } from 'vitest';
import {
	computeModelKey,
	limitToolOutput,
	makeKeysUnique,
} from '../../../nodes/FormService/execution/tool.ts';

describe('A model gets of a listing', () => {
	const results = Array.from('abcde', (letter) => ({ json: { text: letter.repeat(9_000) } }));
	const AND_NEXT = " Set 'Skip' to <end> to get the next ones, or narrow the search.";

	it.each([
		[0, Infinity, 'ab', '2 of 5 results, after skipping 0.', 2],
		[2, Infinity, 'cd', '2 of 5 results, after skipping 2.', 4],
		[1, 1, 'b', '1 of 5 results, after skipping 1.', 2],
		[4, 2, 'e', '1 of 5 results, after skipping 4.', undefined],
		[7, 2, '', '0 of 5 results, after skipping 7.', undefined],
	])('after %i, at most %s: "%s" and the notice "%s"', (skip, limit, letters, shown, end) => {
		const page = limitToolOutput(results, { skip, limit });
		const next = end === undefined ? '' : AND_NEXT.replace('<end>', String(end));
		const given = results.filter(({ json }) => letters.includes(json.text[0]));
		expect(page).toEqual([...given, { json: { notice: shown + next } }]);
	});

	it('the start of a result that is too long, alone', () => {
		const json = { text: 'x'.repeat(20_001) };
		const [result, notice] = limitToolOutput([{ json }, { json }], { skip: 0 });
		expect(result.json).toEqual({ startOfResult: `{"text":"${'x'.repeat(9_991)}` });
		expect(notice.json.notice).toMatch(/^1 of 2 /);
	});
});

it.each([
	['What, e.g. [one]?', 'That'],
	['a.b', 'dotted'],
	['owner.email', 'ada@example.com'],
])('The selected field %s is found by its name', (name, value) => {
	const answers = { 'What, e.g. [one]?': 'That', 'a.b': 'dotted' };
	const json = { uuid: 'u1', owner: { email: 'ada@example.com' }, answers };
	expect(limitToolOutput([{ json }], { names: [name], skip: 0 })).toEqual([
		{ json: { uuid: 'u1', [name]: value } },
	]);
});

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
