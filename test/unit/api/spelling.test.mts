import { expect, it } from 'vitest';
import { foldCase } from '../../../nodes/FormService/api/spelling.ts';

it.each([
	['Straße', 'STRASSE', 'STRAẞE'],
	['İsim', 'isim', 'İSİM', 'i\u0307sim'],
	['Adı', 'ADI'],
	['ΟΔΟΣ', 'οδος', 'οδοσ'],
	[' Café', 'CAFE\u0301'],
])('%j and %j differ only by case', (...spellings) => {
	expect(new Set(spellings.map(foldCase)).size).toBe(1);
});

it('A text and its uppercase and lowercase are always equal in any case', () => {
	for (let codePoint = 0; codePoint <= 0x1ffff; codePoint += 1) {
		const text = String.fromCodePoint(codePoint);
		const spellings = [text, text.toUpperCase(), text.toLowerCase(), foldCase(text)];
		expect(new Set(spellings.map(foldCase)).size, codePoint.toString(16)).toBe(1);
	}
});
