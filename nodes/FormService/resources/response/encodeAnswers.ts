import { compact, isEmpty } from 'lodash';
import type { EncodedValue } from '../../answers/encode';
import { findFieldBySpelling, type AnswerableField } from '../../answers/fields';
import { encodeAnswer, isBlank } from '../../answers/fieldKinds';
import { formatNames } from '../../api/spelling';
import { truncateText } from '../../api/errorTexts';
import { findErrorValue } from '../../api/errorValues';
import { isRecord } from '../../api/records';
import {
	createCombinedParameterError,
	readSelectedOption,
	readJsonObject,
	readBoolean,
	type ParameterContext,
} from '../../parameters/parameterContext';
import { INPUT_MODES } from '../../parameters/sharedProperties';

export const ALLOW_MISSING_DISPLAY_NAME = 'Allow Missing Answers';

export const ALLOW_OTHER_DISPLAY_NAME = 'Allow "Other" Answers';

/** The answers of an item before the node looks for their fields. */
export type UncheckedAnswers = {
	/**
	 * How the user specifies the answers:
	 *
	 * - `auto`: the attributes of the input item are matched with the fields by name
	 * - `fields`: the user fills in each field
	 * - `json`: the user enters JSON
	 */
	mode: 'auto' | 'fields' | 'json';
	/**
	 * The answers. The key of an answer is a UUID, custom key, title or label of its field: `{ email:
	 * "ada@example.com" }`.
	 */
	values: Record<string, unknown>;
	/** Whether the node accepts an answer that is not a choice of its field. */
	allowsOther: boolean;
	/** Whether the node accepts a response without an answer to a required field. */
	allowsMissing: boolean;
};

/** The encoded answers of an item, ready to be sent. */
export type EncodedAnswers = {
	/** The answers for the request, by the UUID of their field (specification, section 4, rule 2). */
	data: Record<string, EncodedValue>;
	/** The answers for the output, by the title of their field. */
	byTitle: Record<string, EncodedValue>;
	/** With Map Automatically, the names of input fields that match no field. Empty in other modes. */
	ignored: string[];
};

/**
 * Reads the answers of an item from the parameters, without checking them.
 *
 * @throws NodeOperationError if a parameter is invalid
 */
export function readUncheckedAnswers(input: ParameterContext): UncheckedAnswers {
	const mode = readSelectedOption(input, 'inputMode', INPUT_MODES, 'fields');
	return {
		mode,
		values: readValues(input, mode),
		allowsOther: readBoolean(input, 'options.allowOtherChoices', false),
		allowsMissing: readBoolean(input, 'options.allowMissingAnswers', false),
	};
}

function readValues(
	input: ParameterContext,
	mode: UncheckedAnswers['mode'],
): Record<string, unknown> {
	if (mode === 'auto') return input.item.json;
	if (mode === 'json') return readJsonObject(input, 'answersJson');
	// read 'fields', because n8n converts an empty string in 'fields.value' to the number 0
	const mapper = input.parameter('fields', {});
	return isRecord(mapper) && isRecord(mapper.value) ? mapper.value : {};
}

/**
 * Encodes the answers of an item, and checks each answer against its field.
 *
 * @throws NodeOperationError that lists all problems and all missing answers
 */
export function encodeAnswers(
	input: ParameterContext,
	unchecked: UncheckedAnswers,
	fields: readonly AnswerableField[],
): EncodedAnswers {
	const matched = matchValues(unchecked, fields, input.isTool);
	const { answers, ...found } = encodeValues(matched.values, unchecked, fields, input.zone);
	const missing = unchecked.allowsMissing ? [] : found.missing;
	const problems = compact([
		...matched.problems,
		...found.problems,
		missing.length > 0 && describeMissing(missing, unchecked.mode),
	]);
	const isNothing = isEmpty(answers.data) && problems.length === 0;
	if (isNothing) problems.push('There is no answer to send.');
	if (problems.length === 0) return { ...answers, ignored: matched.ignored };
	const ignored = formatNames(matched.ignored);
	const titles = formatNames(fields.map(({ title }) => title));
	const help = compact([
		(isNothing || missing.length > 0) &&
			ignored !== '' &&
			`Columns that match no field: ${ignored}.`,
		(isNothing || matched.hasUnknownName) &&
			(titles === ''
				? 'The form has no fields that take an answer.'
				: `The form's fields are ${titles}.`),
		missing.length > 0 && `To leave required fields out, turn on '${ALLOW_MISSING_DISPLAY_NAME}'.`,
		found.hasOther &&
			`To send other answers than the choices, turn on '${ALLOW_OTHER_DISPLAY_NAME}'.`,
	]);
	throw createCombinedParameterError(input, problems, "answers can't be sent", help.join(' '));
}

type MatchedValues = {
	values: ReadonlyMap<AnswerableField, unknown>;
	/** With Map Automatically, the names of input fields that match no field. Empty in other modes. */
	ignored: string[];
	problems: string[];
	hasUnknownName: boolean;
};

/**
 * Finds the field of each value. If a model provided the values, the string "null" means that there is no
 * answer.
 */
function matchValues(
	{ mode, values: uncheckedValues }: UncheckedAnswers,
	fields: readonly AnswerableField[],
	fromModel: boolean,
): MatchedValues {
	const values = new Map<AnswerableField, unknown>();
	const names = new Map<AnswerableField, string>();
	const [ignored, problems]: [string[], string[]] = [[], []];
	let hasUnknownName = false;
	for (const [name, value] of Object.entries(uncheckedValues)) {
		const field = findFieldBySpelling(name, fields);
		const isNothing = isBlank(value) || (fromModel && value === 'null');
		if (field === undefined) {
			if (mode === 'auto') ignored.push(name);
			// the mapper can still have a deleted field; if the user left the field empty, there is no problem
			else if (mode === 'json' || !isNothing) {
				problems.push(`"${truncateText(name)}" is not a field of this form.`);
				hasUnknownName = true;
			}
			continue;
		}
		if (isNothing) continue;
		const [subject, otherName] = [nameSource(field, name, mode), names.get(field)];
		const errorValue = findErrorValue(splitSegments(value, field));
		if (errorValue !== undefined) problems.push(`${subject} has the error value ${errorValue}.`);
		if (otherName !== undefined) {
			problems.push(`"${field.title}" has two answers, in "${otherName}" and "${name}".`);
		}
		names.set(field, name);
		// do not report a second problem for an error value
		values.set(field, errorValue === undefined ? value : ERROR_VALUE);
	}
	return { values, ignored, problems, hasUnknownName };
}

/** Stands for an answer whose problem is already reported. */
const ERROR_VALUE = Symbol('error value');

/**
 * Splits the answer to a multiple choice at commas, to find error values: `"A, #REF!"` → `["A", " #REF!"]`.
 * Returns answers to other fields unchanged.
 */
function splitSegments(value: unknown, { kind }: AnswerableField): unknown {
	if (kind !== 'multipleChoice') return value;
	const split = (entry: unknown) => (typeof entry === 'string' ? entry.split(',') : entry);
	return [value].flat().flatMap(split);
}

function nameSource({ title }: AnswerableField, name: string, mode: UncheckedAnswers['mode']) {
	return mode === 'auto' ? `Column "${truncateText(name)}"` : `"${title}"`;
}

/** Encodes the answers to all fields. `missing` has the required fields without an answer. */
function encodeValues(
	values: ReadonlyMap<AnswerableField, unknown>,
	{ allowsOther }: UncheckedAnswers,
	fields: readonly AnswerableField[],
	zone: string,
) {
	const answers: Pick<EncodedAnswers, 'data' | 'byTitle'> = { data: {}, byTitle: {} };
	const problems: string[] = [];
	const missing: AnswerableField[] = [];
	let hasOther = false;
	for (const field of fields) {
		const value = values.get(field);
		if (value === ERROR_VALUE) continue;
		const encoded = encodeAnswer(value, field, { zone, allowOther: allowsOther });
		if ('problem' in encoded) {
			problems.push(`"${field.title}" ${encoded.problem}.`);
			hasOther ||= encoded.isOther === true;
		} else if (encoded.answer !== undefined) {
			answers.data[field.uuid] = encoded.answer;
			answers.byTitle[field.title] = encoded.answer;
		} else if (field.isRequired) missing.push(field);
	}
	return { answers, problems, missing, hasOther };
}

/** Describes all required fields without an answer: `"Name" and "Email" are required.` */
function describeMissing(
	missing: readonly AnswerableField[],
	mode: UncheckedAnswers['mode'],
): string {
	const titles = missing.map(({ title }) => `"${truncateText(title)}"`);
	const list = [titles.slice(0, -1).join(', '), titles.at(-1)].filter(Boolean).join(' and ');
	const verb = missing.length === 1 ? 'is' : 'are';
	return mode === 'auto'
		? `No column has an answer to ${list}, which ${verb} required.`
		: `${list} ${verb} required.`;
}
