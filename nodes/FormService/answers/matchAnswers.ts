import { compact } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { yieldIfDue } from '../api/clock';
import { makeUnique } from '../api/text';
import { isBlank } from '../api/values';
import { decodeAnswers, type Answer } from './decode';
import { createFieldSearch, type FormField } from './fields';

/** An answer and the field that it answers, if the form has it. */
export type MatchedAnswer = Answer & { field?: FormField };

export type MatchedAnswers = {
	/** All answers, in the order of the response. */
	answers: readonly MatchedAnswer[];
	/** The first answer to each field. */
	byField: ReadonlyMap<FormField, MatchedAnswer>;
	/** Describes the answers that could not be read, if there are any. */
	problem?: string;
};

/**
 * Decodes the answers of a response and finds the field of each answer: by the field's UUID, or else by its custom
 * key, then its label. If two fields share a label, they get their answers in order.
 */
export function matchAnswers(
	record: IDataObject,
	fields: readonly FormField[] = [],
): MatchedAnswers {
	const { answers: decoded, problem } = decodeAnswers(record);
	const byField = new Map<FormField, MatchedAnswer>();
	const answers = decoded.map((answer): MatchedAnswer => {
		const field = listCandidates(answer, fields).find((candidate) => !byField.has(candidate));
		if (field === undefined) return answer;
		const matched = { ...answer, field };
		byField.set(field, matched);
		return matched;
	});
	return { answers, byField, problem };
}

/** Returns the fields that an answer can belong to, the most certain one first. */
function listCandidates({ label, uuid, customKey }: Answer, fields: readonly FormField[]) {
	const { findByLabel, findByName } = createFieldSearch(fields);
	// an answer with a UUID is not matched by label, because a deleted field may have had this label
	if (uuid !== undefined) return compact([findByName(uuid)]);
	const byCustomKey = customKey === undefined ? undefined : findByName(customKey);
	// an object can be by title or custom key: { "email": "ada@example.com", "Comment (2)": "…" }
	return compact([byCustomKey, ...findByLabel(label), findByName(label)]);
}

/** Whether a response has an answer to a field that the form does not have, or not yet when it was fetched. */
export async function hasUnknownAnswer(
	records: readonly IDataObject[],
	fields: readonly FormField[],
): Promise<boolean> {
	for (const record of records) {
		await yieldIfDue();
		const { answers } = matchAnswers(record, fields);
		// a heading can be listed as a blank answer
		if (answers.some(({ field, value }) => field === undefined && !isBlank(value))) return true;
	}
	return false;
}

/** Creates the keys of answers in an item. An answer without a field has its label, made unique: "Comment (2)". */
export function createAnswerKeys(answers: readonly MatchedAnswer[]): string[] {
	const usedKeys = answers.flatMap(({ field }) => field?.answerKey ?? []);
	const otherLabels = answers.flatMap(({ field, label }) => (field === undefined ? label : []));
	const keys = makeUnique(otherLabels, usedKeys).values();
	return answers.map(({ field }) => field?.answerKey ?? keys.next().value!);
}
