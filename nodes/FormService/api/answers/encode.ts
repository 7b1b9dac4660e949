import { DateTime } from 'luxon';
import { shortened } from '../errors';
import { isWebUrl } from '../files/links';
import { readBoolean, readNumber, readTime } from '../readers';
import { isRecord } from '../records';
import { choicesByName, findChoice, splitChoices } from './choices';
import type { Choice, InputField } from './inputFields';

/** What the service takes as the answer to a field (specification, section 4, rule 2). */
export type AnswerValue = string | number;

/**
 * An answer as it is sent; undefined for no answer. The problem is the rest of a sentence that begins with
 * the name of the field.
 */
export type Encoded = { answer: AnswerValue | undefined } | { problem: string };

/** What an answer is checked against: nothing where the field is not known. */
export type Expected = {
	field?: Pick<InputField, 'kind' | 'choices'>;
	/** Whether a choice field takes an answer that is none of its choices. */
	allowOther?: boolean;
};

/** Between the entries of a list, such as the choices of a multiple choice field. */
const LIST_SEPARATOR = ', ';

const NO_ANSWER = { answer: undefined } as const;

/**
 * Turns an answer into the text or integer that the service takes, and checks it against its field.
 *
 * - Text and whole numbers stay as they are; other numbers become text (`2.5`).
 * - `true` is 1 and `false` is 0 (specification, section 4, rule 5).
 * - Dates become ISO 8601 text.
 * - The entries of a list are joined with a comma and a space.
 * - `null`, `undefined` and an empty list are no answer. Blank text is sent as it is.
 */
export function encodeAnswer(value: unknown, { field, allowOther }: Expected = {}): Encoded {
	if (value === undefined || value === null) return NO_ANSWER;
	if (typeof value === 'string' && value.trim() === '') {
		return field?.kind === 'file' ? NO_ANSWER : { answer: value };
	}
	if (Array.isArray(value) && value.length === 0) return NO_ANSWER;
	const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
	switch (field?.kind) {
		case 'boolean':
			return encodeBoolean(single);
		case 'date':
			return checked(single, isDate, 'must be a date, such as 2027-01-31');
		case 'file':
			return encodeFile(single);
		case 'number':
			return checked(single, isNumber, 'must be a number');
		case 'multipleChoice':
		case 'singleChoice':
			return field.choices.length === 0
				? encodeAny(value)
				: encodeChoices(value, field, allowOther === true);
		default:
			return encodeAny(value);
	}
}

function encodeAny(value: unknown): Encoded {
	if (value === undefined || value === null) return NO_ANSWER;
	if (typeof value === 'string') return { answer: value };
	if (typeof value === 'boolean') return { answer: value ? 1 : 0 };
	if (typeof value === 'number') return encodeNumber(value);
	if (typeof value === 'bigint') return { answer: value.toString() };
	if (Array.isArray(value)) return encodeList(value);
	return (
		encodeDate(value) ?? { problem: 'must be text, a number, a date or a list, not an object' }
	);
}

function encodeNumber(value: number): Encoded {
	if (!Number.isFinite(value)) return { problem: `must be a number (got ${value})` };
	if (Number.isSafeInteger(value)) return { answer: value };
	if (Number.isInteger(value)) {
		return { problem: 'is a number with too many digits to be exact. Enter it as text, in quotes' };
	}
	const decimal = value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 });
	return { answer: Number(decimal) === value ? decimal : String(value) };
}

function encodeDate(value: unknown): Encoded | undefined {
	if (value instanceof Date) {
		return Number.isNaN(value.getTime())
			? { problem: 'is not a valid date' }
			: { answer: value.toISOString() };
	}
	if (!DateTime.isDateTime(value)) return undefined;
	const text = value.toISO();
	return text === null ? { problem: 'is not a valid date' } : { answer: text };
}

function encodeList(list: readonly unknown[]): Encoded {
	// also visits the gaps of a sparse list
	const entries = Array.from(list, (entry) =>
		Array.isArray(entry) ? { problem: 'must not have a list inside a list' } : encodeAny(entry),
	);
	return joined(entries);
}

function joined(entries: readonly Encoded[]): Encoded {
	const problem = entries.find((entry) => 'problem' in entry);
	if (problem !== undefined) return problem;
	const parts = entries.flatMap((entry) =>
		'answer' in entry && entry.answer !== undefined ? [String(entry.answer)] : [],
	);
	return parts.length === 0 ? NO_ANSWER : { answer: parts.join(LIST_SEPARATOR) };
}

/** An answer that is encoded like any other, if it is what the field takes. */
function checked(value: unknown, isIt: (value: unknown) => boolean, problem: string): Encoded {
	const encoded = encodeAny(value);
	const isWrong = 'answer' in encoded && encoded.answer !== undefined && !isIt(value);
	return isWrong ? { problem: `${problem} (got ${quoted(value)})` } : encoded;
}

function isNumber(value: unknown): boolean {
	return typeof value === 'bigint' || readNumber(value) !== undefined;
}

function isDate(value: unknown): boolean {
	return readTime(value, 'utc') !== undefined;
}

function encodeBoolean(value: unknown): Encoded {
	const answer = readBoolean(value);
	return answer === undefined
		? { problem: `must be true or false (got ${quoted(value)})` }
		: { answer: answer ? 1 : 0 };
}

/** Also from `{name, url}`, as simplified output gives a file. */
function encodeFile(value: unknown): Encoded {
	const address = isRecord(value) ? value.url : value;
	return isWebUrl(address)
		? { answer: address }
		: { problem: 'must be an http(s) URL of an already uploaded file' };
}

/** The choices as the service has them: a choice can be given by its name or its value. */
function encodeChoices(
	value: unknown,
	{ kind, choices }: Pick<InputField, 'kind' | 'choices'>,
	allowOther: boolean,
): Encoded {
	const isMultiple = kind === 'multipleChoice';
	const known = choicesByName(choices);
	const given = [value]
		.flat()
		.flatMap((one) => (isMultiple && typeof one === 'string' ? splitChoices(one, known) : [one]))
		.filter((one) => one !== null && one !== undefined);
	const others = given.filter((one) => findChoice(one, known) === undefined);
	const isTooMany = !isMultiple && given.length > 1;
	if (isTooMany || (others.length > 0 && !allowOther)) {
		const wanted = `must be ${isMultiple ? 'one or more' : 'one'} of ${listed(choices)}`;
		return { problem: `${wanted} (got ${(isTooMany ? given : others).map(quoted).join(', ')})` };
	}
	const answers = given.map((one) => {
		const choice = findChoice(one, known);
		return encodeAny(choice === undefined ? one : choice.value);
	});
	return answers.length === 1 ? answers[0] : joined(answers);
}

/** As many choices as an error names. */
const MAX_LISTED = 20;

function listed(choices: readonly Choice[]): string {
	const shown = choices.slice(0, MAX_LISTED).map(({ name }) => shortened(name));
	const rest = choices.length - shown.length;
	return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A value as an error shows it. */
function quoted(value: unknown): string {
	if (typeof value === 'string') return `"${shortened(value)}"`;
	if (Array.isArray(value)) return value.map(quoted).join(', ');
	return typeof value === 'object' ? 'an object' : String(value);
}
