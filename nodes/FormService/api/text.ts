import { trim } from 'lodash';

/** Matches direction marks, zero-width characters, soft hyphens and variation selectors. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;

/** Matches whitespace of any kind, such as a no-break space. */
const BLANKS = /[\s\p{Cc}]+/gu;

/** Removes invisible characters and surrounding whitespace, and makes each other whitespace one space. */
export function cleanText(text: string): string {
	return text.replace(INVISIBLE, '').replace(BLANKS, ' ').trim();
}

/** Matches most texts in English: visible ASCII characters with single spaces between them. */
const PLAIN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/** Converts a text to the form in which all texts are compared, without case and what nobody sees. */
export function normalizeText(text: string): string {
	// a shortcut for most texts, because a form can have 800,000 answers
	if (PLAIN.test(text)) return text.toUpperCase();
	// uppercase makes more spellings equal than lowercase does: `ß` and `ss`, the Turkish `ı` and `i`
	const upper = cleanText(text.normalize('NFKC')).toLowerCase().toUpperCase();
	return upper.replaceAll('I\u0307', 'I').normalize('NFKC');
}

type NamedValues<T> = ReadonlyArray<readonly [name: string, value: T]>;

/** Creates a function that finds the first value with exactly this name, or the only one with its normal form. */
export function createNameSearch<T>(namedValues: NamedValues<T>) {
	// reversed, because a map keeps the last value of a name, and the first one must win
	const exact = new Map([...namedValues].reverse());
	const findNormalized = createUniqueSearch([...exact], normalizeText);
	return (name: string): T | undefined => exact.get(name) ?? findNormalized(name);
}

/** Creates a function that finds the only value with the letters and digits of a name. */
export function createSpellingSearch<T>(namedValues: NamedValues<T>) {
	return createUniqueSearch(namedValues, normalizeSpelling);
}

function createUniqueSearch<T>(namedValues: NamedValues<T>, toKey: (name: string) => string) {
	const byKey = new Map<string, T | undefined>();
	for (const [name, value] of namedValues) {
		const key = toKey(name);
		const isAmbiguous = byKey.has(key) && byKey.get(key) !== value;
		byKey.set(key, isAmbiguous ? undefined : value);
	}
	// an empty spelling finds nothing, because each name of punctuation has it
	byKey.delete('');
	return (name: string): T | undefined => byKey.get(toKey(name));
}

/** Removes spaces and punctuation: "seo_title" → `SEOTITLE`. */
function normalizeSpelling(text: string): string {
	return normalizeText(text).replace(/[\p{Z}\p{P}\p{S}]+/gu, '');
}

/** Names that n8n drops from an object, or that would change the object itself. */
const UNUSABLE = ['__proto__', 'constructor', 'prototype'];

/** Makes labels unique: "A", "A", "A (2)" → "A", "A (3)", "A (2)". Two names with the same key are equal. */
export function makeUnique(
	labels: readonly string[],
	usedNames: readonly string[] = [],
	{
		addCount = (label: string, count: number) => `${label} (${count})`,
		toKey = (name: string) => name,
	} = {},
): string[] {
	const wanted = labels.map((label) => (cleanText(label) === '' ? 'Untitled' : label));
	const existing = new Set(wanted.map(toKey));
	const used = new Set(usedNames.map(toKey));
	// counts keep the time linear, because a respondent can upload many files
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

/** Creates the names of binary fields from the titles of form fields: "CV", "CV" → `cv`, `cv_2`. */
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

const MAX_LISTED = 20;

/** Formats the names of fields or choices for an error: `Name, Email and 3 more`. */
export function formatNames(names: readonly string[]): string {
	const visibleNames = names.slice(0, MAX_LISTED).map((name) => truncateText(name));
	const hiddenCount = names.length - visibleNames.length;
	return `${visibleNames.join(', ')}${hiddenCount > 0 ? ` and ${hiddenCount} more` : ''}`;
}

/** Adds a period to a sentence, unless the sentence ends with ".", "!" or "?", which a quote can follow. */
export function endSentence(text: string): string {
	return /[.!?]"?$/.test(text) ? text : `${text}.`;
}

/** Puts text of the service on one line. Cuts long text, and adds "…". */
export function truncateText(text: string, maxLength = 300): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > maxLength ? `${cutAtCharacter(line, maxLength)}…` : line;
}

/** Cuts text without leaving half of a character. */
export function cutAtCharacter(text: string, maxLength: number): string {
	return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}

/** Parses a URL. A relative URL, such as "/forms", needs a base. Undefined if `text` is not a URL. */
export function parseUrl(text: string, base?: string): URL | undefined {
	return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

export function isWebUrl(value: unknown): value is string {
	return (
		typeof value === 'string' && /^https?:\/\/[^\s/?#]\S*$/i.test(value) && URL.canParse(value)
	);
}
