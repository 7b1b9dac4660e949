import { trim } from 'lodash';

const UNTITLED = 'Untitled';

/** Property names that n8n drops, or that would change the object itself. */
const UNUSABLE = ['__proto__', 'constructor', 'prototype'];

/**
 * Names for fields by their labels, each name once: a repeated label gets " (2)", then " (3)". A
 * label that exists is never given to another field: "A", "A", "A (2)" become "A", "A (3)", "A (2)".
 *
 * @param taken names that none may have
 */
export function tellApart(labels: readonly string[], taken: readonly string[] = []): string[] {
	const wanted = labels.map((label) => (label.trim() === '' ? UNTITLED : label));
	const reserved = new Set([...wanted, ...UNUSABLE, ...taken]);
	const used = new Set([...UNUSABLE, ...taken]);
	const counts = new Map<string, number>();
	return wanted.map((label) => {
		if (!used.has(label)) {
			used.add(label);
			return label;
		}
		let count = counts.get(label) ?? 1;
		let name: string;
		do {
			count += 1;
			name = `${label} (${count})`;
		} while (reserved.has(name) || used.has(name));
		counts.set(label, count);
		used.add(name);
		return name;
	});
}

/**
 * Names for binary fields by the names of their answers, in small letters and digits: "CV" becomes
 * `cv`, and the second file of the answer `cv_2`.
 *
 * @param owners the name of the answer of each file
 * @param all the names of all answers, which no numbered name takes
 */
export function fileFieldNames(owners: readonly string[], all: readonly string[]): string[] {
	const used = new Set<string>(UNUSABLE);
	const reserved = new Set(all.map(asFieldName));
	const counts = new Map<string, number>();
	return owners.map((owner) => {
		const base = asFieldName(owner);
		let name = base;
		let count = counts.get(base) ?? 1;
		while (used.has(name) || (name !== base && reserved.has(name))) {
			count += 1;
			name = `${base}_${count}`;
		}
		counts.set(base, count);
		used.add(name);
		return name;
	});
}

function asFieldName(text: string): string {
	const words = text
		.normalize('NFKD')
		.replace(/\p{Mark}/gu, '')
		.toLowerCase()
		.replace(/[^\p{Letter}\p{Number}]+/gu, '_');
	const name = trim(words, '_').normalize('NFC');
	return name === '' ? 'file' : name;
}

/** A label or custom key in the form in which two of them are compared. */
export function comparable(text: string): string {
	return text.normalize('NFC').trim();
}

/**
 * Text from the service for use in a parameter's value. n8n evaluates a value that starts with "=" as an
 * expression, and a stranger can choose such a name.
 */
export function asPlainText(text: string): string {
	return text.startsWith('=') ? ` ${text}` : text;
}
