import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { decodeAnswers } from '../../api/answers/decode';
import { encodeAnswers } from '../../api/answers/encode';
import type { AnswerValue } from '../../api/answers/encode';
import { formFieldsOf } from '../../api/answers/fields';
import type { FormField } from '../../api/answers/fields';
import { matchAnswers } from '../../api/answers/match';
import { endpoints, targetOf } from '../../api/endpoints';
import { mayHaveActed } from '../../api/errors';
import { idOf, isRecord } from '../../api/records';
import { listRecords } from '../../api/service';
import type { Input } from '../../parameters/input';
import { invalidAll, toWords } from '../../parameters/input';
import { fieldsOf } from '../operation';
import type { ItemRequest } from '../operation';

export const skipIfExists: INodeProperties = {
	displayName: 'Skip If Exists',
	name: 'skipIfExists',
	type: 'multiOptions',
	default: [],
	description:
		'Fields that identify a response, such as an email address or an order number. An item is skipped if a complete response has the same answers to them. Costs one or two more requests per form and run. Responses that others add in the meantime are not seen. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	typeOptions: { loadOptionsMethod: 'getFieldOptions', loadOptionsDependsOn: ['formId.value'] },
};

/**
 * The fields by which a response is known, and the identity that the answers of an item have by them;
 * undefined where all items are added.
 */
export type Identity = { fields: string[]; text: string };

/** @throws NodeOperationError that names the identifying fields without an answer */
export function readIdentity(
	input: Input,
	answers: Readonly<Record<string, AnswerValue>>,
): Identity | undefined {
	const options = input.parameter<unknown>('options', {});
	const { skipIfExists: given = [] } = isRecord(options) ? options : {};
	const fields = [...new Set(toWords(input, given, 'Skip If Exists'))];
	if (fields.length === 0) return undefined;
	const texts = fields.map((id) => textOf(answers[id]));
	const missing = fields.filter((_, index) => texts[index] === '');
	if (missing.length > 0) {
		throw invalidAll(
			input,
			missing.map((id) => `"${id}" needs an answer: 'Skip If Exists' goes by it.`),
			"answers that 'Skip If Exists' goes by are missing",
		);
	}
	return { fields, text: JSON.stringify(texts) };
}

/** A response that a form has: its ID where it is known, or what became of an item that may have added it. */
type Known = { uuid?: string } | { error: unknown };

/**
 * Adds the response of an item, unless the form has one with the same identity. Equal items of a run
 * are added once.
 *
 * @param add adds it and gives what the service says
 */
export async function addUnlessKnown(
	request: ItemRequest,
	formId: string,
	{ fields, text }: Identity,
	add: () => Promise<IDataObject>,
): Promise<IDataObject> {
	return await request.run.inTurn(`${formId} ${text}`, async () => {
		const known = await knownResponses(request, formId, fields);
		const present = known.get(text);
		if (present === undefined) {
			const added = await add().catch((error: unknown) => {
				if (mayHaveActed(error)) known.set(text, { error });
				throw error;
			});
			known.set(text, { uuid: idOf(added) });
			return { ...added, status: 'created' };
		}
		if ('error' in present) return await Promise.reject(present.error);
		return { ...(present.uuid !== undefined && { uuid: present.uuid }), status: 'skipped' };
	});
}

async function knownResponses(
	{ context, run }: ItemRequest,
	formId: string,
	fields: readonly string[],
): Promise<Map<string, Known>> {
	const target = targetOf(
		context.account,
		endpoints.listResponses,
		{ formId },
		{ incomplete: 'false' },
	);
	const read = async () => {
		const records = await listRecords(context, target);
		const ofForm = needFields(records)
			? formFieldsOf(await fieldsOf({ context, run }, formId))
			: [];
		return byIdentity(records, fields, ofForm);
	};
	return await run.once({ context, target }, read, fields);
}

/** Whether the answers of a listing name the labels of their fields and not the fields. */
function needFields(records: readonly IDataObject[]): boolean {
	return records.some((record) =>
		decodeAnswers(record).answers.some(({ uuid }) => uuid === undefined),
	);
}

/** The responses of a form by their identity. Of several with one identity, the first counts. */
function byIdentity(
	records: readonly IDataObject[],
	ids: readonly string[],
	fields: readonly FormField[],
): Map<string, Known> {
	const known = new Map<string, Known>();
	for (const record of records) {
		const { answers } = matchAnswers(record, fields);
		const answerTo = (id: string) =>
			answers.find(({ uuid, label, field }) => field?.uuid === id || uuid === id || label === id);
		const identity = JSON.stringify(ids.map((id) => textOf(answerTo(id)?.value)));
		if (!known.has(identity)) known.set(identity, { uuid: idOf(record) });
	}
	return known;
}

const FIELD = 'field';

/** An answer as it would be sent: what was added and what is listed can differ in their types. */
function textOf(value: unknown): string {
	const { answers } = encodeAnswers([{ uuid: FIELD, name: FIELD, value }]);
	return String(answers[FIELD] ?? '').trim();
}
