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
import { isScalar, parseUpload } from './decode';

/* The kinds of fields, and how their answers are read and compared. */

type FieldKindSpec = {
	/** Matches the service's types of fields in lowercase, without separators. */
	types: RegExp;
	/** The input widget of a field without choices, in n8n's resource mapper. */
	widget: FieldType;
	/** What to enter in n8n's resource mapper: `file URL`. */
	hint?: string;
	/** An answer to a field without choices. */
	example: GenericValue;
};

const EXAMPLE_FILE = 'example.pdf|https://example.com/example.pdf';

const KINDS = {
	file: {
		types: /^(file|files|fileupload|upload|attachment)$/,
		widget: 'url',
		hint: 'file URL',
		example: [EXAMPLE_FILE],
	},
	date: { types: /^date$/, widget: 'dateTime', example: '2026-01-31' },
	dateTime: { types: /^datetime(local)?$/, widget: 'dateTime', example: '2026-01-31T09:00:00Z' },
	number: {
		types: /^(number|numeric|integer|int|decimal|float|rating|scale|slider|nps)$/,
		widget: 'number',
		example: 1,
	},
	boolean: {
		types: /^(bool|boolean|toggle|switch|yesno|checkbox)$/,
		widget: 'boolean',
		example: true,
	},
	multipleChoice: {
		types: /^(multiselect|multiplechoice|tags|checkboxes)$/,
		widget: 'string',
		hint: 'one or more',
		example: ['Example'],
	},
	singleChoice: {
		types: /^(select|dropdown|radio|radios|choice|singlechoice)$/,
		widget: 'string',
		example: 'Example',
	},
	text: { types: /./, widget: 'string', example: 'Example' },
} satisfies Record<string, FieldKindSpec>;

export type FieldKind = keyof typeof KINDS;

/** A field has the first kind whose `types` match the type of the field. */
export const fieldKinds: Readonly<Record<FieldKind, FieldKindSpec>> = KINDS;

export type AnswerSpec = { kind: FieldKind; choices: readonly Choice[] };

/** Returns the kind of a field; `text` if its type is unknown. A checkbox with choices takes several of them. */
export function findFieldKind({ type, options }: IDataObject): FieldKind {
	const name = String(type).toLowerCase().replace(/[-_]/g, '');
	if (name === 'checkbox' && !isEmpty(options)) return 'multipleChoice';
	const kinds = Object.keys(fieldKinds) as FieldKind[];
	return kinds.find((kind) => fieldKinds[kind].types.test(name)) ?? 'text';
}

/** Returns an answer that a field takes. */
export function getExampleAnswer({ kind, choices: [choice] }: AnswerSpec): GenericValue {
	if (choice === undefined) return fieldKinds[kind].example;
	return kind === 'multipleChoice' ? [choice.value] : choice.value;
}

/** Parses an answer from Form Service. A file becomes `{name, url}`. Without a field, only a name with an extension is a file. */
export function parseAnswer(answer: GenericValue, field?: AnswerSpec): GenericValue {
	const parseEntry = (entry: unknown) => parseUpload(entry, field?.kind === 'file') ?? entry;
	// PHP sends a list with gaps as an object
	const value = getListEntries(answer)?.map(parseEntry) ?? parseEntry(answer ?? null);
	if (field === undefined) return value as GenericValue;
	return isBlank(value) ? null : (parseByKind(value, field) as GenericValue);
}

/** Parses an answer that is not blank: `"12.5"` → `12.5`. Returns an ambiguous answer unchanged. */
function parseByKind(value: unknown, { kind, choices }: AnswerSpec): unknown {
	if (kind === 'file') return [value].flat();
	if (kind === 'multipleChoice') return Array.isArray(value) ? value : splitChoices(value, choices);
	if (kind === 'boolean') return parseBoolean(value) ?? value;
	const isExactNumber = kind === 'number' && !INEXACT.test(String(value));
	return isExactNumber ? (parseNumber(value) ?? value) : value;
}

/** Matches "01234", which can be a code, and numbers of 16 digits, which JavaScript can round. */
const INEXACT = /^\s*[+-]?0\d|(?:\d\.?){16}/;

/** Converts an answer for comparison: `"1.0"` → `"1"`. Undefined for an ambiguous answer, and for several values. */
export function normalizeAnswer(
	{ kind, choices }: AnswerSpec,
	answer: unknown,
): string | undefined {
	const single: unknown = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer;
	const value = findChoice(single, choices)?.value ?? single;
	if (kind === 'boolean') return parseBoolean(value)?.toString();
	if (kind === 'number') return normalizeNumber(value);
	// a day with a time is ambiguous, because the time can be midnight in an unknown zone
	if (kind === 'date') return parseDay(value);
	if (kind !== 'dateTime') return isScalar(value) ? normalizeText(String(value)) : undefined;
	return isLocalTime(value) ? undefined : parseTimeMs(value, 'utc')?.toString();
}

/** Undefined beyond 2^53, where `JSON.parse` rounds several numbers to the same one. */
function normalizeNumber(value: unknown): string | undefined {
	const number = parseNumber(value);
	return Math.abs(number ?? NaN) <= Number.MAX_SAFE_INTEGER ? String(number) : undefined;
}
