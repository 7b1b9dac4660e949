import type { IDataObject } from 'n8n-workflow';
import { yieldIfDue } from '../api/clock';
import { decodeAnswers, type Answer } from './decode';
import { createFieldSearch, type FormField } from './fields';
import { isBlank } from './fieldKinds';
import { makeUnique } from '../api/spelling';

/** An answer and the field that it answers. `field` is undefined if the form has no field for the answer. */
export type MatchedAnswer = Answer & { field?: FormField };

/** The answers of a response, matched to the fields of the form. */
export type MatchedAnswers = {
	/** All answers, in the order of the response. */
	answers: readonly MatchedAnswer[];
	/** The answers by their fields. If a response has several answers to a field, the map has only the first answer. */
	byField: ReadonlyMap<FormField, MatchedAnswer>;
	/** Describes the answers that could not be read, if there are any. */
	problem?: string;
};

/**
 * Decodes the answers of a response and finds the field of each answer: by the field's UUID, then its custom
 * key, then its label. If two fields share a label, the first answer belongs to the first field, and the second
 * answer to the second.
 *
 * @param fields the fields of the form; without fields, no answer has a field
 */
export function matchAnswers(
	record: IDataObject,
	fields: readonly FormField[] = [],
): MatchedAnswers {
	const { answers: decoded, problem } = decodeAnswers(record);
	const byField = new Map<FormField, MatchedAnswer>();
	const { findByLabel, findByName } = createFieldSearch(fields);
	const isUnanswered = (field?: FormField): field is FormField =>
		field !== undefined && !byField.has(field);
	const answers = decoded.map((answer): MatchedAnswer => {
		const { label, uuid, customKey } = answer;
		const key = uuid ?? customKey;
		const fieldByKey = key === undefined ? undefined : findByName(key);
		// an answer with a UUID is not matched by label, because a deleted field may have had this label
		const matchesByLabel = uuid === undefined && !isUnanswered(fieldByKey);
		const fieldsByLabel = matchesByLabel ? findByLabel(label) : [];
		// a map can have custom keys: { "email": "ada@example.com" }
		const field =
			fieldsByLabel.find(isUnanswered) ?? (matchesByLabel ? findByName(label) : fieldByKey);
		if (!isUnanswered(field)) return answer;
		const matched = { ...answer, field };
		byField.set(field, matched);
		return matched;
	});
	return { answers, byField, problem };
}

/**
 * Returns the UUID, custom key or label of each answer that belongs to no field. Such an answer shows that the
 * fetched fields may be out of date. Leaves out blank answers, because Form Service lists a heading as a blank
 * answer.
 */
export async function findNamesWithoutField(
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

/**
 * Creates the keys of answers in an item: the answer key of the field, or the label of an answer without a
 * field. A repeated label gets a number: "Comment (2)".
 */
export function createAnswerKeys(answers: readonly MatchedAnswer[]): string[] {
	const usedKeys = answers.flatMap(({ field }) => field?.answerKey ?? []);
	const unmatchedLabels = answers
		.filter(({ field }) => field === undefined)
		.map(({ label }) => label);
	const labelKeys = makeUnique(unmatchedLabels, usedKeys).values();
	return answers.map(({ field }) => field?.answerKey ?? labelKeys.next().value!);
}
