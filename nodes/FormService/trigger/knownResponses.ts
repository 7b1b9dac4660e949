import { DAY_MS, MINUTE_MS } from './schedule';

/** What the trigger knows about one response. */
export const status = {
	complete: 0,
	/** A partial submission, also one that has started the workflow. */
	incomplete: 1,
	/** The same, and Response Abandoned follows if it stays incomplete. */
	waiting: 2,
	/** Response Abandoned has been emitted. */
	abandoned: 3,
} as const;

export type Status = (typeof status)[keyof typeof status];

/** Days for which a response or form is remembered after it has left the listing. */
export const REMEMBERED_DAYS = 30;

/** The responses of one form that need no further event in their present status, as parallel arrays. */
export class KnownResponses {
	/** Two 32-bit halves for each, see Fingerprints. */
	readonly fingerprints: Uint32Array;
	readonly statuses: Uint8Array;
	/** The day (UTC), counted from 1970, since which whole listings have been without it; 0 if it is listed. */
	readonly missingSince: Int32Array;
	/** Since when it has been waiting, in minutes since 2020. */
	readonly waitingSince: Int32Array;

	constructor(readonly size: number) {
		this.fingerprints = new Uint32Array(2 * size);
		this.statuses = new Uint8Array(size);
		this.missingSince = new Int32Array(size);
		this.waitingSince = new Int32Array(size);
	}

	/** Whether it has the same content, response by response. */
	equals(other: KnownResponses): boolean {
		return (['fingerprints', 'statuses', 'missingSince', 'waitingSince'] as const).every((name) =>
			Buffer.from(this[name].buffer).equals(Buffer.from(other[name].buffer)),
		);
	}

	/** Whether a response that is listed may still be completed. */
	hasIncomplete(): boolean {
		return this.statuses.some(
			(one, index) => one !== status.complete && this.missingSince[index] === 0,
		);
	}

	/**
	 * When time alone changes something: a response becomes abandoned or is forgotten. Epoch
	 * milliseconds.
	 */
	changesAt(abandonedAfterMs: number): number {
		let at = Infinity;
		for (let index = 0; index < this.size; index++) {
			if (this.statuses[index] === status.waiting) {
				at = Math.min(at, minutesToEpochMs(this.waitingSince[index]) + abandonedAfterMs);
			}
			const since = this.missingSince[index];
			if (since > 0) at = Math.min(at, (since + REMEMBERED_DAYS + 1) * DAY_MS);
		}
		return at;
	}
}

const EPOCH_2020_MS = Date.UTC(2020);
const MAX_MINUTES = 2 ** 24 - 1;

/** Minutes since 2020, rounded up, within the range of three bytes: from 2020 to 2051. */
export function epochMsToMinutes(epochMs: number): number {
	const minutes = Math.ceil((epochMs - EPOCH_2020_MS) / MINUTE_MS);
	return Math.min(Math.max(minutes, 0), MAX_MINUTES);
}

export function minutesToEpochMs(minutes: number): number {
	return EPOCH_2020_MS + minutes * MINUTE_MS;
}

/**
 * Writes the fingerprint of a text: two 32-bit hashes, the higher half first. Each step of each hash is
 * a bijection of its state, the two differ in rotation and factor, and the end is the finalizer of
 * MurmurHash3 with both mixed, again a bijection. Of n identities, two share a fingerprint with a
 * probability of n² / 2^65: one in 3,700 million for 100,000. That assumes identities that nobody chose
 * to collide; the service makes them, not the respondent.
 */
export function fingerprint(text: string, target: Uint32Array, at = 0): void {
	let a = 0x9e3779b9;
	let b = 0x7f4a7c15;
	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		a = Math.imul(((a << 5) | (a >>> 27)) ^ code, 0x9e3779b1);
		b = Math.imul(((b << 13) | (b >>> 19)) ^ code, 0xc2b2ae3d);
	}
	a = mixed(a ^ text.length);
	b = mixed(b ^ text.length);
	const high = (a + b) >>> 0;
	target[at] = high;
	target[at + 1] = (b + high) >>> 0;
}

function mixed(state: number): number {
	const once = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
	const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
	return twice ^ (twice >>> 16);
}

/** Numbers texts by their 64-bit fingerprints, from 0, in the order in which they are first added. */
export class Fingerprints {
	/** Two 32-bit halves for each, the higher first. */
	private readonly halves: Uint32Array;

	/** An open hash table of numbers; 0 is free. */
	private readonly slots: Int32Array;

	/** The fingerprint that is looked up: an object for each of 100,000 responses would be garbage. */
	private readonly wanted = new Uint32Array(2);

	private count = 0;

	/** @param capacity the most texts that are added */
	constructor(capacity: number) {
		this.halves = new Uint32Array(2 * capacity);
		this.slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * capacity + 1)));
	}

	get size(): number {
		return this.count;
	}

	/** The number of a text that was added; undefined if it was not. */
	find(text: string): number | undefined {
		fingerprint(text, this.wanted);
		const number = this.slots[this.slotOf(this.wanted[0], this.wanted[1])];
		return number === 0 ? undefined : number - 1;
	}

	/** The number of a text, which is added if it is new. */
	numberOf(text: string): number {
		fingerprint(text, this.wanted);
		return this.add(this.wanted[0], this.wanted[1]);
	}

	/** Adds saved fingerprints, as `copy` writes them. Equal ones get one number. */
	addAll(halves: Uint32Array): void {
		for (let at = 0; at < halves.length; at += 2) this.add(halves[at], halves[at + 1]);
	}

	/** Writes the two halves of the fingerprint with a number. */
	copy(number: number, target: Uint32Array, at: number): void {
		target[at] = this.halves[2 * number];
		target[at + 1] = this.halves[2 * number + 1];
	}

	private add(high: number, low: number): number {
		const slot = this.slotOf(high, low);
		if (this.slots[slot] !== 0) return this.slots[slot] - 1;
		const number = this.count++;
		this.slots[slot] = number + 1;
		this.halves[2 * number] = high;
		this.halves[2 * number + 1] = low;
		return number;
	}

	/** The slot that has a fingerprint, or else the free one where it belongs. */
	private slotOf(high: number, low: number): number {
		const { halves, slots } = this;
		const mask = slots.length - 1;
		let slot = low & mask;
		for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
			const number = slots[slot] - 1;
			if (halves[2 * number] === high && halves[2 * number + 1] === low) return slot;
		}
		return slot;
	}
}

/** A name of 16 hexadecimal digits for a text. */
export function shortNameOf(text: string): string {
	const halves = new Uint32Array(2);
	fingerprint(text, halves);
	return [...halves].map((half) => half.toString(16).padStart(8, '0')).join('');
}
