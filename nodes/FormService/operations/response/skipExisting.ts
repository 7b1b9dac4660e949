import type { INodeProperties } from 'n8n-workflow';
import { findFields, inputFieldsOf } from '../../api/answers/fields';
import type { InputField } from '../../api/answers/fields';
import { endpoints, targetOf } from '../../api/endpoints';
import { mayHaveActed } from '../../api/errors';
import { isRecord } from '../../api/records';
import { listRecords } from '../../api/service';
import type { Input } from '../../parameters/input';
import { invalid, invalidAll } from '../../parameters/input';
import { fieldsOf } from '../operation';
import type { ItemRequest } from '../operation';
import { COUNTED, sharedProblem, titlesOf } from './answers';
import type { Answers } from './answers';
import { compareResponses, keyOf, mayHave, textOf } from './compare';
import type { Compared } from './compare';

export const skipIfExists: INodeProperties = {
	displayName: 'Skip If Exists',
	name: 'skipIfExists',
	type: 'multiOptions',
	default: [],
	description:
		'Fields that identify a response, such as an email address or an order number. An item is skipped if a complete response has the same answers to all of them. Duplicates within a run are added once. Costs two more requests per form and run, and misses responses added after the list was read. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	typeOptions: { loadOptionsMethod: 'getFieldOptions', loadOptionsDependsOn: ['formId.value'] },
};

const NAME = "'Skip If Exists'";

/**
 * The names of the fields by which a response is recognized; none if every item is added.
 *
 * @throws NodeOperationError if the option can't be understood
 */
export function readSkipNames(input: Input): string[] {
	const options = input.parameter<unknown>('options', {});
	// an expression without a result leaves the option there, without a value
	if (!isRecord(options) || !Object.hasOwn(options, 'skipIfExists')) return [];
	const given: unknown = options.skipIfExists;
	const names: unknown = typeof given === 'string' ? given.split(',') : given;
	const isName = (name: unknown) =>
		typeof name === 'number' || (typeof name === 'string' && name.trim() !== '');
	if (Array.isArray(names) && names.every(isName)) return names.map((name) => String(name).trim());
	throw invalid(
		input,
		`${NAME} must name fields of the form`,
		'Choose fields from the list, give their UUIDs, custom keys or labels as a list, or give an empty list to add every item.',
	);
}

/**
 * The fields by which a response is recognized.
 *
 * @throws NodeOperationError that names what is no field of the form, and fields that have no answer
 */
export function identityOf(
	input: Input,
	names: readonly string[],
	fields: readonly InputField[],
	{ data }: Answers,
): InputField[] {
	const found = findFields(names, fields);
	const problems = found
		.filter(({ field }) => field === undefined)
		.map((one) =>
			one.sharedBy.length > 0
				? sharedProblem(one)
				: `${NAME} names "${one.name}", which is not a field of the form.`,
		);
	if (problems.length > 0) {
		throw invalidAll(input, problems, COUNTED, [`Form fields: ${titlesOf(fields)}.`]);
	}
	const identity = [...new Set(found.map(({ field }) => field))].filter((one) => one !== undefined);
	const missing = identity
		.filter(({ id }) => String(data[id] ?? '').trim() === '')
		.map(
			({ title }) =>
				`"${title}" has no answer. ${NAME} compares this field, so it needs an answer.`,
		);
	if (missing.length > 0) throw invalidAll(input, missing, COUNTED);
	return identity;
}

/** What is known of a response of the form: its ID, or the error of an item that may have added it. */
export type KnownResponse = { id?: string } | { error: unknown };

/** The responses of a form by their answers to the identifying fields, and what the run adds to them. */
export type FormResponses = { compared: Compared; known: Map<string, KnownResponse> };

/**
 * The responses of a form, read once for all items of a run.
 *
 * @throws NodeApiError, or NodeOperationError if they can't be compared
 */
export async function readResponses(
	{ context, run }: ItemRequest,
	input: Input,
	formId: string,
	identity: readonly InputField[],
): Promise<FormResponses> {
	const query = { incomplete: 'false' };
	const target = targetOf(context.account, endpoints.listResponses, { formId }, query);
	const ids = identity.map(({ id }) => id);
	const read = async () => {
		const [records, fields] = await Promise.all([
			listRecords(context, target),
			fieldsOf({ context, run }, formId),
		]);
		const current = findFields(ids, inputFieldsOf(fields));
		const gone = identity.filter((_, index) => current[index].field === undefined);
		if (gone.length > 0) {
			throw invalid(
				input,
				`${NAME} compares ${titlesOf(gone)}, which the form no longer has`,
				'Choose the fields again.',
			);
		}
		const compared = compareResponses(records, fields, ids);
		const known = [...compared.certain].map(([key, id]) => [key, { id }] as const);
		return { compared: readable(input, compared), known: new Map<string, KnownResponse>(known) };
	};
	return await run.readOnce({ context, target }, read, ids);
}

function readable(input: Input, compared: Compared): Compared {
	const { unread, absent, count } = compared;
	if (unread !== undefined) {
		throw invalid(
			input,
			`${NAME} can't read the answers of response ${unread.id ?? 'without ID'}`,
			`${unread.problem}. ${NOTHING_ADDED}`,
		);
	}
	if (absent.length > 0) {
		const titles = absent.map(({ title }) => `"${title}"`).join(', ');
		throw invalid(
			input,
			`${NAME} found no answer to ${titles} in any of the ${count} responses of the form`,
			`The field may be new or renamed, so a response that exists could be missed. ${NOTHING_ADDED}`,
		);
	}
	return compared;
}

const NOTHING_ADDED = `No response was added. Choose other fields, or remove ${NAME} and look for duplicates with Get Many.`;

/**
 * The key of the responses that have the same answers as an item.
 *
 * @throws NodeOperationError if a response may have the same answers, and may not
 */
export function keyOfItem(
	input: Input,
	identity: readonly InputField[],
	{ data }: Answers,
	{ compared }: FormResponses,
): string {
	const texts = compared.fields.map(
		(field, index) => textOf(data[identity[index].id], field) ?? '',
	);
	const key = keyOf(texts);
	if (compared.certain.has(key)) return key;
	const doubtful = compared.doubtful.find((response) => mayHave(response, texts));
	if (doubtful === undefined) return key;
	const at = doubtful.possible.findIndex((one) => one?.size !== 1);
	throw invalid(
		input,
		`${NAME} can't compare "${compared.fields[at].title}" with response ${doubtful.id ?? 'without ID'}`,
		`The response has an answer that may belong to this field or to another one: several fields have this label, or the label has changed. ${NOTHING_ADDED}`,
	);
}

/** What became of an item: whether its response was added, and the ID of the one that the form now has. */
export type Outcome = { status: 'created' | 'skipped'; id?: string };

/**
 * Adds the response of an item unless the form has one with the same answers. Items with the same answers
 * take their turns in the order of the input, and one of them is added.
 *
 * @param add adds it and gives its ID
 */
export async function addUnlessKnown(
	{ context, run }: ItemRequest,
	formId: string,
	key: string,
	{ known }: FormResponses,
	add: () => Promise<string | undefined>,
): Promise<Outcome> {
	return await run.inInputOrder(`${context.account.key} ${formId} ${key}`, async () => {
		await run.allChecked();
		const present = known.get(key);
		if (present !== undefined && 'error' in present) return await Promise.reject(present.error);
		if (present !== undefined) return { status: 'skipped', id: present.id };
		const id = await add().catch((error: unknown) => {
			if (mayHaveActed(error)) known.set(key, { error });
			throw error;
		});
		known.set(key, { id });
		return { status: 'created', id };
	});
}
