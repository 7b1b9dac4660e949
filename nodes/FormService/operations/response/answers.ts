import { encodeAnswers } from '../../api/answers/encode';
import type { AnswerValue, GivenAnswer } from '../../api/answers/encode';
import { identityOf, isRecord, isUuid } from '../../api/records';
import type { IDataObject } from 'n8n-workflow';
import type { Input } from '../../parameters/input';
import { invalidAll, readChoice, readJsonObject } from '../../parameters/input';

/** The answers that an item brings, as they are sent. */
export type ReadAnswers = {
	/** By the UUID of the field. */
	answers: Record<string, AnswerValue>;
	/** Keys that may be those of fields or not: only the fields of the form can tell. */
	unsure: string[];
};

/** What is said of several problems in one item. */
const COUNTED = "answers can't be sent";

/** The name of the parameter that says how the answers are given. */
export const ANSWERS_MODE = 'Specify Answers';

/**
 * Reads the answers of an item, from the resource mapper or from JSON.
 *
 * @throws NodeOperationError that names every answer that is missing or cannot be sent
 */
export function readAnswers(input: Input): ReadAnswers {
	const isJson = readChoice(input, 'inputMode', ANSWERS_MODE, ['fields', 'json']) === 'json';
	return isJson ? fromJson(input) : fromMapper(input);
}

/**
 * What is wrong with keys of which only the fields of the form can tell whether they are its own.
 *
 * @returns sentences
 */
export function problemsOf(unsure: readonly string[], fields: readonly IDataObject[]): string[] {
	const known = new Set(fields.map(identityOf));
	return fields.length === 0
		? []
		: unsure
				.filter((key) => !known.has(key))
				.map((key) => `"${key}" is not the UUID of a field of this form.`);
}

function withUnsure(answers: ReadAnswers['answers'], known: readonly string[] = []): ReadAnswers {
	const isSure = (key: string) => isUuid(key) || known.includes(key);
	return { answers, unsure: Object.keys(answers).filter((key) => !isSure(key)) };
}

function fromJson(input: Input): ReadAnswers {
	const given = Object.entries(readJsonObject(input, 'answersJson', 'Answers (JSON)'));
	if (given.length === 1 && given[0][0] === 'data' && isRecord(given[0][1])) {
		throw invalidAll(input, ['Enter \'Answers (JSON)\' without "data" around them.']);
	}
	const { answers, problems } = encodeAnswers(
		given.map(([uuid, value]) => ({ uuid, name: uuid, value })),
	);
	if (problems.length > 0) throw invalidAll(input, problems, COUNTED);
	if (Object.keys(answers).length === 0) {
		throw invalidAll(input, ["'Answers (JSON)' must have an answer to at least one field."]);
	}
	return withUnsure(answers);
}

/**
 * A field of the form, as the resource mapper remembers it from editor/getFormFields. Workflows that
 * were built without the editor, or with an earlier version, may have only a part of it.
 */
type MappedField = {
	id: string;
	/** By which errors speak of the field. */
	label: string;
	/** The names of an item's keys that are mapped to the field, the most certain first. */
	keys: string[];
	required: boolean;
	isFile: boolean;
};

/** The mapper's value is read as a whole: n8n's own conversion would turn empty text into the number 0. */
function fromMapper(input: Input): ReadAnswers {
	const mapper = input.parameter<unknown>('fields', {});
	const { mappingMode, value, schema } = isRecord(mapper) ? mapper : {};
	const isAutomatic = mappingMode === 'autoMapInputData';
	const fields = readSchema(schema);
	const given = isAutomatic
		? fromItem(input.item.json, fields)
		: fromValue(isRecord(value) ? value : {}, fields);

	const { answers, problems } = encodeAnswers(given);
	const missing = fields
		.filter(({ id, required }) => required && isEmpty(given.find(({ uuid }) => uuid === id)?.value))
		.map(({ label }) => `"${label}" is required.`);
	if (problems.length + missing.length > 0) {
		throw invalidAll(input, [...problems, ...missing], COUNTED);
	}
	if (Object.keys(answers).length === 0) {
		throw invalidAll(input, [
			isAutomatic
				? 'No key of the input item is the name, the custom key or the UUID of a field of the form.'
				: "'Fields' must have an answer to at least one field.",
		]);
	}
	return withUnsure(
		answers,
		fields.map(({ id }) => id),
	);
}

function readSchema(schema: unknown): MappedField[] {
	return (Array.isArray(schema) ? (schema as unknown[]) : [])
		.filter(isRecord)
		.flatMap(({ id, displayName, label = displayName, customKey, required, type, removed }) => {
			if (typeof id !== 'string' || removed === true) return [];
			const name = typeof label === 'string' ? label.trim() : id;
			const keys = typeof customKey === 'string' ? [id, customKey.trim(), name] : [id, name];
			return { id, label: name, keys, required: required === true, isFile: type === 'url' };
		});
}

function fromValue(value: Record<string, unknown>, fields: readonly MappedField[]): GivenAnswer[] {
	return Object.entries(value).map(([uuid, answer]) => {
		const field = fields.find(({ id }) => id === uuid);
		return { uuid, name: field?.label ?? uuid, value: answer, isFile: field?.isFile };
	});
}

/**
 * Keys of the item that are the UUID, the custom key or the label of a field; all others are none of
 * the form's. A workflow that was never opened in the editor knows no labels: there, a UUID says enough.
 */
function fromItem(json: Record<string, unknown>, fields: readonly MappedField[]): GivenAnswer[] {
	if (fields.length === 0) {
		return Object.entries(json)
			.filter(([key]) => isUuid(key))
			.map(([key, value]) => ({ uuid: key, name: key, value }));
	}
	const names = new Map(Object.keys(json).map((name) => [name.trim(), name]));
	// what is the UUID or the custom key of one field is not taken for the label of another
	const reserved = new Set(fields.flatMap(({ keys }) => keys.slice(0, -1)));
	return fields.flatMap(({ id, label, keys, isFile }) => {
		const own = keys.filter((key, index) => index < keys.length - 1 || !reserved.has(key));
		const key = own.map((wanted) => names.get(wanted)).find((name) => name !== undefined);
		return key === undefined ? [] : [{ uuid: id, name: label, value: json[key], isFile }];
	});
}

/** Whether a value leaves a required field without an answer: nothing, blanks, or a list of these. */
function isEmpty(value: unknown): boolean {
	if (Array.isArray(value)) return value.every(isEmpty);
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}
