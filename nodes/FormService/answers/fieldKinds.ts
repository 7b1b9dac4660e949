import { isEmpty } from 'lodash';
import type { FieldType, GenericValue, IDataObject } from 'n8n-workflow';
import { getListEntries } from '../api/records';
import { normalizeText } from '../api/text';
import {
	isBlank,
	isLocalTime,
	parseBoolean,
	parseDay,
	parseNumber,
	parseTimeMs,
} from '../api/values';
import { findChoice, splitChoices, type Choice } from './choices';
import {
	encodeAny,
	encodeChoices,
	encodeDate,
	encodeFile,
	encodeNumberAnswer,
	type EncodeOptions,
	type EncodeResult,
} from './encode';
import { parseFile } from './decode';

/** How answers to the fields of a kind are sent, read and compared. */
export type FieldKindSpec = {
	/** Matches the service's types of fields in lowercase. */
	types: RegExp;
	/** Encodes an answer that is not blank. */
	encode: (value: unknown, options: EncodeOptions) => EncodeResult;
	/** Parses an answer from Form Service: `"12.5"` → `12.5`. Returns an ambiguous answer unchanged. */
	parse: (value: GenericValue, choices: readonly Choice[]) => GenericValue;
	/** Converts an answer for comparison: `"1.0"` → `"1"`. Undefined if the answer cannot be compared. */
	normalize: (value: unknown) => string | undefined;
	/** The input widget of a field without choices, in n8n's resource mapper. */
	widget: FieldType;
	/** What to enter in n8n's resource mapper: `file URL`. */
	hint?: string;
	example: (choices: readonly Choice[], label: string) => GenericValue;
};

const textFunctions = {
	encode: encodeAny,
	parse: (value: GenericValue) => value,
	normalize: normalizeAny,
	widget: 'string' as const,
};

/** A field has the first kind whose `types` match the type of the field. */
export const fieldKinds = {
	layout: {
		...textFunctions,
		types: /^(heading|headline|divider|spacer|html|page_?break|section_?break)$/,
		example: () => null,
	},
	file: {
		types: /^(file|files|file_?upload|upload|attachment)$/,
		encode: encodeFile,
		parse: (value) => [value].flat() as GenericValue,
		normalize: normalizeAny,
		widget: 'url',
		hint: 'file URL',
		example: () => ['example.pdf|https://example.com/example.pdf'],
	},
	date: {
		...textFunctions,
		types: /^date$/,
		encode: (value, { zone }) => encodeDate(value, zone, 'date'),
		// the service can list a day as midnight in an unknown zone
		normalize: parseDay,
		widget: 'dateTime',
		example: () => '2026-01-31',
	},
	dateTime: {
		...textFunctions,
		types: /^date[-_]?time(-local)?$/,
		encode: (value, { zone }) => encodeDate(value, zone, 'dateTime'),
		normalize: (value) => (isLocalTime(value) ? undefined : parseTimeMs(value, 'utc')?.toString()),
		widget: 'dateTime',
		example: () => '2026-01-31T09:00:00Z',
	},
	number: {
		types: /^(number|numeric|integer|int|decimal|float|rating|scale|slider|nps)$/,
		encode: encodeNumberAnswer,
		parse: (value) => (INEXACT.test(String(value)) ? value : (parseNumber(value) ?? value)),
		normalize: normalizeNumber,
		widget: 'number',
		example: () => 1,
	},
	boolean: {
		...textFunctions,
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
		...textFunctions,
		types: /^(multi_?select|multiple_choice|tags|checkboxes)$/,
		encode: (value, options) => encodeChoices(value, options, 'several'),
		parse: parseSeveralChoices,
		hint: 'one or more',
		example: (choices) => choices.slice(0, 2).map(({ value }) => value),
	},
	singleChoice: {
		...textFunctions,
		types: /^(select|dropdown|drop_down|radio|radios|choice|single_choice)$/,
		encode: (value, options) => encodeChoices(value, options, 'one'),
		example: (choices) => choices[0]?.value ?? 'Example',
	},
	text: {
		...textFunctions,
		types: /./,
		example: (_, label) => (/e-?mail/i.test(label) ? 'ada@example.com' : 'Example'),
	},
} satisfies Record<string, FieldKindSpec>;

/** The kind of a field; `text` if its type is unknown. */
export type FieldKind = keyof typeof fieldKinds;

const FIELD_KIND_NAMES = Object.keys(fieldKinds) as FieldKind[];

export type AnswerSpec = { kind: FieldKind; choices: readonly Choice[] };

/** Returns the kind of a field. A checkbox with choices takes several of them. */
export function findFieldKind({ type, options }: IDataObject): FieldKind {
	const name = typeof type === 'string' ? type : '';
	const word = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
	if (word === 'checkbox' && !isEmpty(options)) return 'multipleChoice';
	return FIELD_KIND_NAMES.find((kind) => fieldKinds[kind].types.test(word)) ?? 'text';
}

/** Encodes an answer as a text or whole number. A list becomes a text: `["Red", "Blue"]` → `"Red, Blue"`. */
export function encodeAnswer(
	value: unknown,
	field: AnswerSpec,
	{ zone, allowOther = false }: { zone: string; allowOther?: boolean },
): EncodeResult {
	if (isBlank(value)) return { answer: undefined };
	const list = Array.isArray(value) ? value.filter((entry) => !isBlank(entry)) : [];
	// keep a list of one entry for multiple choice, because a text would be split at commas
	const isSingle = list.length === 1 && field.kind !== 'multipleChoice';
	const answer: unknown = isSingle ? list[0] : Array.isArray(value) ? list : value;
	return fieldKinds[field.kind].encode(answer, { choices: field.choices, zone, allowOther });
}

/** Parses an answer from Form Service. A file becomes `{name, url}`. Without a field, only a name with an extension is a file. */
export function parseAnswer(answer: GenericValue, field?: AnswerSpec): GenericValue {
	const parseEntry = (entry: unknown) => parseFile(entry, field?.kind === 'file') ?? entry;
	// PHP sends a list with gaps as an object
	const value = getListEntries(answer)?.map(parseEntry) ?? parseEntry(answer ?? null);
	if (field === undefined) return value as GenericValue;
	return isBlank(value) ? null : fieldKinds[field.kind].parse(value as GenericValue, field.choices);
}

/** Converts an answer for comparison. Undefined for an ambiguous answer, and for several values. */
export function normalizeAnswer(
	{ kind, choices }: AnswerSpec,
	answer: unknown,
): string | undefined {
	const single: unknown = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer;
	return fieldKinds[kind].normalize(findChoice(single, choices)?.value ?? single);
}

/** Parses the answer to a multiple choice into a list: `"Red, Blue"` → `["Red", "Blue"]`. */
function parseSeveralChoices(value: GenericValue, choices: readonly Choice[]): GenericValue {
	if (typeof value !== 'string') return [value].flat() as GenericValue;
	const parts = splitChoices(value, choices);
	return parts.every((part) => findChoice(part, choices)) ? parts : [value];
}

/** Undefined for a boolean, because the text that the respondent entered is unknown. */
function normalizeAny(value: unknown): string | undefined {
	if (typeof value === 'number') return normalizeNumber(value);
	return typeof value === 'string' ? normalizeText(value) : undefined;
}

/** Matches "01234", which can be a code, and numbers of 16 digits, which JavaScript can round. */
const INEXACT = /^\s*[+-]?0\d|(?:\d\.?){16}/;

/** Undefined beyond 2^53, where `JSON.parse` rounds several numbers to the same one. */
function normalizeNumber(value: unknown): string | undefined {
	const number = parseNumber(value);
	return Math.abs(number ?? NaN) <= Number.MAX_SAFE_INTEGER ? String(number) : undefined;
}
