import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { findFields, parseFields } from '../../api/answers/fields';
import type { FormField, InputField } from '../../api/answers/fields';
import { isNothing, listMeanings, normalizeAnswer } from '../../api/answers/kinds';
import { matchAnswers } from '../../api/answers/match';
import type { MatchedAnswers } from '../../api/answers/match';
import { toComparable } from '../../api/answers/names';
import { endpoints, createTarget } from '../../api/endpoints';
import { readBoolean } from '../../api/readers';
import { getId } from '../../api/records';
import { listRecords } from '../../api/service';
import type { Input } from '../../parameters/input';
import { invalid, invalidAll, readCollection, toWords } from '../../parameters/input';
import { readFormFields, readOnce } from '../operation';
import type { ItemRequest } from '../operation';
import { COUNTED, explainSharedLabel, listTitles } from './answers';
import type { Answers } from './answers';

/** The name of the parameter, as errors speak of it. */
const SKIP_DUPLICATES = 'Skip Duplicates By';

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
	return toWords(input, options.skipIfExists, SKIP_DUPLICATES);
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
			one.sharedBy.length > 0 ? explainSharedLabel(one) : `${explainUnknownName(one.name)}.`,
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

function explainUnknownName(name: string): string {
	return `'${SKIP_DUPLICATES}' names "${name}", which is not a field of the form`;
}

/** The ID of the first response with a key, if the service gives it: one that exists, or that the run adds. */
export type Known = Map<string | undefined, Promise<string | undefined>>;

/** The complete responses of a form by their answers to the identifying fields. */
type Existing = {
	identity: FormField[];
	known: Known;
	/** The responses of which an answer is not certain. */
	doubtful: Array<{ id?: string; possible: Possible[] }>;
};

/** The text of an answer as it is compared, or all texts that it may have; undefined for any text. */
type Possible = ReadonlySet<string> | undefined;

const NOTHING_ADDED = `No response was added. Choose other fields, or remove '${SKIP_DUPLICATES}' and find duplicates with Response: Get Many.`;

/**
 * Finds the responses with the same answers as an item. The responses of the form are read and compared
 * once for all items of a run.
 *
 * @param identity the fields by which a response is recognized; none if every item is added
 * @returns the known responses, and the key of those with the item's answers
 * @throws NodeApiError, or NodeOperationError if it is not certain whether a response has the same answers
 */
export async function findDuplicates(
	request: ItemRequest,
	input: Input,
	formId: string,
	{ data }: Answers,
	identity: readonly InputField[],
): Promise<{ known: Known; key?: string }> {
	if (identity.length === 0) return { known: new Map() };
	const { account } = request.context;
	const target = createTarget(
		account,
		endpoints.listResponses,
		{ formId },
		{ incomplete: 'false' },
	);
	const existing = await readOnce(
		{ ...request, target },
		async (context) => {
			const [records, fields] = await Promise.all([
				listRecords(context, target),
				readFormFields(request, formId),
			]);
			return indexResponses(input, records, fields, identity);
		},
		identity.map(({ id }) => id),
	);
	return { known: existing.known, key: findKey(input, existing, data) };
}

/**
 * Incomplete responses are left out here as well, because a service may ignore the filter (specification,
 * section 4, rule 1).
 */
function indexResponses(
	input: Input,
	records: readonly IDataObject[],
	fieldRecords: readonly IDataObject[],
	wanted: readonly InputField[],
): Existing {
	const formFields = parseFields(fieldRecords);
	const responses = records
		.filter((record) => readBoolean(record.is_incomplete) !== true)
		.map((record) => ({ id: getId(record), matched: matchAnswers(record, formFields) }));
	const unread = responses.find(({ matched }) => matched.problem !== undefined);
	if (unread !== undefined) {
		throw invalid(
			input,
			`'${SKIP_DUPLICATES}' can't read the answers of response ${unread.id ?? 'without ID'}`,
			`${unread.matched.problem}. ${NOTHING_ADDED}`,
		);
	}
	const all = responses.map(({ matched }) => matched);
	const listed = new Set(
		all.flatMap(({ answers, doubtful }) => [...answers.map(({ field }) => field), ...doubtful]),
	);
	const identity = wanted.map(({ id, title }) => {
		const field = formFields.find(({ uuid }) => uuid === id);
		// the resource mapper may have stored a field that was deleted since
		if (field === undefined) throw invalid(input, explainUnknownName(title), NOTHING_ADDED);
		return field;
	});
	const absent = identity.filter((field) => !listed.has(field));
	if (absent.length > 0 && responses.length > 0) {
		const titles = absent.map(({ title }) => `"${title}"`).join(', ');
		throw invalid(
			input,
			`'${SKIP_DUPLICATES}' found no answer to ${titles} in any of the ${responses.length} responses of the form`,
			`The field may be new or renamed, so an existing response could be missed. ${NOTHING_ADDED}`,
		);
	}
	for (const field of identity) {
		// a field whose type is unknown has several choices, equal in any order, if its answers are lists
		const own = all.flatMap(({ answers }) => answers.filter((answer) => answer.field === field));
		const listsChoices = own.some(({ value }) => Array.isArray(value));
		if (listsChoices && field.kind === 'text') field.kind = 'multipleChoice';
	}
	const existing: Existing = { identity, known: new Map(), doubtful: [] };
	for (const { id, matched } of responses) {
		const possible = identity.map((field) => findPossibleTexts(matched, field, input.zone));
		const certain = possible.flatMap((texts) => (texts?.size === 1 ? [...texts] : []));
		const key = JSON.stringify(certain);
		if (certain.length < identity.length) existing.doubtful.push({ id, possible });
		else if (!existing.known.has(key)) existing.known.set(key, Promise.resolve(id));
	}
	return existing;
}

/**
 * The key of the responses that have the same answers as an item.
 *
 * @param data the answers of the item by the IDs of their fields
 * @throws NodeOperationError if it is not certain whether a response has the same answers
 */
function findKey(
	input: Input,
	{ identity, known, doubtful }: Existing,
	data: Answers['data'],
): string {
	const texts = identity.map((field) => {
		const text = normalizeAnswer(data[field.uuid!], field, input.zone);
		if (text !== undefined) return text;
		throw invalid(
			input,
			`'${SKIP_DUPLICATES}' can't compare "${field.title}" with the responses of the form`,
			`The answer can be read in several ways. ${NOTHING_ADDED}`,
		);
	});
	const key = JSON.stringify(texts);
	if (known.has(key)) return key;
	const like = doubtful.find(({ possible }) =>
		possible.every((one, index) => one === undefined || one.has(texts[index])),
	);
	if (like === undefined) return key;
	const { title } = identity[like.possible.findIndex((one) => one?.size !== 1)];
	throw invalid(
		input,
		`'${SKIP_DUPLICATES}' can't compare "${title}" with response ${like.id ?? 'without ID'}`,
		`The response has an answer that can be read in several ways, such as 1,234 or 01/02/2026, or that may belong to another field: several fields have this label, or the label has changed. ${NOTHING_ADDED}`,
	);
}

/**
 * What the answer of a response to a field may be. If the service lists labels alone, an answer under a
 * label of several fields, or under one that the form no longer has, may be the answer to the field.
 */
function findPossibleTexts(
	{ answers, doubtful }: MatchedAnswers,
	field: FormField,
	zone: string,
): Possible {
	const label = toComparable(field.label);
	const namesakes = doubtful.includes(field)
		? answers.filter((answer) => answer.field && toComparable(answer.field.label) === label)
		: [];
	// a map by label keeps only one answer of several fields with that label
	if (namesakes.length === 1) return undefined;
	const own = answers.find((answer) => answer.field === field);
	if (own !== undefined && namesakes.length === 0) return listMeanings(own.value, field, zone);
	const unmatched = answers.filter(
		(answer) => answer.field === undefined && answer.uuid === undefined && !isNothing(answer.value),
	);
	const meanings = [...namesakes, ...unmatched].map(({ value }) =>
		listMeanings(value, field, zone),
	);
	if (!meanings.every((one) => one !== undefined)) return undefined;
	return new Set(['', ...meanings.flatMap((one) => [...one])]);
}
