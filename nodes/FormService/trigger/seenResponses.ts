import { hash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { decodeAnswers, getAnswerAttributes } from '../api/answers/decode';
import { encodeAnswer, type AnswerSpec } from '../api/answers/fieldKinds';
import { isRecord, sortKeys } from '../api/records';

/**
 * The responses of a form that a trigger knows: an entry for each, by fingerprint. The saved state has
 * fingerprints and entries in one text, with blanks between responses.
 */
export type SeenResponses = ReadonlyMap<string, string>;

/** What the entry of a response says. */
export type SeenResponse = {
	/**
	 * `incomplete` may have started the workflow; `waiting` is the same, and Response Abandoned follows if
	 * the response stays incomplete; `abandoned` has started the workflow.
	 */
	readonly kind: 'complete' | 'incomplete' | 'waiting' | 'abandoned';
	/** See `computeAnswersFingerprint`; undefined unless Response Updated is chosen. */
	readonly answers?: string;
};

/** Characters of a fingerprint, of 6 bits each. */
const FINGERPRINT_LENGTH = 10;

/**
 * The fingerprint of an identity: 60 bits of a hash. Of n identities, two share a fingerprint with a
 * probability of n² / 2^61: one in 230 million for 100,000.
 */
export function computeFingerprint(text: string): string {
	return hash('sha256', text, 'base64url').slice(0, FINGERPRINT_LENGTH);
}

const KINDS = { c: 'complete', i: 'incomplete', w: 'waiting', a: 'abandoned' } as const;

/** A fingerprint; a letter, in capitals while `sweepKnown` waits for the response to be listed; answers. */
const FINGERPRINT_AND_ENTRY = /^[\w-]{10}[ciwa]([\w-]{10})?$/i;

export function formatEntry({ kind, answers = '' }: SeenResponse): string {
	return kind[0] + answers;
}

export function parseEntry(entry: string): SeenResponse {
	const kind = KINDS[entry[0].toLowerCase() as keyof typeof KINDS];
	return { kind, answers: entry.slice(1) || undefined };
}

export function encodeSeenResponses(known: SeenResponses): string {
	return [...known].map(([fingerprint, entry]) => fingerprint + entry).join(' ');
}

/** @returns undefined if the text is not what `encodeKnown` writes */
export function decodeSeenResponses(text: string): SeenResponses | undefined {
	const parts = text === '' ? [] : text.split(' ');
	if (!parts.every((part) => FINGERPRINT_AND_ENTRY.test(part))) return undefined;
	return new Map(
		parts.map((part) => [part.slice(0, FINGERPRINT_LENGTH), part.slice(FINGERPRINT_LENGTH)]),
	);
}

/** Days for which a response or form is remembered after it has left its list. */
export const RETENTION_DAYS = 30;

/** So many readings must miss a response or form: a list that is empty for a while repeats nothing. */
export const RETENTION_PASSES = 30;

/** When responses that have left their list were last dropped, and how many readings there were since. */
export type PruningProgress = Readonly<{ atMs: number; readings: number }>;

/**
 * Forgets responses that have left their list, after a reading of all pages. Once in 30 days, drops what is
 * still marked since the last time and marks all others. A listing takes the mark away.
 */
export function pruneSeenResponses(
	known: SeenResponses,
	sweep: PruningProgress | undefined,
	nowMs: number,
) {
	const { atMs, readings } = sweep ?? { atMs: nowMs, readings: 0 };
	const isEarly = nowMs - atMs < RETENTION_DAYS * 86_400_000 || readings < RETENTION_PASSES;
	if (isEarly)
		return { known, sweep: { atMs, readings: Math.min(readings + 1, RETENTION_PASSES) } };
	const listed = [...known].filter(([, entry]) => !isMarked(entry));
	const marked = listed.map(([fingerprint, entry]) => [fingerprint, markEntry(entry)] as const);
	return { known: new Map(marked), sweep: { atMs: nowMs, readings: 0 } };
}

const isMarked = (entry: string) => entry[0] < 'a';
const markEntry = (entry: string) => entry[0].toUpperCase() + entry.slice(1);

/** Fingerprints of answers by that of their JSON: most answers have not changed since the last poll. */
const remembered = new Map<string, string>();
const MAX_REMEMBERED = 200_000;

/**
 * The fingerprint of the answers of a response: 30 bits of the answers by their fields, in any
 * order, and 30 bits of the values in order, under any labels.
 *
 * @returns undefined if the record says nothing about answers
 */
export function computeAnswersFingerprint(record: IDataObject): string | undefined {
	const containers = getAnswerAttributes(record).map((name) => record[name]);
	if (containers.every((one) => one === undefined)) return undefined;
	const json = JSON.stringify(containers);
	const key = computeFingerprint(json);
	const before = remembered.get(key);
	if (before !== undefined) return before;
	const { answers, problem } = decodeAnswers(record);
	// a shape that cannot be read is compared as a whole
	let inOrder = problem === undefined ? '' : json;
	const byField = [inOrder];
	for (const { label, uuid: field = label, value } of answers) {
		const text = normalizeAnswer(value);
		// a field that is added has no answer
		if (text === '') continue;
		inOrder += `${text}\0`;
		byField.push(`${field}\0${text}`);
	}
	const halves = [byField.sort().join('\0'), inOrder];
	const fingerprint = halves.map((half) => computeFingerprint(half).slice(0, HALF)).join('');
	if (remembered.size === MAX_REMEMBERED) remembered.clear();
	remembered.set(key, fingerprint);
	return fingerprint;
}

const HALF = FINGERPRINT_LENGTH / 2;

/** Answers are compared without the fields of their form. */
const ANY_FIELD: AnswerSpec = { kind: 'text', choices: [] };

function normalizeAnswer(value: unknown): string {
	const sorted = sortKeys(value);
	// PHP sends a list with gaps as an object
	const given = isRecord(sorted) ? Object.values(sorted) : sorted;
	const encoded = encodeAnswer(given, ANY_FIELD, { zone: 'utc' });
	return 'problem' in encoded ? JSON.stringify(sorted) : String(encoded.answer ?? '');
}

/**
 * Whether answers have changed, by their fingerprints; not if one is unknown. A field that is moved changes only
 * the order of the answers, and a field that is renamed only a label.
 */
export function haveAnswersChanged(one: string | undefined, other: string | undefined): boolean {
	if (one === undefined || other === undefined) return false;
	return one.slice(0, HALF) !== other.slice(0, HALF) && one.slice(HALF) !== other.slice(HALF);
}
