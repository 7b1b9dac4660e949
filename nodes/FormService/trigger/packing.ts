import { BitReader, BitWriter } from './bits';
import { FINGERPRINT_BITS } from './fingerprint';
import type { Known, Seen } from './seen';

/**
 * What is known of n responses, packed. Sorted fingerprints are evenly spread, so the first
 * c = ceil(log2 n) bits of each are written as the distance to the one before, in unary (the idea of
 * Elias-Fano coding). That takes 64 - c bits and one for each, and 2^c for all of them: exact
 * 64-bit fingerprints. Another bit says incomplete, one says missing, and five say since when.
 *
 * Even if all are missing, that is n (72 - c) + 2^c bits, so that base64 takes (n (12 - c) + 2^c) / 6
 * bytes more than 10 a response: 683 at the most, with 2^11 to 2^12 of them. With what stands around
 * it, the state stays within 10 bytes a response and 1 KB.
 */
export type Packed = {
	count: number;
	/** The day, counted from 1970, from which the days of missing responses count. */
	since: number;
	/** Base64. */
	responses: string;
};

/** Bits of the day on which a response went missing: 30 days, and the one that is running. */
const MISSING_BITS = 5;

export function pack(seen: Seen): Packed {
	const prints = BigUint64Array.from(seen.keys()).sort();
	const days = [...seen.values()].flatMap(({ missingSince }) => missingSince ?? []);
	const since = days.length === 0 ? 0 : Math.max(...bounds(days));
	const lowBits = lowBitsFor(prints.length);
	const lowMask = (1n << BigInt(lowBits)) - 1n;
	const writer = new BitWriter();
	let previousHigh = 0n;
	for (const print of prints) {
		const high = print >> BigInt(lowBits);
		writer.writeUnary(Number(high - previousHigh));
		writer.writeBig(print & lowMask, lowBits);
		writeKnown(writer, seen.get(print) as Known, since);
		previousHigh = high;
	}
	return { count: prints.length, since, responses: writer.toBuffer().toString('base64') };
}

/**
 * @throws RangeError when the packed state cannot have come from `pack`
 */
export function unpack({ count, since, responses }: Packed): Seen {
	const reader = new BitReader(Buffer.from(responses, 'base64'));
	const lowBits = lowBitsFor(count);
	const seen = new Map<bigint, Known>();
	let high = 0n;
	for (let index = 0; index < count; index++) {
		high += BigInt(reader.readUnary());
		const print = (high << BigInt(lowBits)) + reader.readBig(lowBits);
		seen.set(print, readKnown(reader, since));
	}
	if (!reader.isAtEnd() || seen.size !== count) throw new RangeError('The count is wrong');
	return seen;
}

/** The earliest day that can be written, and the one that must be: later days count from there. */
function bounds(days: readonly number[]): [number, number] {
	const [first, last] = days.reduce(
		([low, high], day) => [Math.min(low, day), Math.max(high, day)],
		[Infinity, -Infinity],
	);
	return [first, last - (2 ** MISSING_BITS - 1)];
}

/** The bits of a fingerprint that are written as they are. */
function lowBitsFor(count: number): number {
	return FINGERPRINT_BITS - Math.ceil(Math.log2(Math.max(count, 1)));
}

function writeKnown(writer: BitWriter, { incomplete, missingSince }: Known, since: number): void {
	writer.write(incomplete ? 1 : 0, 1);
	writer.write(missingSince === undefined ? 0 : 1, 1);
	// a day before the range, after months of cut listings, becomes its first: remembered for longer
	if (missingSince !== undefined) writer.write(Math.max(missingSince - since, 0), MISSING_BITS);
}

function readKnown(reader: BitReader, since: number): Known {
	const incomplete = reader.read(1) === 1;
	return reader.read(1) === 0
		? { incomplete }
		: { incomplete, missingSince: since + reader.read(MISSING_BITS) };
}
