import { DateTime } from 'luxon';
import { shortened } from '../errors';
import { readBoolean, readNumber, readTime } from '../readers';
import { isRecord } from '../records';
import { isWebUrl } from '../url';
import { choicesByName, findChoice, splitChoices } from './fields';
import type { Choice, InputField } from './fields';

/** What the service takes as the answer to a field (specification, section 4, rule 2). */
export type AnswerValue = string | number;

/**
 * An answer as it is sent; undefined for no answer. The problem is the rest of a sentence that begins with
 * the name of the field.
 */
type Encoded = { answer: AnswerValue | undefined } | { problem: string };

/** What an answer is checked against. Without the field, any answer is accepted. */
type Expected = {
	field?: Pick<InputField, 'kind' | 'choices'>;
	/** Whether a choice field takes an answer that is none of its choices. */
	allowOther?: boolean;
};

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
	if (Array.isArray(value) && value.length === 0) return NO_ANSWER;
	if (typeof value === 'string' && value.trim() === '') {
		return field?.kind === 'file' ? NO_ANSWER : { answer: value };
	}
	const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
	switch (field?.kind) {
		case 'boolean': {
			const answer = readBoolean(single);
			const problem = `must be true or false (got ${quoted(single)})`;
			return answer === undefined ? { problem } : { answer: Number(answer) };
		}
		case 'date': {
			const isDate = readTime(single, 'utc') !== undefined;
			return checked(single, isDate, 'must be a date, such as 2027-01-31');
		}
		case 'file': {
			// simplified output gives a file as `{name, url}`
			const address = isRecord(single) ? single.url : single;
			const problem = 'must be the http or https URL of an already uploaded file';
			return isWebUrl(address) ? { answer: address } : { problem };
		}
		case 'number': {
			const isNumber = typeof single === 'bigint' || readNumber(single) !== undefined;
			return checked(single, isNumber, 'must be a number');
		}
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
		return joined(entries);
	}
	const date = value instanceof Date ? DateTime.fromJSDate(value, { zone: 'utc' }) : value;
	if (!DateTime.isDateTime(date)) {
		return { problem: 'must be text, a number, a date or a list, not an object' };
	}
	const text = date.toISO();
	return text === null ? { problem: 'is not a valid date' } : { answer: text };
}

function encodeNumber(value: number): Encoded {
	if (!Number.isFinite(value)) return { problem: `must be a number (got ${value})` };
	if (Number.isSafeInteger(value)) return { answer: value };
	if (Number.isInteger(value)) {
		return {
			problem: 'has too many digits to be sent exactly as a number. Enter it as text, in quotes',
		};
	}
	const decimal = value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 });
	return { answer: Number(decimal) === value ? decimal : String(value) };
}

function joined(entries: readonly Encoded[]): Encoded {
	const texts: string[] = [];
	for (const entry of entries) {
		if ('problem' in entry) return entry;
		if (entry.answer !== undefined) texts.push(String(entry.answer));
	}
	return texts.length === 0 ? NO_ANSWER : { answer: texts.join(', ') };
}

/** An answer that is encoded like any other, if the field takes it. */
function checked(value: unknown, isTaken: boolean, problem: string): Encoded {
	const encoded = encodeAny(value);
	const isWrong = 'answer' in encoded && encoded.answer !== undefined && !isTaken;
	return isWrong ? { problem: `${problem} (got ${quoted(value)})` } : encoded;
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
