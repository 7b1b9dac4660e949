import { DateTime } from 'luxon';
import { isId, isRecord, isUuid } from '../records';
import { isWebUrl } from '../files/links';

/** What the service takes as the answer to a field (specification, section 4, rule 2). */
export type AnswerValue = string | number;

/** One answer as a person or an expression gave it. */
export type GivenAnswer = {
	/** The UUID of the field. */
	uuid: string;
	/** The name by which an error speaks of the field. */
	name: string;
	value: unknown;
	/** A file field takes only the address of a file (specification, section 4, rule 3). */
	isFile?: boolean;
};

export type EncodedAnswers = {
	/** What to send, by field UUID. */
	answers: Record<string, AnswerValue>;
	/** All that is wrong, in sentences; the answers are to be sent only when this is empty. */
	problems: string[];
};

type Encoded = { answer?: AnswerValue } | { problem: string };

/** Between the entries of a list, such as the choices of a multiple choice field. */
const LIST_SEPARATOR = ', ';

/**
 * Turns the answers to add as a response into the text and integers that the service takes.
 *
 * - Text and whole numbers stay as they are; other numbers become text (`2.5`).
 * - `true` is 1 and `false` is 0, as section 4, rule 5, has them.
 * - Dates become ISO 8601 text.
 * - The entries of a list are joined with a comma and a space.
 * - `null`, `undefined` and an empty list are no answer and are left out.
 */
export function encodeAnswers(given: readonly GivenAnswer[]): EncodedAnswers {
	const answers: Array<[string, AnswerValue]> = [];
	const problems: string[] = [];
	// where one field of a form has a UUID, all of them do
	const isKey = given.some(({ uuid }) => isUuid(uuid)) ? isUuid : isId;
	for (const { uuid, name, value, isFile } of given) {
		if (!isKey(uuid) || uuid in Object.prototype || uuid === 'prototype') {
			problems.push(`"${name}" is not the UUID of a field.`);
			continue;
		}
		const encoded = isFile === true ? encodeFile(value) : encode(value);
		if ('problem' in encoded) problems.push(`"${name}" ${encoded.problem}.`);
		else if (encoded.answer !== undefined) answers.push([uuid, encoded.answer]);
	}
	return { answers: Object.fromEntries(answers), problems };
}

function encode(value: unknown): Encoded {
	if (value === undefined || value === null) return {};
	if (typeof value === 'string') return { answer: value };
	if (typeof value === 'boolean') return { answer: value ? 1 : 0 };
	if (typeof value === 'number') return encodeNumber(value);
	if (typeof value === 'bigint') return { answer: value.toString() };
	if (Array.isArray(value)) return encodeList(value);
	return (
		encodeDate(value) ?? {
			problem: 'must be text, a number, a date or a list, not an object',
		}
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
		Array.isArray(entry) ? { problem: 'must not have a list inside a list' } : encode(entry),
	);
	const problem = entries.find((entry) => 'problem' in entry);
	if (problem !== undefined) return problem;
	const parts = entries.flatMap((entry) =>
		'answer' in entry && entry.answer !== undefined ? [String(entry.answer)] : [],
	);
	return parts.length === 0 ? {} : { answer: parts.join(LIST_SEPARATOR) };
}

/** Also from `{name, url}`, as simplified output gives a file, and from a list of just one. */
function encodeFile(value: unknown): Encoded {
	if (value === undefined || value === null || value === '') return {};
	const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
	const address = isRecord(single) ? single.url : single;
	return isWebUrl(address)
		? { answer: address }
		: {
				problem: 'must be an http(s) URL of an already uploaded file',
			};
}
