import { isEmpty } from 'lodash';
import type { AnswerValue } from '../../api/answers/encode';
import { findField } from '../../api/answers/fields';
import type { InputField } from '../../api/answers/fields';
import { encodeAnswer, isNothing } from '../../api/answers/kinds';
import { listNames } from '../../api/answers/names';
import { shortenText } from '../../api/errors';
import { isRecord } from '../../api/records';
import type { Input } from '../../parameters/input';
import { invalidAll, readChoice, readJsonObject, readSwitch } from '../../parameters/input';
import { INPUT_MODES } from '../../parameters/properties';

/** The rest of a message that begins with the number of problems. */
export const COUNTED = "answers can't be sent";

/** The names of parameters, as errors speak of them. */
export const ALLOW_MISSING = 'Allow Missing Answers';
export const ALLOW_OTHER = 'Allow "Other" Answers';
export const ANSWERS_MODE = 'Specify Answers';

const MISSING_ADVICE = `To add a response without an answer to a required field, turn on '${ALLOW_MISSING}'.`;

const NO_ANSWER = 'There is no answer to send. Give an answer to at least one field.';

/** The answers of an item as the parameters give them. */
export type GivenAnswers = {
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
export type Answers = {
	/** By the ID of the field (specification, section 4, rule 2). */
	data: Record<string, AnswerValue>;
	/** By the label of the field, as far as it is known. */
	byLabel: Record<string, AnswerValue>;
	/** With Map Automatically: the input fields that are not used. */
	ignored: string[];
};

/** @throws NodeOperationError if the parameter cannot be understood */
export function readGivenAnswers(input: Input): GivenAnswers {
	const mode = readChoice(input, 'inputMode', ANSWERS_MODE, INPUT_MODES);
	const allowsMissing = readSwitch(input, 'options.allowMissingAnswers', ALLOW_MISSING, false);
	return {
		mode,
		values: readValues(input, mode),
		allowsOther: readSwitch(input, 'options.allowOtherChoices', ALLOW_OTHER, false),
		// JSON may leave out any field
		allowsMissing: allowsMissing || mode === 'json',
	};
}

function readValues(input: Input, mode: GivenAnswers['mode']): Record<string, unknown> {
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
export function readAnswers(
	input: Input,
	given: GivenAnswers,
	fields: readonly InputField[],
): Answers {
	const { mode, values, allowsOther, allowsMissing } = given;
	const problems: string[] = [];
	const names = new Map<InputField, string>();
	const ignored: string[] = [];
	for (const [name, value] of Object.entries(values)) {
		const field = findField(name, fields);
		const isGiven = !isNothing(value);
		const taken = field && names.get(field);
		if (field === undefined && mode === 'auto') ignored.push(name);
		else if (field === undefined && (isGiven || mode === 'json')) {
			problems.push(explainUnknownName(name, mode));
		} else if (taken !== undefined && isGiven) {
			problems.push(
				`"${field!.title}" has an answer in ${quote(taken)} and ${quote(name)}. Keep one of them.`,
			);
		} else if (field !== undefined && isGiven) names.set(field, name);
	}
	const answers: Answers = { data: {}, byLabel: {}, ignored };
	const missing: string[] = [];
	for (const field of fields) {
		const name = names.get(field);
		const value = name === undefined ? undefined : values[name];
		const encoded = encodeAnswer(value, field, { zone: input.zone, allowOther: allowsOther });
		if ('problem' in encoded) problems.push(`"${field.title}" ${encoded.problem}.`);
		else if (encoded.answer !== undefined) {
			answers.data[field.uuid] = encoded.answer;
			answers.byLabel[field.title] = encoded.answer;
		} else if (field.isRequired && !allowsMissing) missing.push(`"${field.title}" is required.`);
	}
	if (isEmpty(answers.data) && problems.length + missing.length === 0) {
		const nothing = 'No input field with a value matches a field of the form.';
		problems.push(mode === 'auto' ? nothing : NO_ANSWER);
	}
	const all = [...problems, ...missing];
	if (all.length === 0) return answers;
	const help = mode === 'fields' ? [] : listUnmatched(given, fields);
	if (missing.length > 0) help.push(MISSING_ADVICE);
	throw invalidAll(input, all, COUNTED, help);
}

function explainUnknownName(name: string, mode: GivenAnswers['mode']): string {
	if (mode === 'json') return `${quote(name)} is not a field of this form.`;
	return 'An answer is for a field that the form no longer has. Refresh the list of fields in the node.';
}

function quote(text: string): string {
	return `"${shortenText(text)}"`;
}

/** The names that the item and the form have, where a problem may come from a name. */
function listUnmatched({ mode, values }: GivenAnswers, fields: readonly InputField[]): string[] {
	const names = Object.keys(values);
	const matched = new Set(names.map((name) => findField(name, fields)));
	const titles = fields.filter((field) => !matched.has(field)).map(({ title }) => title);
	const given = mode === 'auto' ? [`Input fields: ${listNames(names) || 'none'}.`] : [];
	return [...given, `Form fields without an answer: ${listNames(titles) || 'none'}.`];
}
