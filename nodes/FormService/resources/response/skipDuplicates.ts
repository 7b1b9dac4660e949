import { sortBy, uniq } from 'lodash';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { normalizeAnswer } from '../../answers/fieldKinds';
import { createFieldSearch, findField, matchAnswers, type FormField } from '../../answers/fields';
import { yieldIfDue } from '../../api/clock';
import { createTarget, endpoints } from '../../api/endpoints';
import { getId } from '../../api/records';
import { fetchRecords } from '../../api/replies/fetchPages';
import type { RequestContext } from '../../api/requestContext';
import { isBlank, parseBoolean } from '../../api/values';
import { fetchOnce, type ItemRequest } from '../../execution/operation';
import {
	createNamedError,
	isAdded,
	readTextList,
	type ParameterContext,
} from '../../parameters/parameterContext';

export const skipDuplicatesProperty: INodeProperties = {
	displayName: 'Skip Duplicates By',
	name: 'skipDuplicatesBy',
	type: 'multiOptions',
	default: [],
	description:
		'Skip an item if a complete response, or an earlier item of the run, has the same answers to all these fields. Reads all responses of the form once per run, one request per page. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	typeOptions: { loadOptionsMethod: 'getFieldOptions', loadOptionsDependsOn: ['formId.value'] },
};

const OPTION = `options.${skipDuplicatesProperty.name}`;

const CHOOSE_FIELDS =
	'Choose fields that take a single answer and have a label of their own, or remove the option.';

/** Returns the names of the key fields. Undefined if the user has not added the option. */
export function readKeyFieldNames(input: ParameterContext): string[] | undefined {
	if (!isAdded(input, OPTION)) return undefined;
	const names = readTextList(input, OPTION);
	if (names.length > 0) return names;
	throw createNamedError(input, OPTION, 'is empty', CHOOSE_FIELDS);
}

/** Answers by the UUIDs of their fields. */
type Answers = Readonly<Record<string, unknown>>;

/** Two responses are equal if they have equal answers to all key fields. */
type KeyFields = readonly FormField[];

/** What an item may repeat: `key` is its own key, and `uuids` has the UUIDs of responses by their keys. */
export type Duplicates = {
	key: string;
	/** A response whose UUID is unknown has null. All items of the run with the same key fields share the map. */
	uuids: Map<string, string | null>;
};

/** Finds the responses that an item may repeat. An item or a response that cannot be compared is an error. */
export async function findDuplicates(
	request: ItemRequest,
	input: ParameterContext,
	keyFieldNames: readonly string[],
	{ formId, fields, data }: { formId: string; fields: readonly FormField[]; data: Answers },
): Promise<Duplicates> {
	const keyFields = findKeyFields(input, keyFieldNames, fields);
	const key = computeKey(input, keyFields, data, 'this item');
	if (key === undefined) {
		const unanswered = keyFields.find(({ uuid }) => isBlank(data[uuid]));
		throw createNamedError(input, OPTION, `needs an answer to "${unanswered?.title}"`);
	}
	return { key, uuids: await fetchUuids(request, input, formId, keyFields, fields) };
}

/** Finds the key fields by their names. The order of the names makes no difference. */
function findKeyFields(
	input: ParameterContext,
	names: readonly string[],
	fields: readonly FormField[],
): KeyFields {
	const { findByLabel } = createFieldSearch(fields);
	const keyFields = names.map((name) => {
		const field = findField(name, fields);
		const isShared = findByLabel(field?.label ?? '').length > 1;
		// fields with the same label are not comparable, because an answer can be listed by its label alone; neither
		// are files and several choices, because they are listed in various spellings
		const isComparable = !isShared && field?.kind !== 'file' && field?.kind !== 'multipleChoice';
		if (field !== undefined && isComparable) return field;
		const problem = `can't compare "${field?.title ?? name}"`;
		throw createNamedError(input, OPTION, problem, CHOOSE_FIELDS);
	});
	return sortBy(uniq(keyFields), 'uuid');
}

/**
 * Computes the key of a response: `["ada@example.com","42"]`. Equal answers have equal keys. Undefined if a key
 * field has no answer.
 *
 * @param name the name of the response in an error: `response 5f0c…`
 */
function computeKey(
	input: ParameterContext,
	keyFields: KeyFields,
	answers: Answers,
	name: string,
): string | undefined {
	if (keyFields.some(({ uuid }) => isBlank(answers[uuid]))) return undefined;
	const values = keyFields.map((field) => normalizeAnswer(field, answers[field.uuid]));
	const unclear = keyFields[values.indexOf(undefined)];
	if (unclear === undefined) return JSON.stringify(values);
	throw createUnclearError(input, name, `The answer to "${unclear.title}" is ambiguous`);
}

function createUnclearError(input: ParameterContext, name: string, problem: string) {
	const advice =
		'This item was not added. Choose other fields, or find duplicates with Response: Get Many.';
	return createNamedError(input, OPTION, `can't compare ${name}`, `${problem}. ${advice}`);
}

/** Fetches the UUIDs of the complete responses of the form by their keys, once for all items. */
async function fetchUuids(
	request: ItemRequest,
	input: ParameterContext,
	formId: string,
	keyFields: KeyFields,
	fields: readonly FormField[],
): Promise<Duplicates['uuids']> {
	const { account } = request.context;
	const query = { incomplete: 'false' };
	const target = createTarget(account, endpoints.listResponses, { formId }, query);
	const fetch = async (context: RequestContext) => {
		const uuids: Duplicates['uuids'] = new Map();
		const { records } = await fetchRecords(context, target);
		for (const record of records) {
			await yieldIfDue();
			// the service may ignore the filter in the request (specification, section 4, rule 1)
			if (parseBoolean(record.is_incomplete) === true) continue;
			const key = computeListedKey(input, keyFields, record, fields);
			if (key !== undefined && !uuids.has(key)) uuids.set(key, getId(record) ?? null);
		}
		return uuids;
	};
	const fieldUuids = keyFields.map(({ uuid }) => uuid).join(' ');
	return await fetchOnce(request, fetch, `responses of ${formId} by ${fieldUuids}`);
}

function computeListedKey(
	input: ParameterContext,
	keyFields: KeyFields,
	record: IDataObject,
	fields: readonly FormField[],
): string | undefined {
	const name = `response ${getId(record) ?? 'without ID'}`;
	const { answers, byField, problem } = matchAnswers(record, fields);
	if (problem !== undefined) throw createUnclearError(input, name, problem);
	const byUuid = [...byField].map(([{ uuid }, { value }]) => [uuid, value] as const);
	const key = computeKey(input, keyFields, Object.fromEntries(byUuid), name);
	// an answer with a UUID belongs to a deleted field
	const mayBeRenamed = answers.some(
		({ field, uuid, value }) => field === undefined && uuid === undefined && !isBlank(value),
	);
	if (key !== undefined || !mayBeRenamed) return key;
	throw createUnclearError(input, name, 'Some answers may belong to a renamed field');
}
