import { DAY_MS, MINUTE_MS } from './schedule';

/** What the trigger knows of one response. */
export const status = {
	complete: 0,
	/** A partial submission, also one that the trigger has started the workflow with. */
	incomplete: 1,
	/** The same, and it is told as abandoned if it stays so. */
	waiting: 2,
	/** It was told as abandoned. */
	abandoned: 3,
} as const;

export type Status = (typeof status)[keyof typeof status];

/** Days that a response or form is remembered after it has left the listing. */
export const REMEMBERED_DAYS = 30;

/** The responses of one form that need no further event of their present kind, side by side. */
export class KnownResponses {
	/** Two 32-bit halves for each, see Fingerprints. */
	readonly fingerprints: Uint32Array;
	readonly statuses: Uint8Array;
	/** The day, counted from 1970, since which complete listings have been without it; 0: it is listed. */
	readonly missingSince: Int32Array;
	/** Since when one has been waiting, in minutes since 2020. */
	readonly waitingSince: Int32Array;

	constructor(readonly size: number) {
		this.fingerprints = new Uint32Array(2 * size);
		this.statuses = new Uint8Array(size);
		this.missingSince = new Int32Array(size);
		this.waitingSince = new Int32Array(size);
	}

	/**
	 * When the passing of time alone will change something: a response is told as abandoned, or is
	 * forgotten. Epoch milliseconds.
	 */
	changesAt(abandonedAfterMs: number): number {
		let at = Infinity;
		for (let index = 0; index < this.size; index++) {
			if (this.statuses[index] === status.waiting) {
				at = Math.min(at, toEpochMs(this.waitingSince[index]) + abandonedAfterMs);
			}
			const since = this.missingSince[index];
			if (since > 0) at = Math.min(at, (since + REMEMBERED_DAYS + 1) * DAY_MS);
		}
		return at;
	}
}

const EPOCH_2020_MS = Date.UTC(2020);
const MAX_MINUTES = 2 ** 24 - 1;

/** Minutes since 2020, rounded up, within what three bytes hold: from 2020 to 2051. */
export function toMinutes(epochMs: number): number {
	const minutes = Math.ceil((epochMs - EPOCH_2020_MS) / MINUTE_MS);
	return Math.min(Math.max(minutes, 0), MAX_MINUTES);
}

export function toEpochMs(minutes: number): number {
	return EPOCH_2020_MS + minutes * MINUTE_MS;
}

/**
 * As JSON can hold it. Nine bytes for each response, which are twelve characters in base64: the
 * fingerprint, two bits of status, and six that are 0 for a listed one or else count the days from
 * `from` on, from 1. Three bytes more, in `waiting`, for each that waits.
 */
export type EncodedResponses = { from: number; responses: string; waiting: string };

const RECORD_BYTES = 9;
const WAITING_BYTES = 3;

/** Days that six bits tell apart: more than twice as many as are remembered. */
const DAYS = 63;

export function encode(known: KnownResponses): EncodedResponses {
	const { size, fingerprints, statuses, missingSince, waitingSince } = known;
	const from = Math.max(0, missingSince.reduce((last, day) => Math.max(last, day), 0) - DAYS + 1);
	const records = Buffer.alloc(size * RECORD_BYTES);
	const waiting: number[] = [];
	for (let index = 0, at = 0; index < size; index++, at += RECORD_BYTES) {
		records.writeUInt32BE(fingerprints[2 * index], at);
		records.writeUInt32BE(fingerprints[2 * index + 1], at + 4);
		// a day before the range, after months of cut listings, becomes its first: remembered for longer
		const day = missingSince[index] === 0 ? 0 : Math.max(missingSince[index] - from, 0) + 1;
		records[at + 8] = statuses[index] + 4 * day;
		if (statuses[index] === status.waiting) waiting.push(waitingSince[index]);
	}
	const minutes = Buffer.alloc(waiting.length * WAITING_BYTES);
	waiting.forEach((since, index) => minutes.writeUIntBE(since, index * 3, WAITING_BYTES));
	return { from, responses: records.toString('base64'), waiting: minutes.toString('base64') };
}

/** @throws RangeError when it cannot have come from `encode` */
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
	if (minutes.length !== waits * WAITING_BYTES) throw new RangeError('More wait than there are');
	return known;
}
