import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAtCharacter, truncateText } from '../../../nodes/FormService/api/errorTexts.ts';
import { limitToolOutput } from '../../../nodes/FormService/execution/tool.ts';

describe('A text that is cut', () => {
	it.each([
		['abcdef', 3, 'abc'],
		['ab', 3, 'ab'],
		['a👍b', 2, 'a'],
		['a👍b', 3, 'a👍'],
		['a👍🏽b', 4, 'a'],
		['👨‍👩‍👧b', 7, ''],
		['Rene\u0301e', 4, 'Ren'],
		['🇩🇪🇫🇷', 6, '🇩🇪'],
	])('ends between two characters: %j at %j is %j', (text, maxLength, expected) => {
		const cut = cutAtCharacter(text, maxLength);
		// a first character that is too long is kept in part, but without half a code point
		expect(expected === '' ? text.startsWith(cut) : cut === expected).toBe(true);
		expect(cut.isWellFormed()).toBe(true);
	});

	it('is never longer than it may be, and never half a character', () => {
		const text = fc.string({ unit: 'grapheme-composite', maxLength: 60 });
		const property = fc.property(text, fc.integer({ min: 1, max: 40 }), (given, maxLength) => {
			const cut = cutAtCharacter(given, maxLength);
			expect(cut.length).toBeLessThanOrEqual(maxLength);
			expect(given.startsWith(cut)).toBe(true);
			expect(cut.isWellFormed() || !given.isWellFormed()).toBe(true);
		});
		fc.assert(property);
	});

	it('is cut in an error, a summary and a result for a model alike', () => {
		const emoji = '👍'.repeat(6_000);
		expect(truncateText(`a${emoji}`).isWellFormed()).toBe(true);
		const [{ json }] = limitToolOutput([{ json: { a: emoji.repeat(2) } }], { skip: 0 });
		expect((json.startOfResult as string).isWellFormed()).toBe(true);
	});
});
