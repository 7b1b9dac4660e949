import type { FieldType, GenericValue, IDataObject } from 'n8n-workflow';
import {
	isLocalTime,
	parseBoolean,
	parseDay,
	parseExactNumber,
	parseNumber,
	parseTimeMs,
} from '../api/parseValues';
import { isRecord, getListEntries } from '../api/records';
import { isWebUrl } from '../api/url';
import { findChoice, hasChoices, splitChoices, type Choice } from './choices';
import {
	encodeAny,
	encodeChoices,
	encodeDate,
	type EncodeResult,
	type EncodeOptions,
} from './encode';
import { toComparable, trimBlanks } from '../api/spelling';
import { parseFiles } from './uploads';

/**
 * How answers to the fields of a kind are sent, read and compared. A new field kind needs only an entry in
 * `fieldKinds`.
 */
export type FieldKindSpec = {
	/**
	 * Matches the types of fields that belong to the kind, in lowercase: "select", "drop_down". The specification
	 * lists no types (section 2.3).
	 */
	types: RegExp;
	/** Encodes an answer for a request. Blank answers are not passed to this function. */
	encode: (value: unknown, options: EncodeOptions) => EncodeResult;
	/** Parses an answer from Form Service: `"12.5"` → `12.5`. Returns an ambiguous answer unchanged. */
	parse: (value: GenericValue, choices: readonly Choice[]) => GenericValue;
	/**
	 * Converts an answer for comparison: in a number field, `"1.0"` → `"1"`. The answer can come from an item or
	 * from Form Service. Undefined if the answer cannot be compared.
	 */
	normalize: (value: unknown) => string | undefined;
	/** The input widget of a field without choices, in n8n's resource mapper. */
	widget: FieldType;
	/** The hint in n8n's resource mapper that says what to enter: `file URL`. */
	hint?: string;
	example: (choices: readonly Choice[], label: string) => GenericValue;
};

/** The functions of the kind `text`, which other kinds reuse. */
const textFunctions = {
	encode: encodeAny,
	parse: (value: GenericValue) => value,
	normalize: normalizeText,
	widget: 'string' as const,
};

/** The field kinds. A field has the first kind whose `types` match the type of the field. */
export const fieldKinds = {
	layout: {
		...textFunctions,
		types: /^(heading|headline|divider|spacer|html|page_?break|section_?break)$/,
		example: () => null,
	},
	file: {
		types: /(^|[^a-z])file(?!name)|upload|attachment/,
		encode: encodeFile,
		parse: (value) => (isRecord(value) ? [value] : value),
		normalize: () => undefined,
		widget: 'url',
		hint: 'file URL',
		example: () => ['example.pdf|https://example.com/example.pdf'],
	},
	date: {
		...textFunctions,
		types: /^date$/,
		encode: (value, { zone }) => encodeDate(value, zone, 'date'),
		// the service can list a day as midnight in an unknown zone, so only a day without a time can be compared
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
		encode: (value) => {
			if (parseSignedNumber(value) !== undefined) return encodeAny(value);
			return { problem: 'must be a number, such as 1234.5 (without commas or units)' };
		},
		parse: (value) => (typeof value === 'string' ? (parseExactNumber(value) ?? value) : value),
		normalize: (value) => discardInexact(parseSignedNumber(value))?.toString(),
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
		normalize: () => undefined,
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

/** The kind and the choices of a field, which decide how its answers are sent, read and compared. */
export type AnswerSpec = { kind: FieldKind; choices: readonly Choice[] };

/**
 * Returns the kind of a field. The kind depends on the type of the field, and on whether the field accepts
 * several choices.
 */
export function findFieldKind({ type, multiple, options }: IDataObject): FieldKind {
	const name = typeof type === 'string' ? type : '';
	const word = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
	const fieldKind = FIELD_KIND_NAMES.find((kind) => fieldKinds[kind].types.test(word)) ?? 'text';
	// a checkbox without choices is a yes-or-no question
	const takesSeveral = word === 'checkbox' ? hasChoices(options) : parseBoolean(multiple) === true;
	const canBeMultiple = ['singleChoice', 'text', 'boolean'].includes(fieldKind);
	return canBeMultiple && takesSeveral ? 'multipleChoice' : fieldKind;
}

/** Whether an answer is undefined, null, a string of blanks, or a list in which every entry is blank. */
export function isBlank(value: unknown): boolean {
	if (Array.isArray(value)) return value.every(isBlank);
	return typeof value === 'string'
		? trimBlanks(value) === ''
		: value === undefined || value === null;
}

/**
 * Encodes an answer as a string or whole number, as the service requires. Returns a problem if the answer does
 * not fit the field.
 *
 * - A string or a whole number stays unchanged. Any other number becomes a string: `2.5` → `"2.5"`.
 * - `true` becomes 1, and `false` becomes 0 (specification, section 4, rule 5).
 * - A date becomes ISO 8601. A date field gets the day in the workflow's zone.
 * - A list becomes a string with commas: `["Red", "Blue"]` → `"Red, Blue"`.
 * - A blank answer becomes undefined, see `isBlank`.
 */
export function encodeAnswer(
	value: unknown,
	field: AnswerSpec,
	{ zone, allowOther = false }: { zone: string; allowOther?: boolean },
): EncodeResult {
	if (isBlank(value)) return { answer: undefined };
	const list = Array.isArray(value) ? value.filter((entry) => !isBlank(entry)) : [];
	// keep a list of one entry for multiple choice, because a string would be split at commas
	const isSingle = list.length === 1 && field.kind !== 'multipleChoice';
	const answer: unknown = isSingle ? list[0] : Array.isArray(value) ? list : value;
	return fieldKinds[field.kind].encode(answer, { choices: field.choices, zone, allowOther });
}

/**
 * Parses an answer from Form Service.
 *
 * - A blank answer becomes null.
 * - Files become a list of `{name, url}`. Several choices become a list.
 * - In a number field, "12.50" becomes 12.5. "01234" stays a string, because "01234" can be a code.
 */
export function parseAnswer(answer: GenericValue, field?: AnswerSpec): GenericValue {
	const value = parseFiles(answer ?? null, field?.kind === 'file');
	if (field === undefined) return value;
	return isBlank(value) ? null : fieldKinds[field.kind].parse(value, field.choices);
}

/**
 * Converts an answer for comparison. The answer can come from an item or from Form Service. Two answers to a
 * field are equal if their results are equal. Undefined for a file, for several choices, and for an answer that
 * is ambiguous or does not fit the field.
 */
export function normalizeAnswer(
	{ kind, choices }: AnswerSpec,
	answer: unknown,
): string | undefined {
	const single: unknown = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer;
	return fieldKinds[kind].normalize(findChoice(single, choices)?.value ?? single);
}

/** Matches a string with two URLs, "https://a/1.pdf;https://b/2.pdf", but not "https://a/1.pdf". */
const SEVERAL_URLS = /[,;|]\s*[a-z][a-z\d+.-]*:\/\//i;

/** Encodes the URL of an uploaded file. Accepts the URL, or `{name, url}` from simplified output. */
function encodeFile(value: unknown): EncodeResult {
	const address = isRecord(value) ? value.url : value;
	const url = typeof address === 'string' ? trimBlanks(address) : address;
	if (isWebUrl(url) && !SEVERAL_URLS.test(url)) return { answer: url };
	return { problem: 'must be the http or https URL of one already uploaded file' };
}

/**
 * Parses the answer to a multiple choice into a list. Form Service can send `"Red, Blue"`, `["Red", "Blue"]` or
 * `{"Red": true, "Blue": true}`.
 */
function parseSeveralChoices(value: GenericValue, choices: readonly Choice[]): GenericValue {
	const parts = typeof value === 'string' ? splitChoices(value, choices) : undefined;
	// PHP sends a list with gaps as an object
	const entries = parts ?? getListEntries(value) ?? getCheckedNames(value);
	return (entries ?? [value]) as GenericValue;
}

/**
 * Returns the names whose value is true: `{"Red": true, "Blue": false}` → `["Red"]`. Undefined if a value is
 * not a boolean.
 */
function getCheckedNames(value: GenericValue): string[] | undefined {
	const flags = isRecord(value) ? Object.entries(value) : [];
	if (flags.length === 0 || !flags.every(([, flag]) => typeof flag === 'boolean')) return undefined;
	return flags.filter(([, flag]) => flag).map(([name]) => name);
}

/**
 * Converts a string for comparison: removes blanks from both ends, and writes line breaks as `\n`. A number
 * becomes a string. Undefined for a boolean, because the string that the respondent entered is unknown.
 */
function normalizeText(value: unknown): string | undefined {
	if (typeof value === 'number') return discardInexact(value)?.toString();
	return typeof value === 'string' ? toComparable(value.replaceAll('\r\n', '\n')) : undefined;
}

/**
 * Parses a number that may have a plus sign: `"+5"` → `5`. Used only for number fields, because "+49 …" in a
 * text field can be a phone number.
 */
function parseSignedNumber(value: unknown): number | undefined {
	return parseNumber(typeof value === 'string' ? value.replace(/^\s*\+(?=\d)/, '') : value);
}

/**
 * Returns undefined for a number beyond 2^53, and any other number unchanged. `JSON.parse` rounds numbers
 * beyond 2^53, so two different answers could look equal.
 */
function discardInexact(number: number | undefined): number | undefined {
	return Math.abs(number ?? NaN) <= Number.MAX_SAFE_INTEGER ? number : undefined;
}
