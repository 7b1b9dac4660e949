import type { IDataObject } from 'n8n-workflow';
import { findFieldBySpelling, type AnswerableField } from '../../answers/fields';
import { matchAnswers } from '../../answers/matchAnswers';
import { isRecord } from '../../api/records';
import { RESERVED_COLUMNS } from '../../answers/attributes';
import { normalizeText } from '../../api/text';
import {
	readBoolean,
	readJsonObject,
	readSelectedOption,
	type ParameterContext,
	INPUT_MODES,
} from '../../parameters/parameterContext';

/** The answers of an item as the user gives them. */
export type GivenAnswers = {
	mode: keyof typeof INPUT_MODES;
	/** The answers by a UUID, custom key, title or label of their field. */
	values: Record<string, unknown>;
	/** The names that the mapper shows for its fields, by UUID. */
	mapperNames: ReadonlyMap<string, string>;
	/** Whether a choice field accepts other answers. */
	allowsOther: boolean;
	/** Whether required fields may have no answer. */
	allowsMissing: boolean;
};

/** An answer and the field that it answers. `name` is the column or the key where the user gives it. */
export type GivenAnswer = { name: string; value: unknown; field?: AnswerableField };

/** Reads the answers of an item from the parameters, without checking them. */
export function readGivenAnswers(input: ParameterContext): GivenAnswers {
	const options = {
		mode: readSelectedOption(input, 'inputMode', INPUT_MODES, 'fields'),
		allowsOther: readBoolean(input, 'options.allowOtherChoices', false),
		allowsMissing: readBoolean(input, 'options.allowMissingAnswers', false),
		mapperNames: new Map<string, string>(),
	};
	if (options.mode === 'auto') return { ...options, values: input.item.json };
	if (options.mode === 'json') return { ...options, values: readJsonObject(input, 'answersJson') };
	// read 'fields', because n8n converts an empty string in 'fields.value' to the number 0
	const mapper = input.parameter('fields', {});
	const { value, schema } = isRecord(mapper) ? mapper : {};
	const shown = Array.isArray(schema) ? (schema as unknown[]).filter(isRecord) : [];
	const names = shown.map(({ id, displayName }) => [String(id), String(displayName)] as const);
	return { ...options, values: isRecord(value) ? value : {}, mapperNames: new Map(names) };
}

/**
 * Finds the field of each answer. An answer without a field has a name that users know. `problem` describes
 * answers that cannot be read.
 */
export function assignFields(
	{ mode, values, mapperNames }: GivenAnswers,
	fields: readonly AnswerableField[],
): { answers: GivenAnswer[]; problem?: string } {
	if (mode === 'auto') return assignColumns(values as IDataObject, fields);
	const answers = Object.entries(values).map(([name, value]) => {
		const field = findFieldBySpelling(name, fields);
		return { name: mapperNames.get(name) ?? name, value, field };
	});
	return { answers };
}

/**
 * Finds the answers in an input item. An item with an object or a list in `answers` or `responses` is a response,
 * for example from Get Many or the trigger. Only these are its answers, and not its number or its time.
 */
function assignColumns(
	json: IDataObject,
	fields: readonly AnswerableField[],
): { answers: GivenAnswer[]; problem?: string } {
	const container = ['answers', 'responses'].find(
		(name) => typeof json[name] === 'object' && json[name] !== null,
	);
	if (container === undefined) {
		const columns = Object.entries(json);
		return {
			answers: columns.map(([name, value]) => ({ name, value, field: findColumn(name, fields) })),
		};
	}
	const { answers: matched, problem } = matchAnswers({ responses: json[container] }, fields);
	const answers = matched.map(({ label, value, field }) => {
		// all fields that were given take an answer
		return { name: label, value, field: field as AnswerableField | undefined };
	});
	const attributes = Object.entries(json).filter(([name]) => name !== container);
	return {
		answers: [...answers, ...attributes.map(([name, value]) => ({ name, value }))],
		problem,
	};
}

const reservedColumns = new Set(RESERVED_COLUMNS.map(normalizeText));

/** Finds the field of a column, first by the name that One Column per Field gives it. */
function findColumn(name: string, fields: readonly AnswerableField[]): AnswerableField | undefined {
	if (reservedColumns.has(normalizeText(name))) return undefined;
	return fields.find(({ answerKey }) => answerKey === name) ?? findFieldBySpelling(name, fields);
}
