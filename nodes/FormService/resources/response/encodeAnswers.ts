import { compact, groupBy, isEmpty, map, omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { encodeAnswer, type EncodedValue, type EncodeResult } from '../../answers/encode';
import {
	findField,
	matchAnswers,
	type FormField,
	type MatchedAnswer,
	type MatchedAnswers,
} from '../../answers/fields';
import { isRecord } from '../../api/records';
import { formatNames, truncateText } from '../../api/text';
import { findErrorValue, isBlank } from '../../api/values';
import {
	createCombinedParameterError,
	INPUT_MODES,
	isLeftOut,
	readBoolean,
	readJsonObject,
	readSelectedOption,
	type ParameterContext,
} from '../../parameters/parameterContext';

/** The answers of an item as the user gives them. */
type GivenAnswers = {
	mode: keyof typeof INPUT_MODES;
	/** The answers by a UUID, custom key, title or label of their field. */
	values: IDataObject;
	/** The names that the mapper shows for its fields, by UUID. */
	mapperNames: ReadonlyMap<string, string>;
	/** Whether a choice field accepts other answers. */
	allowsOther: boolean;
	/** Whether required fields may have no answer. */
	allowsMissing: boolean;
};

/** Reads the answers of an item from the parameters, without checking them. */
export function readGivenAnswers(input: ParameterContext): GivenAnswers {
	const options = {
		mode: readSelectedOption(input, 'inputMode', INPUT_MODES, 'fields'),
		allowsOther: readBoolean(input, 'options.allowOtherChoices', false),
		allowsMissing: readBoolean(input, 'options.allowMissingAnswers', false),
		mapperNames: new Map<string, string>(),
	};
	if (options.mode === 'auto') return { ...options, values: input.json };
	if (options.mode === 'json') return { ...options, values: readJsonObject(input, 'answersJson') };
	// read 'fields', because n8n converts an empty string in 'fields.value' to the number 0
	const mapper = input.parameter('fields', {});
	const { value, schema } = isRecord(mapper) ? mapper : {};
	const shown = Array.isArray(schema) ? (schema as unknown[]).filter(isRecord) : [];
	const names = shown.map(({ id, displayName }) => [String(id), String(displayName)] as const);
	return { ...options, values: isRecord(value) ? value : {}, mapperNames: new Map(names) };
}

type AssignedAnswers = Pick<MatchedAnswers, 'answers' | 'problem'>;

/** Finds the field of each answer. The label of an answer is the column, or the name in the editor or the JSON. */
export function assignFields(
	{ mode, values, mapperNames }: GivenAnswers,
	fields: readonly FormField[],
): AssignedAnswers {
	if (mode === 'auto') return assignColumns(values, fields);
	const answers = Object.entries(values).map(([name, value]) => {
		return { label: mapperNames.get(name) ?? name, value, field: findField(name, fields) };
	});
	return { answers };
}

/**
 * Finds the answers in an input item. An item with an object or a list in `answers` or `responses` is a response, for
 * example from Get Many or the trigger. Its other attributes, such as its number, are no answers.
 */
function assignColumns(json: IDataObject, fields: readonly FormField[]): AssignedAnswers {
	const container = ['answers', 'responses'].find(
		(name) => typeof json[name] === 'object' && json[name] !== null,
	);
	if (container === undefined) {
		const columns = Object.entries(json).map(([label, value]) => {
			return { label, value, field: findColumn(label, fields) };
		});
		return { answers: columns };
	}
	const { answers, problem } = matchAnswers({ responses: json[container] }, fields);
	const attributes = Object.entries(omit(json, container)).map(([label, value]) => {
		return { label, value };
	});
	return { answers: [...answers, ...attributes], problem };
}

/** Finds the field of a column, first by the name that One Column per Field gives it. */
function findColumn(name: string, fields: readonly FormField[]): FormField | undefined {
	return fields.find(({ answerKey }) => answerKey === name) ?? findField(name, fields);
}

/** The encoded answers of an item, ready to be sent. */
type EncodedAnswers = {
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
	fields: readonly FormField[],
): EncodedAnswers {
	const { answers, problem } = assignFields(given, fields);
	const givenAnswers = answers.filter(({ value }) => !isBlank(value) && !isLeftOut(input, value));
	const isAutomatic = given.mode === 'auto';
	const wrong = isAutomatic ? [] : givenAnswers.filter(({ field }) => field === undefined);
	const ignored = isAutomatic ? answers.filter(({ field }) => field === undefined) : [];
	const problems = compact([
		problem,
		...wrong.map(({ label }) => `"${truncateText(label)}" is not a field of this form.`),
	]);
	const data: EncodedAnswers['data'] = {};
	const byTitle: EncodedAnswers['byTitle'] = {};
	const byUuid = groupBy(givenAnswers, ({ field }) => field?.uuid);
	for (const field of fields) {
		const { title, uuid } = field;
		const encoded = encodeField(byUuid[uuid] ?? [], field, given, input.zone);
		if ('problem' in encoded) {
			problems.push(`"${title}" ${encoded.problem}.`);
		} else if (encoded.answer !== undefined) {
			data[uuid] = encoded.answer;
			byTitle[title] = encoded.answer;
		}
	}
	if (isEmpty(data) && problems.length === 0) problems.push('There is no answer to send.');
	if (problems.length === 0) return { data, byTitle, ignored: map(ignored, 'label') };
	const columns = `Columns that match no field: ${formatNames(map(ignored, 'label'))}.`;
	const titles = `The form's fields are ${formatNames(map(fields, 'title')) || 'none'}.`;
	const help = compact([
		ignored.length > 0 && columns,
		(wrong.length > 0 || isEmpty(data)) && titles,
	]);
	throw createCombinedParameterError(input, problems, "answers can't be sent", help.join(' '));
}

/** Encodes what was given for one field. Two answers, an error value or a missing answer are a problem. */
function encodeField(
	[answer, otherAnswer]: readonly MatchedAnswer[],
	field: FormField,
	{ allowsOther, allowsMissing }: GivenAnswers,
	zone: string,
): EncodeResult {
	if (otherAnswer !== undefined) {
		return { problem: `has two answers, in "${answer.label}" and "${otherAnswer.label}"` };
	}
	const errorValue = findErrorValue(answer?.value);
	if (errorValue !== undefined) return { problem: `has the error value ${errorValue}` };
	const encoded = encodeAnswer(answer?.value, field, { zone, allowOther: allowsOther });
	const hasNothing = 'answer' in encoded && encoded.answer === undefined;
	const isMissing = hasNothing && field.isRequired && !allowsMissing;
	return isMissing ? { problem: "needs an answer, unless 'Allow Missing Answers' is on" } : encoded;
}
