import type { IDataObject } from 'n8n-workflow';
import { yieldIfDue } from '../api/clock';
import { makeUnique } from '../api/text';
import { isBlank } from '../api/values';
import { decodeAnswers, type Answer } from './decode';
import { createFieldSearch, type FormField } from './fields';

/** An answer and the field that it answers. `field` is undefined if the form has no field for the answer. */
export type MatchedAnswer = Answer & { field?: FormField };

/** The answers of a response, matched to the fields of the form. */
export type MatchedAnswers = {
	/** All answers, in the order of the response. */
	answers: readonly MatchedAnswer[];
	/** The first answer to each field. */
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
	const findUnansweredField = (label: string) => {
		const sameLabel = findByLabel(label);
		return [
			...sameLabel.filter((field) => field.label === label),
			// an object can be by title or custom key: { "email": "ada@example.com", "Comment (2)": "…" }
			findByName(label),
			...sameLabel,
		].find(isUnanswered);
	};
	const answers = decoded.map((answer): MatchedAnswer => {
		const { label, uuid, customKey } = answer;
		const key = uuid ?? customKey;
		const fieldByKey = key === undefined ? undefined : findByName(key);
		// an answer with a UUID is not matched by label, because a deleted field may have had this label
		const matchesByLabel = uuid === undefined && !isUnanswered(fieldByKey);
		const field = matchesByLabel ? findUnansweredField(label) : fieldByKey;
		if (!isUnanswered(field)) return answer;
		const matched = { ...answer, field };
		byField.set(field, matched);
		return matched;
	});
	return { answers, byField, problem };
}

/**
 * Returns the UUID, custom key or label of each answer that belongs to no field, which shows that the fetched
 * fields may be out of date. Leaves out blank answers, because a heading can be listed as a blank answer.
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
