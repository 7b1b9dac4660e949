import type { IDataObject } from 'n8n-workflow';
import { normalizeAnswer } from '../../answers/fieldKinds';
import { isBlank, parseBoolean } from '../../api/values';
import type { AnswerableField, FormField } from '../../answers/fields';
import { matchAnswers } from '../../answers/matchAnswers';
import { yieldIfDue } from '../../api/clock';
import { createTarget, endpoints } from '../../api/endpoints';
import { getId } from '../../api/records';
import { fetchRecords } from '../../api/replies/listReader';
import { shareInRun, type ItemRequest } from '../../execution/operation';
import { fetchSharedFields } from './sharedFields';

/** The ID of a response, or the error of a request that may still have added the response. */
export type AddResult = { id: string | null } | { error: unknown };

/** Answers by the UUIDs of their fields. */
type Answers = Readonly<Record<string, unknown>>;

/** The key fields of an item. Two responses are equal if they have equal answers to all of them. */
export type KeyFields = readonly AnswerableField[];

/** A response of the run. An expression can choose other key fields for a later item. */
export type AddedResponse = { answers: Answers; result: AddResult };

type ListedResponse = AddedResponse & {
	/** The name of the response in an error: `response 5f0c…`. */
	name: string;
	/** Why some answers could not be read. */
	problem?: string;
	/** Whether an answer may belong to a field whose label has changed. */
	mayBeRenamed: boolean;
};

/** The responses by their duplicate key. `incomparable` is a response that may be equal to any item. */
type KeyIndex = {
	results: Map<string, AddResult>;
	incomparable?: { name: string; problem: string };
};

/** Indexes the responses that the form had before the run, once for each set of key fields. */
export async function fetchKeyIndex(
	request: ItemRequest,
	formId: string,
	keyFields: KeyFields,
): Promise<KeyIndex> {
	const uuids = keyFields.map(({ uuid }) => uuid).join(' ');
	return await shareInRun(request, `responses of ${formId} by ${uuids}`, async () => {
		const index: KeyIndex = { results: new Map() };
		for (const response of await fetchListedResponses(request, formId)) {
			await yieldIfDue();
			addToIndex(index, response, keyFields);
		}
		return index;
	});
}

/** Returns the responses that the items of the run have added, or may have added. */
export async function getAddedResponses(
	request: ItemRequest,
	formId: string,
): Promise<AddedResponse[]> {
	return await shareInRun(request, `added to ${formId}`, async () => await Promise.resolve([]));
}

function addToIndex(index: KeyIndex, response: ListedResponse, keyFields: KeyFields): void {
	const { name, answers, problem, mayBeRenamed, result } = response;
	const computed = problem === undefined ? computeDuplicateKey(keyFields, answers) : { problem };
	if ('problem' in computed) index.incomparable ??= { name, problem: computed.problem };
	else if ('key' in computed) {
		if (!index.results.has(computed.key)) index.results.set(computed.key, result);
	} else if (mayBeRenamed) {
		// otherwise a response without an answer to a key field is no duplicate
		index.incomparable ??= { name, problem: 'Some answers may belong to a renamed field' };
	}
}

/**
 * Computes the duplicate key of a response: `["ada@example.com","42"]`. Equal answers have equal keys.
 *
 * @returns the key; or the first key field without an answer; or why an answer cannot be compared
 */
export function computeDuplicateKey(
	keyFields: KeyFields,
	answers: Answers,
): { key: string } | { problem: string } | { missingField: AnswerableField } {
	const missingField = keyFields.find(({ uuid }) => isBlank(answers[uuid]));
	if (missingField !== undefined) return { missingField };
	const spellings = keyFields.map((field) => normalizeAnswer(field, answers[field.uuid]));
	const unclearField = keyFields[spellings.indexOf(undefined)];
	return unclearField === undefined
		? { key: JSON.stringify(spellings) }
		: { problem: `The answer to "${unclearField.title}" is ambiguous` };
}

async function fetchListedResponses(
	request: ItemRequest,
	formId: string,
): Promise<ListedResponse[]> {
	const query = { incomplete: 'false' };
	const target = createTarget(request.context.account, endpoints.listResponses, { formId }, query);
	return await shareInRun(request, `complete responses of ${formId}`, async (context) => {
		const fields = await fetchSharedFields(request, formId, { columns: true });
		const responses: ListedResponse[] = [];
		for (const record of await fetchRecords(context, target)) {
			await yieldIfDue();
			// the service may ignore the filter in the request (specification, section 4, rule 1)
			if (parseBoolean(record.is_incomplete) !== true) {
				responses.push(parseResponse(record, fields));
			}
		}
		return responses;
	});
}

function parseResponse(record: IDataObject, fields: readonly FormField[]): ListedResponse {
	const { answers, byField, problem } = matchAnswers(record, fields);
	const id = getId(record) ?? null;
	return {
		name: `response ${id ?? 'without ID'}`,
		answers: Object.fromEntries([...byField].map(([{ uuid = '' }, { value }]) => [uuid, value])),
		problem,
		// an answer with a UUID belongs to a deleted field
		mayBeRenamed: answers.some(
			({ field, uuid, value }) => field === undefined && uuid === undefined && !isBlank(value),
		),
		result: { id },
	};
}
