import { DateTime } from 'luxon';
import { isLocalTime, parseTimeMs } from '../parseValues';
import { findChoice, splitChoices, type Choice } from './choices';
import { formatNames } from '../spelling';

/** What the service takes as the answer to a field (specification, section 4, rule 2). */
export type AnswerValue = string | number;

/**
 * An answer as it is sent; undefined for no answer. The problem is the rest of a sentence that begins with
 * the name of the field. It says what the field takes, never what was answered: errors are stored.
 */
export type EncodeResult = { answer: AnswerValue | undefined } | { problem: string };

/** What is known of a field and the workflow when an answer is sent. */
export type EncodeOptions = {
	choices: readonly Choice[];
	/** The time zone of the workflow, for times that do not state their own zone. */
	zone: string;
	/** Whether a field with choices takes an answer that is none of them. */
	allowOther: boolean;
};

/** An answer to a field of unknown kind, or to one that takes text. */
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

/** The service takes whole numbers alone; JavaScript has rounded those beyond 2^53. */
function encodeNumber(value: number): EncodeResult {
	if (!Number.isFinite(value)) return { problem: 'must be a number' };
	if (Number.isSafeInteger(value)) return { answer: value };
	if (!Number.isInteger(value)) return { answer: String(value) };
	return { problem: 'has too many digits to be sent exactly. Enter it as text, in quotes' };
}

function joinEntries(entries: readonly EncodeResult[]): EncodeResult {
	const given: AnswerValue[] = [];
	for (const entry of entries) {
		if ('problem' in entry) return entry;
		if (entry.answer !== undefined) given.push(entry.answer);
	}
	return { answer: given.length > 1 ? given.join(', ') : given.at(0) };
}

/** A date or time. A local one is of the workflow's zone and is sent with its offset, or as a day in a date field. */
export function encodeTime(value: unknown, zone: string, kind: 'date' | 'dateTime'): EncodeResult {
	const time = parseTimeMs(value, zone);
	if (time === undefined) return { problem: 'must be a date, such as 2027-01-31' };
	if (!isLocalTime(value)) return encodeAny(value);
	const local = DateTime.fromMillis(time, { zone });
	// the editor gives a day as its midnight
	const isDay = kind === 'date' && +local.startOf('day') === time;
	return { answer: isDay ? local.toISODate()! : local.toISO()! };
}

/**
 * The choices as the service has them: a choice can be given by its name or its value. A text is split at
 * commas into several choices if each part is a choice; a list is not split further.
 */
export function encodeChoices(
	value: unknown,
	{ choices, allowOther }: EncodeOptions,
	taken: 'one' | 'several',
): EncodeResult {
	if (choices.length === 0) return encodeAny(value);
	const isSplit = taken === 'several' && typeof value === 'string';
	const given = (isSplit && splitChoices(value, choices)) || [value].flat();
	const found = given.map((one) => findChoice(one, choices)?.value);
	const isKnown = allowOther || !found.includes(undefined);
	if (isKnown && (taken === 'several' || given.length === 1)) {
		return joinEntries(given.map((one, index) => encodeAny(found[index] ?? one)));
	}
	const offered = formatNames(choices.map(({ name }) => name));
	return { problem: `must be one ${taken === 'one' ? '' : 'or more '}of ${offered}` };
}
