import { partition } from 'lodash';
import { DateTime } from 'luxon';
import { shortenText } from '../errors';
import { isLocalTime, readTime } from '../readers';
import { findChoices, indexChoices, splitChoices } from './choices';
import type { Choice } from './choices';
import { simplifySpelling } from './names';

/** What the service takes as the answer to a field (specification, section 4, rule 2). */
export type AnswerValue = string | number;

/**
 * An answer as it is sent; undefined for no answer. The problem is the rest of a sentence that begins with
 * the name of the field. It says what the field takes, never what was answered: errors are stored.
 */
export type Encoded = { answer: AnswerValue | undefined } | { problem: string };

/** What is known of a field and the workflow when an answer is sent, read or compared. */
export type Rules = {
	choices: readonly Choice[];
	/** The time zone of the workflow, for times that do not state their own zone. */
	zone: string;
	/** Whether a field with choices takes an answer that is none of them. */
	allowOther: boolean;
};

export const NO_ANSWER = { answer: undefined } as const;

/** An answer to a field of unknown kind, or to one that takes text. */
export function encodeAny(value: unknown): Encoded {
	if (value === undefined || value === null) return NO_ANSWER;
	if (typeof value === 'string') return { answer: value };
	if (typeof value === 'boolean') return { answer: Number(value) };
	if (typeof value === 'number') return encodeNumber(value);
	if (typeof value === 'bigint') return { answer: value.toString() };
	if (Array.isArray(value)) {
		// also visits the gaps of a sparse list
		const entries = Array.from(value, (entry) =>
			Array.isArray(entry)
				? { problem: 'must not contain a list inside a list' }
				: encodeAny(entry),
		);
		return joinEntries(entries);
	}
	const date = value instanceof Date ? DateTime.fromJSDate(value, { zone: 'utc' }) : value;
	if (!DateTime.isDateTime(date)) {
		return { problem: 'must be text, a number, a date or a list, not an object' };
	}
	const text = date.toISO();
	return text === null ? { problem: 'is not a valid date' } : { answer: text };
}

function encodeNumber(value: number): Encoded {
	if (!Number.isFinite(value)) return { problem: 'must be a number' };
	if (Number.isSafeInteger(value)) return { answer: value };
	if (!Number.isInteger(value)) return { answer: writeDecimal(value) };
	return {
		problem: 'has too many digits to be sent exactly as a number. Enter it as text, in quotes',
	};
}

/** A number in digits, without an exponent if no digit is lost. */
export function writeDecimal(value: number): string {
	const decimal = value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 });
	return Number(decimal) === value ? decimal : String(value);
}

function joinEntries(entries: readonly Encoded[]): Encoded {
	const given: AnswerValue[] = [];
	for (const entry of entries) {
		if ('problem' in entry) return entry;
		if (entry.answer !== undefined) given.push(entry.answer);
	}
	return { answer: given.length > 1 ? given.join(', ') : given.at(0) };
}

/** A date or time. A local one is of the workflow's zone and is sent with its offset, or as a day in a date field. */
export function encodeTime(value: unknown, zone: string, kind: 'date' | 'dateTime'): Encoded {
	const time = readTime(value, zone);
	if (time === undefined) return { problem: 'must be a date, such as 2027-01-31' };
	if (!isLocalTime(value)) return encodeAny(value);
	const wallClock = DateTime.fromMillis(readTime(value, 'utc')!, { zone: 'utc' });
	// the editor gives a day as its midnight
	if (kind === 'date' && +wallClock.startOf('day') === +wallClock) {
		return { answer: wallClock.toISODate()! };
	}
	return { answer: DateTime.fromMillis(time, { zone }).toISO()! };
}

/**
 * The choices as the service has them: a choice can be given by its name or its value. A text is split at
 * commas into several choices if each part is a choice; a list is not split further.
 */
export function encodeChoices(
	value: unknown,
	{ choices, allowOther }: Rules,
	taken: 'one' | 'several',
): Encoded {
	if (choices.length === 0) return encodeAny(value);
	const known = indexChoices(choices);
	const isSplit = taken === 'several' && typeof value === 'string';
	const split = isSplit ? splitChoices(value, known) : undefined;
	const given = split?.ways ? split.entries : [value].flat();
	const found = given.map((one) => findChoices(one, known).at(0));
	const others = given.filter((_, index) => found[index] === undefined);
	if ((taken === 'one' && given.length > 1) || (!allowOther && others.length > 0)) {
		const count = taken === 'one' ? '' : 'or more ';
		return { problem: `must be one ${count}of ${listOffered(choices, others)}` };
	}
	return joinEntries(given.map((one, index) => encodeAny(found[index]?.value ?? one)));
}

/** As many choices as an error names. */
const MAX_LISTED = 20;

/** The choices, those first that differ from an answer in case, blanks, punctuation and accents alone. */
function listOffered(choices: readonly Choice[], answers: readonly unknown[]): string {
	const texts = answers.filter((answer) => typeof answer === 'string');
	const given = texts.flatMap((text) => [text, ...text.split(',')]).map(simplifySpelling);
	const [close, others] = partition(choices, ({ name, value }) =>
		[name, String(value)].map(simplifySpelling).some((one) => one !== '' && given.includes(one)),
	);
	const shown = [...close, ...others].slice(0, MAX_LISTED).map(({ name }) => shortenText(name));
	const rest = choices.length - shown.length;
	return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
