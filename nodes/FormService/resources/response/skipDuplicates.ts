import { sortBy, uniq } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';
import { createFieldSearch, findField, isAnswerable, type FormField } from '../../answers/fields';
import { mayHaveActed } from '../../api/errors';
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
	fetchKeyIndex,
	getAddedResponses,
	type AddedResponse,
	type KeyFields,
} from './responseIndex';
import { fetchSharedFields } from './sharedFields';

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
	'Choose fields that take a single answer and have a label of their own, or remove the option.';

/** Returns the names of the key fields. The list is empty if the user has not added the option. */
export function readKeyFieldNames(input: ParameterContext): string[] {
	if (!isAdded(input, `options.${skipDuplicatesProperty.name}`)) return [];
	const names = readTextList(input, `options.${skipDuplicatesProperty.name}`);
	if (names.length > 0) return names;
	throw createParameterError(input, `'${SKIP_DUPLICATES_DISPLAY_NAME}' is empty`, CHOOSE_FIELDS);
}

/** Finds the response that an item would repeat, and records what the item has added. */
export type Duplicates = {
	/** Throws the error of an earlier item that may still have added an equal response. */
	find: () => { id: string | null } | undefined;
	/** Waits until the response is added, and returns its ID. */
	record: (adding: Promise<string | undefined>) => Promise<string | undefined>;
};

/** Prepares to skip an item whose response exists. An item or a response that cannot be compared is an error. */
export async function prepareDuplicates(
	request: ItemRequest,
	input: ParameterContext,
	keyFieldNames: readonly string[],
	formId: string,
	data: EncodedAnswers['data'],
): Promise<Duplicates> {
	const fields = await fetchSharedFields(request, formId, { columns: true });
	const keyFields = findKeyFields(input, keyFieldNames, fields);
	const key = computeItemKey(input, keyFields, data);
	const { results, incomparable } = await fetchKeyIndex(request, formId, keyFields);
	if (incomparable !== undefined) {
		throw createNotComparableError(input, incomparable.name, incomparable.problem);
	}
	const added = await getAddedResponses(request, formId);
	const isEqual = ({ answers }: AddedResponse) => {
		const computed = computeDuplicateKey(keyFields, answers);
		return 'key' in computed && computed.key === key;
	};
	return {
		find() {
			const result = results.get(key) ?? added.find(isEqual)?.result;
			if (result !== undefined && 'error' in result) throw result.error;
			return result;
		},
		async record(adding) {
			const result = await adding.then(
				(id) => ({ id: id ?? null }),
				(error: unknown) => ({ error }),
			);
			if ('id' in result || mayHaveActed(result.error)) added.push({ answers: data, result });
			return await adding;
		},
	};
}

/** Finds the key fields by their names. The order of the names makes no difference. */
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

/** The service lists files and several choices in various spellings, and an answer only by its label. */
function isComparable({ kind, label }: FormField, fields: readonly FormField[]): boolean {
	const isShared = createFieldSearch(fields).findByLabel(label).length > 1;
	return !isShared && kind !== 'file' && kind !== 'multipleChoice';
}

function createNotComparableError(input: ParameterContext, name: string, problem: string) {
	const message = `'${SKIP_DUPLICATES_DISPLAY_NAME}' can't compare ${name}`;
	const advice =
		'This item was not added. Choose other fields, or find duplicates with Response: Get Many.';
	return createParameterError(input, message, `${problem}. ${advice}`);
}

function computeItemKey(
	input: ParameterContext,
	keyFields: KeyFields,
	data: EncodedAnswers['data'],
): string {
	const computed = computeDuplicateKey(keyFields, data);
	if ('key' in computed) return computed.key;
	if ('problem' in computed) throw createNotComparableError(input, 'this item', computed.problem);
	const { title } = computed.missingField;
	const problem = `"${title}" has no answer. '${SKIP_DUPLICATES_DISPLAY_NAME}' compares this field`;
	throw createParameterError(input, problem);
}
