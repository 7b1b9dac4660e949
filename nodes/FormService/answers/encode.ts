import { DateTime } from 'luxon';
import { isEpoch, isLocalTime, parseTimeMs, parseUtcMidnight } from '../api/parseValues';
import { findChoice, splitChoices, type Choice } from './choices';
import { formatNames } from '../api/spelling';

/** A value that the service accepts as an answer (specification, section 4, rule 2). */
export type EncodedValue = string | number;

/**
 * The result of encoding an answer: the encoded answer, or the problem if the answer cannot be sent.
 *
 * - `answer` is undefined if there is no answer.
 * - `problem` completes a sentence that starts with the name of the field: `must be a number`. `problem` never
 *   contains the answer, because n8n stores errors.
 */
export type EncodeResult =
	| { answer: EncodedValue | undefined }
	/** `isOther` is true if the answer is not a choice of the field. */
	| { problem: string; isOther?: boolean };

/** The choices of the field and the settings of the workflow that decide how an answer is encoded. */
export type EncodeOptions = {
	choices: readonly Choice[];
	/** The time zone of the workflow. Times without a zone are in this zone. */
	zone: string;
	/** Whether the field also accepts an answer that is not among its choices. */
	allowOther: boolean;
};

/** Encodes an answer to a text field, or to a field whose kind is unknown. */
export function encodeAny(value: unknown): EncodeResult {
	if (value === undefined || value === null) return { answer: undefined };
	if (typeof value === 'string') return { answer: value };
	if (typeof value === 'boolean') return { answer: Number(value) };
	if (typeof value === 'number') return encodeNumber(value);
	if (Array.isArray(value)) return joinEntries(value.map(encodeAny));
	const date = value instanceof Date ? DateTime.fromJSDate(value, { zone: 'utc' }) : value;
	const text = DateTime.isDateTime(date) ? date.toISO() : null;
	if (text !== null) return { answer: text };
	return { problem: 'must be text, a number, a date or a list, not an object' };
}

/**
 * Encodes a number. Form Service accepts only whole numbers, so 2.5 becomes the string "2.5". A whole number
 * beyond 2^53 is a problem, because JavaScript has already rounded the number.
 */
function encodeNumber(value: number): EncodeResult {
	if (!Number.isFinite(value)) return { problem: 'must be a number' };
	if (Number.isSafeInteger(value)) return { answer: value };
	if (!Number.isInteger(value)) return { answer: String(value) };
	return { problem: 'has too many digits to be sent exactly. Enter it as text, in quotes' };
}

function joinEntries(entries: readonly EncodeResult[]): EncodeResult {
	const answers: EncodedValue[] = [];
	for (const entry of entries) {
		if ('problem' in entry) return entry;
		if (entry.answer !== undefined) answers.push(entry.answer);
	}
	return { answer: answers.length > 1 ? answers.join(', ') : answers.at(0) };
}

/** Matches "2026-01", not "2026-01-31". */
const MONTH = /^\s*\d{4}-\d\d\s*$/;

/**
 * Encodes a date or time as ISO 8601.
 *
 * - For a date field, returns the day in the workflow's zone. Midnight in UTC keeps its day:
 *   `2026-01-31T00:00:00Z` → `2026-01-31`.
 * - For a field with a time, keeps the offset. A time without an offset gets the offset of the workflow's zone.
 */
export function encodeDate(value: unknown, zone: string, kind: 'date' | 'dateTime'): EncodeResult {
	const timeMs = parseTimeMs(value, zone);
	const isMonth = typeof value === 'string' && MONTH.test(value);
	if (timeMs === undefined || isMonth) return { problem: 'must be a date, such as 2027-01-31' };
	const local = DateTime.fromMillis(timeMs, { zone });
	if (kind === 'date') return { answer: parseUtcMidnight(value) ?? local.toISODate()! };
	if (isEpoch(value) || isLocalTime(value)) return { answer: local.toISO()! };
	return encodeAny(typeof value === 'string' ? value.trim() : value);
}

/**
 * Encodes choices. Users enter names or values, and the service expects values: `"Red"` → `3`. Splits a string
 * at commas if the field accepts several choices and every part is a choice. Does not split the entries of a
 * list.
 */
export function encodeChoices(
	value: unknown,
	{ choices, allowOther }: EncodeOptions,
	multiplicity: 'one' | 'several',
): EncodeResult {
	if (choices.length === 0) return encodeAny(value);
	const mayBeSplit = multiplicity === 'several' && typeof value === 'string';
	const segments = mayBeSplit ? splitChoices(value, choices) : undefined;
	const entries = segments ?? [value].flat();
	const values = entries.map((entry) => findChoice(entry, choices)?.value);
	const isOffered = allowOther || !values.includes(undefined);
	if (isOffered && (multiplicity === 'several' || entries.length === 1)) {
		return joinEntries(entries.map((entry, index) => encodeAny(values[index] ?? entry)));
	}
	const names = formatNames(choices.map(({ name }) => name));
	const problem = `must be one ${multiplicity === 'one' ? '' : 'or more '}of ${names}`;
	return { problem, isOther: !isOffered };
}
