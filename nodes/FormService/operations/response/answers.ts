import { mapKeys } from 'lodash';
import { encodeAnswer, isNothing } from '../../api/answers/kinds';
import type { AnswerValue } from '../../api/answers/encode';
import { findFields } from '../../api/answers/fields';
import type { InputField, NamedField } from '../../api/answers/fields';

import { shortened } from '../../api/errors';
import { isId, isRecord, isUuid } from '../../api/records';
import type { Input } from '../../parameters/input';
import { invalid, invalidAll, readChoice, readJsonObject } from '../../parameters/input';
import { storedFields } from './storedFields';

/** The rest of a message that begins with the number of problems. */
export const COUNTED = "answers can't be sent";

/** The name of the parameter that says how the answers are given. */
export const ANSWERS_MODE = 'Specify Answers';

/** The answers of an item as the parameters give them. */
export type GivenAnswers = {
	/** How they are given: field by field, by the names in the input item, or as JSON. */
	mode: 'automatic' | 'fields' | 'json';
	/** By the UUID, or in the other modes by any name of the field. */
	values: Record<string, unknown>;
	/** The fields of the form, if the resource mapper has stored them. */
	fields?: InputField[];
};

/** The answers of an item as they are sent. */
export type Answers = {
	/** By the ID of the field (specification, section 4, rule 2). */
	data: Record<string, AnswerValue>;
	/** By the label of the field, as far as it is known. */
	byLabel: Record<string, AnswerValue>;
	/** The input fields that no answer was taken from. */
	ignored: string[];
};

/** @throws NodeOperationError if the parameter cannot be understood */
export function readGiven(input: Input, formId: string): GivenAnswers {
	const isJson = readChoice(input, 'inputMode', ANSWERS_MODE, ['fields', 'json']) === 'json';
	if (isJson) return { mode: 'json', values: readJson(input) };
	// n8n's own conversion of 'fields.value' would turn empty text into the number 0
	const mapper = input.parameter<unknown>('fields', {});
	const { mappingMode, value, schema } = isRecord(mapper) ? mapper : {};
	const fields = storedFields(schema, formId);
	if (mappingMode === 'autoMapInputData') {
		return { mode: 'automatic', values: input.item.json, fields };
	}
	const idOfKey = new Map(fields?.map(({ key, id }) => [key, id]));
	const values = mapKeys(isRecord(value) ? value : {}, (_, key) => idOfKey.get(key) ?? key);
	return { mode: 'fields', values, fields };
}

function readJson(input: Input): Record<string, unknown> {
	const values = readJsonObject(input, 'answersJson', 'Answers (JSON)');
	const isWrapped = Object.keys(values).length === 1 && isRecord(values.data);
	if (isWrapped) throw invalid(input, 'Enter \'Answers (JSON)\' without "data" around the answers');
	return values;
}

/**
 * Whether the answers can't be read without the fields of the form, which cost a request. The stored fields
 * are not enough for an answer that is none of the stored choices, because the form may offer it by now.
 */
export function needFields(given: GivenAnswers, allowOther: boolean, zone: string): boolean {
	const { mode, values, fields } = given;
	if (fields === undefined) return mode === 'automatic' || !Object.keys(values).every(isUuid);
	return byField(given, fields).answers.some(
		({ field, value }) =>
			(field?.choices ?? []).length > 0 &&
			'problem' in encodeAnswer(value, field, { zone, allowOther }),
	);
}

/**
 * Reads the answers of an item and checks each against its field.
 *
 * @param fields the fields of the form; undefined if they are not known, then each key must be an ID
 * @param allowOther whether a choice field takes an answer that is none of its choices
 * @throws NodeOperationError that names everything that is missing or cannot be sent
 */
export function readAnswers(
	input: Input,
	given: GivenAnswers,
	fields: readonly InputField[] | undefined,
	allowOther: boolean,
): Answers {
	const areKnown = fields !== undefined && fields.length > 0;
	const { answers, problems, ignored } = areKnown ? byField(given, fields) : byId(given);
	const missing = given.mode === 'json' ? [] : missingIn(answers, fields ?? [], given);
	const ofNames = [...problems, ...missing];
	const ofValues: string[] = [];
	const sent: Array<{ id: string; title: string; answer: AnswerValue }> = [];
	for (const { id, title, field, value } of answers) {
		const encoded = encodeAnswer(value, field, { zone: input.zone, allowOther });
		if ('problem' in encoded) ofValues.push(`"${title}" ${encoded.problem}.`);
		else if (encoded.answer !== undefined) sent.push({ id, title, answer: encoded.answer });
	}
	if (ofNames.length + ofValues.length + sent.length === 0) ofNames.push(noAnswer(given, answers));
	if (ofNames.length + ofValues.length === 0) {
		return {
			data: Object.fromEntries(sent.map(({ id, answer }) => [id, answer])),
			byLabel: Object.fromEntries(sent.map(({ title, answer }) => [title, answer])),
			ignored,
		};
	}
	const help = ofNames.length > 0 ? namesIn(given, fields ?? []) : [];
	throw invalidAll(input, [...ofNames, ...ofValues], COUNTED, help);
}

/** An answer and where it belongs. */
type NamedAnswer = { id: string; title: string; field?: InputField; value: unknown };

type Named = { answers: NamedAnswer[]; problems: string[]; ignored: string[] };

/** The answers by the IDs in the input, where the fields of the form are not known. */
function byId({ mode, values }: GivenAnswers): Named {
	const names = Object.keys(values);
	// where one field of a form has a UUID, all of them do
	const isKey = names.some(isUuid) ? isUuid : isId;
	const others = names.filter((name) => !isKey(name) || name in Object.prototype);
	const isAutomatic = mode === 'automatic';
	return {
		answers: names
			.filter((name) => !others.includes(name))
			.map((id) => ({ id, title: id, value: values[id] })),
		problems: isAutomatic
			? []
			: others.map((name) => `${inQuotes(name)} is not the UUID of a field.`),
		ignored: isAutomatic ? others : [],
	};
}

/** The answer of each field of the form that has one in the input, in the form's order. */
function byField({ mode, values }: GivenAnswers, fields: readonly InputField[]): Named {
	const isAutomatic = mode === 'automatic';
	const named = findFields(Object.keys(values), fields);
	const answers: NamedAnswer[] = [];
	const problems: string[] = [];
	const ignored = new Set(Object.keys(values));
	for (const field of fields) {
		const own = named.filter((one) => one.field === field).map(({ name }) => name);
		const filled = own.filter((name) => !isNothing(values[name]));
		const taken = filled.at(0) ?? own.at(0);
		if (taken === undefined) continue;
		answers.push({ ...field, field, value: values[taken] });
		ignored.delete(taken);
		if (filled.length < 2) continue;
		const places = filled.map(inQuotes).join(' and ');
		problems.push(`"${field.title}" has an answer in ${places}. Keep one of them.`);
	}
	for (const one of named) {
		const isShared = one.sharedBy.length > 0;
		if (isShared && !isNothing(values[one.name])) problems.push(sharedProblem(one));
	}
	const unknown = named.filter(
		({ field, sharedBy }) => field === undefined && sharedBy.length === 0,
	);
	if (!isAutomatic) {
		problems.push(...unknown.map(({ name }) => `${inQuotes(name)} is not a field of this form.`));
	}
	return { answers, problems, ignored: isAutomatic ? [...ignored] : [] };
}

/** What to do about a label that several fields have. */
export function sharedProblem({ name, sharedBy }: NamedField): string {
	const numbered = sharedBy.slice(1).map(({ title }) => inQuotes(title));
	return `"${name}" is the name of ${sharedBy.length} fields. Use the UUID of the field, or ${numbered.join(', ')} for a later field.`;
}

function inQuotes(text: string): string {
	return `"${shortened(text)}"`;
}

/** The required fields without an answer: nothing, blanks, or a list of these. */
function missingIn(
	answers: readonly NamedAnswer[],
	fields: readonly InputField[],
	{ mode }: GivenAnswers,
): string[] {
	return fields
		.filter(({ isRequired }) => isRequired)
		.flatMap(({ id, title }) => {
			const own = answers.find((answer) => answer.id === id);
			if (own !== undefined && !isNothing(own.value)) return [];
			const isAbsent = own === undefined && mode === 'automatic';
			return [`"${title}" is required${isAbsent ? ', but no input field matches it' : ''}.`];
		});
}

function noAnswer({ mode }: GivenAnswers, answers: readonly NamedAnswer[]): string {
	if (mode === 'json') return "'Answers (JSON)' must have an answer to at least one field.";
	if (mode === 'fields') return "'Answers' must have an answer to at least one field.";
	return answers.length === 0
		? 'No input field matches a field of the form.'
		: 'All input fields that match a field of the form are empty.';
}

/** What the input has and what the form has, where a problem may come from a name. */
function namesIn({ mode, values }: GivenAnswers, fields: readonly InputField[]): string[] {
	if (mode === 'fields' || fields.length === 0) return [];
	const found = findFields(Object.keys(values), fields).map(({ field }) => field);
	const others = fields.filter((field) => !found.includes(field));
	const without =
		others.length === 0 ? [] : [`Form fields without an input field: ${titlesOf(others)}.`];
	return [`Input fields: ${listed(Object.keys(values))}.`, ...without];
}

export function titlesOf(fields: readonly InputField[]): string {
	return listed(fields.map(({ title }) => title));
}

/** The most names that an error lists. */
const MAX_LISTED = 50;

function listed(names: readonly string[]): string {
	if (names.length === 0) return 'none';
	const shown = names.slice(0, MAX_LISTED).map((name) => shortened(name));
	const rest = names.length - shown.length;
	return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
