import type { IDataObject } from 'n8n-workflow';
import { isBlank } from '../../api/answers/fieldKinds';
import type { AnswerableField } from '../../api/answers/fields';
import { matchAnswers, type MatchedAnswer } from '../../api/answers/matchAnswers';
import { yieldIfDue } from '../../api/clock';
import { createTarget, endpoints } from '../../api/endpoints';
import { mayHaveActed } from '../../api/errors';
import { parseBoolean } from '../../api/parseValues';
import { getId } from '../../api/records';
import { listRecords } from '../../api/service';
import type { ItemRequest } from '../../execution/operation';
import { fetchOncePerRun } from '../../execution/sharedData';
import type { ParameterContext } from '../../parameters/parameterContext';
import {
	computeDuplicateKey,
	createNotComparableError,
	findKeyFields,
	formatDuplicateKey,
} from './duplicateKey';
import type { EncodedAnswers } from './encodeAnswers';

/** The ID of a response; null if the service gives none. */
type ResponseId = string | null;

/** The responses that equal one item: those that exist, and those that the items of the run add. */
export class EqualResponses {
	/**
	 * @param key the duplicate key of the item
	 * @param existing the responses that the service lists, by their duplicate keys
	 * @param added the responses that the items of the run add, by their duplicate keys
	 * @param orderKey equal items are sent one after another, so that a later item finds the response of an earlier
	 */
	constructor(
		private readonly key: string,
		private readonly existing: ReadonlyMap<string, ResponseId>,
		private readonly added: Map<string, Promise<ResponseId>>,
		readonly orderKey: string,
	) {}

	/**
	 * Finds an equal response.
	 *
	 * @returns its ID, or why it is unknown whether the response was added; undefined if there is none
	 */
	find(): Promise<ResponseId> | undefined {
		const id = this.existing.get(this.key);
		return id === undefined ? this.added.get(this.key) : Promise.resolve(id);
	}

	/** Adds the response. If it may have been added in spite of an error, no equal response is added later. */
	async add(send: () => Promise<ResponseId>): Promise<ResponseId> {
		const adding = send();
		this.added.set(this.key, adding);
		adding.catch((error: unknown) => {
			if (!mayHaveActed(error)) this.added.delete(this.key);
		});
		return await adding;
	}
}

/** A checked item with the names of its key fields. */
type CheckedItem = {
	formId: string;
	fields: readonly AnswerableField[];
	keyFieldNames: readonly string[];
	data: EncodedAnswers['data'];
};

/**
 * Fetches the complete responses of a form, once for all items of the run, to find those that equal an item.
 *
 * @throws NodeOperationError if the item or a response cannot be compared, and the errors of requests
 */
export async function fetchEqualResponses(
	request: ItemRequest,
	input: ParameterContext,
	{ formId, fields, keyFieldNames, data }: CheckedItem,
): Promise<EqualResponses> {
	const keyFields = findKeyFields(input, keyFieldNames, fields);
	const key = computeDuplicateKey(input, keyFields, data);
	const { account } = request.context;
	const query = { incomplete: 'false' };
	const target = createTarget(account, endpoints.listResponses, { formId }, query);
	const uuids = keyFields.map(({ uuid }) => uuid);
	const existing = await fetchOncePerRun(
		{ ...request, target },
		async (context) =>
			await indexResponses(input, await listRecords(context, target), fields, keyFields),
		uuids,
	);
	const added = request.shared.getOrCreate(
		JSON.stringify(['added', account.key, formId, uuids]),
		() => new Map<string, Promise<ResponseId>>(),
	);
	return new EqualResponses(key, existing, added, `${formId} ${key}`);
}

/**
 * Indexes complete responses by their duplicate keys. The service may ignore the filter (specification, section
 * 4, rule 1), so incomplete responses are left out here as well.
 */
async function indexResponses(
	input: ParameterContext,
	records: readonly IDataObject[],
	fields: readonly AnswerableField[],
	keyFields: readonly AnswerableField[],
): Promise<ReadonlyMap<string, ResponseId>> {
	const ids = new Map<string, ResponseId>();
	for (const record of records) {
		await yieldIfDue();
		if (parseBoolean(record.is_incomplete) === true) continue;
		const id = getId(record);
		const subject = `response ${id ?? 'without ID'}`;
		const { answers: allAnswers, byFieldIndex, problem } = matchAnswers(record, fields);
		if (problem !== undefined) throw createNotComparableError(input, subject, problem);
		const answers = keyFields.map(({ index }) => byFieldIndex[index]?.value);
		if (answers.some(isBlank)) {
			// each item has all answers, so it differs from a response without one of them
			if (!allAnswers.some(isUnmatched)) continue;
			throw createNotComparableError(input, subject, 'Its answers may have an earlier label');
		}
		const key = formatDuplicateKey(input, keyFields, answers, subject);
		if (!ids.has(key)) ids.set(key, id ?? null);
	}
	return ids;
}

/** Whether an answer may be that of a field under an earlier label. */
function isUnmatched({ field, uuid, value }: MatchedAnswer): boolean {
	return field === undefined && uuid === undefined && !isBlank(value);
}
