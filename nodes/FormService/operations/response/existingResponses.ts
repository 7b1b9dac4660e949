import type { IDataObject } from 'n8n-workflow';
import type { AnswerValue } from '../../api/answers/encode';
import { findFields, parseFields, parseInputFields } from '../../api/answers/fields';
import type { FormField, InputField } from '../../api/answers/fields';
import { isNothing, listMeanings, normalizeAnswer } from '../../api/answers/kinds';
import type { AnsweredField } from '../../api/answers/kinds';
import { matchAnswers } from '../../api/answers/match';
import type { MatchedAnswers } from '../../api/answers/match';
import { toComparable } from '../../api/answers/names';
import { endpoints, targetOf } from '../../api/endpoints';
import { readBoolean } from '../../api/readers';
import { idOf } from '../../api/records';
import { listRecords } from '../../api/service';
import type { Input } from '../../parameters/input';
import { invalid } from '../../parameters/input';
import { fieldsOf } from '../operation';
import type { ItemRequest } from '../operation';
import { titlesOf } from './answers';

/** The name of the parameter, as errors speak of it. */
export const NAME = "'Skip If Exists'";

/** The complete responses of a form by their answers to the identifying fields. */
export type ExistingResponses = {
	identity: IdentityField[];
	/** The first response with the same answers, by `keyOf`, and those that the run adds. */
	known: Map<string, AddedResponse | Promise<AddedResponse>>;
	/** The responses of which an answer is not certain. */
	doubtful: Array<{ id?: string; possible: Possible[] }>;
};

/** A response, which has no ID if the service gives none. */
type AddedResponse = { id?: string };

/** A field that identifies a response, and how its answers are compared. */
type IdentityField = {
	field: FormField;
	/** A field whose answers are listed as lists is compared as one with several choices: in any order. */
	compared: AnsweredField;
	/** The time zone of the workflow. */
	zone: string;
};

/** The text of an answer as it is compared, or all texts that it may have; undefined for any text. */
type Possible = ReadonlySet<string> | undefined;

/**
 * The complete responses of a form, read and compared once for all items of a run.
 *
 * @throws NodeApiError, or NodeOperationError if they can't be compared
 */
export async function existingResponses(
	{ context, run }: ItemRequest,
	input: Input,
	formId: string,
	identity: readonly InputField[],
): Promise<ExistingResponses> {
	const query = { incomplete: 'false' };
	const target = targetOf(context.account, endpoints.listResponses, { formId }, query);
	const read = async () => {
		const [records, fields] = await Promise.all([
			listRecords(context, target),
			fieldsOf({ context, run }, formId),
		]);
		return compareResponses(input, records, fields, identity);
	};
	return await run.readOnce(
		{ context, target },
		read,
		identity.map(({ id }) => id),
	);
}

/**
 * Incomplete responses are left out here as well, because a service may ignore the filter (specification,
 * section 4, rule 1).
 */
function compareResponses(
	input: Input,
	records: readonly IDataObject[],
	fieldRecords: readonly IDataObject[],
	wanted: readonly InputField[],
): ExistingResponses {
	const ids = wanted.map(({ id }) => id);
	const current = findFields(ids, parseInputFields(fieldRecords));
	const gone = wanted.filter((_, index) => current[index].field === undefined);
	if (gone.length > 0) {
		throw invalid(
			input,
			`${NAME} compares ${titlesOf(gone)}, which the form no longer has`,
			'Choose the fields again.',
		);
	}
	const formFields = parseFields(fieldRecords);
	const responses = records
		.filter((record) => readBoolean(record.is_incomplete) !== true)
		.map((record) => ({ id: idOf(record), matched: matchAnswers(record, formFields) }));
	const unread = responses.find(({ matched }) => matched.problem !== undefined);
	if (unread !== undefined) {
		throw invalid(
			input,
			`${NAME} can't read the answers of response ${unread.id ?? 'without ID'}`,
			`${unread.matched.problem}. ${NOTHING_ADDED}`,
		);
	}
	const all = responses.map(({ matched }) => matched);
	const identity = current.flatMap(({ field }) =>
		field ? identityField(input, field, formFields, all) : [],
	);
	const absent = identity.filter(({ field }) => !all.some((one) => hasEntry(one, field)));
	if (absent.length > 0 && responses.length > 0) {
		const titles = absent.map(({ field }) => `"${field.title}"`).join(', ');
		throw invalid(
			input,
			`${NAME} found no answer to ${titles} in any of the ${responses.length} responses of the form`,
			`The field may be new or renamed, so an existing response could be missed. ${NOTHING_ADDED}`,
		);
	}
	const existing: ExistingResponses = { identity, known: new Map(), doubtful: [] };
	for (const { id, matched } of responses) {
		const possible = identity.map((field) => possibleTexts(matched, field));
		const certain = possible.flatMap((texts) => (texts?.size === 1 ? [...texts] : []));
		const key = JSON.stringify(certain);
		if (certain.length < identity.length) existing.doubtful.push({ id, possible });
		else if (!existing.known.has(key)) existing.known.set(key, { id });
	}
	return existing;
}

const NOTHING_ADDED = `No response was added. Choose other fields, or remove ${NAME} and find duplicates with Get Many.`;

function identityField(
	{ zone }: Input,
	{ id }: InputField,
	formFields: readonly FormField[],
	responses: readonly MatchedAnswers[],
): IdentityField {
	const field = formFields.find(({ uuid }) => uuid === id)!;
	const hasLists = responses.some(({ answers }) =>
		answers.some((answer) => answer.field === field && Array.isArray(answer.value)),
	);
	return {
		field,
		compared: hasLists && field.kind === 'text' ? { ...field, kind: 'multipleChoice' } : field,
		zone,
	};
}

function hasEntry({ answers, doubtful }: MatchedAnswers, field: FormField): boolean {
	return doubtful.includes(field) || answers.some((answer) => answer.field === field);
}

/**
 * The key of the responses that have the same answers as an item.
 *
 * @param answers the item's answers to the identifying fields, in their order
 * @throws NodeOperationError if it is not certain whether a response has the same answers
 */
export function keyOf(
	input: Input,
	{ identity, known, doubtful }: ExistingResponses,
	answers: readonly AnswerValue[],
): string {
	const texts = identity.map(({ field, compared, zone }, index) => {
		const text = normalizeAnswer(answers[index], compared, zone);
		if (text !== undefined) return text;
		throw invalid(
			input,
			`${NAME} can't compare "${field.title}" with the responses of the form`,
			`The answer can be read in several ways. ${NOTHING_ADDED}`,
		);
	});
	const key = JSON.stringify(texts);
	if (known.has(key)) return key;
	const like = doubtful.find(({ possible }) =>
		possible.every((one, index) => one === undefined || one.has(texts[index])),
	);
	if (like === undefined) return key;
	const { title } = identity[like.possible.findIndex((one) => one?.size !== 1)].field;
	throw invalid(
		input,
		`${NAME} can't compare "${title}" with response ${like.id ?? 'without ID'}`,
		`The response has an answer that can be read in several ways, such as 1,234 or 01/02/2026, or that may belong to another field: several fields have this label, or the label has changed. ${NOTHING_ADDED}`,
	);
}

/**
 * What the answer of a response to a field may be. If the service lists labels alone, an answer under a
 * label of several fields, or under one that the form no longer has, may be the answer to the field.
 */
function possibleTexts(
	{ answers, doubtful }: MatchedAnswers,
	{ field, compared, zone }: IdentityField,
): Possible {
	const own = answers.find((answer) => answer.field === field);
	const isDoubtful = doubtful.includes(field);
	if (own !== undefined && !isDoubtful) return listMeanings(own.value, compared, zone);
	const ofLabel = answers.filter(
		(answer) =>
			answer.field !== undefined && toComparable(answer.field.label) === toComparable(field.label),
	);
	// a map by label keeps only one answer of several fields with that label
	if (isDoubtful && ofLabel.length === 1) return undefined;
	const candidates = answers.filter((answer) =>
		isDoubtful && answer.field !== undefined
			? ofLabel.includes(answer)
			: answer.field === undefined && answer.uuid === undefined && !isNothing(answer.value),
	);
	const meanings = candidates.map(({ value }) => listMeanings(value, compared, zone));
	const isKnown = meanings.every((one) => one !== undefined);
	return isKnown ? new Set(['', ...meanings.flatMap((one) => [...one])]) : undefined;
}
