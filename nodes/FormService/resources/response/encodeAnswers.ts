import { compact, groupBy, isEmpty } from 'lodash';
import type { EncodedValue, EncodeResult } from '../../answers/encode';
import type { AnswerableField } from '../../answers/fields';
import { encodeAnswer } from '../../answers/fieldKinds';
import { truncateText } from '../../api/errorTexts';
import { formatNames } from '../../api/text';
import { findErrorValue, isBlank } from '../../api/values';
import {
	createCombinedParameterError,
	type ParameterContext,
} from '../../parameters/parameterContext';
import { assignFields, type GivenAnswer, type GivenAnswers } from './givenAnswers';

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
	const encoded = encodeFields(answers.filter(isGiven), given, fields, input.zone);
	const { data, byTitle, missing } = encoded;
	const problems = compact([
		problem,
		...wrong.map(({ name }) => `"${truncateText(name)}" is not a field of this form.`),
		...encoded.problems,
		missing.length > 0 && describeMissing(missing, given.mode),
	]);
	const isNothing = isEmpty(data) && problems.length === 0;
	if (isNothing) problems.push('There is no answer to send.');
	if (problems.length === 0) return { data, byTitle, ignored };
	const lacksAnswer = isNothing || missing.length > 0;
	const help = compact([
		lacksAnswer && ignored.length > 0 && `Columns that match no field: ${formatNames(ignored)}.`,
		(isNothing || wrong.length > 0) && listFields(fields),
		missing.length > 0 && "To leave required fields out, turn on 'Allow Missing Answers'.",
		encoded.hasOther && `To send other answers than the choices, turn on 'Allow "Other" Answers'.`,
	]);
	throw createCombinedParameterError(input, problems, "answers can't be sent", help.join(' '));
}

/** Encodes the answers to all fields. `missing` has the titles of required fields without an answer. */
function encodeFields(
	answers: readonly GivenAnswer[],
	{ allowsOther, allowsMissing }: GivenAnswers,
	fields: readonly AnswerableField[],
	zone: string,
) {
	const data: EncodedAnswers['data'] = {};
	const byTitle: EncodedAnswers['byTitle'] = {};
	const problems: string[] = [];
	const missing: string[] = [];
	let hasOther = false;
	const byUuid = groupBy(answers, ({ field }) => field?.uuid);
	for (const field of fields) {
		const { title, uuid, isRequired } = field;
		const encoded = encodeGiven(byUuid[uuid] ?? [], field, { zone, allowOther: allowsOther });
		if ('problem' in encoded) {
			problems.push(`"${title}" ${encoded.problem}.`);
			hasOther ||= encoded.isOther === true;
		} else if (encoded.answer !== undefined) {
			data[uuid] = encoded.answer;
			byTitle[title] = encoded.answer;
		} else if (isRequired && !allowsMissing) missing.push(title);
	}
	return { data, byTitle, problems, missing, hasOther };
}

/** Encodes what was given for one field. Two answers, or an error value, are a problem. */
function encodeGiven(
	[answer, otherAnswer]: readonly GivenAnswer[],
	field: AnswerableField,
	options: { zone: string; allowOther: boolean },
): EncodeResult {
	if (answer === undefined) return { answer: undefined };
	if (otherAnswer !== undefined) {
		return { problem: `has two answers, in "${answer.name}" and "${otherAnswer.name}"` };
	}
	const errorValue = findErrorValueIn(answer.value, field);
	if (errorValue !== undefined) return { problem: `has the error value ${errorValue}` };
	return encodeAnswer(answer.value, field, options);
}

/** Finds an error value in an answer, also in one of several choices: `A, #REF!`. */
function findErrorValueIn(value: unknown, { kind }: AnswerableField): string | undefined {
	if (kind !== 'multipleChoice') return findErrorValue(value);
	const split = (entry: unknown) => (typeof entry === 'string' ? entry.split(',') : entry);
	return findErrorValue([value].flat().flatMap(split));
}

/** Describes all required fields without an answer: `"Name" and "Email" are required.` */
function describeMissing(titles: readonly string[], mode: GivenAnswers['mode']): string {
	const list = formatNames(titles.map((title) => `"${title}"`));
	const verb = titles.length === 1 ? 'is' : 'are';
	if (mode !== 'auto') return `${list} ${verb} required.`;
	return `No column has an answer to ${list}, which ${verb} required.`;
}

function listFields(fields: readonly AnswerableField[]): string {
	if (fields.length === 0) return 'The form has no fields that take an answer.';
	return `The form's fields are ${formatNames(fields.map(({ title }) => title))}.`;
}
