import { uniq } from 'lodash';
import { DateTime } from 'luxon';
import { isRecord } from '../api/records';
import { cleanText, formatNames, isWebUrl } from '../api/text';
import {
	isBlank,
	isEpoch,
	isLocalTime,
	parseBoolean,
	parseNumber,
	parseTimeMs,
	parseUtcMidnight,
} from '../api/values';
import { findChoice, splitChoices } from './choices';
import type { AnswerSpec } from './fieldKinds';

/* How the answers of a new response are sent. */

/** A value that the service accepts as an answer (specification, section 4, rule 2). */
export type EncodedValue = string | number;

/**
 * The encoded answer, or why it cannot be sent, as the end of a sentence. `problem` never contains the answer,
 * because n8n stores errors.
 */
export type EncodeResult = { answer: EncodedValue | undefined } | { problem: string };

/** Times without a zone are in `zone`, the zone of the workflow. */
type EncodeOptions = { zone: string; allowOther?: boolean };

/** Encodes an answer as a text or whole number. A list becomes a text: `["Red", "Blue"]` → `"Red, Blue"`. */
export function encodeAnswer(
	value: unknown,
	field: AnswerSpec,
	{ zone, allowOther = false }: EncodeOptions,
): EncodeResult {
	if (isBlank(value)) return { answer: undefined };
	const entries = [value].flat().filter((entry) => !isBlank(entry));
	if (field.choices.length > 0) return encodeChoices(entries, field, allowOther);
	const answer: unknown = entries.length === 1 ? entries[0] : entries;
	if (field.kind === 'boolean') return encodeBoolean(answer);
	if (field.kind === 'file') return encodeFile(answer);
	if (field.kind === 'number') return encodeNumberAnswer(answer);
	if (field.kind === 'date' || field.kind === 'dateTime') {
		return encodeDate(answer, zone, field.kind);
	}
	return encodeAny(answer);
}

/** Encodes an answer to a text field. */
function encodeAny(value: unknown): EncodeResult {
	if (typeof value === 'string') return { answer: value };
	if (typeof value === 'boolean') return { answer: Number(value) };
	if (typeof value === 'number') return encodeNumber(value);
	if (Array.isArray(value)) return encodeList(value);
	const date = value instanceof Date ? DateTime.fromJSDate(value, { zone: 'utc' }) : value;
	const text = DateTime.isDateTime(date) ? date.toISO() : null;
	if (text !== null) return { answer: text };
	return { problem: 'must be text, a number, a date or a list, not an object' };
}

/** Encodes a number. Form Service accepts only whole numbers, so 2.5 becomes text. */
function encodeNumber(value: number): EncodeResult {
	if (Number.isSafeInteger(value)) return { answer: value };
	if (!Number.isInteger(value)) return { answer: String(value) };
	// JavaScript may have rounded the number, so another number would be sent
	return { problem: 'has too many digits to be sent exactly. Enter it as text, in quotes' };
}

function encodeList(values: readonly unknown[]): EncodeResult {
	const answers: Array<EncodedValue | undefined> = [];
	for (const encoded of values.map(encodeAny)) {
		if ('problem' in encoded) return encoded;
		answers.push(encoded.answer);
	}
	return { answer: answers.length > 1 ? answers.join(', ') : answers.at(0) };
}

/** Encodes names of choices as their values: `"Red"` → `3`. A choice that is given twice is sent once. */
function encodeChoices(
	given: readonly unknown[],
	{ choices, kind }: AnswerSpec,
	allowOther: boolean,
): EncodeResult {
	const takesSeveral = kind === 'multipleChoice';
	const isChoice = (entry: unknown) => findChoice(entry, choices) !== undefined;
	const entries = given.flatMap((entry) => {
		const parts = takesSeveral ? splitChoices(entry, choices) : [entry];
		// keep the text whole, because an answer to "Other" can contain commas, and words that are choices
		return parts.every(isChoice) ? parts : [entry];
	});
	const isOffered = entries.every(isChoice);
	if ((isOffered || allowOther) && (takesSeveral || entries.length === 1)) {
		return encodeList(uniq(entries.map((entry) => findChoice(entry, choices)?.value ?? entry)));
	}
	const names = formatNames(choices.map(({ name }) => name));
	const advice = isOffered ? '' : `. To send other answers, turn on 'Allow "Other" Answers'`;
	return { problem: `must be one ${takesSeveral ? 'or more ' : ''}of ${names}${advice}` };
}

function encodeBoolean(value: unknown): EncodeResult {
	const answer = parseBoolean(value);
	if (answer !== undefined) return { answer: Number(answer) };
	return { problem: 'must be yes or no (or true or false)' };
}

/** Encodes the URL of an uploaded file. Also accepts a file as a response lists it: `{name, url}` or `name|URL`. */
function encodeFile(value: unknown): EncodeResult {
	const address = isRecord(value) ? value.url : value;
	const url = typeof address === 'string' ? cleanText(address).replace(/^.+\|/, '') : address;
	if (isWebUrl(url)) return { answer: url };
	return { problem: 'must be the http or https URL of one already uploaded file' };
}

/** Encodes an answer to a number field, as it was checked: `" 5 "` → `"5"`. */
function encodeNumberAnswer(value: unknown): EncodeResult {
	if (typeof value === 'number') return encodeNumber(value);
	if (parseNumber(value) !== undefined) return { answer: cleanText(String(value)) };
	return { problem: 'must be a number in plain digits, such as 1234.5 (without commas or units)' };
}

/**
 * Encodes a time as a day in the workflow's zone, or as ISO 8601. A time without an offset gets that of the
 * workflow's zone.
 */
function encodeDate(value: unknown, zone: string, kind: 'date' | 'dateTime'): EncodeResult {
	const timeMs = parseTimeMs(value, zone);
	if (timeMs === undefined) return { problem: 'must be a date, such as 2027-01-31' };
	if (kind === 'date') return { answer: toDay(value, timeMs, zone) };
	if (isEpoch(value) || isLocalTime(value)) {
		return { answer: DateTime.fromMillis(timeMs, { zone }).toISO()! };
	}
	return encodeAny(typeof value === 'string' ? cleanText(value) : value);
}

/** Returns the day of a time in a zone. Midnight in UTC is the day as written, whatever the zone is. */
export function toDay(value: unknown, timeMs: number, zone: string): string {
	return parseUtcMidnight(value) ?? DateTime.fromMillis(timeMs, { zone }).toISODate()!;
}
