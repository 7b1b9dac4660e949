import { FINGERPRINT_LENGTH, type AnswersFingerprint, type Fingerprint } from '../fingerprints';
import { addPass, isRetentionOver, type Absence } from '../triggerState';

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

/** Creates a seen response. Equal objects without answers are shared, because a form can have 100,000 responses. */
export function createSeenResponse(
	phase: Phase,
	answers?: AnswersFingerprint,
	isUnlisted = false,
): SeenResponse {
	if (answers === undefined) return isUnlisted ? unlisted[phase] : listed[phase];
	return isUnlisted ? { phase, answers, isUnlisted } : { phase, answers };
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

/**
 * One response as a text: its fingerprint, the first letter of its phase, which is a capital letter if the
 * response is unlisted, and the fingerprint of its answers. `aB3dE6gH9kc` is a complete response.
 */
const RESPONSE_TEXT = /^[\w-]{10}[ciwa]([\w-]{10})?$/i;

const PHASE_BY_LETTER = { c: 'complete', i: 'incomplete', w: 'waiting', a: 'abandoned' } as const;

/** Encodes responses as one text with blanks between them. JSON would take three times the space. */
export function encodeSeenResponses(seen: SeenResponses): string {
	const texts = [...seen].map(([fingerprint, { phase, isUnlisted, answers = '' }]) => {
		const letter = isUnlisted ? phase[0].toUpperCase() : phase[0];
		return fingerprint + letter + answers;
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
	const answers = text.slice(1) || undefined;
	return createSeenResponse(PHASE_BY_LETTER[letter], answers, letter !== text[0]);
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
	pruning: Absence | undefined,
	nowMs: number,
	announcedCount = 0,
): { seen: SeenResponses; pruning: Absence } {
	if (!isRetentionOver(pruning, nowMs)) return { seen, pruning: addPass(pruning, nowMs) };
	const kept = [...seen].filter(([, { isUnlisted }]) => !isUnlisted);
	if (kept.length < announcedCount) return { seen, pruning: pruning! };
	const marked = kept.map(
		([fingerprint, { phase, answers }]) =>
			[fingerprint, createSeenResponse(phase, answers, true)] as const,
	);
	return { seen: new Map(marked), pruning: { atMs: nowMs, passes: 0 } };
}
