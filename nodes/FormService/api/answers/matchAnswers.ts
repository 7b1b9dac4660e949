import type { IDataObject } from 'n8n-workflow';
import { yieldIfDue } from '../clock';
import { decodeAnswers, type Answer } from './decode';
import { indexFields, type FormField } from './fields';
import { isBlank } from './fieldKinds';
import { makeUnique } from '../spelling';

/** An answer with its field, if a field of the form takes it. */
export type MatchedAnswer = Answer & { field?: FormField };

/** The answers of a response, each with its field. */
export type MatchResult = {
	/** In the order of the response. */
	answers: readonly MatchedAnswer[];
	/** By the positions of the fields. Of several entries of one field, the first one is its answer. */
	byField: ReadonlyArray<MatchedAnswer | undefined>;
	/** A sentence on the answers that could not be read. */
	problem?: string;
};

/**
 * The one way from a response to the answers of its fields. Of several fields with one label, the first has
 * the first answer, and so on.
 *
 * @param fields none if they are not known: then labels name the answers
 */
export function matchAnswers(record: IDataObject, fields: readonly FormField[] = []): MatchResult {
	const { answers: decoded, problem } = decodeAnswers(record);
	const byField: Array<MatchedAnswer | undefined> = Array(fields.length).fill(undefined);
	const { findByLabel, findByName } = indexFields(fields);
	const isUnanswered = (field?: FormField): field is FormField =>
		field !== undefined && byField[field.index] === undefined;
	const answers = decoded.map((answer): MatchedAnswer => {
		const { label, uuid, customKey } = answer;
		const key = uuid ?? customKey;
		const fieldByKey = key === undefined ? undefined : findByName(key);
		// an answer with the UUID of a field that the form no longer has is never that of another field
		const matchesByLabel = uuid === undefined && !isUnanswered(fieldByKey);
		const fieldsByLabel = matchesByLabel ? findByLabel(label) : [];
		// in a map, a label can be a custom key
		const field =
			fieldsByLabel.find(isUnanswered) ?? (matchesByLabel ? findByName(label) : fieldByKey);
		if (!isUnanswered(field)) return answer;
		return (byField[field.index] = { ...answer, field });
	});
	return { answers, byField, problem };
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
		await yieldIfDue();
		const { answers } = matchAnswers(record, fields);
		if (answers.some(({ field, value }) => field === undefined && !isBlank(value))) return true;
	}
	return false;
}

/** Creates the keys of answers in an item: those of their fields, or their labels without a field, numbered if they repeat. */
export function createAnswerKeys(answers: readonly MatchedAnswer[]): string[] {
	const usedKeys = answers.flatMap(({ field }) => field?.answerKey ?? []);
	const unmatchedLabels = answers
		.filter(({ field }) => field === undefined)
		.map(({ label }) => label);
	const names = makeUnique(unmatchedLabels, usedKeys).values();
	return answers.map(({ field }) => field?.answerKey ?? names.next().value!);
}
