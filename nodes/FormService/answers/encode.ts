import { DateTime } from 'luxon';
import { isRecord } from '../api/records';
import { cleanText, formatNames } from '../api/text';
import { isWebUrl } from '../api/url';
import { isEpoch, isLocalTime, parseNumber, parseTimeMs, parseUtcMidnight } from '../api/values';
import { findChoice, splitChoices, type Choice } from './choices';

/** A value that the service accepts as an answer (specification, section 4, rule 2). */
export type EncodedValue = string | number;

/**
 * The encoded answer, or why it cannot be sent, as the end of a sentence. `problem` never contains the answer,
 * because n8n stores errors. `isOther` is true if the answer is not a choice of the field.
 */
export type EncodeResult =
	| { answer: EncodedValue | undefined }
	| { problem: string; isOther?: boolean };

/** Times without a zone are in `zone`, the zone of the workflow. */
export type EncodeOptions = { choices: readonly Choice[]; zone: string; allowOther: boolean };

/** Encodes an answer to a text field. */
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

/** Encodes a number. Form Service accepts only whole numbers, so 2.5 becomes text. */
function encodeNumber(value: number): EncodeResult {
	if (!Number.isFinite(value)) return { problem: 'must be a number' };
	if (Number.isSafeInteger(value)) return { answer: value };
	if (!Number.isInteger(value)) return { answer: String(value) };
	// JavaScript has already rounded it
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

/** Encodes the URL of an uploaded file. Accepts the URL, or `{name, url}` from simplified output. */
export function encodeFile(value: unknown): EncodeResult {
	const address = isRecord(value) ? value.url : value;
	const url = typeof address === 'string' ? cleanText(address) : address;
	if (isWebUrl(url)) return { answer: url };
	return { problem: 'must be the http or https URL of one already uploaded file' };
}

/** Encodes a time as a day in the workflow's zone, or as ISO 8601 with its offset or the workflow's. */
export function encodeDate(value: unknown, zone: string, kind: 'date' | 'dateTime'): EncodeResult {
	const timeMs = parseTimeMs(value, zone);
	if (timeMs === undefined) return { problem: 'must be a date, such as 2027-01-31' };
	const local = DateTime.fromMillis(timeMs, { zone });
	if (kind === 'date') return { answer: parseUtcMidnight(value) ?? local.toISODate()! };
	if (isEpoch(value) || isLocalTime(value)) return { answer: local.toISO()! };
	return encodeAny(typeof value === 'string' ? cleanText(value) : value);
}

/** Encodes names of choices as their values: `"Red"` → `3`. Splits a text if each part is a choice. */
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
