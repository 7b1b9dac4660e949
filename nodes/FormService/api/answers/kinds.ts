import { trimEnd, uniq } from 'lodash';
import { DateTime } from 'luxon';
import type { FieldType, GenericValue, IDataObject } from 'n8n-workflow';
import { isLocalTime, readBoolean, readDay, readNumber, readTime } from '../readers';
import { isRecord } from '../records';
import { isWebUrl } from '../url';
import { findChoice, indexChoices, splitChoices } from './choices';
import type { Choice } from './choices';
import { encodeAny, encodeChoices, encodeTime, NO_ANSWER, writeDecimal } from './encode';
import type { AnswerValue, Encoded, Rules } from './encode';
import { toComparable } from './names';
import { withFiles } from './uploads';

/** All that is different about one kind of field. A new kind is one entry of `kinds`. */
export type Kind = {
	/** The service's names of the type, in small letters; the specification lists none (section 2.3). */
	types: RegExp;
	/** An answer as it is sent; never called for no answer. A list of one is given as its entry. */
	encode: (value: unknown, rules: Rules) => Encoded;
	/** A listed answer as a column has it; a value that is not certain stays as the service gave it. */
	read: (value: GenericValue, choices: readonly Choice[]) => GenericValue;
	/** The one spelling in which an encoded answer is compared. */
	normalize: (answer: AnswerValue, rules: Rules) => string;
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
		normalize: (answer) => new URL(String(answer)).href,
		widget: 'url',
		hint: 'File URL',
		example: () => ['example.pdf|https://example.com/example.pdf'],
	},
	date: {
		...dates,
		types: /^date$/,
		encode: (value, { zone }) => encodeTime(value, zone, 'date'),
		normalize: (answer, { zone }) => readMidnight(answer, zone) ?? String(readTime(answer, zone)),
		example: () => '2026-01-31',
	},
	dateTime: {
		...dates,
		types: /^date[-_]?time(-local)?$/,
		encode: (value, { zone }) => encodeTime(value, zone, 'dateTime'),
		normalize: (answer, { zone }) => String(readTime(answer, zone)),
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
		widget: 'boolean',
		example: () => true,
	},
	multipleChoice: {
		...plain,
		types: /^(multi_?select|multiple_choice|tags|checkboxes)$/,
		encode: (value, rules) => encodeChoices(value, rules, 'several'),
		read: (value, choices) => (Array.isArray(value) ? value : readSeveral(value, choices)),
		normalize: (answer, { choices }) => {
			const entries = splitChoices(String(answer), indexChoices(choices));
			return entries.map(normalizeText).join('\n');
		},
		hint: 'One or more',
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
		return Array.isArray(options) && options.length > 0 ? 'multipleChoice' : 'boolean';
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
 *
 * @param field without it, any answer is accepted
 */
export function encodeAnswer(
	value: unknown,
	field: AnsweredField | undefined,
	{ zone, allowOther = false }: { zone: string; allowOther?: boolean },
): Encoded {
	if (isNothing(value)) return NO_ANSWER;
	if (field === undefined) return encodeAny(value);
	const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
	return kinds[field.kind].encode(single, { choices: field.choices, zone, allowOther });
}

/**
 * The one reader of a listed answer, for columns, conditions and comparisons: a number, a boolean, a date
 * in ISO 8601, a list of choices, files as `{name, url}`. Text becomes a number only if the number is
 * written the same way, so that "01234" stays as it is. No answer is null.
 */
export function readAnswer(given: GenericValue, field?: AnsweredField): GenericValue {
	const value = withFiles(given ?? null);
	if (field === undefined) return value;
	return isNothing(value) ? null : kinds[field.kind].read(value, field.choices);
}

/**
 * The one spelling of an answer, sent or listed, in which answers to a field are equal or different. It is
 * made of the answer as it would be sent.
 *
 * @returns empty for no answer; undefined if the answer cannot be compared with certainty
 */
export function normalizeAnswer(
	value: unknown,
	field: AnsweredField,
	zone: string,
): string | undefined {
	const { kind, choices } = field;
	const rules = { choices, zone, allowOther: true };
	const texts = [readAnswer(value as GenericValue, field)].flat().map((entry: unknown) => {
		if (isNothing(entry)) return '';
		// a service can list the text "true" as a boolean
		if (typeof entry === 'boolean' && kind !== 'boolean') return undefined;
		if (Array.isArray(entry) || (typeof entry === 'number' && !isExact(entry))) return undefined;
		const encoded = encodeAnswer(entry, field, rules);
		if ('problem' in encoded || encoded.answer === undefined) return undefined;
		return kinds[kind].normalize(encoded.answer, rules);
	});
	if (texts.includes(undefined)) return undefined;
	const given = texts.filter((text) => text !== '');
	if (kind !== 'multipleChoice') return given.join(', ');
	return uniq(given.join('\n').split('\n')).sort().join('\n');
}

/**
 * All that a listed answer may mean, as `normalizeAnswer` writes it. A listed time without a zone can be one
 * of the workflow's zone, or one of UTC.
 *
 * @returns undefined if the answer may mean anything
 */
export function listMeanings(
	value: unknown,
	field: AnsweredField,
	zone: string,
): ReadonlySet<string> | undefined {
	const zones = typeof value === 'string' && isLocalTime(value) ? [zone, 'utc'] : [zone];
	const meanings = zones.map((one) => normalizeAnswer(value, field, one));
	return meanings.every((one) => one !== undefined) ? new Set(meanings) : undefined;
}

/** Services end a line in either way, and some trim what they store. */
function normalizeText(answer: AnswerValue): string {
	return toComparable(String(answer).replaceAll('\r\n', '\n'));
}

/** Whether JSON.parse keeps all digits of a number: 15 of any, and all of a whole one below 2^53. */
function isExact(number: number): boolean {
	if (Number.isInteger(number)) return Number.isSafeInteger(number);
	return Number(number.toPrecision(15)) === number;
}

/** The digits of a number: `7.0`, `07` and `7` are `7`. */
function normalizeNumber(answer: AnswerValue): string {
	const text = String(answer).trim();
	const decimal = /e/i.test(text) ? writeDecimal(Number(text)) : text;
	const short = decimal.includes('.') ? trimEnd(trimEnd(decimal, '0'), '.') : decimal;
	const digits = short.replace(/^(-?)0+(?=\d)/, '$1');
	return digits === '-0' ? '0' : digits;
}

/**
 * The day of an answer to a date field, which can be listed as its midnight in the workflow's zone or in
 * UTC; undefined for another time.
 */
export function readMidnight(entry: unknown, zone: string): string | undefined {
	const time = readTime(entry, zone);
	if (time === undefined) return undefined;
	const local = [zone, 'utc'].map((one) => DateTime.fromMillis(time, { zone: one }));
	const midnight = local.find((one) => +one.startOf('day') === time);
	return readDay(entry) ?? midnight?.toISODate() ?? undefined;
}

/** One choice, or several with commas between them, if all of them are choices of the field. */
function readSeveral(value: GenericValue, choices: readonly Choice[]): GenericValue[] {
	const known = indexChoices(choices);
	const isChoice = (one: GenericValue) => findChoice(one, known) !== undefined;
	if (typeof value !== 'string' || isChoice(value)) return [value];
	const parts = splitChoices(value, known);
	return parts.length > 0 && parts.every(isChoice) ? parts : [value];
}
