import { groupBy } from 'lodash';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { comparableId, isUuid } from '../records';
import { decodeAnswers } from './decode';
import type { Answer } from './decode';
import type { FormField } from './fields';
import { comparable, tellApart } from './names';

/** An answer with the name that it gets in an item, and its field, if a field of the form takes it. */
type MatchedAnswer = Answer & { name: string; field?: FormField };

/** The answers of a response, each with its field. */
export type MatchedAnswers = {
	/** In the order of the response. Several entries of one field are one answer, a list. */
	answers: MatchedAnswer[];
	/** Labels that several fields share, so that only the order decides which answer is whose. */
	byPosition: string[];
	/** Fields for which the answer, or the lack of an answer, is not certain. */
	doubtful: FormField[];
	/** A sentence on the answers that could not be read. */
	problem?: string;
};

/** The field of each answer, as far as it is found. */
type FieldOf = Map<Answer, FormField>;

/**
 * The one way from a response to the answers of its fields, whatever shape the answers have. An exact
 * identifier goes first: the UUID or ID of a field, then its custom key. Labels come last, and of several
 * fields with one label, the first has the first answer, and so on. Texts are compared without the
 * whitespace around them and in one Unicode form.
 *
 * @param fields none if they are not known: then labels name the answers
 */
export function matchAnswers(
	record: IDataObject,
	fields: readonly FormField[] = [],
): MatchedAnswers {
	const { answers, problem } = decodeAnswers(record);
	const byId = matchBy(({ uuid, id }) => [uuid, id], answers, indexBy(idsOf, fields));
	const own = answers.filter((answer) => !byId.has(answer) && !isForeign(answer, byId, fields));
	const keys = indexBy(customKeyOf, without(fields, byId));
	const byKey = matchBy(({ customKey }) => [customKey], own, keys);
	const exact: FieldOf = new Map([...byId, ...byKey]);
	const left = own.filter((answer) => !exact.has(answer));
	const { fieldOf, ...notes } = matchNames(left, without(fields, exact));
	const merged = mergeEntries(answers, new Map([...exact, ...fieldOf]));
	return { answers: withNames(merged), ...notes, problem };
}

/**
 * Whether an answer belongs to no field, so that the fields may be out of date. Entries without a value
 * do not count: headings have them too.
 */
export function hasUnmatchedAnswers(
	records: readonly IDataObject[],
	fields: readonly FormField[],
): boolean {
	return records.some((record) =>
		matchAnswers(record, fields).answers.some(
			({ field, value }) => field === undefined && !isNothing(value),
		),
	);
}

type NamesOf<T> = (of: T) => ReadonlyArray<string | undefined>;

const idsOf: NamesOf<FormField> = ({ ids }) => ids;

const customKeyOf: NamesOf<FormField> = ({ match }) => [match.customKey];

/** Fields by some of their names, as these are compared. */
function indexBy(namesOf: NamesOf<FormField>, fields: readonly FormField[]) {
	return new Map(fields.flatMap((field) => namesOf(field).map((name) => [name, field] as const)));
}

/** The field of each answer that has one of these names. */
function matchBy(
	namesOf: NamesOf<Answer>,
	answers: readonly Answer[],
	fields: ReadonlyMap<string | undefined, FormField>,
): FieldOf {
	const found = answers.flatMap((answer) => {
		const names = namesOf(answer).filter((name) => name !== undefined);
		const field = names.map((name) => fields.get(keyIn(name))).find((one) => one !== undefined);
		return field === undefined ? [] : [[answer, field] as const];
	});
	return new Map(found);
}

/** An ID or custom key in the form in which two of them are compared. */
function keyIn(text: string): string {
	return comparableId(comparable(text));
}

/**
 * Whether an answer has the ID of a field that the form no longer has. If no answer of the response has
 * the ID of a field of the form, IDs that are no UUIDs may be those of the answers themselves.
 */
function isForeign({ uuid }: Answer, byId: FieldOf, fields: readonly FormField[]): boolean {
	if (uuid === undefined) return false;
	return byId.size > 0 || (isUuid(uuid) && fields.every(({ ids }) => ids.some(isUuid)));
}

/** The fields that have no answer yet. */
function without(fields: readonly FormField[], fieldOf: FieldOf): FormField[] {
	const taken = new Set(fieldOf.values());
	return fields.filter((field) => !taken.has(field));
}

type Named = Pick<MatchedAnswers, 'byPosition' | 'doubtful'> & { fieldOf: FieldOf };

/** The fields of answers that have a name alone: a label, or in a map the custom key or ID of a field. */
function matchNames(answers: readonly Answer[], fields: readonly FormField[]): Named {
	const byLabel = groupBy(fields, ({ match }) => match.label);
	const labelled = answers.filter(({ label }) => Object.hasOwn(byLabel, comparable(label)));
	const byKey = new Map([...indexBy(idsOf, fields), ...indexBy(customKeyOf, fields)]);
	const keyed = matchBy(({ label }) => [label], answers, byKey);
	// a map has the keys of all its answers, or the labels of all of them
	return keyed.size > labelled.length
		? { fieldOf: keyed, byPosition: [], doubtful: [] }
		: matchLabels(labelled, byLabel);
}

function matchLabels(
	labelled: readonly Answer[],
	byLabel: Readonly<Record<string, FormField[]>>,
): Named {
	const fieldOf: FieldOf = new Map();
	const byPosition: string[] = [];
	const doubtful: FormField[] = [];
	for (const [label, own] of Object.entries(groupBy(labelled, (one) => comparable(one.label)))) {
		const fields = byLabel[label];
		const hasAll = own.length === fields[0].place.of;
		// an entry for a heading of the same label takes its place in the order
		const ordered = hasAll
			? own.filter((_, at) => fields.some(({ place }) => place.at === at))
			: own;
		for (const [field, answer] of bySpelling(ordered, fields)) fieldOf.set(answer, field);
		if (fields.length > 1) byPosition.push(fields[0].label);
		if (!hasAll && own.length !== fields.length) doubtful.push(...fields);
	}
	return { fieldOf, byPosition, doubtful };
}

/** The answers of fields that share a label: an answer in the spelling of the field, else the next one. */
function bySpelling(
	answers: readonly Answer[],
	fields: readonly FormField[],
): Array<[FormField, Answer]> {
	const left = [...answers];
	const spelled = fields.map(({ label }) => {
		const at = left.findIndex((answer) => answer.label === label);
		return at < 0 ? undefined : left.splice(at, 1)[0];
	});
	return fields.flatMap((field, index) => {
		const answer = spelled[index] ?? left.shift();
		return answer === undefined ? [] : [[field, answer]];
	});
}

type MergedAnswer = Answer & { field?: FormField };

/** One answer for all entries of a field, or of a UUID with one label if the fields are not known. */
function mergeEntries(answers: readonly Answer[], fieldOf: FieldOf): MergedAnswer[] {
	const entries = new Map<unknown, Answer[]>();
	for (const answer of answers) {
		const ofUuid = answer.uuid === undefined ? answer : `${answer.uuid}\n${answer.label}`;
		const owner = fieldOf.get(answer) ?? ofUuid;
		const own = entries.get(owner);
		if (own === undefined) entries.set(owner, [answer]);
		else own.push(answer);
	}
	return [...entries.values()].map((own) => ({
		...own[0],
		value: own.length === 1 ? own[0].value : mergeValues(own.map(({ value }) => value)),
		field: fieldOf.get(own[0]),
	}));
}

function mergeValues(values: readonly GenericValue[]): GenericValue {
	const parts = (values.flat() as GenericValue[]).filter((value) => !isNothing(value));
	return parts.length > 1 ? parts : (parts.at(0) ?? null);
}

/** Whether nothing was answered. */
export function isNothing(value: unknown): boolean {
	if (Array.isArray(value)) return value.every(isNothing);
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}

/** The names of answers: those of their fields, else their labels, numbered if they repeat. */
function withNames(answers: readonly MergedAnswer[]): MatchedAnswer[] {
	const others = answers.filter(({ field }) => field === undefined);
	const taken = answers.flatMap(({ field }) => field?.name ?? []);
	const labels = others.map(({ label }) => label);
	const names = tellApart(labels, taken);
	const nameOf = new Map(others.map((answer, index) => [answer, names[index]]));
	return answers.map((answer) => ({
		...answer,
		name: answer.field?.name ?? nameOf.get(answer) ?? answer.label,
	}));
}
