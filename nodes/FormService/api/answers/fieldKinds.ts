import type { FieldType, GenericValue, IDataObject } from 'n8n-workflow';
import {
	isLocalTime,
	parseBoolean,
	parseDay,
	parseExactNumber,
	parseNumber,
	parseTimeMs,
} from '../parseValues';
import { isRecord, getListEntries } from '../records';
import { isWebUrl } from '../url';
import { findChoice, hasChoices, splitChoices, type Choice } from './choices';
import {
	encodeAny,
	encodeChoices,
	encodeTime,
	type EncodeResult,
	type EncodeOptions,
} from './encode';
import { toComparable, trimBlanks } from '../spelling';
import { parseFiles } from './uploads';

/** All that is different about one kind of field. A new kind is one entry of `fieldKinds`. */
export type FieldKindSpec = {
	/** The service's names of the type, in small letters; the specification lists none (section 2.3). */
	types: RegExp;
	/** An answer as it is sent; never called for no answer. */
	encode: (value: unknown, options: EncodeOptions) => EncodeResult;
	/** A listed answer as a column has it; a value that is not certain stays as the service gave it. */
	parse: (value: GenericValue, choices: readonly Choice[]) => GenericValue;
	/** The one spelling of an answer, sent or listed; undefined if it has none. */
	normalize: (value: unknown) => string | undefined;
	/** The widget of the resource mapper for a field without choices. */
	widget: FieldType;
	/** What to enter, if the widget doesn't show it. */
	hint?: string;
	example: (choices: readonly Choice[], label: string) => GenericValue;
};

/** Any answer is sent, read and compared as the text that it is. */
const plain = {
	encode: encodeAny,
	parse: (value: GenericValue) => value,
	normalize: normalizeText,
	widget: 'string' as const,
};

/** The kinds of fields. The first one whose `types` has the type of a field is its kind. */
export const fieldKinds = {
	layout: {
		...plain,
		types: /^(heading|headline|divider|spacer|html|page_?break|section_?break)$/,
		example: () => null,
	},
	file: {
		types: /(^|[^a-z])file(?!name)|upload|attachment/,
		encode: encodeFile,
		parse: (value) => (isRecord(value) ? (getListEntries(value) ?? [value]) : value),
		normalize: () => undefined,
		widget: 'url',
		hint: 'file URL',
		example: () => ['example.pdf|https://example.com/example.pdf'],
	},
	date: {
		...plain,
		types: /^date$/,
		encode: (value, { zone }) => encodeTime(value, zone, 'date'),
		// a day that is listed as a time is that of some zone
		normalize: parseDay,
		widget: 'dateTime',
		example: () => '2026-01-31',
	},
	dateTime: {
		...plain,
		types: /^date[-_]?time(-local)?$/,
		encode: (value, { zone }) => encodeTime(value, zone, 'dateTime'),
		normalize: (value) => (isLocalTime(value) ? undefined : parseTimeMs(value, 'utc')?.toString()),
		widget: 'dateTime',
		example: () => '2026-01-31T09:00:00Z',
	},
	number: {
		types: /^(number|numeric|integer|int|decimal|float|rating|scale|slider|nps)$/,
		encode: (value) => {
			if (parseSignedNumber(value) !== undefined) return encodeAny(value);
			return { problem: 'must be a number, such as 1234.5 (without commas or units)' };
		},
		parse: (value) => (typeof value === 'string' ? (parseExactNumber(value) ?? value) : value),
		normalize: (value) => rejectRounded(parseSignedNumber(value))?.toString(),
		widget: 'number',
		example: () => 1,
	},
	boolean: {
		...plain,
		types: /^(bool|boolean|toggle|switch|yes_?no|checkbox)$/,
		encode: (value) => {
			const answer = parseBoolean(value);
			if (answer !== undefined) return { answer: Number(answer) };
			return { problem: 'must be yes or no (or true or false)' };
		},
		parse: (value) => parseBoolean(value) ?? value,
		normalize: (value) => parseBoolean(value)?.toString(),
		widget: 'boolean',
		example: () => true,
	},
	multipleChoice: {
		...plain,
		types: /^(multi_?select|multiple_choice|tags|checkboxes)$/,
		encode: (value, options) => encodeChoices(value, options, 'several'),
		parse: parseSeveralChoices,
		normalize: () => undefined,
		hint: 'one or more',
		example: (choices) => choices.slice(0, 2).map(({ value }) => value),
	},
	singleChoice: {
		...plain,
		types: /^(select|dropdown|drop_down|radio|radios|choice|single_choice)$/,
		encode: (value, options) => encodeChoices(value, options, 'one'),
		example: (choices) => choices[0]?.value ?? 'Example',
	},
	text: {
		...plain,
		types: /./,
		example: (_, label) => (/e-?mail/i.test(label) ? 'ada@example.com' : 'Example'),
	},
} satisfies Record<string, FieldKindSpec>;

/** What a field takes; text if its type is unknown. */
export type FieldKind = keyof typeof fieldKinds;

const FIELD_KIND_NAMES = Object.keys(fieldKinds) as FieldKind[];

/** A field as answers to it are written, read and compared. */
export type AnswerSpec = { kind: FieldKind; choices: readonly Choice[] };

/** The kind of a field by its type, and by whether it takes several of the choices that it lists. */
export function findFieldKind({ type, multiple, options }: IDataObject): FieldKind {
	const name = typeof type === 'string' ? type : '';
	const word = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
	const fieldKind = FIELD_KIND_NAMES.find((kind) => fieldKinds[kind].types.test(word)) ?? 'text';
	// without choices, a checkbox is a yes or no
	const takesSeveral = word === 'checkbox' ? hasChoices(options) : parseBoolean(multiple) === true;
	const canBeMultiple = ['singleChoice', 'text', 'boolean'].includes(fieldKind);
	return canBeMultiple && takesSeveral ? 'multipleChoice' : fieldKind;
}

/** Whether nothing was answered: nothing, blanks, or a list of these. */
export function isBlank(value: unknown): boolean {
	if (Array.isArray(value)) return value.every(isBlank);
	return typeof value === 'string'
		? trimBlanks(value) === ''
		: value === undefined || value === null;
}

/**
 * Turns an answer into the text or integer that the service takes, and checks it against its field.
 *
 * - Text and whole numbers stay as they are; other numbers become text (`2.5`).
 * - `true` is 1 and `false` is 0 (specification, section 4, rule 5).
 * - Dates become ISO 8601 text. A date field gets the day in the workflow's zone.
 * - The entries of a list are joined with a comma and a space.
 * - `null`, `undefined`, blank text and a list of these are no answer.
 */
export function encodeAnswer(
	value: unknown,
	field: AnswerSpec,
	{ zone, allowOther = false }: { zone: string; allowOther?: boolean },
): EncodeResult {
	if (isBlank(value)) return { answer: undefined };
	const list = Array.isArray(value) ? value.filter((entry) => !isBlank(entry)) : [];
	// a text alone can be several choices, and an entry of a list cannot
	const isOne = list.length === 1 && field.kind !== 'multipleChoice';
	const answer: unknown = isOne ? list[0] : Array.isArray(value) ? list : value;
	return fieldKinds[field.kind].encode(answer, { choices: field.choices, zone, allowOther });
}

/**
 * The one reader of a listed answer, for columns and conditions: a number, a boolean, a list of choices, files
 * as `{name, url}`. Text becomes a number only if the number is written the same way, so that "01234" stays
 * text. No answer is null.
 */
export function parseAnswer(answer: GenericValue, field?: AnswerSpec): GenericValue {
	const value = parseFiles(answer ?? null, field?.kind === 'file');
	if (field === undefined) return value;
	return isBlank(value) ? null : fieldKinds[field.kind].parse(value, field.choices);
}

/**
 * The one spelling of an answer, sent or listed: two answers to a field are equal if their spellings are.
 * Undefined if there is none, as for a list, a file, or a value that the field does not take.
 */
export function normalizeAnswer(
	{ kind, choices }: AnswerSpec,
	answer: unknown,
): string | undefined {
	const single: unknown = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer;
	return fieldKinds[kind].normalize(findChoice(single, choices)?.value ?? single);
}

/** Matches "https://a/1.pdf;https://b/2.pdf": a cell with several addresses. */
const SEVERAL_URLS = /[,;|]\s*[a-z][a-z\d+.-]*:\/\//i;

/** Encodes the address of a file that is already uploaded; simplified output gives a file as `{name, url}`. */
function encodeFile(value: unknown): EncodeResult {
	const address = isRecord(value) ? value.url : value;
	const url = typeof address === 'string' ? trimBlanks(address) : address;
	if (isWebUrl(url) && !SEVERAL_URLS.test(url)) return { answer: url };
	return { problem: 'must be the http or https URL of one already uploaded file' };
}

/** Parses several choices, in any of the ways that they are listed, to a list. */
function parseSeveralChoices(value: GenericValue, choices: readonly Choice[]): GenericValue {
	const parts = typeof value === 'string' ? splitChoices(value, choices) : undefined;
	// PHP sends a list with gaps as an object
	const entries = parts ?? getListEntries(value) ?? getCheckedNames(value);
	return (entries ?? [value]) as GenericValue;
}

/** Returns the names with true in an object such as `{"Red": true, "Blue": false}`; undefined for other values. */
function getCheckedNames(value: GenericValue): string[] | undefined {
	const flags = isRecord(value) ? Object.entries(value) : [];
	if (flags.length === 0 || !flags.every(([, flag]) => typeof flag === 'boolean')) return undefined;
	return flags.filter(([, flag]) => flag).map(([name]) => name);
}

/** Services end a line in either way, and some trim what they store. They can list the text "true" as a boolean. */
function normalizeText(value: unknown): string | undefined {
	if (typeof value === 'number') return rejectRounded(value)?.toString();
	return typeof value === 'string' ? toComparable(value.replaceAll('\r\n', '\n')) : undefined;
}

/** A number field takes "+5" as a number. In a text, "+49 …" is a phone number. */
function parseSignedNumber(value: unknown): number | undefined {
	return parseNumber(typeof value === 'string' ? value.replace(/^\s*\+(?=\d)/, '') : value);
}

/** JSON.parse rounds a number beyond 2^53, so that two numbers become one. */
function rejectRounded(number: number | undefined): number | undefined {
	return Math.abs(number ?? NaN) <= Number.MAX_SAFE_INTEGER ? number : undefined;
}
