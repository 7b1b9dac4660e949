import { trim } from 'lodash';
import { truncateText } from './errorTexts';

/** Property names that n8n drops, or that would change the object itself. */
const UNUSABLE = ['__proto__', 'constructor', 'prototype'];

/**
 * Creates names for fields by their labels, each name once: a repeated label gets " (2)", then " (3)". A
 * label that exists is never given to another field: "A", "A", "A (2)" become "A", "A (3)", "A (2)".
 *
 * @param usedNames names that no field gets
 * @param options.toKey two names with the same key are the same name
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
 * Names for binary fields by the titles of their fields, in small letters and digits: "CV" becomes `cv`, and
 * its second file `cv_2`.
 */
export function createFileFieldNames(owners: readonly string[]): string[] {
	const addCount = (name: string, count: number) => `${name}_${count}`;
	return makeUnique(owners.map(toFieldName), [], { addCount });
}

function toFieldName(text: string): string {
	const words = text
		.normalize('NFKD')
		.replace(/\p{Mark}/gu, '')
		.toLowerCase()
		.replace(/[^\p{Letter}\p{Number}]+/gu, '_');
	return trim(words, '_').normalize('NFC') || 'file';
}

/** As many names as an error lists. */
const MAX_LISTED = 20;

/** The names of fields or choices for an error, separated by commas. */
export function formatNames(names: readonly string[]): string {
	const shown = names.slice(0, MAX_LISTED).map((name) => truncateText(name));
	const rest = names.length - shown.length;
	return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A label, custom key or text in the form in which two of them are compared. */
export function toComparable(text: string): string {
	return text.normalize('NFC').trim();
}

/** The same for names and texts that are compared case-insensitively. */
export function foldCase(text: string): string {
	return toComparable(text).toLowerCase();
}

/**
 * A search for values by their names. The same case counts before another one, and of values with one name
 * the first.
 */
export function indexNames<T>(named: ReadonlyArray<readonly [name: string, value: T]>) {
	// of entries with one name, a map keeps the last one
	const reversed = [...named].reverse();
	const sameCase = new Map(reversed.map(([name, value]) => [toComparable(name), value]));
	const anyCase = new Map(reversed.map(([name, value]) => [foldCase(name), value]));
	return (name: string): T | undefined =>
		sameCase.get(toComparable(name)) ?? anyCase.get(foldCase(name));
}

/** The letters and digits of a text without accents: "SEO: Title", "seo_title" and "séo title" are one. */
export function normalizeSpelling(text: string): string {
	const letters = text.normalize('NFKD').toLowerCase();
	return letters.replace(/[^\p{L}\p{N}]/gu, '');
}
