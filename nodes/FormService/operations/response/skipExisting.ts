import type { INodeProperties } from 'n8n-workflow';
import { findFields } from '../../api/answers/fields';
import type { InputField } from '../../api/answers/fields';
import type { Input } from '../../parameters/input';
import { invalid, invalidAll, readCollection } from '../../parameters/input';
import type { ItemRequest } from '../operation';
import { COUNTED, sharedProblem, titlesOf } from './answers';
import type { Answers } from './answers';
import { existingResponses, keyOf, NAME } from './existingResponses';
import type { ExistingResponses } from './existingResponses';

export const skipIfExists: INodeProperties = {
	displayName: 'Skip If Exists',
	name: 'skipIfExists',
	type: 'multiOptions',
	default: [],
	description:
		'Fields that identify a response, such as an email address or an order number. The node skips an item if a complete response, or an earlier item of the run, has the same answers to all these fields. This option costs two more requests per form and run. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	typeOptions: { loadOptionsMethod: 'getFieldOptions', loadOptionsDependsOn: ['formId.value'] },
};

/**
 * The names of the fields by which a response is recognized; none if every item is added.
 *
 * @throws NodeOperationError if the option can't be understood
 */
export function readSkipNames(input: Input): string[] {
	const options = readCollection(input, 'options');
	// an expression without a result leaves the option there, without a value
	if (!Object.hasOwn(options, 'skipIfExists')) return [];
	const given: unknown = options.skipIfExists;
	const names: unknown = typeof given === 'string' ? given.split(',') : given;
	const isName = (name: unknown) =>
		typeof name === 'number' || (typeof name === 'string' && name.trim() !== '');
	if (Array.isArray(names) && names.every(isName)) return names.map((name) => String(name).trim());
	throw invalid(
		input,
		`${NAME} must name fields of the form`,
		'Choose fields from the list, or provide a list of their UUIDs, custom keys or labels. With an empty list, every item is added.',
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
	const identity = [...new Set(found.flatMap(({ field }) => field ?? []))];
	const missing = identity
		.filter(({ id }) => String(data[id] ?? '').trim() === '')
		.map(
			({ title }) =>
				`"${title}" has no answer. ${NAME} compares this field, so it needs an answer.`,
		);
	if (missing.length > 0) throw invalidAll(input, missing, COUNTED);
	return identity;
}

/**
 * Waits for the turn of an item: items with the same answers take their turns in the order of the input.
 *
 * @param identity the fields by which a response is recognized
 * @returns the responses of the form, and the key of those with the item's answers
 */
export async function existingLike(
	request: ItemRequest,
	input: Input,
	formId: string,
	{ data }: Answers,
	identity: readonly InputField[],
): Promise<{ known: ExistingResponses['known']; key: string }> {
	const existing = await existingResponses(request, input, formId, identity);
	const answers = identity.map(({ id }) => data[id]);
	const key = keyOf(input, existing, answers);
	await request.run.turn(`${request.context.account.key} ${formId} ${key}`);
	return { known: existing.known, key };
}
