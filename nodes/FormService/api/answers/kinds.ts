import { trimEnd } from 'lodash';
import type { FieldType, GenericValue, IDataObject } from 'n8n-workflow';
import { isLocalTime, readBoolean, readDay, readNumber, readTime } from '../readers';
import { isRecord } from '../records';
import { isWebUrl } from '../url';
import { findChoices, indexChoices, listOptions, splitChoices } from './choices';
import type { Choice } from './choices';
import { encodeAny, encodeChoices, encodeTime, NO_ANSWER, writeDecimal } from './encode';
import type { Encoded, Rules } from './encode';
import { toComparable } from './names';
import { withFiles } from './uploads';

/** All that is different about one kind of field. A new kind is one entry of `kinds`. */
export type Kind = {
	/** The service's names of the type, in small letters; the specification lists none (section 2.3). */
	types: RegExp;
	/** An answer as it is sent; never called for no answer. */
	encode: (value: unknown, rules: Rules) => Encoded;
	/** A listed answer as a column has it; a value that is not certain stays as the service gave it. */
	read: (value: GenericValue, choices: readonly Choice[]) => GenericValue;
	/** The one spelling of an answer, sent or listed, or of an entry of a list; undefined if it has none. */
	normalize: (entry: unknown) => string | undefined;
	/** What is true of an answer without that spelling, for an error. */
	unclear: string;
	/** The widget of the resource mapper for a field without choices. */
	widget: FieldType;
	/** What to enter, if the widget doesn't show it. */
	hint?: string;
	example: (choices: readonly Choice[], label: string) => GenericValue;
};

/** Any answer is sent, read and compared as the text that it is. */
const plain = {
	encode: encodeAny,
	read: (value: GenericValue) => value,
	normalize: normalizeText,
	unclear: 'is not plain text',
	widget: 'string' as const,
};

const dates = {
	read: (value: GenericValue) => {
		// a number is a time since 1970; the order of day and month in a text is not known
		const time = typeof value === 'number' ? readTime(value, 'utc') : undefined;
		return time === undefined ? value : new Date(time).toISOString();
	},
	widget: 'dateTime' as const,
};

/** The kinds of fields. The first one whose `types` has the type of a field is its kind. */
export const kinds = {
	layout: {
		...plain,
		types: /^(heading|headline|divider|spacer|html|page_?break|section_?break)$/,
		example: () => null,
	},
	file: {
		types: /(^|[^a-z])file(?!name)|upload|attachment/,
		encode: (value) => {
			// simplified output gives a file as `{name, url}`
			const address = isRecord(value) ? value.url : value;
			if (isWebUrl(address)) return { answer: address };
			return { problem: 'must be the http or https URL of an already uploaded file' };
		},
		read: (value) => (isRecord(value) ? [value] : value),
		normalize: (entry) => {
			const address = isRecord(entry) ? entry.url : entry;
			return isWebUrl(address) ? new URL(address).href : undefined;
		},
		unclear: 'is not the URL of a file',
		widget: 'url',
		hint: 'file URL',
		example: () => ['example.pdf|https://example.com/example.pdf'],
	},
	date: {
		...dates,
		types: /^date$/,
		encode: (value, { zone }) => encodeTime(value, zone, 'date'),
		// a day that is listed as a time is that of some zone
		normalize: (entry) =>
			typeof entry === 'string' && entry.trim() === readDay(entry) ? entry.trim() : undefined,
		unclear: 'is not a day such as 2026-01-31',
		example: () => '2026-01-31',
	},
	dateTime: {
		...dates,
		types: /^date[-_]?time(-local)?$/,
		encode: (value, { zone }) => encodeTime(value, zone, 'dateTime'),
		normalize: (entry) => (isLocalTime(entry) ? undefined : readTime(entry, 'utc')?.toString()),
		unclear: 'is not a time with a time zone, such as 2026-01-31T08:00:00Z',
		example: () => '2026-01-31T09:00:00Z',
	},
	number: {
		types: /^(number|numeric|integer|int|decimal|float|rating|scale|slider|nps)$/,
		encode: (value) => {
			if (typeof value === 'bigint' || readNumber(value) !== undefined) return encodeAny(value);
			return { problem: 'must be a number, such as 1234.5 (without commas or units)' };
		},
		read: (value) => {
			const number = readNumber(value) ?? NaN;
			return String(number) === value && isExact(number) ? number : value;
		},
		normalize: normalizeNumber,
		unclear: 'is not a plain number such as 1234.5',
		widget: 'number',
		example: () => 1,
	},
	boolean: {
		...plain,
		types: /^(bool|boolean|toggle|switch|yes_?no|checkbox)$/,
		encode: (value) => {
			const answer = readBoolean(value);
			if (answer !== undefined) return { answer: Number(answer) };
			return { problem: 'must be true or false (or yes or no)' };
		},
		read: (value) => {
			const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
			return readBoolean(single) ?? value;
		},
		normalize: (entry) => {
			const answer = readBoolean(entry);
			return answer === undefined ? undefined : String(Number(answer));
		},
		unclear: 'is not true or false',
		widget: 'boolean',
		example: () => true,
	},
	multipleChoice: {
		...plain,
		types: /^(multi_?select|multiple_choice|tags|checkboxes)$/,
		encode: (value, rules) => encodeChoices(value, rules, 'several'),
		read: (value, choices) => (Array.isArray(value) ? value : readSeveral(value, choices)),
		hint: 'one or more',
		example: (choices) => choices.slice(0, 2).map(({ value }) => value),
	},
	singleChoice: {
		...plain,
		types: /^(select|dropdown|drop_down|radio|radios|choice|single_choice)$/,
		encode: (value, rules) => encodeChoices(value, rules, 'one'),
		example: (choices) => choices[0]?.value ?? 'Example',
	},
	text: {
		...plain,
		types: /./,
		example: (_, label) => (/e-?mail/i.test(label) ? 'ada@example.com' : 'Example'),
	},
} satisfies Record<string, Kind>;

/** What a field takes; text if its type is unknown. */
export type FieldKind = keyof typeof kinds;

export const FIELD_KINDS = Object.keys(kinds) as [FieldKind, ...FieldKind[]];

/** A field as answers to it are written, read and compared. */
export type AnsweredField = { kind: FieldKind; choices: readonly Choice[] };

/** The kind of a field by its type, and by whether it takes several of the choices that it lists. */
export function findKind({ type, multiple, options }: IDataObject): FieldKind {
	const name = typeof type === 'string' ? type : '';
	const word = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
	const kind = FIELD_KINDS.find((one) => kinds[one].types.test(word)) ?? 'text';
	if (word === 'checkbox') {
		// without choices, it is a yes or no
		return listOptions(options).length > 0 ? 'multipleChoice' : 'boolean';
	}
	const isOpen = ['singleChoice', 'text', 'boolean'].includes(kind);
	return isOpen && readBoolean(multiple) === true ? 'multipleChoice' : kind;
}

/** Whether nothing was answered: nothing, blanks, or a list of these. */
export function isNothing(value: unknown): boolean {
	if (Array.isArray(value)) return value.every(isNothing);
	return typeof value === 'string' ? value.trim() === '' : value === undefined || value === null;
}

/**
 * Turns an answer into the text or integer that the service takes, and checks it against its field.
 *
 * - Text and whole numbers stay as they are; other numbers become text (`2.5`).
 * - `true` is 1 and `false` is 0 (specification, section 4, rule 5).
 * - Dates become ISO 8601 text. In a date field, a time without a zone gets the offset of the workflow's zone.
 * - The entries of a list are joined with a comma and a space.
 * - `null`, `undefined`, blank text and a list of these are no answer.
 */
export function encodeAnswer(
	value: unknown,
	field: AnsweredField,
	{ zone, allowOther = false }: { zone: string; allowOther?: boolean },
): Encoded {
	if (isNothing(value)) return NO_ANSWER;
	const list = Array.isArray(value) ? value.filter((one) => !isNothing(one)) : [];
	// a text alone can be several choices, and an entry of a list cannot
	const isOne = list.length === 1 && field.kind !== 'multipleChoice';
	const given: unknown = isOne ? list[0] : Array.isArray(value) ? list : value;
	return kinds[field.kind].encode(given, { choices: field.choices, zone, allowOther });
}

/**
 * The one reader of a listed answer, for columns and conditions: a number, a boolean, a date
 * in ISO 8601, a list of choices, files as `{name, url}`. Text becomes a number only if the number is
 * written the same way, so that "01234" stays as it is. No answer is null.
 */
export function readAnswer(given: GenericValue, field?: AnsweredField): GenericValue {
	const value = withFiles(given ?? null);
	if (field === undefined) return value;
	return isNothing(value) ? null : kinds[field.kind].read(value, field.choices);
}

/**
 * The one spelling of an answer, sent or listed: two answers to a field are equal if their spellings are.
 * Undefined if there is none, for a list, a file, or a value in another spelling than the field takes.
 */
export function normalizeAnswer(field: AnsweredField, answer: unknown): string | undefined {
	const { kind, choices } = field;
	if (kind === 'multipleChoice' || kind === 'file') return undefined;
	const single: unknown = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer;
	const choice = choices.length > 0 ? findChoices(single, indexChoices(choices)).at(0) : undefined;
	return kinds[kind].normalize(choice?.value ?? single);
}

/** Services end a line in either way, and some trim what they store. They can list the text "true" as a boolean. */
export function normalizeText(entry: unknown): string | undefined {
	if (typeof entry === 'number') return isExact(entry) ? writeDecimal(entry) : undefined;
	return typeof entry === 'string' ? toComparable(entry.replaceAll('\r\n', '\n')) : undefined;
}

/** Whether JSON.parse keeps all digits of a number: 15 of any, and all of a whole one below 2^53. */
function isExact(number: number): boolean {
	if (Number.isInteger(number)) return Number.isSafeInteger(number);
	return Number(number.toPrecision(15)) === number;
}

/** The digits of a number: `7.0`, `07` and `7` are `7`. An exponent is written out, if no digit is lost. */
function normalizeNumber(entry: unknown): string | undefined {
	const number = readNumber(entry);
	const isPlain = typeof entry === 'string' && !/e/i.test(entry);
	if (number === undefined || (!isPlain && !isExact(number))) return undefined;
	const decimal = isPlain ? entry.trim() : writeDecimal(number);
	if (/e/i.test(decimal)) return undefined;
	const short = decimal.includes('.') ? trimEnd(trimEnd(decimal, '0'), '.') : decimal;
	const digits = short.replace(/^(-?)0+(?=\d)/, '$1');
	return digits === '-0' ? '0' : digits;
}

/** The choices of a text with commas, if it can be split in only one way. */
function readSeveral(value: GenericValue, choices: readonly Choice[]): GenericValue[] {
	if (typeof value !== 'string') return [value];
	const { ways, entries } = splitChoices(value, indexChoices(choices));
	return ways === 1 ? entries : [value];
}
