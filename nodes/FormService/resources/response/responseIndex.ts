import type { IDataObject } from 'n8n-workflow';
import { isBlank, normalizeAnswer } from '../../api/answers/fieldKinds';
import type { AnswerableField } from '../../api/answers/fields';
import { matchAnswers, type MatchedAnswer } from '../../api/answers/matchAnswers';
import { yieldIfDue } from '../../api/clock';
import { createTarget, endpoints } from '../../api/endpoints';
import { mayHaveActed } from '../../api/errors';
import { parseBoolean } from '../../api/parseValues';
import { getId } from '../../api/records';
import { listRecords } from '../../api/service';
import { createSharedFetch, SharedValues, type ItemRequest } from '../../execution/operation';

/** The ID of a response. Null if the service does not send an ID. */
export type ResponseId = string | null;

/**
 * Why a response cannot be compared. `subject` is the response: `response 5f0c…`. `problem` is a sentence
 * without a full stop.
 */
export type NotComparable = { subject: string; problem: string };

/**
 * The responses of a form by duplicate key. Has the responses that the form had before the run, and those that
 * items of the run add.
 */
export class ResponseIndex {
	constructor(
		private readonly existing: ReadonlyMap<string, ResponseId>,
		private readonly added: Map<string, Promise<ResponseId>>,
	) {}

	/**
	 * Returns the ID of an equal response. Null if the equal response has no ID. Undefined if there is no equal
	 * response.
	 *
	 * @throws ServiceError if an earlier item may have added an equal response, but failed
	 */
	async find(key: string): Promise<ResponseId | undefined> {
		return this.existing.has(key) ? this.existing.get(key) : await this.added.get(key);
	}

	/** Adds a response and records it. If the service has certainly not added the response, removes the record. */
	async add(key: string, send: () => Promise<ResponseId>): Promise<ResponseId> {
		const adding = send();
		this.added.set(key, adding);
		adding.catch((error: unknown) => {
			if (!mayHaveActed(error)) this.added.delete(key);
		});
		return await adding;
	}
}

const addedResponses = new SharedValues<Map<string, Promise<ResponseId>>>();

/**
 * Fetches the complete responses of a form, and indexes them by duplicate key. Items of a run with the same key
 * fields share the responses.
 */
export async function fetchResponseIndex(
	request: ItemRequest,
	formId: string,
	fields: readonly AnswerableField[],
	keyFields: readonly AnswerableField[],
): Promise<ResponseIndex | NotComparable> {
	const query = { incomplete: 'false' };
	const target = createTarget(request.context.account, endpoints.listResponses, { formId }, query);
	const existing = await fetchExisting({ ...request, target }, { fields, keyFields });
	if ('problem' in existing) return existing;
	const key = JSON.stringify([formId, keyFields.map(({ uuid }) => uuid)]);
	return new ResponseIndex(
		existing,
		addedResponses.getOrCreate(request, key, () => new Map()),
	);
}

type IndexedFields = {
	fields: readonly AnswerableField[];
	keyFields: readonly AnswerableField[];
};

const fetchExisting = createSharedFetch(
	async (context, target, { fields, keyFields }: IndexedFields) =>
		await indexResponses(await listRecords(context, target), fields, keyFields),
);

/**
 * Indexes responses by their duplicate keys. Leaves out incomplete responses, because the service may ignore
 * that filter in the request (specification, section 4, rule 1).
 */
async function indexResponses(
	records: readonly IDataObject[],
	fields: readonly AnswerableField[],
	keyFields: readonly AnswerableField[],
): Promise<ReadonlyMap<string, ResponseId> | NotComparable> {
	const ids = new Map<string, ResponseId>();
	for (const record of records) {
		await yieldIfDue();
		if (parseBoolean(record.is_incomplete) === true) continue;
		const id = getId(record) ?? null;
		const subject = `response ${id ?? 'without ID'}`;
		const { answers: allAnswers, byField, problem } = matchAnswers(record, fields);
		if (problem !== undefined) return { subject, problem };
		const answers = keyFields.map((field) => byField.get(field)?.value);
		if (answers.some(isBlank)) {
			// a response that lacks an answer equals no item, because every item answers all key fields
			if (!allAnswers.some(mayHaveEarlierLabel)) continue;
			return { subject, problem: 'Its answers may have an earlier label' };
		}
		const result = computeDuplicateKey(keyFields, answers);
		if ('problem' in result) return { ...result, subject };
		if (!ids.has(result.key)) ids.set(result.key, id);
	}
	return ids;
}

/** Whether an answer matches no field, but may be the answer to a field that had another label earlier. */
function mayHaveEarlierLabel({ field, uuid, value }: MatchedAnswer): boolean {
	return field === undefined && uuid === undefined && !isBlank(value);
}

/**
 * Computes the duplicate key of answers: `["ada@example.com","42"]`. Equal answers have equal keys. If an
 * answer cannot be compared, returns the problem.
 */
export function computeDuplicateKey(
	keyFields: readonly AnswerableField[],
	answers: readonly unknown[],
): { key: string } | { problem: string } {
	const spellings = keyFields.map((field, index) => normalizeAnswer(field, answers[index]));
	const unclearField = keyFields[spellings.indexOf(undefined)];
	return unclearField === undefined
		? { key: JSON.stringify(spellings) }
		: { problem: `The answer to "${unclearField.title}" has an unclear spelling` };
}
