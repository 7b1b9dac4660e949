import { compact } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { pauseIfDue } from '../clock';
import { decodeAnswers } from './decode';
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
	/** A sentence on the answers that could not be read. */
	problem?: string;
};

/** What was matched with each list of fields: the items of a run, and what each is made of, share it. */
const matchesByFields = new WeakMap<readonly FormField[], WeakMap<IDataObject, MatchedAnswers>>();

/**
 * The one way from a response to the answers of its fields. The UUID of a field goes first, then its custom
 * key. Labels come last, and of several fields with one label, the first has the first answer, and so on.
 * Names are compared without the whitespace around them and in one Unicode form.
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

function matchFields(record: IDataObject, fields: readonly FormField[]): MatchedAnswers {
	const { answers: decoded, problem } = decodeAnswers(record);
	const answers: MatchedAnswer[] = decoded.map((answer) => ({ ...answer, field: undefined }));
	const index = indexFields(fields);
	const byField: Array<MatchedAnswer | undefined> = Array(fields.length).fill(undefined);
	const assign = (answer: MatchedAnswer, owners: readonly FormField[]) => {
		const taken = owners.map(({ position }) => byField[position]);
		const free = taken.indexOf(undefined);
		// a heading of the same label has an entry without a value
		const place = free < 0 ? taken.findIndex((one) => isNothing(one?.value)) : free;
		if (place < 0) return;
		if (taken[place] !== undefined) taken[place].field = undefined;
		answer.field = owners[place];
		byField[answer.field.position] = answer;
	};
	const findOwners = (uuid = '', key = '') => {
		const keyed = index.byKey.get(toComparable(key));
		return index.byUuid.get(uuid) ?? (keyed?.length === 1 ? keyed : []);
	};
	for (const answer of answers) assign(answer, findOwners(answer.uuid, answer.customKey));
	// an answer with the UUID of a field that the form no longer has is never that of another field
	const isIdentified = index.haveUuids || byField.some(Boolean);
	const named = answers
		.filter(({ field, uuid }) => field === undefined && !(isIdentified && uuid !== undefined))
		.map((answer) => ({ answer, labeled: index.byLabel.get(toComparable(answer.label)) ?? [] }));
	// in a map, a label can be the UUID or the custom key of a field
	for (const { answer, labeled } of named) {
		if (labeled.length === 0) assign(answer, findOwners(answer.label, answer.label));
	}
	const byPosition = new Set<string>();
	for (const { answer, labeled } of named) {
		assign(answer, labeled);
		if (answer.field !== undefined && labeled.length > 1) byPosition.add(answer.field.label);
	}
	// a label that is taken can be a key as well, and one that no field has exactly can differ in case
	for (const { answer } of named) {
		if (answer.field === undefined) assign(answer, compact([index.findByName(answer.label)]));
	}
	return { answers, byField, byPosition: [...byPosition], problem };
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

/** The names of answers in an item: those of their fields, else their labels, numbered if they repeat. */
export function nameAnswers(answers: readonly MatchedAnswer[]): string[] {
	const taken = answers.flatMap(({ field }) => field?.name ?? []);
	const others = answers.filter(({ field }) => field === undefined).map(({ label }) => label);
	const names = makeUnique(others, taken).values();
	return answers.map(({ field }) => field?.name ?? names.next().value!);
}
