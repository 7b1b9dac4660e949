import { difference, isEmpty, mapKeys } from 'lodash';
import { z } from 'zod';
import type { AnswerValue } from '../../api/answers/encode';
import { findFields } from '../../api/answers/fields';
import type { InputField, NamedField } from '../../api/answers/fields';
import { encodeAnswer, FIELD_KINDS, isNothing } from '../../api/answers/kinds';
import { shortenText } from '../../api/errors';
import { isRecord, isUuid } from '../../api/records';
import type { Input } from '../../parameters/input';
import { invalid, invalidAll, readChoice, readJsonObject } from '../../parameters/input';
import { INPUT_MODES } from '../../parameters/properties';
import { listIgnored } from '../operation';

/** The rest of a message that begins with the number of problems. */
export const COUNTED = "answers can't be sent";

/** The name of the parameter that says how the answers are given. */
export const ANSWERS_MODE = 'Specify Answers';

/** The answers of an item as the parameters give them. */
export type GivenAnswers = {
	/** How they are given: by the names in the input item, field by field, or as JSON. */
	mode: 'auto' | 'fields' | 'json';
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
	/** With Map Automatically: the input fields that are not used. */
	ignored: string[];
};

/** @throws NodeOperationError if the parameter cannot be understood */
export function readGivenAnswers(input: Input, formId: string): GivenAnswers {
	const mode = readChoice(input, 'inputMode', ANSWERS_MODE, INPUT_MODES);
	if (mode === 'auto') return { mode, values: input.item.json };
	if (mode === 'json') return { mode, values: readJsonAnswers(input) };
	// n8n's own conversion of 'fields.value' would turn empty text into the number 0
	const mapper = input.parameter('fields', {});
	const { value, schema } = isRecord(mapper) ? mapper : {};
	const stored = parseStoredFields(schema, formId);
	const idOfKey = new Map(stored?.map(({ key, field }) => [key, field.id]));
	const values = mapKeys(isRecord(value) ? value : {}, (_, key) => idOfKey.get(key) ?? key);
	return { mode, values, fields: stored?.map(({ field }) => field) };
}

/** A field of the form as the resource mapper has stored it, see `editor/mapperFields`. */
const storedField = z.object({
	id: z.string(),
	uuid: z.string(),
	label: z.string(),
	sharedLabel: z.string().optional(),
	customKey: z.string().optional(),
	kind: z.enum(FIELD_KINDS),
	required: z.boolean(),
	removed: z.boolean().optional(),
	options: z
		.array(z.object({ name: z.coerce.string(), value: z.union([z.string(), z.number()]) }))
		.nullish(),
});

/**
 * The fields that the resource mapper has stored of a form, each with its key in the mapper's values;
 * undefined if it has stored none, or those of another form, for example when an expression chooses the
 * form, or if the workflow was built without the editor.
 */
function parseStoredFields(
	schema: unknown,
	formId: string,
): Array<{ key: string; field: InputField }> | undefined {
	const ofForm = storedField.extend({ formId: z.literal(formId) });
	const { data } = z.array(ofForm).nonempty().safeParse(schema);
	return data
		?.filter(({ removed }) => removed !== true)
		.map(({ id: key, uuid: id, label: title, required: isRequired, options, ...names }) => {
			return { key, field: { ...names, id, title, isRequired, choices: options ?? [] } };
		});
}

function readJsonAnswers(input: Input): Record<string, unknown> {
	const values = readJsonObject(input, 'answersJson', 'Answers (JSON)');
	if (Object.keys(values).join() !== 'data' || !isRecord(values.data)) return values;
	throw invalid(input, 'Enter \'Answers (JSON)\' without "data" around the answers');
}

/**
 * Whether the answers can't be read without the fields of the form, which cost a request. The stored fields
 * are not enough for an answer that is none of the stored choices, because the form may offer it by now.
 */
export function needsFields({ zone }: Input, given: GivenAnswers, allowOther: boolean): boolean {
	const { mode, values, fields } = given;
	if (fields === undefined) return mode === 'auto' || !Object.keys(values).every(isUuid);
	return findAnswers(given, fields).answers.some(
		({ field, value }) =>
			field.choices.length > 0 && 'problem' in encodeAnswer(value, field, { zone, allowOther }),
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
	const found = findAnswers(given, fields ?? Object.keys(given.values).map(toUnknownField));
	const problems = [...found.problems, ...findUnanswered(found.answers, fields ?? [], given)];
	const help = problems.length > 0 ? listNames(given, fields ?? []) : [];
	const answers: Answers = { data: {}, byLabel: {}, ignored: listIgnored(input, found.unused) };
	for (const { field, value } of found.answers) {
		const encoded = encodeAnswer(value, field, { zone: input.zone, allowOther });
		if ('problem' in encoded) problems.push(`"${field.title}" ${encoded.problem}.`);
		else if (encoded.answer !== undefined) {
			answers.data[field.id] = encoded.answer;
			answers.byLabel[field.title] = encoded.answer;
		}
	}
	if (problems.length > 0) throw invalidAll(input, problems, COUNTED, help);
	if (!isEmpty(answers.data)) return answers;
	const nothing =
		given.mode === 'auto'
			? 'No input field with a value matches a field of the form.'
			: 'There is no answer to send. Give an answer to at least one field.';
	throw invalidAll(input, [nothing], COUNTED, listNames(given, fields ?? []));
}

/** A field of which only the UUID is known. */
function toUnknownField(id: string): InputField {
	return { id, title: id, kind: 'text', isRequired: false, choices: [] };
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
	const named = findFields(Object.keys(values), fields);
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
		if (one.sharedBy.length > 0) {
			if (!isNothing(values[one.name])) problems.push(explainSharedLabel(one));
		} else if (one.field === undefined && mode !== 'auto') {
			problems.push(`${quote(one.name)} is not a field of this form.`);
		}
	}
	return { answers, problems, unused: mode === 'auto' ? [...unused] : [] };
}

/** What to do about a label that several fields have. */
export function explainSharedLabel({ name, sharedBy }: NamedField): string {
	const numbered = sharedBy.slice(1).map(({ title }) => quote(title));
	return `"${name}" is the name of ${sharedBy.length} fields. Use the UUID of the field, or ${numbered.join(', ')} for a later field.`;
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
	if (mode === 'fields' || fields.length === 0) return [];
	const names = Object.keys(values);
	const given = mode === 'auto' ? [`Input fields: ${joinNames(names)}.`] : [];
	const answered = findFields(names, fields).map(({ field }) => field);
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
