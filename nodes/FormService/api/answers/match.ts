import { groupBy, sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { normalizeId, isUuid } from '../records';
import { decodeAnswers, describeMissing } from './decode';
import type { Answer } from './decode';
import type { FormField } from './fields';
import { isNothing } from './kinds';
import { makeUnique, toComparable } from './names';

/** An answer with the name that it gets in an item, and its field, if a field of the form takes it. */
export type MatchedAnswer = Answer & { name: string; field?: FormField };

/** The answers of a response, each with its field. */
export type MatchedAnswers = {
	/** In the order of the response. Of several entries of one field, the first one is its answer. */
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
 * The one way from a response to the answers of its fields. The UUID or ID of a field goes first, then its
 * custom key. Labels come last, and of several fields with one label, the first has the first answer, and
 * so on. Names are compared without the whitespace around them and in one Unicode form.
 *
 * @param fields none if they are not known: then labels name the answers
 */
export function matchAnswers(
	record: IDataObject,
	fields: readonly FormField[] = [],
): MatchedAnswers {
	const { answers, problem, isGuess = false } = decodeAnswers(record);
	const exact = matchIdentifiers(answers, fields);
	const isIdentified = exact.size > 0 || fields.some(({ ids }) => ids.some(isUuid));
	// an answer with the UUID of a field that the form no longer has is never that of another field
	const left = answers.filter(
		(answer) => !exact.has(answer) && !(isIdentified && answer.uuid !== undefined),
	);
	const taken = new Set(exact.values());
	const free = fields.filter((field) => !taken.has(field));
	const { fieldOf: named, ...notes } = matchNames(left, free);
	const fieldOf: FieldOf = new Map([...exact, ...named]);
	if (isGuess && fieldOf.size === 0) {
		return { answers: [], byPosition: [], doubtful: [], problem: describeMissing(record) };
	}
	return { answers: addNames(answers, fieldOf), ...notes, problem };
}

/**
 * Whether an answer belongs to no field, so that the fields may be out of date. Entries without a value
 * do not count: headings have them too.
 */
export function hasUnmatchedAnswers(
	records: readonly IDataObject[],
	fields: readonly FormField[],
): boolean {
	const answers = records.flatMap((record) => matchAnswers(record, fields).answers);
	return answers.some(({ field, value }) => field === undefined && !isNothing(value));
}

/** The fields of answers that have the UUID of a field, or a custom key that only one field has. */
function matchIdentifiers(answers: readonly Answer[], fields: readonly FormField[]): FieldOf {
	const byId = new Map(fields.flatMap((field) => field.ids.map((id) => [id, field] as const)));
	const byKey = groupBy(fields, ({ customKey }) => toComparable(customKey ?? ''));
	const fieldOf: FieldOf = new Map();
	const taken = new Set<FormField>();
	for (const answer of answers) {
		const { uuid, customKey } = answer;
		const keyed = customKey ? (byKey[toComparable(customKey)] ?? []) : [];
		const field =
			(uuid && byId.get(normalizeId(uuid))) || (keyed.length === 1 ? keyed[0] : undefined);
		if (!field || taken.has(field)) continue;
		fieldOf.set(answer, field);
		taken.add(field);
	}
	return fieldOf;
}

/** The fields of answers that have a name alone: a label, or the ID or custom key of a field, each by itself. */
function matchNames(answers: readonly Answer[], fields: readonly FormField[]) {
	const byLabel = groupBy(fields, ({ label }) => toComparable(label));
	const groups = Object.entries(groupBy(answers, ({ label }) => toComparable(label))).map(
		([name, own]) => ({
			own,
			keyed: fields.filter(
				({ ids, customKey = '' }) =>
					name !== '' && [...ids, toComparable(customKey)].includes(normalizeId(name)),
			),
			labelled: Object.hasOwn(byLabel, name) ? byLabel[name] : [],
		}),
	);
	// keys are surest; a name that is a key and a label is that of the field that has no other answer
	const sorted = sortBy(groups, ({ keyed, labelled }) =>
		labelled.length === 0 ? 0 : 1 + keyed.length,
	);
	const fieldOf: FieldOf = new Map();
	const taken = new Set<FormField>();
	const byPosition: string[] = [];
	const doubtful: FormField[] = [];
	for (const group of sorted) {
		const [keyed, labelled] = [group.keyed, group.labelled].map((some) =>
			some.filter((field) => !taken.has(field)),
		);
		const owners = keyed.length === 1 ? keyed : labelled;
		// a heading of the same label has an entry without a value
		const own =
			group.own.length > owners.length
				? group.own.filter(({ value }) => !isNothing(value))
				: group.own;
		own.slice(0, owners.length).forEach((answer, index) => {
			fieldOf.set(answer, owners[index]);
			taken.add(owners[index]);
		});
		if (owners === keyed) continue;
		if (labelled.length > 1) byPosition.push(labelled[0].label);
		if (own.length !== labelled.length) doubtful.push(...labelled);
	}
	return { fieldOf, byPosition, doubtful };
}

/** The names of answers: those of their fields, else their labels, numbered if they repeat. */
function addNames(answers: readonly Answer[], fieldOf: FieldOf): MatchedAnswer[] {
	const others = answers.filter((answer) => !fieldOf.has(answer));
	const taken = [...fieldOf.values()].map(({ name }) => name);
	const labels = others.map(({ label }) => label);
	const names = new Map(
		makeUnique(labels, taken).map((name, index) => [others[index], name] as const),
	);
	return answers.map((answer) => {
		const field = fieldOf.get(answer);
		return { ...answer, name: field?.name ?? names.get(answer)!, field };
	});
}
