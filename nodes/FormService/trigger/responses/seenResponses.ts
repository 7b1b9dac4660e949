import { invert } from 'lodash';
import { FINGERPRINT_LENGTH, type AnswersFingerprint, type Fingerprint } from '../fingerprints';
import { countPass, isRetentionOver, type PassCount } from '../triggerState';

/**
 * The seen responses of a form, by the fingerprints of their UUIDs. A seen response is a response that the
 * trigger has recorded.
 */
export type SeenResponses = ReadonlyMap<Fingerprint, SeenResponse>;

/**
 * The phase of a seen response.
 *
 * - `incomplete`: the response is incomplete, and the event Response Abandoned is not chosen.
 * - `waiting`: the response is incomplete, and becomes abandoned if it stays incomplete.
 * - `abandoned`: the response has been incomplete for the time that the user has set.
 * - `complete`: the respondent has completed the response.
 */
export type ResponsePhase = (typeof PHASES)[number];

const PHASES = ['complete', 'incomplete', 'waiting', 'abandoned'] as const;

export type SeenResponse = Readonly<{
	phase: ResponsePhase;
	/** The fingerprint of the answers of a complete response. Undefined if Response Updated is not chosen. */
	answers?: AnswersFingerprint;
	/** Whether no page has contained the response since the last pruning, see `pruneSeenResponses`. */
	isUnlisted?: boolean;
}>;

/**
 * Creates a seen response. All seen responses without answers share one object for each phase, to save
 * memory: a form can have 100,000 responses.
 */
export function createSeenResponse(
	phase: ResponsePhase,
	answers?: AnswersFingerprint,
): SeenResponse {
	return answers === undefined ? listed[phase] : { phase, answers };
}

/** Returns a seen response with `isUnlisted` set. */
function markUnlisted({ phase, answers }: SeenResponse): SeenResponse {
	return answers === undefined ? unlisted[phase] : { phase, answers, isUnlisted: true };
}

const listed = mapPhases((phase) => ({ phase }));
const unlisted = mapPhases((phase) => ({ phase, isUnlisted: true }));

function mapPhases(
	create: (phase: ResponsePhase) => SeenResponse,
): Record<ResponsePhase, SeenResponse> {
	const entries = PHASES.map((phase) => [phase, create(phase)]);
	return Object.fromEntries(entries) as Record<ResponsePhase, SeenResponse>;
}

/** Whether a seen response has stayed the same. */
export function isUnchanged(before: SeenResponse | undefined, after: SeenResponse): boolean {
	return (
		before?.phase === after.phase &&
		before.answers === after.answers &&
		before.isUnlisted === after.isUnlisted
	);
}

/**
 * The letters of the phases in the saved string. A capital letter also means that `isUnlisted` is true: `C` is
 * complete and unlisted.
 */
const PHASE_BY_LETTER = { c: 'complete', i: 'incomplete', w: 'waiting', a: 'abandoned' } as const;
const LETTER_BY_PHASE = invert(PHASE_BY_LETTER) as Record<ResponsePhase, string>;

const FINGERPRINT_TEXT = `[\\w-]{${FINGERPRINT_LENGTH}}`;

/**
 * Matches an encoded response such as `aB3dE6gH9kc`: the fingerprint of the response, the letter of the phase
 * (here `c` for complete), and the fingerprint of the answers, if there is one.
 */
const RESPONSE_TEXT = new RegExp(`^${FINGERPRINT_TEXT}[ciwa](${FINGERPRINT_TEXT})?$`, 'i');

/**
 * Encodes seen responses as one string, separated by spaces: `aB3dE6gH9kc Zk81_mPq0xi`. JSON would need three
 * times as many characters.
 */
export function encodeSeenResponses(seen: SeenResponses): string {
	const texts = [...seen].map(([fingerprint, { phase, isUnlisted, answers = '' }]) => {
		const letter = LETTER_BY_PHASE[phase];
		return fingerprint + (isUnlisted ? letter.toUpperCase() : letter) + answers;
	});
	return texts.join(' ');
}

/** Decodes a string that `encodeSeenResponses` returned. Undefined for any other string. */
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
 * A cache of seen responses and their encoded strings. A poll need not decode a string that an earlier poll
 * encoded.
 */
export class SeenCache {
	private readonly forms = new Map<string, { text: string; seen: SeenResponses }>();

	decode(formId: string, text = ''): SeenResponses {
		const cached = this.forms.get(formId);
		if (cached?.text === text) return cached.seen;
		// `decodeState` has already rejected any other string
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
 * Drops seen responses that have disappeared from their list. Called after each full pass, but acts only once 30
 * days and 30 full passes have gone by since it last acted.
 *
 * Each time the function acts, it marks all remaining responses as unlisted. When a page contains a response, the
 * trigger removes the mark. A response that still has the mark the next time is dropped, because no page has
 * contained the response in between.
 *
 * If fewer responses would remain than the list announces, nothing is dropped. The pages may have left responses
 * out, because a database can order responses with equal times differently for each page.
 *
 * @param announcedCount how many responses the list announces; undefined if the list announces no number
 */
export function pruneSeenResponses(
	seen: SeenResponses,
	pruning: PassCount | undefined,
	nowMs: number,
	announcedCount = 0,
): { seen: SeenResponses; pruning: PassCount } {
	if (!isRetentionOver(pruning, nowMs)) return { seen, pruning: countPass(pruning, nowMs) };
	const kept = [...seen].filter(([, { isUnlisted }]) => !isUnlisted);
	if (kept.length < announcedCount) return { seen, pruning: pruning! };
	const marked = kept.map(
		([fingerprint, response]) => [fingerprint, markUnlisted(response)] as const,
	);
	return { seen: new Map(marked), pruning: { atMs: nowMs, passes: 0 } };
}
