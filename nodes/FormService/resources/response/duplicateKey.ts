import type { INodeProperties } from 'n8n-workflow';
import { normalizeAnswer } from '../../api/answers/fieldKinds';
import { findField, type AnswerableField } from '../../api/answers/fields';
import {
	createParameterError,
	readTextList,
	type ParameterContext,
} from '../../parameters/parameterContext';
import type { EncodedAnswers } from './encodeAnswers';

/** By what Skip Duplicates By recognizes a response: its answers to the key fields. */

const SKIP_DUPLICATES = 'Skip Duplicates By';

export const skipDuplicatesProperty: INodeProperties = {
	displayName: SKIP_DUPLICATES,
	name: 'skipIfExists',
	type: 'multiOptions',
	default: [],
	description:
		'Skip an item if a complete response, or an earlier item of the run, has the same answers to all these fields. Uses one more request per form and run. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	typeOptions: { loadOptionsMethod: 'getFieldOptions', loadOptionsDependsOn: ['formId.value'] },
};

/**
 * Reads the names of the key fields; none if every item is added.
 *
 * @throws NodeOperationError if the option can't be understood
 */
export function readKeyFieldNames(input: ParameterContext): string[] {
	const name = 'options.skipIfExists';
	// an expression without a result leaves the option there without a value
	if (input.parameter(name, false) === false) return [];
	const names = readTextList(input, name, SKIP_DUPLICATES);
	if (names.length > 0) return names;
	throw createParameterError(input, `'${SKIP_DUPLICATES}' names no field`, CHOOSE_FIELDS);
}

/**
 * Finds the key fields by their names.
 *
 * @throws NodeOperationError if a name is no field of the form, or the field cannot be compared
 */
export function findKeyFields(
	input: ParameterContext,
	names: readonly string[],
	fields: readonly AnswerableField[],
): AnswerableField[] {
	return names.map((name) => {
		const field = findField(name, fields);
		if (field !== undefined && isComparable(field, fields)) return field;
		const message = `'${SKIP_DUPLICATES}' can't compare "${field?.title ?? name}"`;
		throw createParameterError(input, message, CHOOSE_FIELDS);
	});
}

const CHOOSE_FIELDS =
	'Choose fields of the form that take one answer and share their label with no other field, or remove the option.';

/** Whether responses can be recognized by a field: a service lists files and several choices in various ways. */
function isComparable(
	{ kind, label }: AnswerableField,
	fields: readonly AnswerableField[],
): boolean {
	const isShared = fields.filter((field) => field.label === label).length > 1;
	return !isShared && kind !== 'file' && kind !== 'multipleChoice';
}

/**
 * Computes the duplicate key of an item from its answers to the key fields.
 *
 * @throws NodeOperationError if there is no answer to a key field, or one that cannot be compared
 */
export function computeDuplicateKey(
	input: ParameterContext,
	keyFields: readonly AnswerableField[],
	data: EncodedAnswers['data'],
): string {
	const missing = keyFields.find(({ uuid }) => data[uuid] === undefined);
	if (missing !== undefined) {
		const problem = `"${missing.title}" has no answer. '${SKIP_DUPLICATES}' compares this field`;
		throw createParameterError(input, problem);
	}
	const answers = keyFields.map(({ uuid }) => data[uuid]);
	return formatDuplicateKey(input, keyFields, answers, 'this item');
}

/**
 * Formats answers to the key fields as a text that is the same for the same answers: `["ada@example.com","42"]`.
 *
 * @param subject what has the answers, for the error
 * @throws NodeOperationError if an answer cannot be compared
 */
export function formatDuplicateKey(
	input: ParameterContext,
	keyFields: readonly AnswerableField[],
	answers: readonly unknown[],
	subject: string,
): string {
	const spellings = keyFields.map((field, index) => normalizeAnswer(field, answers[index]));
	const unclearField = keyFields[spellings.indexOf(undefined)];
	if (unclearField === undefined) return JSON.stringify(spellings);
	const reason = `The answer to "${unclearField.title}" has an unclear spelling`;
	throw createNotComparableError(input, subject, reason);
}

/** Creates the error for a response or an item that cannot be compared. */
export function createNotComparableError(input: ParameterContext, subject: string, reason: string) {
	const advice =
		'This item was not added. Choose other fields, or find duplicates with Response: Get Many.';
	return createParameterError(
		input,
		`'${SKIP_DUPLICATES}' can't compare ${subject}`,
		`${reason}. ${advice}`,
	);
}
