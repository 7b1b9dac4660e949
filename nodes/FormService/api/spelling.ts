import { trim } from 'lodash';
import { truncateText } from './errorTexts';

/** Names that n8n drops from an object, or that would change the object itself. */
const UNUSABLE = ['__proto__', 'constructor', 'prototype'];

/**
 * Makes labels unique. A repeated label gets " (2)", then " (3)". A new name is never equal to one of the
 * labels: "A", "A", "A (2)" → "A", "A (3)", "A (2)".
 *
 * @param usedNames names that are already taken
 * @param options.toKey returns the key of a name; two names with the same key are equal
 */
export function makeUnique(
	labels: readonly string[],
	usedNames: readonly string[] = [],
	{ addCount = addCountInBrackets, toKey = (name: string) => name } = {},
): string[] {
	const wanted = labels.map((label) => (label.trim() === '' ? 'Untitled' : label));
	const existing = new Set(wanted.map(toKey));
	const used = new Set(usedNames.map(toKey));
	const counts = new Map<string, number>();
	const isUsed = (name: string) => UNUSABLE.includes(name) || used.has(toKey(name));
	return wanted.map((label) => {
		const labelKey = toKey(label);
		let name = label;
		let count = counts.get(labelKey) ?? 1;
		while (isUsed(name) || (name !== label && existing.has(toKey(name)))) {
			count += 1;
			name = addCount(label, count);
		}
		counts.set(labelKey, count);
		used.add(toKey(name));
		return name;
	});
}

function addCountInBrackets(label: string, count: number): string {
	return `${label} (${count})`;
}

/**
 * Creates the names of binary fields from the titles of form fields. The second file of a field gets a number:
 * "CV", "CV" → `cv`, `cv_2`.
 */
export function createFileFieldNames(fieldTitles: readonly string[]): string[] {
	const addCount = (name: string, count: number) => `${name}_${count}`;
	return makeUnique(fieldTitles.map(toFieldName), [], { addCount });
}

function toFieldName(text: string): string {
	const words = text
		.normalize('NFKD')
		.replace(/\p{Mark}/gu, '')
		.toLowerCase()
		.replace(/[^\p{Letter}\p{Number}]+/gu, '_');
	return trim(words, '_').normalize('NFC') || 'file';
}

/** The maximum number of names that an error lists. */
const MAX_LISTED = 20;

/** Formats the names of fields or choices for an error: `Name, Email and 3 more`. */
export function formatNames(names: readonly string[]): string {
	const visibleNames = names.slice(0, MAX_LISTED).map((name) => truncateText(name));
	const hiddenCount = names.length - visibleNames.length;
	return `${visibleNames.join(', ')}${hiddenCount > 0 ? ` and ${hiddenCount} more` : ''}`;
}

/** Removes whitespace and zero-width characters from both ends of a string, as web frameworks do. */
export function trimBlanks(text: string): string {
	const trimmed = text.trim();
	const hasZeroWidth = isZeroWidth(trimmed[0]) || isZeroWidth(trimmed[trimmed.length - 1]);
	return hasZeroWidth ? trim(trimmed, BLANKS) : trimmed;
}

function isZeroWidth(character?: string): boolean {
	return character === '\u200b' || character === '\u200e';
}

/** The characters that `trimBlanks` removes: zero-width characters and whitespace. */
const BLANKS =
	'\u200b\u200e\ufeff\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000 \t\n\v\f\r';

/**
 * Converts a string for comparison. Removes blanks from both ends, and composes letters: `e` and an accent
 * become `é`.
 */
export function toComparable(text: string): string {
	return trimBlanks(text.normalize('NFC'));
}

/**
 * Converts a string for case-insensitive comparison: `" Straße "` → `"STRASSE"`. Uppercase makes more spellings
 * equal than lowercase does: `ß` and `ss`, and the Turkish `ı` and `i`.
 */
export function foldCase(text: string): string {
	const upper = toComparable(text).toLowerCase().toUpperCase();
	return upper.replaceAll('I\u0307', 'I').normalize('NFC');
}

type NamedValues<T> = ReadonlyArray<readonly [name: string, value: T]>;

/**
 * Creates a function that finds a value by its name. Blanks at both ends of a name are ignored.
 *
 * - If several values have the exact name, the function returns the first of these values.
 * - If no value has the exact name, the function ignores case, and treats any whitespace within a name as a
 *   single blank: `email` finds "Email".
 * - If two names differ only in case, such as "ID" and "Id", the function finds them only in the exact case.
 */
export function createNameSearch<T>(namedValues: NamedValues<T>) {
	// a map keeps the last value of a name, so reverse the values to keep the first
	const reversed = [...namedValues].reverse();
	const byName = new Map(reversed.map(([name, value]) => [toComparable(name), value]));
	const findInAnyCase = createUniqueSearch([...byName], (name) =>
		foldCase(name).replace(/\s+/g, ' '),
	);
	return (name: string): T | undefined => byName.get(toComparable(name)) ?? findInAnyCase(name);
}

/**
 * Creates a function that finds a value by the spelling of its name, see `normalizeSpelling`. If the names of
 * two values have the same spelling, the function finds neither value.
 */
export function createSpellingSearch<T>(namedValues: NamedValues<T>) {
	return createUniqueSearch(namedValues, normalizeSpelling);
}

/**
 * Creates a function that finds a value by the key of its name. If the names of two values have the same key,
 * the function finds neither value.
 */
function createUniqueSearch<T>(namedValues: NamedValues<T>, toKey: (name: string) => string) {
	const byKey = new Map<string, T | undefined>();
	for (const [name, value] of namedValues) {
		const key = toKey(name);
		const isAmbiguous = byKey.has(key) && byKey.get(key) !== value;
		byKey.set(key, isAmbiguous ? undefined : value);
	}
	// a name that consists of punctuation has an empty key
	byKey.delete('');
	return (name: string): T | undefined => byKey.get(toKey(name));
}

/**
 * Matches whitespace, punctuation, symbols and invisible characters. The first group captures a match between
 * two digits, such as the period in "1.5".
 */
const SEPARATORS =
	/((?<=\p{N})[\p{Z}\p{P}\p{S}\p{C}\ufe0f]+(?=\p{N}))|[\p{Z}\p{P}\p{S}\p{C}\ufe0f]+/gu;

/**
 * Removes case, whitespace, punctuation and symbols from a string: "SEO: Title" and "seo_title" → `SEOTITLE`.
 * Between two digits, a blank replaces the removed characters, because "1.5" is not "15".
 */
export function normalizeSpelling(text: string): string {
	const letters = foldCase(text.normalize('NFKC'));
	return letters.replace(SEPARATORS, (_, between?: string) => (between === undefined ? '' : ' '));
}

/**
 * Finds the first name that differs from `text` only by typing errors: "Adress" finds "Address". Allows at
 * most one error per four letters.
 */
export function findSimilar(text: string, names: readonly string[]): string | undefined {
	const spelling = normalizeSpelling(text);
	return names.find((name) => {
		const candidate = normalizeSpelling(name);
		const maxErrors = Math.floor(candidate.length / 4);
		const isAsLong = Math.abs(candidate.length - spelling.length) <= maxErrors;
		return isAsLong && countTypingErrors(spelling, candidate) <= maxErrors;
	});
}

/** Counts the letters that must be added, removed or replaced to turn `from` into `to` (Levenshtein distance). */
function countTypingErrors(from: string, to: string): number {
	let previousRow = Array.from({ length: to.length + 1 }, (_, index) => index);
	for (const [row, letter] of [...from].entries()) {
		const currentRow = [row + 1];
		for (let column = 0; column < to.length; column += 1) {
			const replaced = previousRow[column] + Number(to[column] !== letter);
			const shifted = Math.min(previousRow[column + 1], currentRow[column]) + 1;
			currentRow.push(Math.min(replaced, shifted));
		}
		previousRow = currentRow;
	}
	return previousRow[to.length];
}
