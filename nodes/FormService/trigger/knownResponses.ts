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
	/** The day, counted from 1970, since which whole listings have been without it; 0 if it is listed. */
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
		return (
			this.size === other.size &&
			(['fingerprints', 'statuses', 'missingSince', 'waitingSince'] as const).every((name) => {
				const [one, another] = [this[name], other[name]];
				return one.every((value, index) => value === another[index]);
			})
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
 * As JSON. Each response takes nine bytes, which are twelve characters in base64: the fingerprint, two
 * bits of status, and six bits that are 0 for a listed response or else count the days from `from` on,
 * starting at 1. `waiting` has three more bytes for each response that waits.
 */
export type EncodedResponses = { from: number; responses: string; waiting: string };

const RECORD_BYTES = 9;
const WAITING_BYTES = 3;

/** The range of six bits: more than twice as many days as are remembered. */
const DAYS = 63;

export function encode(known: KnownResponses): EncodedResponses {
	const { size, fingerprints, statuses, missingSince, waitingSince } = known;
	const from = Math.max(0, missingSince.reduce((last, day) => Math.max(last, day), 0) - DAYS + 1);
	const records = Buffer.alloc(size * RECORD_BYTES);
	const waiting: number[] = [];
	for (let index = 0, at = 0; index < size; index++, at += RECORD_BYTES) {
		records.writeUInt32BE(fingerprints[2 * index], at);
		records.writeUInt32BE(fingerprints[2 * index + 1], at + 4);
		// after months of cut listings, a day before the range becomes its first: remembered for longer
		const day = missingSince[index] === 0 ? 0 : Math.max(missingSince[index] - from, 0) + 1;
		records[at + 8] = statuses[index] + 4 * day;
		if (statuses[index] === status.waiting) waiting.push(waitingSince[index]);
	}
	const minutes = Buffer.alloc(waiting.length * WAITING_BYTES);
	waiting.forEach((since, index) => minutes.writeUIntBE(since, index * 3, WAITING_BYTES));
	return { from, responses: records.toString('base64'), waiting: minutes.toString('base64') };
}

/** @throws RangeError if it is not the result of `encode` */
export function decode({ from, responses, waiting }: EncodedResponses): KnownResponses {
	const records = Buffer.from(responses, 'base64');
	const minutes = Buffer.from(waiting, 'base64');
	const known = new KnownResponses(records.length / RECORD_BYTES);
	let waits = 0;
	for (let index = 0, at = 0; index < known.size; index++, at += RECORD_BYTES) {
		known.fingerprints[2 * index] = records.readUInt32BE(at);
		known.fingerprints[2 * index + 1] = records.readUInt32BE(at + 4);
		known.statuses[index] = records[at + 8] % 4;
		const day = Math.floor(records[at + 8] / 4);
		if (day > 0) known.missingSince[index] = from + day - 1;
		if (known.statuses[index] === status.waiting) {
			known.waitingSince[index] = minutes.readUIntBE(waits++ * WAITING_BYTES, WAITING_BYTES);
		}
	}
	if (minutes.length !== waits * WAITING_BYTES) throw new RangeError('Too many times of waiting');
	return known;
}
