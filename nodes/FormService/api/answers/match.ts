import { groupBy } from 'lodash';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { comparableId, isUuid } from '../records';
import { decodeAnswers } from './decode';
import type { Answer } from './decode';
import type { FormField } from './fields';
import { comparable, tellApart } from './labels';

/** An answer with the name that it gets in an item, and its field, if a field of the form takes it. */
export type MatchedAnswer = Answer & { name: string; field?: FormField };

/** The answers of a response, each with its field. */
export type MatchedAnswers = {
	/** In the order of the response. Several entries of one field are one answer, a list. */
	answers: MatchedAnswer[];
	/** Labels that several fields share, so that only the order decides which answer is whose. */
	byPosition: string[];
	/** Fields for which the answer, or the lack of an answer, is not certain. */
	doubtful: FormField[];
	/** What of the answers could not be read, in a sentence. */
	problem?: string;
};

/**
 * The one way from a response to the answers of its fields, whatever shape the answers have. What names a
 * field exactly goes first: its UUID or ID, then its custom key. Labels come last, and of several fields
 * with one label, the first has the first answer, and so on. Texts are compared without the blanks around
 * them and in one Unicode form.
 *
 * @param fields none where they are not known: then labels name the answers
 */
export function matchAnswers(
	record: IDataObject,
	fields: readonly FormField[] = [],
): MatchedAnswers {
	const { answers, problem } = decodeAnswers(record);
	const byId = matchIds(answers, fields);
	const own = answers.filter((answer) => !byId.has(answer) && !isForeign(answer, byId, fields));
	const byKey = matchCustomKeys(own, without(fields, byId));
	const exact: FieldOf = new Map([...byId, ...byKey]);
	const named = matchNames(
		own.filter((answer) => !exact.has(answer)),
		without(fields, exact),
	);
	const merged = mergeEntries(answers, new Map([...exact, ...named.fieldOf]));
	return {
		answers: withNames(merged),
		byPosition: named.byPosition,
		doubtful: named.doubtful,
		...(problem !== undefined && { problem }),
	};
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

type FieldOf = Map<Answer, FormField>;

function matchIds(answers: readonly Answer[], fields: readonly FormField[]): FieldOf {
	const byId = new Map(fields.flatMap((field) => field.ids.map((id) => [id, field] as const)));
	return matchBy(answers, ({ uuid, id }) =>
		[uuid, id]
			.map((one) => (one === undefined ? undefined : byId.get(comparableId(one))))
			.find((field) => field !== undefined),
	);
}

function matchCustomKeys(answers: readonly Answer[], fields: readonly FormField[]): FieldOf {
	const byKey = byCustomKey(fields);
	return matchBy(answers, ({ customKey }) =>
		customKey === undefined ? undefined : byKey.get(comparable(customKey)),
	);
}

function matchBy(
	answers: readonly Answer[],
	find: (answer: Answer) => FormField | undefined,
): FieldOf {
	const found = answers.map((answer) => [answer, find(answer)] as const);
	return new Map(found.filter((one): one is [Answer, FormField] => one[1] !== undefined));
}

/**
 * Whether an answer has the ID of a field that the form no longer has. Where no answer of the response has
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
	const byKey = byKeyOrId(fields);
	const byLabel = groupBy(fields, ({ match }) => match.label);
	const labelled = answers.filter(({ label }) => Object.hasOwn(byLabel, comparable(label)));
	const keyed = answers.filter(({ label }) => byKey.has(keyIn(label)));
	// a map has the keys of all its answers, or the labels of all of them
	return keyed.length > labelled.length
		? { fieldOf: matchKeys(keyed, byKey), byPosition: [], doubtful: [] }
		: matchLabels(labelled, byLabel);
}

function matchKeys(keyed: readonly Answer[], byKey: ReadonlyMap<string, FormField>): FieldOf {
	return new Map(keyed.map((answer) => [answer, byKey.get(keyIn(answer.label))!]));
}

function keyIn(label: string): string {
	return comparableId(comparable(label));
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
		const { of } = fields[0].place;
		const hasAll = own.length === of;
		// an entry for a heading of the same label takes its place in the order
		const inOrder = hasAll
			? own.filter((_, at) => fields.some(({ place }) => place.at === at))
			: own;
		const ordered = bySpelling(inOrder, fields);
		fields.forEach((field, index) => {
			const answer = ordered[index];
			if (answer !== undefined) fieldOf.set(answer, field);
		});
		if (fields.length > 1) byPosition.push(fields[0].label);
		if (!hasAll && own.length !== fields.length) doubtful.push(...fields);
	}
	return { fieldOf, byPosition, doubtful };
}

/** Answers for fields that share a label: in the same spelling where there is one, and else in order. */
function bySpelling(
	answers: readonly Answer[],
	fields: readonly FormField[],
): Array<Answer | undefined> {
	const left = [...answers];
	const spelled = fields.map(({ label }) => {
		const at = left.findIndex((answer) => answer.label === label);
		return at < 0 ? undefined : left.splice(at, 1)[0];
	});
	return spelled.map((answer) => answer ?? left.shift());
}

function byCustomKey(fields: readonly FormField[]): Map<string, FormField> {
	return new Map(
		fields.flatMap((field) =>
			field.match.customKey === undefined ? [] : [[field.match.customKey, field] as const],
		),
	);
}

function byKeyOrId(fields: readonly FormField[]): Map<string, FormField> {
	const ids = fields.flatMap((field) => field.ids.map((id) => [id, field] as const));
	return new Map([...ids, ...byCustomKey(fields)]);
}

/** One answer for all entries of a field, or of a UUID with one label where the fields are not known. */
function mergeEntries(answers: readonly Answer[], fieldOf: FieldOf) {
	const entries = new Map<unknown, Answer[]>();
	for (const answer of answers) {
		const ofUuid = answer.uuid === undefined ? answer : `${answer.uuid}\n${answer.label}`;
		const owner = fieldOf.get(answer) ?? ofUuid;
		const before = entries.get(owner);
		if (before === undefined) entries.set(owner, [answer]);
		else before.push(answer);
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
function withNames(answers: ReadonlyArray<Answer & { field?: FormField }>): MatchedAnswer[] {
	const others = answers.filter(({ field }) => field === undefined);
	const taken = answers.flatMap(({ field }) => (field === undefined ? [] : [field.name]));
	const labels = tellApart(
		others.map(({ label }) => label),
		taken,
	);
	const nameOf = new Map(others.map((answer, index) => [answer, labels[index]]));
	return answers.map((answer) => ({
		...answer,
		name: answer.field?.name ?? nameOf.get(answer) ?? answer.label,
	}));
}
