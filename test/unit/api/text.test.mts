import { expect, it } from 'vitest';
import {
	createFileFieldNames,
	makeUnique,
	normalizeText,
} from '../../../nodes/FormService/api/text.ts';

it.each([
	['İsim', 'i\u0307sim'],
	[' Café', 'CAFE\u0301', '\u200fcafé\u200e'],
	['New York', 'new\u00a0 york', 'New\tYork\n', '\u202aNew\u202f\u200bYork\u202c'],
	['soft hyphen', 'soft hy\u00adphen'],
	['Ａｂｃ', 'abc'],
])('%j and %j look the same but for their case', (...spellings) => {
	expect(new Set(spellings.map(normalizeText)).size).toBe(1);
});

it('A text and its uppercase and lowercase always have one normal form', () => {
	for (let codePoint = 0; codePoint <= 0x1ffff; codePoint += 1) {
		const text = String.fromCodePoint(codePoint);
		const spellings = [text, text.toUpperCase(), text.toLowerCase(), normalizeText(text)];
		expect(new Set(spellings.map(normalizeText)).size, codePoint.toString(16)).toBe(1);
	}
});

it.each([
	[['A', 'A', 'A (2)'], [], ['A', 'A (3)', 'A (2)']],
	[['A', '', ' ', 'A'], ['A'], ['A (2)', 'Untitled', 'Untitled (2)', 'A (3)']],
	// n8n drops these properties
	[['__proto__', 'constructor'], [], ['__proto__ (2)', 'constructor (2)']],
])('The names for %j are unique, and none is one of %j', (labels, taken, names) => {
	expect(makeUnique(labels, taken)).toEqual(names);
});

it('Binary fields are named after the fields of the form, as Latin letters where there are', () => {
	const titles = ['CV', 'CV', 'Ihr Résumé', '履歴書', '!', 'constructor'];
	const names = ['cv', 'cv_2', 'ihr_resume', '履歴書', 'file', 'constructor_2'];
	expect(createFileFieldNames(titles)).toEqual(names);
});
