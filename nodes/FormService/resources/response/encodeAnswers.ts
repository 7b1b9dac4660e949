import { compact, isEmpty } from 'lodash';
import type { EncodedValue } from '../../answers/encode';
import type { AnswerableField } from '../../answers/fields';
import { encodeAnswer } from '../../answers/fieldKinds';
import { findErrorValue, isBlank } from '../../api/values';
import { truncateText } from '../../api/errorTexts';
import { formatNames } from '../../api/text';
import {
	createCombinedParameterError,
	type ParameterContext,
} from '../../parameters/parameterContext';
import { assignFields, type GivenAnswer, type GivenAnswers } from './givenAnswers';

export const ALLOW_MISSING_DISPLAY_NAME = 'Allow Missing Answers';

export const ALLOW_OTHER_DISPLAY_NAME = 'Allow "Other" Answers';

/** The encoded answers of an item, ready to be sent. */
export type EncodedAnswers = {
	/** The answers for the request, by the UUID of their field (specification, section 4, rule 2). */
	data: Record<string, EncodedValue>;
	/** The answers for the output, by the title of their field. */
	byTitle: Record<string, EncodedValue>;
	/** With Map Automatically, the names of input fields that match no field of the form. */
	ignored: string[];
};

/**
 * Encodes the answers of an item, and checks each answer against its field.
 *
 * @throws InputError that lists all problems and all missing answers
 */
export function encodeAnswers(
	input: ParameterContext,
	given: GivenAnswers,
	fields: readonly AnswerableField[],
): EncodedAnswers {
	const { answers, problem } = assignFields(given, fields);
	const isGiven = ({ value }: GivenAnswer) =>
		!isBlank(value) && !(input.isTool && value === 'null');
	const unknown = answers.filter(({ field }) => field === undefined);
	// the mapper can still have a deleted field, which is no problem if it is empty
	const wrong = { auto: [], fields: unknown.filter(isGiven), json: unknown }[given.mode];
	const ignored = given.mode === 'auto' ? unknown.map(({ name }) => name) : [];
	const { values, problems } = collectValues(answers.filter(isGiven), given.mode);
	const encoded = encodeValues(values, given, fields, input.zone);
	const missing = given.allowsMissing ? [] : encoded.missing;
	const allProblems = compact([
		problem,
		...wrong.map(({ name }) => `"${truncateText(name)}" is not a field of this form.`),
		...problems,
		...encoded.problems,
		missing.length > 0 && describeMissing(missing, given.mode),
	]);
	const isNothing = isEmpty(encoded.data) && allProblems.length === 0;
	if (isNothing) allProblems.push('There is no answer to send.');
	if (allProblems.length === 0) {
		return { data: encoded.data, byTitle: encoded.byTitle, ignored };
	}
	const lacksAnswer = isNothing || missing.length > 0;
	const help = compact([
		lacksAnswer && ignored.length > 0 && `Columns that match no field: ${formatNames(ignored)}.`,
		(isNothing || wrong.length > 0) && listFields(fields),
		missing.length > 0 && `To leave required fields out, turn on '${ALLOW_MISSING_DISPLAY_NAME}'.`,
		encoded.hasOther &&
			`To send other answers than the choices, turn on '${ALLOW_OTHER_DISPLAY_NAME}'.`,
	]);
	throw createCombinedParameterError(input, allProblems, "answers can't be sent", help.join(' '));
}

/** Collects the answers by their fields. A field with two answers, or an error value, is a problem. */
function collectValues(answers: readonly GivenAnswer[], mode: GivenAnswers['mode']) {
	const values = new Map<AnswerableField, unknown>();
	const names = new Map<AnswerableField, string>();
	const problems: string[] = [];
	for (const { name, value, field } of answers) {
		if (field === undefined) continue;
		const subject = mode === 'auto' ? `Column "${truncateText(name)}"` : `"${field.title}"`;
		const errorValue = findErrorValueIn(value, field);
		if (errorValue !== undefined) problems.push(`${subject} has the error value ${errorValue}.`);
		const otherName = names.get(field);
		if (otherName !== undefined) {
			problems.push(`"${field.title}" has two answers, in "${otherName}" and "${name}".`);
		}
		names.set(field, name);
		values.set(field, value);
	}
	return { values, problems };
}

/** Finds an error value in an answer, also in one of several choices: `A, #REF!`. */
function findErrorValueIn(value: unknown, { kind }: AnswerableField): string | undefined {
	if (kind !== 'multipleChoice') return findErrorValue(value);
	const split = (entry: unknown) => (typeof entry === 'string' ? entry.split(',') : entry);
	return findErrorValue([value].flat().flatMap(split));
}

/** Encodes the answers to all fields. `missing` has the required fields without an answer. */
function encodeValues(
	values: ReadonlyMap<AnswerableField, unknown>,
	{ allowsOther }: GivenAnswers,
	fields: readonly AnswerableField[],
	zone: string,
) {
	const data: EncodedAnswers['data'] = {};
	const byTitle: EncodedAnswers['byTitle'] = {};
	const problems: string[] = [];
	const missing: AnswerableField[] = [];
	let hasOther = false;
	for (const field of fields) {
		const value = values.get(field);
		// `collectValues` has reported an error value
		if (findErrorValueIn(value, field) !== undefined) continue;
		const encoded = encodeAnswer(value, field, { zone, allowOther: allowsOther });
		if ('problem' in encoded) {
			problems.push(`"${field.title}" ${encoded.problem}.`);
			hasOther ||= encoded.isOther === true;
		} else if (encoded.answer !== undefined) {
			data[field.uuid] = encoded.answer;
			byTitle[field.title] = encoded.answer;
		} else if (field.isRequired) missing.push(field);
	}
	return { data, byTitle, problems, missing, hasOther };
}

/** Describes all required fields without an answer: `"Name" and "Email" are required.` */
function describeMissing(missing: readonly AnswerableField[], mode: GivenAnswers['mode']): string {
	const titles = missing.map(({ title }) => `"${truncateText(title)}"`);
	const list = compact([titles.slice(0, -1).join(', '), titles.at(-1)]).join(' and ');
	const verb = missing.length === 1 ? 'is' : 'are';
	return mode === 'auto'
		? `No column has an answer to ${list}, which ${verb} required.`
		: `${list} ${verb} required.`;
}

function listFields(fields: readonly AnswerableField[]): string {
	if (fields.length === 0) return 'The form has no fields that take an answer.';
	return `The form's fields are ${formatNames(fields.map(({ title }) => title))}.`;
}
