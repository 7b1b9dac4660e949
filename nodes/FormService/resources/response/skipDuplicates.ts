import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isBlank, normalizeAnswer } from '../../api/answers/fieldKinds';
import { findField, type AnswerableField } from '../../api/answers/fields';
import { matchAnswers, type MatchedAnswer } from '../../api/answers/matchAnswers';
import { yieldIfDue } from '../../api/clock';
import { createTarget, endpoints } from '../../api/endpoints';
import { mayHaveActed } from '../../api/errors';
import { parseBoolean } from '../../api/parseValues';
import { getId } from '../../api/records';
import { listRecords } from '../../api/service';
import {
	fetchOncePerRun,
	shareInRun,
	type ItemRequest,
	type PendingWrite,
} from '../../execution/operation';
import {
	createParameterError,
	isOptionAdded,
	readTextList,
	type ParameterContext,
} from '../../parameters/parameterContext';
import type { EncodedAnswers } from './encodeAnswers';

/**
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

/** The ID of a response. Null if the service does not send an ID. */
type ResponseId = string | null;

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
	const existing = await fetchExisting(request, formId, fields, keyFields);
	if ('problem' in existing) throw createNotComparableError(input, existing);
	const name = JSON.stringify(['added', formId, keyFields.map(({ uuid }) => uuid)]);
	const added = shareInRun(request, name, () => new Map<string, Promise<ResponseId>>());
	return {
		orderKey: `${formId} ${key}`,
		async send() {
			// `existing.ids` has null for a response without an ID; `added.get` throws if an earlier item may have
			// added its response
			const id = existing.ids.has(key) ? existing.ids.get(key) : await added.get(key);
			if (id !== undefined) {
				return { isSent: false, createOutput: () => createOutput('skipped', id) };
			}
			const adding = add();
			added.set(key, adding);
			adding.catch((error: unknown) => {
				if (!mayHaveActed(error)) added.delete(key);
			});
			const addedId = await adding;
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
function createNotComparableError(
	input: ParameterContext,
	{ subject, problem }: { subject: string; problem: string },
) {
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

/**
 * Computes the duplicate key of answers: `["ada@example.com","42"]`. Equal answers have equal keys. If an
 * answer cannot be compared, returns the problem.
 */
function computeDuplicateKey(
	keyFields: readonly AnswerableField[],
	answers: readonly unknown[],
): { key: string } | { problem: string } {
	const spellings = keyFields.map((field, index) => normalizeAnswer(field, answers[index]));
	const unclearField = keyFields[spellings.indexOf(undefined)];
	return unclearField === undefined
		? { key: JSON.stringify(spellings) }
		: { problem: `The answer to "${unclearField.title}" has an unclear spelling` };
}

/** The IDs of the complete responses of a form by duplicate key, or the first response that has no duplicate key. */
type ExistingResponses =
	| { ids: ReadonlyMap<string, ResponseId> }
	| { subject: string; problem: string };

/** Fetches the complete responses of a form. Items of a run with the same key fields share the result. */
async function fetchExisting(
	request: ItemRequest,
	formId: string,
	fields: readonly AnswerableField[],
	keyFields: readonly AnswerableField[],
): Promise<ExistingResponses> {
	const query = { incomplete: 'false' };
	const target = createTarget(request.context.account, endpoints.listResponses, { formId }, query);
	return await fetchOncePerRun(
		{ ...request, target },
		async (context) => await indexResponses(await listRecords(context, target), fields, keyFields),
		keyFields.map(({ uuid }) => uuid),
	);
}

/**
 * Indexes responses by their duplicate keys. Leaves out incomplete responses, because the service may ignore
 * that filter in the request (specification, section 4, rule 1).
 */
async function indexResponses(
	records: readonly IDataObject[],
	fields: readonly AnswerableField[],
	keyFields: readonly AnswerableField[],
): Promise<ExistingResponses> {
	const ids = new Map<string, ResponseId>();
	for (const record of records) {
		await yieldIfDue();
		if (parseBoolean(record.is_incomplete) === true) continue;
		const id = getId(record) ?? null;
		const subject = `response ${id ?? 'without ID'}`;
		const { answers: allAnswers, byFieldIndex, problem } = matchAnswers(record, fields);
		if (problem !== undefined) return { subject, problem };
		const answers = keyFields.map(({ index }) => byFieldIndex[index]?.value);
		if (answers.some(isBlank)) {
			// a response that lacks an answer equals no item, because every item answers all key fields
			if (!allAnswers.some(isUnmatched)) continue;
			return { subject, problem: 'Its answers may have an earlier label' };
		}
		const result = computeDuplicateKey(keyFields, answers);
		if ('problem' in result) return { ...result, subject };
		if (!ids.has(result.key)) ids.set(result.key, id);
	}
	return { ids };
}

/** Whether an answer matches no field, but may be the answer to a field that had another label earlier. */
function isUnmatched({ field, uuid, value }: MatchedAnswer): boolean {
	return field === undefined && uuid === undefined && !isBlank(value);
}
