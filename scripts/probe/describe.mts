import lodash from 'lodash';

/* Names and types of what a reply has. A name that can be a person's words is only counted. */

/** Matches what services name attributes and types, such as `created_at`; labels rarely look like this. */
const SERVICE_WORD = /^[a-z]{1,20}([-_][a-z]{1,20}){0,4}([-_]?\d{1,2})?$/;

export const isServiceWord = (text: string): boolean => SERVICE_WORD.test(text);

/** Returns the words of a service, and the number of all other texts: `email, text, 2 others`. */
export function showWords(texts: readonly string[]): string {
	const [words, others] = lodash.partition(lodash.uniq(texts), isServiceWord);
	return [...words, ...(others.length > 0 ? [`${others.length} others`] : [])].join(', ');
}

/**
 * Describes a JSON value: `{success: boolean, data: list of 3 objects}`.
 *
 * @param depth how many levels of objects show their names
 */
export function describeShape(value: unknown, depth = 2): string {
	if (Array.isArray(value)) return describeList(value);
	if (!lodash.isPlainObject(value)) return value === null ? 'null' : typeof value;
	const [named, others] = lodash.partition(Object.entries(value as object), ([name]) =>
		isServiceWord(name),
	);
	if (depth === 0) return `object with ${named.length + others.length} names`;
	const parts = named.map(([name, entry]) => `${name}: ${describeShape(entry, depth - 1)}`);
	return `{${[...parts, ...(others.length > 0 ? [`${others.length} others`] : [])].join(', ')}}`;
}

function describeList(list: readonly unknown[]): string {
	const types = lodash.uniq(list.map((entry) => (entry === null ? 'null' : typeof entry))).sort();
	return list.length === 0 ? 'empty list' : `list of ${list.length} (${types.join(', ')})`;
}
