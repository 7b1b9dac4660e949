/**
 * Two 32-bit hashes of a text, which together are its fingerprint. Each step of each is a bijection of
 * its state, they differ in rotation and factor, and the end is the finalizer of MurmurHash3 with both
 * mixed, again a bijection. So they spread as random numbers do, and of n identities two share a
 * fingerprint with a chance of n² / 2^65: one in 3,700 million for 100,000 of them. That takes
 * identities that nobody chose to collide; the service makes them, not who fills in a form.
 */
function hash(text: string): void {
	let a = 0x9e3779b9;
	let b = 0x7f4a7c15;
	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		a = Math.imul(((a << 5) | (a >>> 27)) ^ code, 0x9e3779b1);
		b = Math.imul(((b << 13) | (b >>> 19)) ^ code, 0xc2b2ae3d);
	}
	a = mixed(a ^ text.length);
	b = mixed(b ^ text.length);
	high = (a + b) >>> 0;
	low = (b + high) >>> 0;
}

/** The two halves of the latest fingerprint: an object for each of 100,000 responses would be garbage. */
let high = 0;
let low = 0;

function mixed(state: number): number {
	const once = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
	const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
	return twice ^ (twice >>> 16);
}

/** Numbers texts by their 64-bit fingerprints, from 0, in the order in which they first come. */
export class Fingerprints {
	/** Two 32-bit halves for each, the higher first. */
	private readonly halves: Uint32Array;

	/** An open hash table of numbers; 0 is free. */
	private readonly slots: Int32Array;

	private count = 0;

	/** @param capacity the texts that come at most */
	constructor(capacity: number) {
		this.halves = new Uint32Array(2 * capacity);
		this.slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * capacity + 1)));
	}

	get size(): number {
		return this.count;
	}

	/** The number of a text, which it has from now on if it is new. */
	numberOf(text: string): number {
		hash(text);
		return this.place(high, low);
	}

	/** Takes over fingerprints that were saved, as `copy` gives them. Equal ones get one number. */
	addAll(halves: Uint32Array): void {
		for (let at = 0; at < halves.length; at += 2) this.place(halves[at], halves[at + 1]);
	}

	/** The two halves of the fingerprint with a number. */
	copy(number: number, target: Uint32Array, at: number): void {
		target[at] = this.halves[2 * number];
		target[at + 1] = this.halves[2 * number + 1];
	}

	private place(first: number, second: number): number {
		const { halves, slots } = this;
		const mask = slots.length - 1;
		let slot = second & mask;
		for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
			const number = slots[slot] - 1;
			if (halves[2 * number] === first && halves[2 * number + 1] === second) return number;
		}
		const number = this.count++;
		slots[slot] = number + 1;
		halves[2 * number] = first;
		halves[2 * number + 1] = second;
		return number;
	}
}

/** A name of 16 digits for a text. */
export function shortNameOf(text: string): string {
	hash(text);
	return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
}
