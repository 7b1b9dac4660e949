import { difference, isEmpty } from 'lodash';
import type { AnswerValue } from '../../api/answers/encode';
import { findField } from '../../api/answers/fields';
import type { InputField } from '../../api/answers/fields';
import { encodeAnswer, isNothing } from '../../api/answers/kinds';
import { shortenText } from '../../api/errors';
import { isRecord } from '../../api/records';
import type { Input } from '../../parameters/input';
import { invalid, invalidAll, readChoice, readJsonObject } from '../../parameters/input';
import { INPUT_MODES } from '../../parameters/properties';
import { listIgnored } from '../../execution/operation';

/** The rest of a message that begins with the number of problems. */
export const COUNTED = "answers can't be sent";

export const ALLOW_MISSING = 'Allow Missing Answers';

const MISSING_ADVICE = `To add a response without an answer to a required field, turn on '${ALLOW_MISSING}'.`;

const NO_ANSWER = 'There is no answer to send. Give an answer to at least one field.';

/** The name of the parameter that says how the answers are given. */
export const ANSWERS_MODE = 'Specify Answers';

/** The answers of an item as the parameters give them. */
export type GivenAnswers = {
	/** How they are given: by the names in the input item, field by field, or as JSON. */
	mode: 'auto' | 'fields' | 'json';
	/** By any name of the field. */
	values: Record<string, unknown>;
};

/** What an answer may be in spite of its field. */
export type Allowed = {
	/** An answer that is none of the choices. */
	other: boolean;
	/** No answer to a required field. */
	missing: boolean;
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
	if (mode === 'auto') return { mode, values: input.item.json };
	if (mode === 'json') return { mode, values: readJsonAnswers(input) };
	// n8n's own conversion of 'fields.value' would turn empty text into the number 0
	const mapper = input.parameter('fields', {});
	return { mode, values: isRecord(mapper) && isRecord(mapper.value) ? mapper.value : {} };
}

function readJsonAnswers(input: Input): Record<string, unknown> {
	const values = readJsonObject(input, 'answersJson', 'Answers (JSON)');
	if (Object.values(values).every(isNothing)) throw invalidAll(input, [NO_ANSWER], COUNTED);
	if (Object.keys(values).join() !== 'data' || !isRecord(values.data)) return values;
	throw invalid(input, 'Enter \'Answers (JSON)\' without "data" around the answers');
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
	allowed: Allowed,
): Answers {
	const found = findAnswers(given, fields);
	const unanswered = allowed.missing ? [] : findUnanswered(found.answers, fields, given);
	const problems = [...found.problems, ...unanswered];
	const help = problems.length > 0 ? listNames(given, fields) : [];
	if (unanswered.length > 0) help.push(MISSING_ADVICE);
	const ignored = listIgnored(input, found.unused);
	const answers: Answers = { data: {}, byLabel: {}, ignored };
	for (const { field, value } of found.answers) {
		const encoded = encodeAnswer(value, field, { zone: input.zone, allowOther: allowed.other });
		if ('problem' in encoded) problems.push(`"${field.title}" ${encoded.problem}.`);
		else if (encoded.answer !== undefined) {
			answers.data[field.uuid] = encoded.answer;
			answers.byLabel[field.title] = encoded.answer;
		}
	}
	if (problems.length > 0) throw invalidAll(input, problems, COUNTED, help);
	if (!isEmpty(answers.data)) return answers;
	const nothing = 'No input field with a value matches a field of the form.';
	throw invalidAll(
		input,
		[given.mode === 'auto' ? nothing : NO_ANSWER],
		COUNTED,
		listNames(given, fields),
	);
}

type FoundAnswers = {
	answers: Array<{ field: InputField; value: unknown }>;
	/** What is wrong with the names, in sentences. */
	problems: string[];
	/** With Map Automatically: the names that no answer was taken from. */
	unused: string[];
};

/** The answer of each field of the form that has one in the input, in the form's order. */
function findAnswers({ mode, values }: GivenAnswers, fields: readonly InputField[]): FoundAnswers {
	const named = Object.keys(values).map((name) => ({ name, field: findField(name, fields) }));
	const answers: FoundAnswers['answers'] = [];
	const problems: string[] = [];
	const unused = new Set(Object.keys(values));
	for (const field of fields) {
		const names = named.filter((one) => one.field === field).map(({ name }) => name);
		const filled = names.filter((name) => !isNothing(values[name]));
		const taken = filled.at(0) ?? names.at(0);
		if (taken === undefined) continue;
		answers.push({ field, value: values[taken] });
		unused.delete(taken);
		if (filled.length < 2) continue;
		const places = filled.map(quote).join(' and ');
		problems.push(`"${field.title}" has an answer in ${places}. Keep one of them.`);
	}
	for (const one of named) {
		const isGiven = !isNothing(values[one.name]);
		if (one.field === undefined && (mode === 'json' || (mode === 'fields' && isGiven))) {
			problems.push(explainUnknownName(one.name, mode));
		}
	}
	return { answers, problems, unused: mode === 'auto' ? [...unused] : [] };
}

function explainUnknownName(name: string, mode: GivenAnswers['mode']): string {
	if (mode !== 'fields') return `${quote(name)} is not a field of this form.`;
	return 'An answer is for a field that the form no longer has. Refresh the list of fields in the node.';
}

function quote(text: string): string {
	return `"${shortenText(text)}"`;
}

/** The required fields without an answer: nothing, blanks, or a list of these. */
function findUnanswered(
	answers: FoundAnswers['answers'],
	fields: readonly InputField[],
	{ mode }: GivenAnswers,
): string[] {
	const required = mode === 'json' ? [] : fields.filter(({ isRequired }) => isRequired);
	const answered = answers.filter(({ value }) => !isNothing(value)).map(({ field }) => field);
	return difference(required, answered).map(({ title }) => `"${title}" is required.`);
}

/** The names that the item and the form have, where a problem may come from a name. */
function listNames({ mode, values }: GivenAnswers, fields: readonly InputField[]): string[] {
	if (mode === 'fields') return [];
	const names = Object.keys(values);
	const given = mode === 'auto' ? [`Input fields: ${joinNames(names)}.`] : [];
	const answered = names.map((name) => findField(name, fields));
	const others = fields.filter((field) => !answered.includes(field));
	return [...given, `Form fields without an answer: ${listTitles(others)}.`];
}

export function listTitles(fields: readonly InputField[]): string {
	return joinNames(fields.map(({ title }) => title));
}

/** The most characters of names that an error lists. */
const MAX_LISTED = 1_000;

function joinNames(names: readonly string[]): string {
	return names.length === 0 ? 'none' : shortenText(names.join(', '), MAX_LISTED);
}
