import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { canBeSame, canonicalize } from '../../api/answers/canonical';
import type { Canonical } from '../../api/answers/canonical';
import { explainSharedLabel, findFields, parseFields } from '../../api/answers/fields';
import type { FormField, InputField } from '../../api/answers/fields';
import { isNothing } from '../../api/answers/kinds';
import { matchAnswers } from '../../api/answers/match';
import type { MatchedAnswers } from '../../api/answers/match';
import { toComparable } from '../../api/answers/names';
import { pauseIfDue } from '../../api/clock';
import { endpoints, createTarget } from '../../api/endpoints';
import { readBoolean } from '../../api/readers';
import { getId } from '../../api/records';
import { listRecords } from '../../api/service';
import type { Input } from '../../parameters/input';
import { invalid, invalidAll, readCollection, toWords } from '../../parameters/input';
import { readFormFields, readOnce } from '../../execution/operation';
import type { ItemRequest } from '../../execution/operation';
import { COUNTED, listTitles } from './answers';
import type { Answers } from './answers';

/** The name of the parameter, as errors speak of it. */
const SKIP_DUPLICATES = 'Skip Duplicates By';

export const skipDuplicates: INodeProperties = {
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
export function readSkipNames(input: Input): string[] {
	const options = readCollection(input, 'options');
	// an expression without a result leaves the option there, without a value
	if (!Object.hasOwn(options, 'skipIfExists')) return [];
	const names = toWords(input, options.skipIfExists, SKIP_DUPLICATES);
	if (names.length > 0) return names;
	const advice = 'Choose the fields that identify a response, or remove the option.';
	throw invalid(input, `'${SKIP_DUPLICATES}' names no field`, advice);
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
		.filter(({ uuid }) => String(data[uuid] ?? '').trim() === '')
		.map(
			({ title }) =>
				`"${title}" has no answer. '${SKIP_DUPLICATES}' compares this field, so it needs an answer.`,
		);
	if (missing.length > 0) throw invalidAll(input, missing, COUNTED);
	return identity;
}

/** The ID of the first response with a key, if the service gives it: one that exists, or that the run adds. */
export type Known = Map<string | undefined, Promise<string | undefined>>;

/** The complete responses of a form by their answers to the identifying fields. */
type Existing = {
	identity: FormField[];
	known: Known;
	/** The responses and the items of the run. */
	compared: Array<{ name: string; key?: string; answers: Canonical[] }>;
};

const NOT_ADDED = `This item was not added. Choose other fields, or remove '${SKIP_DUPLICATES}' and find duplicates with Response: Get Many.`;

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
	answers: Answers,
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
		{ ...request, target, reads: request.lastingReads },
		async (context) => {
			const [records, fields] = await Promise.all([
				listRecords({ ...context, comparesText: true }, target),
				readFormFields(request, formId),
			]);
			return await indexResponses(input, records, fields, identity);
		},
		identity.map(({ uuid }) => uuid),
	);
	return { known: existing.known, key: findKey(input, existing, answers) };
}

/**
 * Incomplete responses are left out here as well, because a service may ignore the filter (specification,
 * section 4, rule 1).
 */
async function indexResponses(
	input: Input,
	records: readonly IDataObject[],
	fieldRecords: readonly IDataObject[],
	wanted: readonly InputField[],
): Promise<Existing> {
	const formFields = parseFields(fieldRecords);
	const responses: Array<{ id?: string; matched: MatchedAnswers }> = [];
	for (const record of records) {
		await pauseIfDue();
		if (readBoolean(record.is_incomplete) === true) continue;
		responses.push({ id: getId(record), matched: matchAnswers(record, formFields) });
	}
	const unread = responses.find(({ matched }) => matched.problem !== undefined);
	if (unread !== undefined) {
		throw invalid(
			input,
			`'${SKIP_DUPLICATES}' can't read the answers of response ${unread.id ?? 'without ID'}`,
			`${unread.matched.problem}. ${NOT_ADDED}`,
		);
	}
	const all = responses.map(({ matched }) => matched);
	const isListed = (field: FormField) =>
		all.some(({ byField, doubtful }) => byField[field.position] ?? doubtful.includes(field));
	const identity = wanted.map((field) => formFields.find(({ uuid }) => uuid === field.uuid)!);
	const absent = identity.filter((field) => !isListed(field));
	if (absent.length > 0 && responses.length > 0) {
		const titles = absent.map(({ title }) => `"${title}"`).join(', ');
		throw invalid(
			input,
			`'${SKIP_DUPLICATES}' found no answer to ${titles} in any of the ${responses.length} responses of the form`,
			`The field may be new or renamed, so an existing response could be missed. ${NOT_ADDED}`,
		);
	}
	const existing: Existing = { identity, known: new Map(), compared: [] };
	for (const { id, matched } of responses) {
		const answers = identity.map((field) => findAnswer(matched, field));
		const key = joinForms(answers);
		existing.compared.push({ name: `response ${id ?? 'without ID'}`, key, answers });
		if (key !== undefined && !existing.known.has(key)) existing.known.set(key, Promise.resolve(id));
	}
	return existing;
}

/** The same for responses with the same answers; undefined if an answer is not certain. */
function joinForms(answers: readonly Canonical[]): string | undefined {
	const forms = answers.map(({ form }) => form);
	return forms.includes(undefined) ? undefined : JSON.stringify(forms);
}

/**
 * The key of the responses that have the same answers as an item.
 *
 * @throws NodeOperationError if it is not certain whether a response, or an earlier item, has the same answers
 */
function findKey(input: Input, existing: Existing, answers: Answers): string {
	const { identity, known, compared } = existing;
	const own = identity.map((field) => canonicalize(answers.compared[field.uuid!], field));
	const key = joinForms(own);
	if (key !== undefined && known.has(key)) return key;
	const all = { name: 'the responses of the form', key, answers: own };
	const canBeItem = (answers: Canonical[]) => answers.every((one, at) => canBeSame(one, own[at]));
	const like =
		key === undefined ? all : compared.find((one) => one.key !== key && canBeItem(one.answers));
	if (key !== undefined && like === undefined) {
		compared.push({ name: 'an earlier item', key, answers: own });
		return key;
	}
	const { name, answers: others } = like ?? all;
	const index = others.findIndex(({ form }, at) => form === undefined || form !== own[at].form);
	throw invalid(
		input,
		`'${SKIP_DUPLICATES}' can't compare "${identity[index].title}" with ${name}`,
		`The answer ${others[index].unclear ?? own[index].unclear}. ${NOT_ADDED}`,
	);
}

/**
 * The answer of a response to a field. If the service lists labels alone, an answer under a label of several
 * fields, or under one that the form no longer has, may be the answer to the field.
 */
function findAnswer({ answers, doubtful }: MatchedAnswers, field: FormField): Canonical {
	const label = toComparable(field.label);
	const namesakes = doubtful.includes(field)
		? answers.filter((answer) => answer.field && toComparable(answer.field.label) === label)
		: [];
	const own = answers.find((answer) => answer.field === field);
	if (own !== undefined && namesakes.length === 0) return canonicalize(own.value, field);
	const unmatched = answers.filter(
		(answer) => answer.field === undefined && answer.uuid === undefined && !isNothing(answer.value),
	);
	const possible = [...namesakes, ...unmatched].map(({ value }) => canonicalize(value, field));
	// a map by label keeps only one answer of several fields with that label
	const isAny = namesakes.length === 1 || possible.some(({ spellings }) => spellings === undefined);
	return {
		unclear:
			'may be that of another field: several fields have this label, or the label has changed',
		spellings: isAny ? undefined : possible.flatMap(({ spellings = [] }) => spellings),
	};
}
