import { invert } from 'lodash';
import { FINGERPRINT_LENGTH, type AnswersFingerprint, type Fingerprint } from '../fingerprints';
import { addPass, isRetentionOver, type PassesSince } from '../triggerState';

/** The seen responses of a form, by the fingerprints of their UUIDs. */
export type SeenResponses = ReadonlyMap<Fingerprint, SeenResponse>;

/**
 * The phase of a response:
 *
 * - `incomplete`: never becomes abandoned
 * - `waiting`: incomplete, and becomes abandoned if it stays incomplete
 * - `abandoned`, `complete`
 */
export type Phase = (typeof PHASES)[number];

const PHASES = ['complete', 'incomplete', 'waiting', 'abandoned'] as const;

export type SeenResponse = Readonly<{
	phase: Phase;
	/** The fingerprint of the answers of a completed response. Undefined unless Response Updated is chosen. */
	answers?: AnswersFingerprint;
	/** Whether no page has listed the response since the last pruning, see `pruneSeenResponses`. */
	isUnlisted?: boolean;
}>;

/**
 * Creates the seen response of a listed response. Equal objects without answers are shared, because a form can have
 * 100,000 responses.
 */
export function createSeenResponse(phase: Phase, answers?: AnswersFingerprint): SeenResponse {
	return answers === undefined ? listed[phase] : { phase, answers };
}

/** Returns the seen response with the mark that no page lists it. */
function markUnlisted({ phase, answers }: SeenResponse): SeenResponse {
	return answers === undefined ? unlisted[phase] : { phase, answers, isUnlisted: true };
}

const listed = mapPhases((phase) => ({ phase }));
const unlisted = mapPhases((phase) => ({ phase, isUnlisted: true }));

function mapPhases(create: (phase: Phase) => SeenResponse): Record<Phase, SeenResponse> {
	const entries = PHASES.map((phase) => [phase, create(phase)]);
	return Object.fromEntries(entries) as Record<Phase, SeenResponse>;
}

/** Whether a response has the same phase and answers, and is listed or unlisted, as before. */
export function isUnchanged(before: SeenResponse | undefined, after: SeenResponse): boolean {
	return (
		before?.phase === after.phase &&
		before.answers === after.answers &&
		before.isUnlisted === after.isUnlisted
	);
}

/** The letters of phases in the saved text. A capital letter marks an unlisted response. */
const PHASE_BY_LETTER = { c: 'complete', i: 'incomplete', w: 'waiting', a: 'abandoned' } as const;
const LETTER_BY_PHASE = invert(PHASE_BY_LETTER) as Record<Phase, string>;

const FINGERPRINT_TEXT = `[\\w-]{${FINGERPRINT_LENGTH}}`;

/**
 * One response as a text: its fingerprint, the letter of its phase, and the fingerprint of its answers.
 * `aB3dE6gH9kc` is a complete response.
 */
const RESPONSE_TEXT = new RegExp(`^${FINGERPRINT_TEXT}[ciwa](${FINGERPRINT_TEXT})?$`, 'i');

/** Encodes responses as one text with blanks between them. JSON would take three times the space. */
export function encodeSeenResponses(seen: SeenResponses): string {
	const texts = [...seen].map(([fingerprint, { phase, isUnlisted, answers = '' }]) => {
		const letter = LETTER_BY_PHASE[phase];
		return fingerprint + (isUnlisted ? letter.toUpperCase() : letter) + answers;
	});
	return texts.join(' ');
}

/** Decodes a text of `encodeSeenResponses`. Undefined for any other text. */
export function decodeSeenResponses(text: string): SeenResponses | undefined {
	const texts = text === '' ? [] : text.split(' ');
	if (!texts.every((entry) => RESPONSE_TEXT.test(entry))) return undefined;
	return new Map(
		texts.map((entry) => [
			entry.slice(0, FINGERPRINT_LENGTH),
			decodeResponse(entry.slice(FINGERPRINT_LENGTH)),
		]),
	);
}

function decodeResponse(text: string): SeenResponse {
	const letter = text[0].toLowerCase() as keyof typeof PHASE_BY_LETTER;
	const response = createSeenResponse(PHASE_BY_LETTER[letter], text.slice(1) || undefined);
	return letter === text[0] ? response : markUnlisted(response);
}

/**
 * Caches the seen responses of forms as values and texts, so that a poll need not decode a text of an earlier
 * poll.
 */
export class SeenCache {
	private readonly forms = new Map<string, { text: string; seen: SeenResponses }>();

	decode(formId: string, text = ''): SeenResponses {
		const cached = this.forms.get(formId);
		if (cached?.text === text) return cached.seen;
		const seen = decodeSeenResponses(text)!;
		this.forms.set(formId, { text, seen });
		return seen;
	}

	encode(formId: string, seen: SeenResponses): string {
		const cached = this.forms.get(formId);
		if (cached?.seen === seen) return cached.text;
		const text = encodeSeenResponses(seen);
		this.forms.set(formId, { text, seen });
		return text;
	}
}

/**
 * Prunes responses that have disappeared from their list, after a full pass. Once in 30 days and 30 passes,
 * drops the responses that no page has listed since the last pruning, and marks all others as unlisted. A page
 * that lists a response removes the mark. Nothing is dropped while fewer responses are listed than the list
 * announces, because the pages leave some out: a database lists equal times in another order for each page.
 *
 * @param announcedCount how many responses the list says that it has; undefined if it does not say so
 */
export function pruneSeenResponses(
	seen: SeenResponses,
	pruning: PassesSince | undefined,
	nowMs: number,
	announcedCount = 0,
): { seen: SeenResponses; pruning: PassesSince } {
	if (!isRetentionOver(pruning, nowMs)) return { seen, pruning: addPass(pruning, nowMs) };
	const kept = [...seen].filter(([, { isUnlisted }]) => !isUnlisted);
	if (kept.length < announcedCount) return { seen, pruning: pruning! };
	const marked = kept.map(
		([fingerprint, response]) => [fingerprint, markUnlisted(response)] as const,
	);
	return { seen: new Map(marked), pruning: { atMs: nowMs, passes: 0 } };
}
