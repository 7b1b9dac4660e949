import { union } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { pauseIfDue } from '../clock';
import { normalizeId, isUuid } from '../records';
import { decodeAnswers, describeMissing } from './decode';
import type { Answer } from './decode';
import { indexFields } from './fields';
import type { FormField } from './fields';
import { isNothing } from './kinds';
import { makeUnique, toComparable } from './names';

/** An answer with its field, if a field of the form takes it. */
export type MatchedAnswer = Answer & { field?: FormField };

/** The answers of a response, each with its field. */
export type MatchedAnswers = {
	/** In the order of the response. */
	answers: readonly MatchedAnswer[];
	/** By the positions of the fields. Of several entries of one field, the first one is its answer. */
	byField: ReadonlyArray<MatchedAnswer | undefined>;
	/** Labels that several fields share, so that only the order decides which answer is whose. */
	byPosition: string[];
	/** Fields for which the answer, or the lack of an answer, is not certain. */
	doubtful: FormField[];
	/** A sentence on the answers that could not be read. */
	problem?: string;
};

type ByField = Array<MatchedAnswer | undefined>;

/** What was matched with each list of fields: the items of a run, and what each is made of, share it. */
const matchesByFields = new WeakMap<readonly FormField[], WeakMap<IDataObject, MatchedAnswers>>();

/**
 * The one way from a response to the answers of its fields. The UUID or ID of a field goes first, then its
 * custom key. Labels come last, and of several fields with one label, the first has the first answer, and
 * so on. Names are compared without the whitespace around them and in one Unicode form.
 *
 * @param fields none if they are not known: then labels name the answers
 */
export function matchAnswers(record: IDataObject, fields?: readonly FormField[]): MatchedAnswers {
	if (fields === undefined) return matchFields(record, []);
	const matches = matchesByFields.get(fields) ?? new WeakMap<IDataObject, MatchedAnswers>();
	const matched = matches.get(record) ?? matchFields(record, fields);
	matchesByFields.set(fields, matches.set(record, matched));
	return matched;
}

/**
 * Whether an answer belongs to no field, so that the fields may be out of date. Entries without a value
 * do not count: headings have them too.
 */
export async function hasUnmatchedAnswers(
	records: readonly IDataObject[],
	fields: readonly FormField[],
): Promise<boolean> {
	for (const record of records) {
		await pauseIfDue();
		const { answers } = matchAnswers(record, fields);
		if (answers.some(({ field, value }) => field === undefined && !isNothing(value))) return true;
	}
	return false;
}

function matchFields(record: IDataObject, fields: readonly FormField[]): MatchedAnswers {
	const { answers: decoded, problem, isGuess = false } = decodeAnswers(record);
	const answers: MatchedAnswer[] = decoded.map((answer) => ({ ...answer, field: undefined }));
	const byField = matchIdentifiers(answers, fields);
	const isIdentified = byField.some(Boolean) || fields.some(({ ids }) => ids.some(isUuid));
	// an answer with the UUID of a field that the form no longer has is never that of another field
	const left = answers.filter(
		({ field, uuid }) => field === undefined && !(isIdentified && uuid !== undefined),
	);
	const notes = matchNames(left, fields, byField);
	if (!isGuess || byField.some(Boolean)) return { answers, byField, ...notes, problem };
	return { answers: [], byField, byPosition: [], doubtful: [], problem: describeMissing(record) };
}

function assign(answer: MatchedAnswer, field: FormField, byField: ByField): void {
	answer.field = field;
	byField[field.position] = answer;
}

/** Assigns answers that have the UUID of a field, or a custom key that only one field has. */
function matchIdentifiers(answers: MatchedAnswer[], fields: readonly FormField[]): ByField {
	const { byId, byKey } = indexFields(fields);
	const byField: ByField = Array(fields.length).fill(undefined);
	for (const answer of answers) {
		const { uuid, customKey } = answer;
		const [identified] = (uuid && byId.get(normalizeId(uuid))) || [];
		const [keyed, ...others] = (customKey && byKey.get(toComparable(customKey))) || [];
		const field = identified ?? (others.length === 0 ? keyed : undefined);
		if (field && !byField[field.position]) assign(answer, field, byField);
	}
	return byField;
}

/** Assigns answers that have a name alone: a label, or the ID or custom key of a field, each by itself. */
function matchNames(answers: MatchedAnswer[], fields: readonly FormField[], byField: ByField) {
	const { byId, byKey, byLabel } = indexFields(fields);
	const isFree = ({ position }: FormField) => byField[position] === undefined;
	const selectFree = (some: readonly FormField[] = []) =>
		some.every(isFree) ? some : some.filter(isFree);
	// for each of many responses: lodash's groupBy takes three times as long
	const byName = new Map<string, MatchedAnswer[]>();
	for (const answer of answers) {
		const name = toComparable(answer.label);
		const own = byName.get(name);
		if (own === undefined) byName.set(name, [answer]);
		else own.push(answer);
	}
	const groups = Array.from(byName, ([name, own]) => {
		const labelled = selectFree(byLabel.get(name));
		const [ids, keys] = [byId.get(normalizeId(name)), byKey.get(name)];
		const keyed = selectFree(ids && keys ? union(ids, keys) : (ids ?? keys));
		// keys are surest; a name that is a key and a label is that of the field that has no other answer
		return { own, keyed, labelled, rank: labelled.length === 0 ? 0 : 1 + keyed.length };
	});
	const byPosition: string[] = [];
	const doubtful: FormField[] = [];
	for (const group of groups.sort((one, other) => one.rank - other.rank)) {
		const [keyed, labelled] = [selectFree(group.keyed), selectFree(group.labelled)];
		const owners = keyed.length === 1 ? keyed : labelled;
		// a heading of the same label has an entry without a value
		const own =
			group.own.length > owners.length
				? group.own.filter(({ value }) => !isNothing(value))
				: group.own;
		own.slice(0, owners.length).forEach((one, index) => assign(one, owners[index], byField));
		if (owners === keyed) continue;
		if (labelled.length > 1) byPosition.push(labelled[0].label);
		if (own.length !== labelled.length) doubtful.push(...labelled);
	}
	return { byPosition, doubtful };
}

/** The names of answers in an item: those of their fields, else their labels, numbered if they repeat. */
export function nameAnswers(answers: readonly MatchedAnswer[]): string[] {
	const taken = answers.flatMap(({ field }) => field?.name ?? []);
	const others = answers.filter(({ field }) => field === undefined).map(({ label }) => label);
	const names = makeUnique(others, taken).values();
	return answers.map(({ field }) => field?.name ?? names.next().value!);
}
