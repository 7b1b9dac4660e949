import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

/**
 * What a trigger knows, in n8n's static data and in the process.
 *
 * n8n keeps what a poll with items changed. What a poll without items changed is not always kept: the
 * default mode loses the change when the workflow is published again, and durable cursors discard what
 * the poll at activation changed. So the process remembers what the last poll left, and what a poll with
 * items began from, which counts again if n8n discards the items. An example, S0 being empty:
 *
 * | poll                      | n8n provides | the poll leaves | n8n keeps | continues from    |
 * |---------------------------|--------------|-----------------|-----------|-------------------|
 * | activation, no items      | S0           | S1              | S0        | S0                |
 * | scheduled, no items       | S0           | S2              | S2        | S1, as remembered |
 * | with items, discarded     | S2           | S3              | S2        | S2                |
 * | with items                | S2           | S4              | S4        | S2, as remembered |
 * | scheduled                 | S4           |                 |           | S4                |
 *
 * A process that has lost its memory continues from the static data alone: a poll is then repeated, and
 * none is skipped.
 */
const KEY = 'state';

/** What the trigger knows about one response. Values are shared, and states are compared by identity. */
export type KnownResponse = {
	/**
	 * `incomplete` may have started the workflow; `waiting` is the same, and Response Abandoned follows if
	 * it stays incomplete; `abandoned` has started the workflow.
	 */
	readonly kind: 'complete' | 'incomplete' | 'waiting' | 'abandoned';
	/** Whether whole listings are without it. */
	readonly isMissing?: boolean;
	/** Since when it is missing or waiting, in minutes since 1970; 0 for all others. */
	readonly sinceMinute: number;
};

/** The responses of one form that need no further event in their present kind, by fingerprint. */
export type Known = ReadonlyMap<string, KnownResponse>;

/** Days for which a response or form is remembered after it has left the listing. */
export const REMEMBERED_DAYS = 30;

/** What is known of one form. */
export type FormState = {
	/** Undefined until the first reading of the form. */
	readonly known?: Known;
	/**
	 * On the form's first reading, responses that were created then or later are new. Epoch milliseconds of
	 * the service; 0 if all are new, undefined if none is.
	 */
	readonly sinceMs?: number;
	/** The day, counted from 1970, since which the list of all forms has been without it. */
	readonly missingSinceDay?: number;
};

/** What a trigger knows of the forms of a service. */
export type Content = {
	/** See `identifyService`. */
	readonly service: string;
	/** When the list of all forms was first read, in epoch milliseconds of the service. */
	readonly listedSinceMs?: number;
	/** By ID. */
	readonly forms: ReadonlyMap<string, FormState>;
};

/** A content at a time: in epoch milliseconds, and always later than that of the state before. */
export type State = Content & { readonly savedAtMs: number };

/** A state; nothing yet; or something that is not a saved state. */
export type Restored = { kind: 'state'; state: State } | { kind: 'nothing' } | { kind: 'damage' };

/** What the process remembers of the last poll that changed something. */
export type StateMemory = {
	last?: {
		/** What the poll left. */
		left: State;
		/** What counts if n8n has not kept it: the same, or what a poll with items began from. */
		fallback: State;
		/** When items were handed to n8n, which may still be saving them. */
		deliveredAtMs?: number;
	};
};

/** The state to continue from. What n8n has lost or damaged, the process may still know. */
export function loadState(staticData: IDataObject, { last }: StateMemory): Restored {
	const saved = staticData[KEY];
	if (last === undefined) return decodeState(saved);
	if (readSavedAt(saved) === last.left.savedAtMs) return { kind: 'state', state: last.left };
	const restored = decodeState(saved);
	const restoredAtMs = restored.kind === 'state' ? restored.state.savedAtMs : 0;
	if (restoredAtMs > last.fallback.savedAtMs) return restored;
	return { kind: 'state', state: last.fallback };
}

/**
 * Puts the state that a poll leaves into the static data. To be called last: n8n may save at any time.
 * If nothing has changed, the static data is only brought up to date: n8n may have discarded the state.
 *
 * @param base what the poll continued from
 * @param beforeItems what counts if n8n discards the items of this poll; undefined if there are none
 */
export function saveState(
	staticData: IDataObject,
	memory: StateMemory,
	base: Restored,
	content: Content,
	beforeItems: Content | undefined,
	nowMs: number,
): void {
	const savedAtMs = readSavedAt(staticData[KEY]) ?? 0;
	const { left } = memory.last ?? {};
	const nextMs = Math.max(Math.floor(nowMs), savedAtMs + 1, (left?.savedAtMs ?? 0) + 1);
	const toState = (one: Content): State =>
		base.kind === 'state' && isSame(base.state, one) ? base.state : { ...one, savedAtMs: nextMs };
	const fallback = toState(beforeItems ?? content);
	const state = beforeItems === undefined ? fallback : { ...content, savedAtMs: nextMs + 1 };
	const deliveredAtMs = beforeItems === undefined ? undefined : nowMs;
	if (state !== left) memory.last = { left: state, fallback, deliveredAtMs };
	if (state.savedAtMs !== savedAtMs) staticData[KEY] = encodeState(state);
}

/** After this time, n8n has not taken the last delivery if the static data is still older. */
const DELIVERY_MS = 30_000;

/**
 * Whether n8n may still be saving the last delivery. With durable cursors each poll gets a copy of the
 * saved state, and a poll that overlaps the one before it can get an old one.
 */
export function isDeliveryUnderWay(
	staticData: IDataObject,
	{ last }: StateMemory,
	nowMs: number,
): boolean {
	if (last?.deliveredAtMs === undefined) return false;
	if (Math.abs(nowMs - last.deliveredAtMs) >= DELIVERY_MS) return false;
	return (readSavedAt(staticData[KEY]) ?? 0) < last.left.savedAtMs;
}

/** Compares by identity: to compare large maps entry by entry would take as long as a poll. */
function isSame(one: Content, other: Content): boolean {
	return (
		one.service === other.service &&
		one.listedSinceMs === other.listedSinceMs &&
		one.forms.size === other.forms.size &&
		[...one.forms].every(([id, { known, sinceMs, missingSinceDay }]) => {
			const same = other.forms.get(id);
			if (same?.known !== known || same?.sinceMs !== sinceMs) return false;
			return same !== undefined && same.missingSinceDay === missingSinceDay;
		})
	);
}

/**
 * A short name for a service, by its host and path: the state belongs to these, and survives another
 * token and a change from http to https.
 */
export function identifyService(baseUrl: string): string {
	const { host, pathname } = new URL(baseUrl);
	return computeFingerprint(host + pathname);
}

const SHARED: Record<KnownResponse['kind'], KnownResponse> = {
	complete: { kind: 'complete', sinceMinute: 0 },
	incomplete: { kind: 'incomplete', sinceMinute: 0 },
	waiting: { kind: 'waiting', sinceMinute: 0 },
	abandoned: { kind: 'abandoned', sinceMinute: 0 },
};

/** What is known of a response; most share one object. */
export function describeKnown(
	kind: KnownResponse['kind'],
	sinceMinute = 0,
	isMissing = false,
): KnownResponse {
	if (sinceMinute === 0 && !isMissing) return SHARED[kind];
	return isMissing ? { kind, isMissing, sinceMinute } : { kind, sinceMinute };
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * The fingerprint of a text: ten digits of six bits. The 64 bits behind it are two 32-bit hashes. Each
 * step of each hash is a bijection of its state, the two differ in rotation and factor, and the end is the
 * finalizer of MurmurHash3 with both mixed, again a bijection. 60 of these bits are kept: of n identities,
 * two share a fingerprint with a probability of n² / 2^61, one in 230 million for 100,000. That assumes
 * identities that nobody chose to collide; the service makes them, not the respondent.
 */
export function computeFingerprint(text: string): string {
	let a = 0x9e3779b9;
	let b = 0x7f4a7c15;
	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		a = Math.imul(((a << 5) | (a >>> 27)) ^ code, 0x9e3779b1);
		b = Math.imul(((b << 13) | (b >>> 19)) ^ code, 0xc2b2ae3d);
	}
	a = finalizeMurmur(a ^ text.length);
	b = finalizeMurmur(b ^ text.length);
	const high = (a + b) | 0;
	return writeDigits(high) + writeDigits((b + high) | 0);
}

function finalizeMurmur(state: number): number {
	const once = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
	const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
	return twice ^ (twice >>> 16);
}

/** The lower 30 bits. */
function writeDigits(bits: number): string {
	let digits = '';
	for (let shift = 24; shift >= 0; shift -= 6) digits += DIGITS[(bits >>> shift) & 63];
	return digits;
}

const VERSION = 2;

const nonNegative = z.number().int().nonnegative();

const schema = z.object({
	version: z.literal(VERSION),
	service: z.string(),
	listedSince: nonNegative.optional(),
	savedAt: nonNegative,
	forms: z.array(
		z.object({
			id: z.string(),
			since: nonNegative.optional(),
			missingSince: nonNegative.optional(),
			known: z
				.string()
				.transform(decode)
				.refine((known) => known !== undefined)
				.optional(),
		}),
	),
});

/** The state as JSON, as n8n keeps it. */
function encodeState({ service, listedSinceMs, savedAtMs, forms }: State): IDataObject {
	return {
		version: VERSION,
		service,
		listedSince: listedSinceMs,
		savedAt: savedAtMs,
		forms: [...forms].map(([id, { known, sinceMs, missingSinceDay }]) => {
			const times = { since: sinceMs, missingSince: missingSinceDay };
			return { id, ...times, known: known && encode(known) };
		}),
	};
}

/** Reads a saved state. Throws nothing. */
function decodeState(saved: unknown): Restored {
	if (saved === undefined || saved === null) return { kind: 'nothing' };
	const parsed = schema.safeParse(saved);
	if (!parsed.success) return { kind: 'damage' };
	const { service, listedSince, savedAt, forms } = parsed.data;
	const decoded = forms.map(({ id, known, since, missingSince }): [string, FormState] => {
		return [id, { known, sinceMs: since, missingSinceDay: missingSince }];
	});
	const times = { listedSinceMs: listedSince, savedAtMs: savedAt };
	return { kind: 'state', state: { service, ...times, forms: new Map(decoded) } };
}

/** When a saved state was saved, or undefined if it does not say so. The state may be damaged. */
function readSavedAt(saved: unknown): number | undefined {
	return z.object({ savedAt: nonNegative }).safeParse(saved).data?.savedAt;
}

/** Characters of a response: its fingerprint, a letter for its kind, and minutes in base 36. */
const ENTRY_LENGTH = 16;
const ENTRY = /^([\w-]{10})([ciwa])([\da-z]{5})$/i;

/** The first letter of each kind; a capital letter for a response that is missing. */
const KINDS = { c: 'complete', i: 'incomplete', w: 'waiting', a: 'abandoned' } as const;

function encode(known: Known): string {
	let text = '';
	for (const [fingerprint, { kind, isMissing, sinceMinute }] of known) {
		const letter = isMissing ? kind[0].toUpperCase() : kind[0];
		text += fingerprint + letter + sinceMinute.toString(36).padStart(5, '0');
	}
	return text;
}

/** Undefined if the text is not what `encode` writes. */
function decode(text: string): Known | undefined {
	const known = new Map<string, KnownResponse>();
	for (let at = 0; at < text.length; at += ENTRY_LENGTH) {
		const entry = ENTRY.exec(text.slice(at, at + ENTRY_LENGTH));
		if (entry === null) return undefined;
		const [, fingerprint, letter, since] = entry;
		const kind = KINDS[letter.toLowerCase() as keyof typeof KINDS];
		known.set(fingerprint, describeKnown(kind, parseInt(since, 36), letter < 'a'));
	}
	return known;
}
