import { sortBy, uniq } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';
import { createFieldSearch, findField, isAnswerable, type FormField } from '../../answers/fields';
import type { ItemRequest } from '../../execution/operation';
import {
	createParameterError,
	isAdded,
	readTextList,
	type ParameterContext,
} from '../../parameters/parameterContext';
import type { EncodedAnswers } from './encodeAnswers';
import {
	computeDuplicateKey,
	fetchResponseIndex,
	type CreateResult,
	type KeyFields,
	type IncomparableResponse,
	type ResponseId,
} from './responseIndex';

/*
 * The option Skip Duplicates By. The duplicate key of a response is its answers to the key fields, which the
 * user chooses. Two responses with the same key are duplicates.
 */

const SKIP_DUPLICATES_DISPLAY_NAME = 'Skip Duplicates By';

export const skipDuplicatesProperty: INodeProperties = {
	displayName: SKIP_DUPLICATES_DISPLAY_NAME,
	name: 'skipDuplicatesBy',
	type: 'multiOptions',
	default: [],
	description:
		'Skip an item if a complete response, or an earlier item of the run, has the same answers to all these fields. Reads all responses of the form once per run, one request per page. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	typeOptions: { loadOptionsMethod: 'getFieldOptions', loadOptionsDependsOn: ['formId.value'] },
};

const CHOOSE_FIELDS =
	'Choose fields of the form that take one answer and share their label with no other field, or remove the option.';

/**
 * Returns the names of the key fields. Returns an empty list if the user has not added the option.
 *
 * @throws InputError if the option is added without a field
 */
export function readKeyFieldNames(input: ParameterContext): string[] {
	if (!isAdded(input, `options.${skipDuplicatesProperty.name}`)) return [];
	const names = readTextList(input, `options.${skipDuplicatesProperty.name}`);
	if (names.length > 0) return names;
	throw createParameterError(
		input,
		`'${SKIP_DUPLICATES_DISPLAY_NAME}' names no field`,
		CHOOSE_FIELDS,
	);
}

/**
 * Prepares to add a response. The response is not added if the form has an equal response, or if an earlier
 * item of the run has added an equal response. The complete responses of the form are fetched once for all
 * items.
 *
 * @param add sends the request that adds the response
 * @returns the order key of the item's pending write, and the function that adds or skips the response
 * @throws InputError if the item or a response cannot be compared
 * @throws ServiceError if a request fails
 */
export async function prepareSkipping(
	request: ItemRequest,
	input: ParameterContext,
	keyFieldNames: readonly string[],
	{ formId, fields, data, add }: CheckedResponse,
): Promise<{ orderKey: string; addOrSkip: () => Promise<CreateResult> }> {
	const keyFields = findKeyFields(input, keyFieldNames, fields);
	const key = computeItemKey(input, keyFields, data);
	const responseIndex = await fetchResponseIndex(request, formId, fields);
	const notComparable = await responseIndex.findIncomparableResponse(keyFields);
	if (notComparable !== undefined) throw createNotComparableError(input, notComparable);
	return {
		// all items of a form have the same order key, because items with different key fields can be equal
		orderKey: formId,
		async addOrSkip() {
			const result = await responseIndex.findOrAdd(keyFields, key, data, add);
			if ('problem' in result) throw createNotComparableError(input, result);
			return result;
		},
	};
}

/** A response with checked answers. */
type CheckedResponse = {
	formId: string;
	/** All fields of the form that take an answer. */
	fields: readonly FormField[];
	data: EncodedAnswers['data'];
	/** Sends the request that adds the response. */
	add: () => Promise<ResponseId>;
};

/**
 * Finds the key fields by their names. Each field is returned once, and the order of the names makes no
 * difference.
 *
 * @throws InputError if a name belongs to no field of the form, or to a field whose answers cannot be compared
 */
function findKeyFields(
	input: ParameterContext,
	names: readonly string[],
	fields: readonly FormField[],
): KeyFields {
	const keyFields = names.map((name) => {
		const field = findField(name, fields);
		if (field !== undefined && isAnswerable(field) && isComparable(field, fields)) return field;
		const message = `'${SKIP_DUPLICATES_DISPLAY_NAME}' can't compare "${field?.title ?? name}"`;
		throw createParameterError(input, message, CHOOSE_FIELDS);
	});
	return sortBy(uniq(keyFields), 'uuid');
}

/**
 * Whether the answers to a field can be compared. False for files and several choices, because the service
 * lists these answers in various spellings. False if fields share a label, because an answer with this label can
 * belong to each of these fields.
 */
function isComparable({ kind, label }: FormField, fields: readonly FormField[]): boolean {
	const isShared = createFieldSearch(fields).findByLabel(label).length > 1;
	return !isShared && kind !== 'file' && kind !== 'multipleChoice';
}

/**
 * Creates the error for an item or a response that cannot be compared.
 *
 * @param subject the item or the response: `this item`, `response 5f0c…`
 */
function createNotComparableError(
	input: ParameterContext,
	{ subject, problem }: IncomparableResponse,
) {
	const advice =
		'This item was not added. Choose other fields, or find duplicates with Response: Get Many.';
	const message = `'${SKIP_DUPLICATES_DISPLAY_NAME}' can't compare ${subject}`;
	return createParameterError(input, message, `${problem}. ${advice}`);
}

/**
 * Computes the duplicate key of an item.
 *
 * @throws InputError if the answer to a key field is missing or cannot be compared
 */
function computeItemKey(
	input: ParameterContext,
	keyFields: KeyFields,
	data: EncodedAnswers['data'],
): string {
	const computed = computeDuplicateKey(keyFields, data);
	if ('key' in computed) return computed.key;
	if ('problem' in computed) {
		throw createNotComparableError(input, { ...computed, subject: 'this item' });
	}
	const { title } = computed.missingField;
	const problem = `"${title}" has no answer. '${SKIP_DUPLICATES_DISPLAY_NAME}' compares this field`;
	throw createParameterError(input, problem);
}
