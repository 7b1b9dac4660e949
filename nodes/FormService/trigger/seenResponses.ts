import { FINGERPRINT_LENGTH, type AnswersFingerprint, type Fingerprint } from './fingerprints';
import { DAY_MS } from './requestBudget';

/* What the trigger knows of the responses of a form. A form can have 100,000, so each is one short string. */

/** Seen responses by the fingerprints of their UUIDs. */
export type SeenResponses = ReadonlyMap<Fingerprint, SeenResponse>;

/**
 * The letter of the phase, then the fingerprint of the answers if Response Updated is chosen. A capital letter
 * means that no page has listed the response since `forgetUnlisted` last looked.
 */
export type SeenResponse = string;

/** `waiting` is incomplete, and abandoned later; `incomplete` is never abandoned. */
export type ResponsePhase = 'complete' | 'incomplete' | 'waiting' | 'abandoned';

const LETTERS: Readonly<Record<ResponsePhase, string>> = {
	complete: 'c',
	incomplete: 'i',
	waiting: 'w',
	abandoned: 'a',
};

const PHASES = new Map(
	Object.entries(LETTERS).map(([phase, letter]) => [letter, phase as ResponsePhase]),
);

export function createSeenResponse(
	phase: ResponsePhase,
	answers: AnswersFingerprint = '',
): SeenResponse {
	return LETTERS[phase] + answers;
}

export function getPhase(seen: SeenResponse): ResponsePhase {
	return PHASES.get(seen[0].toLowerCase())!;
}

export function getAnswers(seen: SeenResponse): AnswersFingerprint | undefined {
	return seen.length > 1 ? seen.slice(1) : undefined;
}

function isUnlisted([letter]: SeenResponse): boolean {
	return letter === letter.toUpperCase();
}

/** How long the trigger remembers a response, a form or a trigger that is gone. */
export const RETENTION_MS = 30 * DAY_MS;

/**
 * Forgets the responses that no page has listed for 30 days, and marks all others as unlisted. Called at the
 * end of a complete pass, at most once in 30 days.
 */
export function forgetUnlisted(seen: SeenResponses): SeenResponses {
	const listed = [...seen].filter(([, response]) => !isUnlisted(response));
	return new Map(
		listed.map(([id, response]) => [id, response[0].toUpperCase() + response.slice(1)]),
	);
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
