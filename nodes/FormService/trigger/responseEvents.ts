import type { IDataObject } from 'n8n-workflow';
import { DAY_MS } from '../api/clock';
import { hash } from 'crypto';
import { isEqual, upperFirst } from 'lodash';
import { parseBoolean } from '../api/values';
import { getCreationTimeMs, sortKeys } from '../api/records';
import type { ResponseEvent, TriggerEvent } from '../parameters/triggerEvents';
import { ANSWERS_ATTRIBUTE, decodeAnswers } from '../answers/decode';

/*
 * Decides whether a response has an event, from what the trigger knows of the response. A form can have 100,000
 * responses, so what is known of each one is a short string.
 */

/** Separates the responses that existed before the trigger first watched a form from new ones. */
export type Baseline = {
	/** When the trigger first watched the form: a whole second of the service's clock. */
	sinceMs: number;
	/** Existing responses created at this time or later start the workflow. */
	emitExistingSinceMs?: number;
};

export type DetectionRules = Readonly<{
	events: readonly TriggerEvent[];
	/** The age at which an incomplete response counts as abandoned. */
	abandonedAfterMs: number;
	/** Undefined if each unseen response is new. */
	baseline?: Baseline;
	isFirstPass: boolean;
}>;

export function isIncomplete({ is_incomplete: value }: IDataObject): boolean {
	return parseBoolean(value) === true;
}

/**
 * Compares a response with what the trigger knows of it. Returns its event, if the user has chosen this event, and
 * what the trigger knows after it.
 *
 * @param serviceMs the time by the service's clock
 */
export function detectEvent(
	record: IDataObject,
	serviceMs: number,
	seenBefore: SeenResponse | undefined,
	rules: DetectionRules,
): { event?: ResponseEvent; seenAfter: SeenResponse } {
	const phase = seenBefore === undefined ? findUnseenPhase(record, rules) : getPhase(seenBefore);
	const { event, phaseAfter } = computeTransition(record, serviceMs, phase, rules);
	const chosen = event !== undefined && rules.events.includes(event) ? event : undefined;
	if (!rules.events.includes('responseUpdated')) {
		return { event: chosen, seenAfter: createSeenResponse(phaseAfter) };
	}
	const knownAnswers =
		seenBefore && phase === 'complete' ? getAnswersFingerprint(seenBefore) : undefined;
	const given = isIncomplete(record) ? undefined : computeAnswersFingerprint(record);
	const isUpdate = haveAnswersChanged(knownAnswers, given);
	return {
		event: chosen ?? (isUpdate ? 'responseUpdated' : undefined),
		seenAfter: createSeenResponse(phaseAfter, given ?? knownAnswers),
	};
}

/** Decides whether an unseen response was there before the trigger first watched its form. */
function findUnseenPhase(
	record: IDataObject,
	{ baseline, isFirstPass }: DetectionRules,
): 'existing' | 'new' {
	if (baseline === undefined) return 'new';
	const { sinceMs, emitExistingSinceMs = Infinity } = baseline;
	// a response without a creation time is existing if the first pass lists it
	const createdAtMs = getCreationTimeMs(record) ?? (isFirstPass ? -Infinity : Infinity);
	return createdAtMs < Math.min(sinceMs, emitExistingSinceMs) ? 'existing' : 'new';
}

type Transition = { event?: ResponseEvent; phaseAfter: ResponsePhase };

/** Computes the event and the next phase without comparing the answers. */
function computeTransition(
	record: IDataObject,
	serviceMs: number,
	phaseBefore: ResponsePhase | 'existing' | 'new',
	{ events, abandonedAfterMs }: DetectionRules,
): Transition {
	if (!isIncomplete(record)) {
		const isCompletion = phaseBefore !== 'existing' && phaseBefore !== 'complete';
		return { event: isCompletion ? 'responseCompleted' : undefined, phaseAfter: 'complete' };
	}
	if (phaseBefore === 'complete' || phaseBefore === 'abandoned') return { phaseAfter: phaseBefore };
	const isStart = phaseBefore === 'new' && events.includes('responseStarted');
	const event = isStart ? 'responseStarted' : undefined;
	if (!events.includes('responseAbandoned')) return { event, phaseAfter: 'incomplete' };
	// without a creation time, a response is never abandoned
	const isAbandoned = serviceMs >= (getCreationTimeMs(record) ?? Infinity) + abandonedAfterMs;
	if (isStart || !isAbandoned) return { event, phaseAfter: 'waiting' };
	// otherwise it was abandoned before the trigger started, or before the user chose this event
	const isNewEvent = phaseBefore === 'new' || phaseBefore === 'waiting';
	return { event: isNewEvent ? 'responseAbandoned' : undefined, phaseAfter: 'abandoned' };
}

/** A short hash of a text: `aB3dE6gH9k`. */
export type Fingerprint = string;

/** Characters of 6 bits. Among 100,000 texts, two are equal once in 230 million cases. */
const FINGERPRINT_LENGTH = 10;

export function computeFingerprint(text: string): Fingerprint {
	return hash('sha256', text, 'base64url').slice(0, FINGERPRINT_LENGTH);
}

/** The first half is of the sorted pairs of field and answer. The second is of the answers alone, in their order. */
type AnswersFingerprint = Fingerprint;

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

/** The abandonment of a `waiting` response will be an event. That of an `incomplete` one is not wanted. */
type ResponsePhase = (typeof PHASES)[number];

function createSeenResponse(phase: ResponsePhase, answers: AnswersFingerprint = ''): SeenResponse {
	return phase[0] + answers;
}

function getPhase(seen: SeenResponse): ResponsePhase {
	const letter = seen[0].toLowerCase();
	return PHASES.find((phase) => phase.startsWith(letter))!;
}

function getAnswersFingerprint(seen: SeenResponse): AnswersFingerprint | undefined {
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
