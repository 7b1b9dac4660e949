import { trimEnd, trimStart } from 'lodash';
import { DateTime } from 'luxon';
import type { FieldType, GenericValue } from 'n8n-workflow';
import { isLocalTime, readBoolean, readDay, readNumber, readTime } from '../readers';
import { isRecord } from '../records';
import { isWebUrl } from '../url';
import { findChoice, indexChoices, splitChoices } from './choices';
import type { Choice } from './choices';
import { encodeAny, encodeChoices, encodeTime, NO_ANSWER, writeDecimal } from './encode';
import type { Encoded } from './encode';
import { toComparable } from './names';
import { listFiles, withFiles } from './uploads';

/** What a kind of field knows of the field and the workflow. */
type Rules = {
	choices: readonly Choice[];
	/** The time zone of the workflow, for times that do not state their own zone. */
	zone: string;
	/** Whether a field with choices takes an answer that is none of them. */
	allowOther: boolean;
};

/** All that is different about one kind of field. A new kind is one entry of `kinds`. */
export type Kind = {
	/** The service's names of the type, in small letters; the specification lists none (section 2.3). */
	types: RegExp;
	/** An answer as it is sent; never called for no answer. A list of one is given as its entry. */
	encode: (value: unknown, rules: Rules) => Encoded;
	/** A listed answer as a column has it; a value that is not certain stays as the service gave it. */
	read: (value: GenericValue, choices: readonly Choice[]) => GenericValue;
	/** One entry of an answer in the one spelling that is compared; undefined if that is not certain. */
	normalize: (entry: unknown, rules: Rules) => string | undefined;
	/** The widget of the resource mapper for a field without choices. */
	widget: FieldType;
	/** What to enter, if the widget doesn't show it. */
	hint?: string;
	example: (choices: readonly Choice[], label: string) => GenericValue;
};

const keepAsListed = (value: GenericValue) => value;

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
		types: /^(heading|headline|divider|spacer|html|page_?break|section_?break)$/,
		encode: encodeAny,
		read: keepAsListed,
		normalize: normalizeText,
		widget: 'string',
		example: () => null,
	},
	file: {
		types: /(^|[^a-z])file(?!name)|upload|attachment/,
		encode: (value) => {
			// simplified output gives a file as `{name, url}`
			const address = isRecord(value) ? value.url : value;
			const problem = 'must be the http or https URL of an already uploaded file';
			return isWebUrl(address) ? { answer: address } : { problem };
		},
		read: (value) => (isRecord(value) ? [value] : value),
		normalize: (entry) => {
			const [file] = listFiles(entry as GenericValue);
			if (file !== undefined) return file.url;
			return isWebUrl(entry) ? new URL(entry).href : normalizeText(entry);
		},
		widget: 'url',
		hint: 'File URL',
		example: () => ['example.pdf|https://example.com/example.pdf'],
	},
	date: {
		...dates,
		types: /^date$/,
		encode: (value, { zone }) => encodeTime(value, zone, true),
		normalize: (entry, { zone }) => readMidnight(entry, zone) ?? readTime(entry, zone)?.toString(),
		example: () => '2026-01-31',
	},
	dateTime: {
		...dates,
		types: /^date[-_]?time(-local)?$/,
		encode: (value, { zone }) => encodeTime(value, zone, false),
		normalize: (entry, { zone }) => readTime(entry, zone)?.toString(),
		example: () => '2026-01-31T09:00:00Z',
	},
	number: {
		types: /^(number|numeric|integer|int|decimal|float|rating|scale|slider|nps)$/,
		encode: (value) => {
			const isNumber = typeof value === 'bigint' || readNumber(value) !== undefined;
			const problem = 'must be a number, such as 1234.5 (without commas or units)';
			return isNumber ? encodeAny(value) : { problem };
		},
		read: (value) => {
			const number = typeof value === 'string' ? readNumber(value) : undefined;
			const isSame = number !== undefined && String(number) === value;
			return isSame && isExact(number) ? number : value;
		},
		normalize: normalizeNumber,
		widget: 'number',
		example: () => 1,
	},
	boolean: {
		types: /^(bool|boolean|toggle|switch|yes_?no|checkbox)$/,
		encode: (value) => {
			const answer = readBoolean(value);
			const problem = 'must be true or false (or yes or no)';
			return answer === undefined ? { problem } : { answer: Number(answer) };
		},
		read: (value) => {
			const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
			return readBoolean(single) ?? value;
		},
		normalize: (entry) => {
			const answer = readBoolean(entry);
			return answer === undefined ? undefined : String(Number(answer));
		},
		widget: 'boolean',
		example: () => true,
	},
	multipleChoice: {
		types: /^(multi_?select|multiple_choice|tags|checkboxes)$/,
		encode: (value, { choices, allowOther }) =>
			encodeChoices(value, choices, { isMultiple: true, allowOther }),
		read: (value, choices) => (Array.isArray(value) ? value : readSeveral(value, choices)),
		normalize: normalizeChoice,
		widget: 'string',
		hint: 'One or more',
		example: (choices) => choices.slice(0, 2).map(({ value }) => value),
	},
	singleChoice: {
		types: /^(select|dropdown|drop_down|radio|radios|choice|single_choice)$/,
		encode: (value, { choices, allowOther }) =>
			encodeChoices(value, choices, { isMultiple: false, allowOther }),
		read: keepAsListed,
		normalize: normalizeChoice,
		widget: 'string',
		example: (choices) => choices[0]?.value ?? 'Example',
	},
	text: {
		types: /./,
		encode: encodeAny,
		read: keepAsListed,
		normalize: normalizeText,
		widget: 'string',
		example: (_, label) => (/e-?mail/i.test(label) ? 'ada@example.com' : 'Example'),
	},
} satisfies Record<string, Kind>;

/** What a field takes; text if its type is unknown. */
export type FieldKind = keyof typeof kinds;

export const FIELD_KINDS = Object.keys(kinds) as [FieldKind, ...FieldKind[]];

/** A field as answers to it are written, read and compared. */
export type AnsweredField = { kind: FieldKind; choices: readonly Choice[] };

/** How an answer is encoded: `zone` is the time zone of the workflow; `allowOther` is as in `Rules`. */
export type EncodeOptions = { zone: string; allowOther?: boolean };

/** The kind of a field by its type and the choices that it lists. */
export function findKind(type: unknown, isMultiple: boolean, options: unknown): FieldKind {
	const name = typeof type === 'string' ? type : '';
	const word = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
	const kind = FIELD_KINDS.find((one) => kinds[one].types.test(word)) ?? 'text';
	const hasChoices = Array.isArray(options) && options.length > 0;
	// a checkbox without choices is a yes or no
	const isSeveral = word === 'checkbox' ? hasChoices : isMultiple;
	const isOpen = ['singleChoice', 'text', 'boolean'].includes(kind);
	return isSeveral && isOpen ? 'multipleChoice' : kind;
}

/** Whether nothing was answered: nothing, blanks, or a list of these. */
export function isNothing(value: unknown): boolean {
	if (Array.isArray(value)) return value.every(isNothing);
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
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
	{ zone, allowOther = false }: EncodeOptions,
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
 * The one spelling of an answer, sent or listed, in which answers to a field are equal or different:
 * whatever their types, their Unicode form, the whitespace around them and the order of choices.
 *
 * @param zone the time zone of the workflow
 * @returns empty for no answer; undefined if the answer cannot be compared with certainty
 */
export function normalizeAnswer(
	value: unknown,
	field: AnsweredField,
	zone: string,
): string | undefined {
	const read = readAnswer(value as GenericValue, field);
	if (isNothing(read)) return '';
	const isSet = field.kind === 'multipleChoice';
	const entries = [read]
		.flat()
		.filter((entry) => !isNothing(entry))
		.flatMap((entry: unknown) =>
			isSet && typeof entry === 'string'
				? splitChoices(entry, indexChoices(field.choices))
				: [entry],
		);
	const { choices } = field;
	const { normalize } = kinds[field.kind];
	const texts = entries.map((entry) => normalize(entry, { choices, zone, allowOther: true }));
	if (!texts.every((text) => text !== undefined)) return undefined;
	return isSet ? [...new Set(texts)].sort().join('\n') : texts.join(', ');
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
	const isLocal = typeof value === 'string' && isLocalTime(value);
	const meanings = (isLocal ? [zone, 'utc'] : [zone]).map((one) =>
		normalizeAnswer(value, field, one),
	);
	return meanings.every((one) => one !== undefined) ? new Set(meanings) : undefined;
}

/** Services end a line in either way, and some trim what they store. */
function normalizeText(entry: unknown): string | undefined {
	if (typeof entry === 'number') return normalizeNumber(entry);
	return typeof entry === 'string' ? toComparable(entry.replaceAll('\r\n', '\n')) : undefined;
}

/** Digits that every number keeps in JSON.parse; a whole number keeps all below 2^53. */
const EXACT_DIGITS = 15;

function isExact(number: number): boolean {
	const [mantissa] = String(number).split('e');
	const digits = mantissa.replace(/\D/g, '');
	return Number.isInteger(number) ? Number.isSafeInteger(number) : digits.length <= EXACT_DIGITS;
}

/** The digits of a number: `7.0`, `07` and `7` are `7`. */
function normalizeNumber(entry: unknown): string | undefined {
	const number = readNumber(entry);
	if (number === undefined || (typeof entry === 'number' && !isExact(entry))) return undefined;
	const text = String(entry).trim();
	const plain = /e/i.test(text) ? writeDecimal(number) : text;
	const [whole, fraction = ''] = plain.replace('-', '').split('.');
	const rest = trimEnd(fraction, '0');
	const absolute = (trimStart(whole, '0') || '0') + (rest === '' ? '' : `.${rest}`);
	return plain.startsWith('-') && absolute !== '0' ? `-${absolute}` : absolute;
}

function normalizeChoice(entry: unknown, { choices }: Rules): string | undefined {
	const choice = findChoice(entry, indexChoices(choices));
	if (choice !== undefined) return toComparable(String(choice.value));
	return normalizeText(isRecord(entry) ? (entry.value ?? entry.label ?? entry.name) : entry);
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
