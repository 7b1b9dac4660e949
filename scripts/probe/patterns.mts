import lodash from 'lodash';
import { showNames } from './words.mts';

/* Patterns of answers without their contents: digits are 9, words are a. */

/** The longest pattern. A longer text is prose or an address, whose pattern shows nothing. */
const MAX_PATTERN = 24;

/** The maximum number of patterns of one type in a report. */
const MAX_PATTERNS = 6;

/** Matches words for yes and no. */
const BOOLEAN = /^(true|false|yes|no|on|off)$/i;

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const URL = /^https?:\/\/\S+$/i;
const NAMED_URL = /^[^|]*\|\s*https?:\/\/\S+$/i;

/** Returns the pattern of a string: `99.99.9999` for a date, `a@a.a` for an email address. */
function describeText(text: string): string {
	if (text === '') return 'empty text';
	if (BOOLEAN.test(text)) return `"${text.toLowerCase()}"`;
	if (UUID.test(text)) return 'UUID';
	if (NAMED_URL.test(text)) return 'name|URL';
	if (URL.test(text)) return 'URL';
	const pattern = text
		.replace(/[\p{L}\p{M}]+/gu, 'a')
		.replace(/\p{N}/gu, '9')
		.replace(/[^a9 -~]/gu, '?');
	return pattern.length > MAX_PATTERN ? 'long text' : `"${pattern}"`;
}

/** Returns the pattern of an answer: `"99.99.9999"`, `number 9.9`, `list of text`, `{key, value}`. */
export function describeAnswer(value: unknown): string {
	if (typeof value === 'string') return describeText(value);
	if (typeof value === 'number') return `number ${String(value).replaceAll(/\d/g, '9')}`;
	if (Array.isArray(value)) {
		const entries = lodash.uniq(value.map(describeEntry)).sort();
		return entries.length === 0 ? 'empty list' : `list of ${entries.join(' or ')}`;
	}
	if (lodash.isPlainObject(value)) return `{${showNames(Object.keys(value as object)).join(', ')}}`;
	return String(value);
}

/**
 * Returns the pattern of a list's entry. Entries are choices or files, and only files have an interesting
 * pattern.
 */
function describeEntry(entry: unknown): string {
	if (typeof entry !== 'string') return describeAnswer(entry);
	return [NAMED_URL, URL, UUID].some((format) => format.test(entry)) ? describeText(entry) : 'text';
}

/** Returns the most frequent patterns with their counts: `"99.99.9999" (5)`. */
export function countPatterns(values: readonly unknown[]): string[] {
	const counts = lodash.sortBy(
		Object.entries(lodash.countBy(values, describeAnswer)),
		([, count]) => -count,
	);
	const shown = counts.slice(0, MAX_PATTERNS).map(([pattern, count]) => `${pattern} (${count})`);
	const hidden = counts.length - shown.length;
	return hidden > 0 ? [...shown, `${hidden} more`] : shown;
}
