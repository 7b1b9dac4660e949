import { hash } from 'crypto';
import { isEqual } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { ANSWERS_ATTRIBUTE, decodeAnswers } from '../answers/decode';
import { sortKeys } from '../api/records';

/* Short hashes of UUIDs, answers and forms, which show what is new and what has changed. */

/** A short hash of a text: `aB3dE6gH9k`. */
export type Fingerprint = string;

/** Characters of 6 bits. Among 100,000 texts, two are equal once in 230 million cases. */
export const FINGERPRINT_LENGTH = 10;

export function computeFingerprint(text: string): Fingerprint {
	return hash('sha256', text, 'base64url').slice(0, FINGERPRINT_LENGTH);
}

/** One half for the answers by field in any order, and one for the answers in their order without fields. */
export type AnswersFingerprint = Fingerprint;

const HALF_LENGTH = FINGERPRINT_LENGTH / 2;

/** Computes the fingerprint of the answers of a response. Undefined if it has none, or they cannot be read. */
export function computeAnswersFingerprint(record: IDataObject): AnswersFingerprint | undefined {
	const { answers, problem } = decodeAnswers(record);
	if (problem !== undefined || record[ANSWERS_ATTRIBUTE] === undefined) return undefined;
	// a field that the author adds has no answers yet, and changes nothing
	const given = answers
		.map(({ label, uuid = label, value }) => ({ field: uuid, text: toCanonicalText(value) }))
		.filter(({ text }) => text !== '');
	const byField = given.map(({ field, text }) => `${field}\0${text}`).sort();
	const inOrder = given.map(({ text }) => text);
	return [byField, inOrder]
		.map((texts) => computeFingerprint(texts.join('\0')).slice(0, HALF_LENGTH))
		.join('');
}

/**
 * Whether the answers have changed: both halves differ. A renamed field changes only the first half, and a moved
 * field only the second.
 */
export function haveAnswersChanged(
	before: AnswersFingerprint | undefined,
	after: AnswersFingerprint | undefined,
): boolean {
	if (before === undefined || after === undefined) return false;
	const isSameByField = before.slice(0, HALF_LENGTH) === after.slice(0, HALF_LENGTH);
	return !isSameByField && before.slice(HALF_LENGTH) !== after.slice(HALF_LENGTH);
}

/** Converts a value to a text that is equal for equal values: "" if there is none, JSON for lists and objects. */
export function toCanonicalText(value: unknown): string {
	if (value === null || value === undefined || isEqual(value, [])) return '';
	const text = typeof value === 'object' ? JSON.stringify(sortKeys(value)) : String(value);
	return text.replace(ADDRESS, '$1');
}

/** The service can sign the address of a file anew in each reply, so the query of an address does not count. */
const ADDRESS = /(https?:\/\/[^\s?#,;"]+)[?#][^\s,;"]*/gi;
