import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { findField, type FormField, type AnswerableField } from '../../api/answers/fields';
import { isBlank, normalizeAnswer } from '../../api/answers/fieldKinds';
import { matchAnswers, type MatchedAnswer } from '../../api/answers/matchAnswers';
import { yieldIfDue } from '../../api/clock';
import { endpoints, createTarget } from '../../api/endpoints';
import { parseBoolean } from '../../api/parseValues';
import { getId } from '../../api/records';
import { listRecords } from '../../api/service';
import {
	createParameterError,
	readTextList,
	type ParameterContext,
} from '../../parameters/parameterContext';
import { fetchOncePerRun, type ItemRequest } from '../../execution/operation';
import type { EncodedAnswers } from './encodeAnswers';

/** The name of the parameter, as errors speak of it. */
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
 * The names of the fields by which a response is recognized; none if every item is added.
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
 * The fields by which a response is recognized.
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
		if (field !== undefined && canCompare(field, fields)) return field;
		const message = `'${SKIP_DUPLICATES}' can't compare "${field?.title ?? name}"`;
		throw createParameterError(input, message, CHOOSE_FIELDS);
	});
}

const CHOOSE_FIELDS =
	'Choose fields of the form that take one answer and share their label with no other field, or remove the option.';

/** Whether responses can be recognized by a field: files and several choices are listed in various ways. */
function canCompare({ kind, label }: AnswerableField, fields: readonly AnswerableField[]): boolean {
	const isShared = fields.filter((field) => field.label === label).length > 1;
	return !isShared && kind !== 'file' && kind !== 'multipleChoice';
}

/** The ID of the first response with a key, if the service gives it: one that exists, or that the run adds. */
export type ResponsesByKey = Map<string | undefined, Promise<string | undefined>>;

/**
 * The complete responses of a form by their answers to the identifying fields, read once for all items of a run.
 *
 * @throws NodeApiError, or NodeOperationError if a response cannot be compared
 */
export async function fetchResponsesByKey(
	request: ItemRequest,
	input: ParameterContext,
	formId: string,
	fields: readonly FormField[],
	identity: readonly AnswerableField[],
): Promise<ResponsesByKey> {
	if (identity.length === 0) return new Map();
	const query = { incomplete: 'false' };
	const { account } = request.context;
	const target = createTarget(account, endpoints.listResponses, { formId }, query);
	return await fetchOncePerRun(
		{ ...request, target },
		async (context) =>
			await indexResponses(input, await listRecords(context, target), fields, identity),
		identity.map(({ uuid }) => uuid),
	);
}

/**
 * The key of an item by its answers to the identifying fields; undefined if there are none.
 *
 * @throws NodeOperationError if there is no answer, or one that cannot be compared
 */
export function computeDuplicateKey(
	input: ParameterContext,
	identity: readonly AnswerableField[],
	data: EncodedAnswers['data'],
): string | undefined {
	if (identity.length === 0) return undefined;
	const missing = identity.find(({ uuid }) => data[uuid] === undefined);
	if (missing !== undefined) {
		const problem = `"${missing.title}" has no answer. '${SKIP_DUPLICATES}' compares this field`;
		throw createParameterError(input, problem);
	}
	const answers = identity.map(({ uuid }) => data[uuid]);
	return makeKey(input, identity, answers, 'this item');
}

/**
 * Incomplete responses are left out here as well, because a service may ignore the filter (specification,
 * section 4, rule 1).
 */
async function indexResponses(
	input: ParameterContext,
	records: readonly IDataObject[],
	fields: readonly FormField[],
	identity: readonly AnswerableField[],
): Promise<ResponsesByKey> {
	const known: ResponsesByKey = new Map();
	for (const record of records) {
		await yieldIfDue();
		if (parseBoolean(record.is_incomplete) === true) continue;
		const id = getId(record);
		const owner = `response ${id ?? 'without ID'}`;
		const { answers: all, byField, problem } = matchAnswers(record, fields);
		if (problem !== undefined) throw createUnclearError(input, owner, problem);
		const answers = identity.map(({ position }) => byField[position]?.value);
		if (answers.some(isBlank)) {
			// each item has all answers, so it differs from a response without one of them
			if (!all.some(isUnmatched)) continue;
			throw createUnclearError(input, owner, 'Its answers may have an earlier label');
		}
		const key = makeKey(input, identity, answers, owner);
		if (!known.has(key)) known.set(key, Promise.resolve(id));
	}
	return known;
}

/** Whether an answer may be that of a field under an earlier label. */
function isUnmatched({ field, uuid, value }: MatchedAnswer): boolean {
	return field === undefined && uuid === undefined && !isBlank(value);
}

/**
 * The same text for the same answers.
 *
 * @throws NodeOperationError if one of them cannot be compared
 */
function makeKey(
	input: ParameterContext,
	identity: readonly AnswerableField[],
	answers: readonly unknown[],
	owner: string,
): string {
	const spellings = identity.map((field, index) => normalizeAnswer(field, answers[index]));
	const unclear = identity[spellings.indexOf(undefined)];
	if (unclear === undefined) return JSON.stringify(spellings);
	const reason = `The answer to "${unclear.title}" has an unclear spelling`;
	throw createUnclearError(input, owner, reason);
}

function createUnclearError(input: ParameterContext, owner: string, reason: string) {
	const advice =
		'This item was not added. Choose other fields, or find duplicates with Response: Get Many.';
	return createParameterError(
		input,
		`'${SKIP_DUPLICATES}' can't compare ${owner}`,
		`${reason}. ${advice}`,
	);
}
