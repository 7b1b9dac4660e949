import type { INodeProperties } from 'n8n-workflow';
import { findFields } from '../../api/answers/fields';
import type { InputField } from '../../api/answers/fields';
import type { Input } from '../../parameters/input';
import { invalid, invalidAll, readCollection } from '../../parameters/input';
import { COUNTED, explainSharedLabel, listTitles } from './answers';
import type { Answers } from './answers';

/** The name of the parameter, as errors speak of it. */
export const SKIP_DUPLICATES = 'Skip Duplicates By';

export const skipDuplicates: INodeProperties = {
	displayName: SKIP_DUPLICATES,
	name: 'skipIfExists',
	type: 'multiOptions',
	default: [],
	description:
		'Fields that identify a response, such as an email address or an order number. The node skips an item if a complete response, or an earlier item of the run, has the same answers to all these fields. Uses two more requests per form and run. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
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
		`'${SKIP_DUPLICATES}' must name fields of the form`,
		'Choose fields from the list, or provide a list of their UUIDs, custom keys or labels. With an empty list, every item is added.',
	);
}

/**
 * The fields by which a response is recognized.
 *
 * @throws NodeOperationError that names what is no field of the form, and fields that have no answer
 */
export function findIdentity(
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
				? explainSharedLabel(one)
				: `'${SKIP_DUPLICATES}' names "${one.name}", which is not a field of the form.`,
		);
	if (problems.length > 0) {
		throw invalidAll(input, problems, COUNTED, [`Form fields: ${listTitles(fields)}.`]);
	}
	const identity = [...new Set(found.flatMap(({ field }) => field ?? []))];
	const missing = identity
		.filter(({ id }) => String(data[id] ?? '').trim() === '')
		.map(
			({ title }) =>
				`"${title}" has no answer. '${SKIP_DUPLICATES}' compares this field, so it needs an answer.`,
		);
	if (missing.length > 0) throw invalidAll(input, missing, COUNTED);
	return identity;
}
