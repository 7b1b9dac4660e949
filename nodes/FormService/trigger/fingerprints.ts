import { hash } from 'crypto';
import { isEmpty, mapValues, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { ANSWERS_ATTRIBUTE, decodeAnswers } from '../answers/decode';
import { encodeAnswer, type AnswerSpec } from '../answers/fieldKinds';
import { getListEntries, isRecord, sortKeys } from '../api/records';
import { parseUrl } from '../api/url';

/*
 * Computes fingerprints of strings and of the answers of a response. The fingerprint of the answers shows whether
 * the answers have changed.
 */

/** A short hash of a string: `"aB3dE6gH9k"` for the UUID of a response. */
export type Fingerprint = string;

/** The length of a fingerprint in characters. Each character has 6 bits. */
export const FINGERPRINT_LENGTH = 10;

/**
 * Computes the fingerprint of a string: 60 bits of a hash. Among 100,000 strings, the probability that two
 * strings have the same fingerprint is one in 230 million (n² / 2^61 for n strings).
 */
export function computeFingerprint(text: string): Fingerprint {
	return hash('sha256', text, 'base64url').slice(0, FINGERPRINT_LENGTH);
}

/**
 * The fingerprint of the answers of a response, in two halves. The first half depends on each answer and its
 * field, and not on the order of the answers. The second half depends on the answers and their order, and not
 * on the fields. One string with both halves takes half the memory of two strings.
 */
export type AnswersFingerprint = Fingerprint;

const HALF_LENGTH = FINGERPRINT_LENGTH / 2;

const getHalfByField = (answers: AnswersFingerprint) => answers.slice(0, HALF_LENGTH);
const getHalfInOrder = (answers: AnswersFingerprint) => answers.slice(HALF_LENGTH);

/**
 * Caches each `AnswersFingerprint`, which is slow to compute, because the answers are decoded first. The key is a
 * quick fingerprint of the JSON of the answers. Most answers have not changed since the last poll, so their key is
 * found.
 */
const fingerprintCache = new Map<Fingerprint, AnswersFingerprint>();
const MAX_CACHED = 200_000;

/** Computes the fingerprint of the answers of a response. Undefined if the record has no answers. */
export function computeAnswersFingerprint(record: IDataObject): AnswersFingerprint | undefined {
	const containers = [record[ANSWERS_ATTRIBUTE]];
	if (containers.every((value) => value === undefined)) return undefined;
	const key = computeFingerprint(JSON.stringify(containers));
	const cached = fingerprintCache.get(key);
	if (cached !== undefined) return cached;
	const { answers, problem } = decodeAnswers(record);
	// if the answers cannot be decoded, compare the undecoded answers too
	let inOrder = problem === undefined ? '' : JSON.stringify(normalizePart(containers));
	const byField = [inOrder];
	for (const { label, uuid: field = label, value } of answers) {
		const text = toHashText(value);
		// leave out empty answers, so that a field that the author adds does not change the fingerprint
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

/**
 * The field kind with which all answers are encoded for fingerprints. Fingerprints do not depend on the fields
 * of the form, so the trigger need not fetch the fields.
 */
const ANY_FIELD: AnswerSpec = { kind: 'text', choices: [] };

function toHashText(value: unknown): string {
	const part = normalizePart(value);
	const encoded = encodeAnswer(part, ANY_FIELD, { zone: 'utc' });
	return 'problem' in encoded ? JSON.stringify(part) : String(encoded.answer ?? '');
}

/**
 * Normalizes a part of an answer, so that parts with the same meaning become equal.
 *
 * - The URL of a file loses its query.
 * - The attributes of an object are sorted by name. Empty values are left out.
 * - An object whose keys are numbers becomes a list, because PHP sends a list with a missing index as an
 *   object: `{"0": "A", "2": "B"}`.
 */
function normalizePart(value: unknown): unknown {
	if (typeof value === 'string') return dropFileQuery(value);
	const entries = getListEntries(value);
	if (entries !== undefined) return entries.map(normalizePart);
	if (!isRecord(value)) return value;
	const named = pickBy(mapValues(sortKeys(value) as IDataObject, normalizePart), hasValue);
	return isEmpty(named) ? null : named;
}

const hasValue = (value: unknown) => value !== null && value !== undefined && value !== '';

/**
 * Matches names of URL parameters that belong to a signature, such as "X-Amz-Signature", "sig" and "expires",
 * but not "page".
 */
const SIGNATURE = /^(x-(amz|goog)-.+|.*signature|sig|expires|token)$/i;

/**
 * Matches paths of files, such as "cv.pdf". Fingerprints ignore the query of a file. Does not match paths of web
 * pages, such as "page.html", because a different query can mean a different page.
 */
const FILE_PATH = /\.(?!html?$|php$|aspx?$|jsp$)[a-z0-9]{1,8}$/i;

/**
 * Removes the query from the URL of a file: `cv.pdf|https://host/cv.pdf?signature=1` →
 * `cv.pdf|https://host/cv.pdf`. The query can be a signature, and the service may create a new signature each
 * time it lists the file. Returns any other string unchanged.
 */
function dropFileQuery(text: string): string {
	const start = text.toLowerCase().lastIndexOf('|http') + 1;
	const url = parseUrl(text.slice(start).trim());
	if (url === undefined || !/^https?:$/.test(url.protocol)) return text;
	const isSigned = [...url.searchParams.keys()].some((name) => SIGNATURE.test(name));
	const isFile = start > 0 || isSigned || FILE_PATH.test(url.pathname);
	return isFile ? text.slice(0, start) + text.slice(start).split(/[?#]/)[0] : text;
}

/**
 * Whether the answers have changed. True only if both halves of the fingerprint differ. An edit to the form
 * changes only one half: a moved field changes the second half, and a renamed field changes the first half.
 * False if a fingerprint is missing.
 */
export function haveAnswersChanged(
	before: AnswersFingerprint | undefined,
	after: AnswersFingerprint | undefined,
): boolean {
	if (before === undefined || after === undefined) return false;
	const isSameByField = getHalfByField(before) === getHalfByField(after);
	return !isSameByField && getHalfInOrder(before) !== getHalfInOrder(after);
}
