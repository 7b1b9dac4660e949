import { DateTime } from 'luxon';
import { isRecord } from '../api/records';
import { cleanText, formatNames } from '../api/text';
import { isWebUrl } from '../api/url';
import { isEpoch, isLocalTime, parseNumber, parseTimeMs, parseUtcMidnight } from '../api/values';
import { findChoice, splitChoices, type Choice } from './choices';

/** A value that the service accepts as an answer (specification, section 4, rule 2). */
export type EncodedValue = string | number;

/**
 * The encoded answer, undefined if there is none, or why it cannot be sent. `problem` completes a sentence that
 * starts with the field: `must be a number`. It never contains the answer, because n8n stores errors.
 */
export type EncodeResult =
	| { answer: EncodedValue | undefined }
	/** `isOther` is true if the answer is not a choice of the field. */
	| { problem: string; isOther?: boolean };

/** What decides how an answer is encoded. */
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
 * Encodes a number. Form Service accepts only whole numbers, so 2.5 becomes the text "2.5". A whole number
 * beyond 2^53 is refused, because JavaScript has already rounded it.
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

/** Encodes an answer to a number field, as it was checked: `" 5 "` → `"5"`. */
export function encodeNumberAnswer(value: unknown): EncodeResult {
	if (typeof value === 'number') return encodeNumber(value);
	if (parseNumber(value) !== undefined) return { answer: cleanText(String(value)) };
	return { problem: 'must be a number in plain digits, such as 1234.5 (without commas or units)' };
}

/** Matches a text with two URLs, "https://a/1.pdf;https://b/2.pdf", but not "https://a/1.pdf". */
const SEVERAL_URLS = /[,;|\s]\s*[a-z][a-z\d+.-]*:\/\//i;

/** Encodes the URL of an uploaded file. Accepts the URL, or `{name, url}` from simplified output. */
export function encodeFile(value: unknown): EncodeResult {
	const address = isRecord(value) ? value.url : value;
	const url = typeof address === 'string' ? cleanText(address) : address;
	if (isWebUrl(url) && !SEVERAL_URLS.test(url)) return { answer: url };
	return { problem: 'must be the http or https URL of one already uploaded file' };
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
	return encodeAny(typeof value === 'string' ? cleanText(value) : value);
}

/**
 * Encodes choices. Users enter names or values, and the service expects values: `"Red"` → `3`. Splits a text at
 * commas if every part is a choice. Does not split the entries of a list.
 */
export function encodeChoices(
	value: unknown,
	{ choices, allowOther }: EncodeOptions,
	multiplicity: 'one' | 'several',
): EncodeResult {
	if (choices.length === 0) return encodeAny(value);
	const mayBeSplit = multiplicity === 'several' && typeof value === 'string';
	const parts = mayBeSplit ? splitChoices(value, choices) : [];
	const isOnlyChoices = parts.length > 0 && parts.every((part) => findChoice(part, choices));
	const entries = isOnlyChoices ? parts : [value].flat();
	const values = entries.map((entry) => findChoice(entry, choices)?.value);
	const isOffered = allowOther || !values.includes(undefined);
	if (isOffered && (multiplicity === 'several' || entries.length === 1)) {
		return joinEntries(entries.map((entry, index) => encodeAny(values[index] ?? entry)));
	}
	const names = formatNames(choices.map(({ name }) => name));
	const problem = `must be one ${multiplicity === 'one' ? '' : 'or more '}of ${names}`;
	return { problem, isOther: !isOffered };
}
