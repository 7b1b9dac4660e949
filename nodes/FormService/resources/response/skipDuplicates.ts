import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { findField, type AnswerableField } from '../../api/answers/fields';
import type { ItemRequest, PendingWrite } from '../../execution/operation';
import {
	createParameterError,
	isOptionAdded,
	readTextList,
	type ParameterContext,
} from '../../parameters/parameterContext';
import type { EncodedAnswers } from './encodeAnswers';
import {
	computeDuplicateKey,
	fetchResponseIndex,
	type NotComparable,
	type ResponseId,
} from './responseIndex';

/*
 * The option Skip Duplicates By. The duplicate key of a response is its answers to the key fields, which the
 * user chooses. Two responses with the same key are duplicates.
 */

const SKIP_DUPLICATES = 'Skip Duplicates By';

export const skipDuplicatesProperty: INodeProperties = {
	displayName: SKIP_DUPLICATES,
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
 * Returns the names of the key fields. Empty if the user has not added the option.
 *
 * @throws InputError if the option is added without a field
 */
export function readKeyFieldNames(input: ParameterContext): string[] {
	if (!isOptionAdded(input, skipDuplicatesProperty.name)) return [];
	const names = readTextList(input, `options.${skipDuplicatesProperty.name}`, SKIP_DUPLICATES);
	if (names.length > 0) return names;
	throw createParameterError(input, `'${SKIP_DUPLICATES}' names no field`, CHOOSE_FIELDS);
}

/**
 * Returns the pending write of an item. The write adds no response if the form has an equal response, or if an
 * earlier item of the run has added one.
 *
 * Equal items have the same order key, so the write of an item starts after the writes of equal earlier items.
 * The complete responses of the form are fetched once for all items.
 *
 * @throws InputError if the item or a response cannot be compared
 * @throws ServiceError if a request fails
 */
export async function skipIfDuplicate(
	request: ItemRequest,
	input: ParameterContext,
	keyFieldNames: readonly string[],
	{
		formId,
		fields,
		data,
		add,
		createOutput,
	}: {
		formId: string;
		fields: readonly AnswerableField[];
		data: EncodedAnswers['data'];
		/** Sends the request that adds the response. */
		add: () => Promise<ResponseId>;
		/**
		 * Creates the output. `id` is the ID of the added response, or of the equal response that the form already
		 * has.
		 */
		createOutput: (status: 'created' | 'skipped', id: ResponseId) => IDataObject;
	},
): Promise<PendingWrite> {
	const keyFields = findKeyFields(input, keyFieldNames, fields);
	const key = computeItemKey(input, keyFields, data);
	const index = await fetchResponseIndex(request, formId, fields, keyFields);
	if ('problem' in index) throw createNotComparableError(input, index);
	return {
		orderKey: `${formId} ${key}`,
		async send() {
			const id = await index.find(key);
			if (id !== undefined) {
				return { isSent: false, createOutput: () => createOutput('skipped', id) };
			}
			const addedId = await index.add(key, add);
			return { isSent: true, createOutput: () => createOutput('created', addedId) };
		},
	};
}

/**
 * Finds the key fields by their names.
 *
 * @throws InputError if a name belongs to no field of the form, or if the answers to its field cannot be
 * compared
 */
function findKeyFields(
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

/**
 * Whether the answers to a field can be compared. The service lists files and several choices in various
 * spellings. If fields share a label, their answers cannot be told apart.
 */
function isComparable(
	{ kind, label }: AnswerableField,
	fields: readonly AnswerableField[],
): boolean {
	const isShared = fields.filter((field) => field.label === label).length > 1;
	return !isShared && kind !== 'file' && kind !== 'multipleChoice';
}

/**
 * Creates the error for an item or a response that cannot be compared.
 *
 * @param subject the item or the response: `this item`, `response 5f0c…`
 */
function createNotComparableError(input: ParameterContext, { subject, problem }: NotComparable) {
	const advice =
		'This item was not added. Choose other fields, or find duplicates with Response: Get Many.';
	const message = `'${SKIP_DUPLICATES}' can't compare ${subject}`;
	return createParameterError(input, message, `${problem}. ${advice}`);
}

/**
 * Computes the duplicate key of an item.
 *
 * @throws InputError if the answer to a key field is missing or cannot be compared
 */
function computeItemKey(
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
	const result = computeDuplicateKey(keyFields, answers);
	if ('key' in result) return result.key;
	throw createNotComparableError(input, { ...result, subject: 'this item' });
}
