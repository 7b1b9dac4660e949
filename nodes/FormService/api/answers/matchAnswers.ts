import type { IDataObject } from 'n8n-workflow';
import { yieldIfDue } from '../clock';
import { decodeAnswers, type Answer } from './decode';
import { indexFields, type FormField } from './fields';
import { isBlank } from './fieldKinds';
import { makeUnique } from '../spelling';

/** An answer with its field. Without a field if the form has none for the answer. */
export type MatchedAnswer = Answer & { field?: FormField };

/** The answers of a response, matched to the fields of the form. */
export type MatchResult = {
	/** In the order of the response. */
	answers: readonly MatchedAnswer[];
	/** By the index of the field. If a response has several answers to a field, the first counts. */
	byFieldIndex: ReadonlyArray<MatchedAnswer | undefined>;
	/** A sentence about answers that could not be read. */
	problem?: string;
};

/**
 * Decodes the answers of a response and finds the field of each answer: by its UUID, its custom key, then its
 * label. If fields share a label, their answers are matched by order: the first answer to the first field.
 *
 * @param fields the fields of the form; without fields, no answer has a field
 */
export function matchAnswers(record: IDataObject, fields: readonly FormField[] = []): MatchResult {
	const { answers: decoded, problem } = decodeAnswers(record);
	const byFieldIndex: Array<MatchedAnswer | undefined> = Array(fields.length).fill(undefined);
	const { findByLabel, findByName } = indexFields(fields);
	const isUnanswered = (field?: FormField): field is FormField =>
		field !== undefined && byFieldIndex[field.index] === undefined;
	const answers = decoded.map((answer): MatchedAnswer => {
		const { label, uuid, customKey } = answer;
		const key = uuid ?? customKey;
		const fieldByKey = key === undefined ? undefined : findByName(key);
		// the UUID of a deleted field never matches a field with the same label
		const matchesByLabel = uuid === undefined && !isUnanswered(fieldByKey);
		const fieldsByLabel = matchesByLabel ? findByLabel(label) : [];
		// the keys of a map can be custom keys: { "email": "ada@example.com" }
		const field =
			fieldsByLabel.find(isUnanswered) ?? (matchesByLabel ? findByName(label) : fieldByKey);
		if (!isUnanswered(field)) return answer;
		return (byFieldIndex[field.index] = { ...answer, field });
	});
	return { answers, byFieldIndex, problem };
}

/**
 * Finds the names of answers without a field, because the fields may be out of date. Entries without a value do
 * not count, because headings have such entries, too.
 */
export async function findUnmatchedNames(
	records: readonly IDataObject[],
	fields: readonly FormField[],
): Promise<string[]> {
	const names = new Set<string>();
	for (const record of records) {
		await yieldIfDue();
		for (const { field, value, uuid, customKey, label } of matchAnswers(record, fields).answers) {
			if (field === undefined && !isBlank(value)) names.add(uuid ?? customKey ?? label);
		}
	}
	return [...names];
}

/** Creates the keys of answers in an item: the answer key of the field, or the label, with a number if it repeats. */
export function createAnswerKeys(answers: readonly MatchedAnswer[]): string[] {
	const usedKeys = answers.flatMap(({ field }) => field?.answerKey ?? []);
	const unmatchedLabels = answers
		.filter(({ field }) => field === undefined)
		.map(({ label }) => label);
	const labelKeys = makeUnique(unmatchedLabels, usedKeys).values();
	return answers.map(({ field }) => field?.answerKey ?? labelKeys.next().value!);
}
