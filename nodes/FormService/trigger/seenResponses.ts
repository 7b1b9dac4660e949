import { hash } from 'crypto';
import { isEqual, upperFirst } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { ANSWERS_ATTRIBUTE, decodeAnswers } from '../answers/decode';
import { sortKeys } from '../api/records';
import { DAY_MS } from './requestBudget';

/*
 * What the trigger knows of the responses of a form. A form can have 100,000, so each is one short string, and
 * UUIDs and answers are short hashes.
 */

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

/** Seen responses by the fingerprints of their UUIDs. */
export type SeenResponses = ReadonlyMap<Fingerprint, SeenResponse>;

/**
 * The first letter of the phase, then the fingerprint of the answers if Response Updated is chosen. A capital letter
 * means that no page has listed the response since `forgetUnlisted` last looked.
 */
export type SeenResponse = string;

const PHASES = ['complete', 'incomplete', 'waiting', 'abandoned'] as const;

/** `waiting` is incomplete, and abandoned later; `incomplete` is never abandoned. */
export type ResponsePhase = (typeof PHASES)[number];

export function createSeenResponse(
	phase: ResponsePhase,
	answers: AnswersFingerprint = '',
): SeenResponse {
	return phase[0] + answers;
}

export function getPhase(seen: SeenResponse): ResponsePhase {
	const letter = seen[0].toLowerCase();
	return PHASES.find((phase) => phase.startsWith(letter))!;
}

export function getAnswers(seen: SeenResponse): AnswersFingerprint | undefined {
	return seen.length > 1 ? seen.slice(1) : undefined;
}

/** How long the trigger remembers a response, a form or a trigger that is gone. */
export const RETENTION_MS = 30 * DAY_MS;

/**
 * Forgets the responses that no page has listed for 30 days, and marks all others as unlisted. Called at the
 * end of a complete pass, at most once in 30 days.
 */
export function forgetUnlisted(seen: SeenResponses): SeenResponses {
	const listed = [...seen].filter(([, [letter]]) => letter === letter.toLowerCase());
	return new Map(listed.map(([id, response]) => [id, upperFirst(response)]));
}

/** Encodes seen responses as `aB3dE6gH9kc Zk81_mPq0xi`. */
export function encodeSeenResponses(seen: SeenResponses): string {
	return [...seen].map((entry) => entry.join('')).join(' ');
}

export function decodeSeenResponses(text: string): SeenResponses {
	const entries = text === '' ? [] : text.split(' ');
	return new Map(
		entries.map((entry) => [entry.slice(0, FINGERPRINT_LENGTH), entry.slice(FINGERPRINT_LENGTH)]),
	);
}
