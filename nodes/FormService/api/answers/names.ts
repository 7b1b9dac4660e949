import { trim } from 'lodash';
import { shortenText } from '../errors';

/** The service's own attributes of a response that One Column per Field always gives. */
export const COLUMN_ATTRIBUTES = ['uuid', 'number', 'created_at', 'is_incomplete', 'referrer'];

/** The attributes that simplified output keeps in addition to `answers`, and that a condition can be on. */
export const KEPT_ATTRIBUTES =
	'uuid id number number_formatted is_incomplete created_at submitted_at referrer'.split(' ');

/** Names that an item in columns has besides those of its answers; `event` and `form` are the trigger's. */
export const RESERVED_COLUMNS = [
	...KEPT_ATTRIBUTES,
	...'answersError event fileError form otherAnswers'.split(' '),
];

/** Property names that n8n drops, or that would change the object itself. */
const UNUSABLE = ['__proto__', 'constructor', 'prototype'];

/**
 * Names for fields by their labels, each name once: a repeated label gets " (2)", then " (3)". A
 * label that exists is never given to another field: "A", "A", "A (2)" become "A", "A (3)", "A (2)".
 *
 * @param taken names that none may have
 */
export function makeUnique(
	labels: readonly string[],
	taken: readonly string[] = [],
	addCount = (label: string, count: number) => `${label} (${count})`,
): string[] {
	const wanted = labels.map((label) => (label.trim() === '' ? 'Untitled' : label));
	const existing = new Set(wanted);
	const used = new Set([...UNUSABLE, ...taken]);
	const counts = new Map<string, number>();
	return wanted.map((label) => {
		let name = label;
		let count = counts.get(label) ?? 1;
		while (used.has(name) || (name !== label && existing.has(name))) {
			count += 1;
			name = addCount(label, count);
		}
		counts.set(label, count);
		used.add(name);
		return name;
	});
}

/**
 * Names for binary fields by the titles of their fields, in small letters and digits: "CV" becomes `cv`, and
 * its second file `cv_2`.
 */
export function makeFileFieldNames(owners: readonly string[]): string[] {
	return makeUnique(owners.map(toFieldName), [], (name, count) => `${name}_${count}`);
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
export function listNames(names: readonly string[]): string {
	const shown = names.slice(0, MAX_LISTED).map((name) => shortenText(name));
	const rest = names.length - shown.length;
	return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A label, custom key or text in the form in which two of them are compared. */
export function toComparable(text: string): string {
	return text.normalize('NFC').trim();
}

/** The same for names and texts that are compared case-insensitively. */
export function toCaseless(text: string): string {
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
	const anyCase = new Map(reversed.map(([name, value]) => [toCaseless(name), value]));
	return (name: string): T | undefined =>
		sameCase.get(toComparable(name)) ?? anyCase.get(toCaseless(name));
}

/** The letters and digits of a text without accents: "SEO: Title", "seo_title" and "séo title" are one. */
export function simplifySpelling(text: string): string {
	const letters = text.normalize('NFKD').toLowerCase();
	return letters.replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Text from the service for use in a parameter's value. n8n evaluates a value that starts with "=" as an
 * expression, and a stranger can choose such a name.
 */
export function toPlainText(text: string): string {
	return text.startsWith('=') ? ` ${text}` : text;
}
