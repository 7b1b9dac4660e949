import type { IDataObject } from 'n8n-workflow';
import { isBlank, normalizeAnswer } from '../../answers/fieldKinds';
import type { AnswerableField, FormField } from '../../answers/fields';
import { matchAnswers, type MatchedAnswer } from '../../answers/matchAnswers';
import { yieldIfDue } from '../../api/clock';
import { createTarget, endpoints } from '../../api/endpoints';
import { mayHaveActed } from '../../api/errors';
import { parseBoolean } from '../../api/parseValues';
import { getId } from '../../api/records';
import { fetchRecords } from '../../api/replies/listReader';
import { createSharedFetch, SharedValues, type ItemRequest } from '../../execution/operation';

/** The ID of a response. Null if the service does not send an ID. */
export type ResponseId = string | null;

/** What became of an item: its response was created, or skipped because the form has an equal response. */
export type CreateResult = { status: 'created' | 'skipped'; id: ResponseId };

/** Answers by the UUIDs of their fields. */
type Answers = Readonly<Record<string, unknown>>;

/**
 * The key fields of an item. An item equals a response if both have equal answers to all these fields. Each
 * field is listed once, and the fields are sorted by UUID.
 */
export type KeyFields = readonly AnswerableField[];

/**
 * A response that cannot be compared, and the reason. `subject` names the response: `response 5f0c…`. `problem`
 * is a sentence without a period.
 */
export type IncomparableResponse = { subject: string; problem: string };

/** A response that items are compared with. */
type ComparedResponse = {
	/** The name of the response in an error message: `response 5f0c…`. */
	subject: string;
	answers: Answers;
	/** The reason why some answers could not be read. Undefined if all answers could be read. */
	problem?: string;
	/** Whether an answer may belong to a field whose label has changed. */
	mayHaveEarlierLabel: boolean;
	/**
	 * The ID of the response, or the error of a request that has failed and may still have added the response.
	 */
	result: { id: ResponseId } | { error: unknown };
};

/** An index of the responses by duplicate key, for one set of key fields. */
type KeyIndex = {
	resultsByKey: Map<string, ComparedResponse['result']>;
	/** How many responses have been indexed. */
	count: number;
	/** The first response that cannot be compared. After this response, no further responses are indexed. */
	notComparable?: IncomparableResponse;
};

/**
 * The responses of a form, for comparison with items. The responses that the form had before the run come
 * first. The responses that the run adds come next. Each item is compared by its own key fields.
 */
export class ResponseIndex {
	private readonly added: ComparedResponse[] = [];
	private readonly indexes = new Map<string, KeyIndex>();

	/** @param records the responses that the form had before the run */
	constructor(
		private readonly records: readonly IDataObject[],
		private readonly fields: readonly FormField[],
	) {}

	/** Returns the first response that cannot be compared by these fields. */
	async findIncomparableResponse(keyFields: KeyFields): Promise<IncomparableResponse | undefined> {
		return (await this.getIndex(keyFields)).notComparable;
	}

	/**
	 * Adds a response to the form, and records the response. If there is an equal response, adds nothing. Before
	 * the call, the caller must wait until all earlier items have been added to the form.
	 *
	 * If `add` fails, throws the error without waiting for a timer or a request. If this function waited, the
	 * request queue could send another item before the node stops, see `stopAfterFailure`.
	 *
	 * @param key the duplicate key of the item
	 * @param add sends the request that adds the response
	 * @throws ServiceError if an earlier item has failed, and may still have added an equal response
	 */
	async findOrAdd(
		keyFields: KeyFields,
		key: string,
		answers: Answers,
		add: () => Promise<ResponseId>,
	): Promise<CreateResult | IncomparableResponse> {
		const { resultsByKey, notComparable } = await this.getIndex(keyFields);
		if (notComparable !== undefined) return notComparable;
		const result = resultsByKey.get(key);
		if (result !== undefined) {
			if ('error' in result) throw result.error;
			return { status: 'skipped', id: result.id };
		}
		const adding = add();
		// `adding.catch` records the error before the next item is compared. n8n's lint rules forbid a catch block
		// that throws the same error again.
		adding.catch((error: unknown) => {
			if (mayHaveActed(error)) this.record(answers, { error });
		});
		const id = await adding;
		this.record(answers, { id });
		return { status: 'created', id };
	}

	private record(answers: Answers, result: ComparedResponse['result']): void {
		const subject = 'the response of an earlier item';
		this.added.push({ subject, answers, mayHaveEarlierLabel: false, result });
	}

	/** Returns the index for a set of key fields. First adds the responses that the index does not have yet. */
	private async getIndex(keyFields: KeyFields): Promise<KeyIndex> {
		const setKey = keyFields.map(({ uuid }) => uuid).join(' ');
		const index: KeyIndex = this.indexes.get(setKey) ?? { resultsByKey: new Map(), count: 0 };
		this.indexes.set(setKey, index);
		const { length: recordCount } = this.records;
		while (index.count < recordCount + this.added.length && index.notComparable === undefined) {
			const response =
				index.count < recordCount
					? parseResponse(this.records[index.count], this.fields)
					: this.added[index.count - recordCount];
			addToIndex(index, response, keyFields);
			// wait only after a response is both counted and added, because other items use the same index
			await yieldIfDue();
		}
		return index;
	}
}

/** Adds the next response to an index. If the response cannot be compared, sets `notComparable`. */
function addToIndex(
	index: KeyIndex,
	{ subject, answers, problem, mayHaveEarlierLabel, result }: ComparedResponse,
	keyFields: KeyFields,
): void {
	index.count++;
	const computed = problem === undefined ? computeDuplicateKey(keyFields, answers) : { problem };
	if ('key' in computed) {
		if (!index.resultsByKey.has(computed.key)) index.resultsByKey.set(computed.key, result);
	} else if ('problem' in computed) index.notComparable = { subject, problem: computed.problem };
	// every item answers all its key fields, so a response without such an answer is not a duplicate
	else if (mayHaveEarlierLabel) {
		index.notComparable = { subject, problem: 'Its answers may have an earlier label' };
	}
}

function parseResponse(record: IDataObject, fields: readonly FormField[]): ComparedResponse {
	const { answers, byField, problem } = matchAnswers(record, fields);
	const id = getId(record) ?? null;
	return {
		subject: `response ${id ?? 'without ID'}`,
		answers: Object.fromEntries([...byField].map(([{ uuid = '' }, { value }]) => [uuid, value])),
		problem,
		mayHaveEarlierLabel: answers.some(mayHaveEarlierLabel),
		result: { id },
	};
}

/**
 * Whether an answer may belong to a field whose label has changed. True if the answer is not blank, matches no
 * field by its label, and has no UUID.
 */
function mayHaveEarlierLabel({ field, uuid, value }: MatchedAnswer): boolean {
	return field === undefined && uuid === undefined && !isBlank(value);
}

/**
 * Computes the duplicate key of a response: `["ada@example.com","42"]`. Equal answers have equal keys.
 *
 * @returns the key; or `missingField`, the first key field without an answer; or `problem`, if an answer cannot
 * be compared
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
		: { problem: `The answer to "${unclearField.title}" has an unclear spelling` };
}

const indexes = new SharedValues<ResponseIndex>();

const fetchCompleteResponses = createSharedFetch(async (context, target) => {
	const records = await fetchRecords(context, target);
	// the service may ignore the filter in the request (specification, section 4, rule 1)
	return records.filter(({ is_incomplete: flag }) => parseBoolean(flag) !== true);
});

/**
 * Fetches the complete responses of a form once for all items of the run, and returns the index that these
 * items share.
 */
export async function fetchResponseIndex(
	request: ItemRequest,
	formId: string,
	fields: readonly FormField[],
): Promise<ResponseIndex> {
	const query = { incomplete: 'false' };
	const target = createTarget(request.context.account, endpoints.listResponses, { formId }, query);
	// items with other request options fetch the list again, but use the first index, because only that index has
	// the responses that the run has added
	const records = await fetchCompleteResponses({ ...request, target });
	return indexes.getOrCreate(request, formId, () => new ResponseIndex(records, fields));
}
