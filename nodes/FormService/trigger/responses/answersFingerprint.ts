import type { IDataObject } from 'n8n-workflow';
import { decodeAnswers, getAnswerAttributes } from '../../api/answers/decode';
import { encodeAnswer, type AnswerSpec } from '../../api/answers/fieldKinds';
import { isRecord, sortKeys } from '../../api/records';
import { computeFingerprint, FINGERPRINT_LENGTH, type Fingerprint } from '../fingerprint';

/** Whether the answers of a response have changed. */

/**
 * The fingerprint of the answers of a response. The first half is of the answers by their fields, in any order.
 * The second half is of the answers in order, under any labels. One text takes half the memory of two.
 */
export type AnswersFingerprint = Fingerprint;

const HALF_LENGTH = FINGERPRINT_LENGTH / 2;

const getHalfByField = (answers: AnswersFingerprint) => answers.slice(0, HALF_LENGTH);
const getHalfInOrder = (answers: AnswersFingerprint) => answers.slice(HALF_LENGTH);

/** Fingerprints of answers by that of their JSON: most answers have not changed since the last poll. */
const fingerprintCache = new Map<Fingerprint, AnswersFingerprint>();
const MAX_CACHED = 200_000;

/** Computes the fingerprint of the answers; undefined if the record says nothing about answers. */
export function computeAnswersFingerprint(record: IDataObject): AnswersFingerprint | undefined {
	const containers = getAnswerAttributes(record).map((name) => record[name]);
	if (containers.every((one) => one === undefined)) return undefined;
	const json = JSON.stringify(containers);
	const key = computeFingerprint(json);
	const cached = fingerprintCache.get(key);
	if (cached !== undefined) return cached;
	const { answers, problem } = decodeAnswers(record);
	// a shape that cannot be read is compared as a whole
	let inOrder = problem === undefined ? '' : json;
	const byField = [inOrder];
	for (const { label, uuid: field = label, value } of answers) {
		const text = toHashText(value);
		// a field that is added has no answer
		if (text === '') continue;
		inOrder += `${text}\0`;
		byField.push(`${field}\0${text}`);
	}
	const halves = [byField.sort().join('\0'), inOrder];
	const fingerprint = halves.map((half) => computeFingerprint(half).slice(0, HALF_LENGTH)).join('');
	if (fingerprintCache.size === MAX_CACHED) fingerprintCache.clear();
	fingerprintCache.set(key, fingerprint);
	return fingerprint;
}

/** Answers are compared without the fields of their form. */
const ANY_FIELD: AnswerSpec = { kind: 'text', choices: [] };

function toHashText(value: unknown): string {
	const sorted = sortKeys(value);
	// PHP sends a list with gaps as an object
	const given = isRecord(sorted) ? Object.values(sorted) : sorted;
	const encoded = encodeAnswer(given, ANY_FIELD, { zone: 'utc' });
	return 'problem' in encoded ? JSON.stringify(sorted) : String(encoded.answer ?? '');
}

/**
 * Whether answers have changed; not if a fingerprint is missing. A field that is moved changes only the order
 * of the answers, and a field that is renamed changes only a label, so both halves must differ.
 */
export function haveAnswersChanged(
	before: AnswersFingerprint | undefined,
	after: AnswersFingerprint | undefined,
): boolean {
	if (before === undefined || after === undefined) return false;
	const isSameByField = getHalfByField(before) === getHalfByField(after);
	return !isSameByField && getHalfInOrder(before) !== getHalfInOrder(after);
}
