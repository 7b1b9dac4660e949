import { isEmpty } from 'lodash';
import type { AnswerValue } from '../../api/answers/encode';
import { findField, type AnswerableField } from '../../api/answers/fields';
import { encodeAnswer, isBlank } from '../../api/answers/fieldKinds';
import { formatNames } from '../../api/spelling';
import { truncateText } from '../../api/errorTexts';
import { isRecord } from '../../api/records';
import {
	createCombinedParameterError,
	readSelectedOption,
	readJsonObject,
	readSwitch,
	type ParameterContext,
} from '../../parameters/parameterContext';
import { INPUT_MODES } from '../../parameters/sharedProperties';

/** The names of parameters, as errors speak of them. */
export const ALLOW_MISSING = 'Allow Missing Answers';
export const ALLOW_OTHER = 'Allow "Other" Answers';
export const ANSWERS_MODE = 'Specify Answers';

/** The answers of an item as the parameters give them. */
export type UncheckedAnswers = {
	/** How they are given: by the names in the input item, field by field, or as JSON. */
	mode: 'auto' | 'fields' | 'json';
	/** By any name of the field. */
	values: Record<string, unknown>;
	/** Whether a field with choices takes other answers. */
	allowsOther: boolean;
	/** Whether a required field may have no answer. */
	allowsMissing: boolean;
};

/** The answers of an item as they are sent. */
export type EncodedAnswers = {
	/** By the ID of the field (specification, section 4, rule 2). */
	data: Record<string, AnswerValue>;
	/** By the label of the field, as far as it is known. */
	byLabel: Record<string, AnswerValue>;
	/** With Map Automatically: the input fields that are not used. */
	ignored: string[];
};

/** @throws NodeOperationError if the parameter cannot be understood */
export function readUncheckedAnswers(input: ParameterContext): UncheckedAnswers {
	const mode = readSelectedOption(input, 'inputMode', ANSWERS_MODE, INPUT_MODES);
	const allowsMissing = readSwitch(input, 'options.allowMissingAnswers', ALLOW_MISSING, false);
	return {
		mode,
		values: readValues(input, mode),
		allowsOther: readSwitch(input, 'options.allowOtherChoices', ALLOW_OTHER, false),
		// JSON may leave out any field
		allowsMissing: allowsMissing || mode === 'json',
	};
}

function readValues(
	input: ParameterContext,
	mode: UncheckedAnswers['mode'],
): Record<string, unknown> {
	if (mode === 'auto') return input.item.json;
	if (mode === 'json') return readJsonObject(input, 'answersJson', 'Answers (JSON)');
	// n8n's own conversion of 'fields.value' would turn empty text into the number 0
	const mapper = input.parameter('fields', {});
	return isRecord(mapper) && isRecord(mapper.value) ? mapper.value : {};
}

/**
 * Reads the answers of an item and checks each against its field.
 *
 * @throws NodeOperationError that names everything that is missing or cannot be sent
 */
export function encodeAnswers(
	input: ParameterContext,
	{ mode, values, allowsOther, allowsMissing }: UncheckedAnswers,
	fields: readonly AnswerableField[],
): EncodedAnswers {
	const problems: string[] = [];
	const ignored: string[] = [];
	const given = new Map<AnswerableField, unknown>();
	for (const [name, value] of Object.entries(values)) {
		const field = findField(name, fields);
		if (field !== undefined) {
			if (isBlank(value)) continue;
			if (given.has(field)) problems.push(`"${field.title}" has two answers.`);
			given.set(field, value);
		} else if (mode === 'auto') ignored.push(name);
		// a mapped field without an answer may be gone
		else if (mode === 'json' || !isBlank(value)) {
			problems.push(`"${truncateText(name)}" is not a field of this form.`);
		}
	}
	const answers: EncodedAnswers = { data: {}, byLabel: {}, ignored };
	for (const field of fields) {
		const options = { zone: input.zone, allowOther: allowsOther };
		const encoded = encodeAnswer(given.get(field), field, options);
		if ('problem' in encoded) problems.push(`"${field.title}" ${encoded.problem}.`);
		else if (encoded.answer !== undefined) {
			answers.data[field.uuid] = encoded.answer;
			answers.byLabel[field.title] = encoded.answer;
		} else if (field.isRequired && !allowsMissing) {
			problems.push(`"${field.title}" is required, unless '${ALLOW_MISSING}' is on.`);
		}
	}
	if (isEmpty(answers.data) && problems.length === 0) {
		problems.push('There is no answer to send.');
	}
	if (problems.length === 0) return answers;
	const help = `The form's fields are ${formatNames(fields.map(({ title }) => title))}.`;
	throw createCombinedParameterError(input, problems, "answers can't be sent", help);
}
