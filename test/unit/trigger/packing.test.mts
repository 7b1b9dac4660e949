import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../../nodes/FormService/trigger/fingerprint.ts';
import { pack, unpack } from '../../../nodes/FormService/trigger/packing.ts';
import { restore, save } from '../../../nodes/FormService/trigger/savedSeen.ts';
import type { Known, Seen } from '../../../nodes/FormService/trigger/seen.ts';
import { seenOver } from './arbitraries.mts';

const sorted = (seen: Seen) => [...seen].sort(([left], [right]) => (left < right ? -1 : 1));

describe('A packed state', () => {
	it('holds every fingerprint to the last bit, and what is known with it', () => {
		fc.assert(
			fc.property(seenOver(31), (seen) => {
				expect(sorted(unpack(pack(seen)))).toEqual(sorted(seen));
			}),
		);
	});

	it('holds fingerprints at the ends of the range and next to each other', () => {
		const prints = [0n, 1n, 2n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 2n, 2n ** 64n - 1n];
		const seen = new Map(prints.map((print) => [print, { incomplete: false }]));
		expect(unpack(pack(seen))).toEqual(seen);
	});

	it('remembers a response for longer rather than for shorter when the days do not fit', () => {
		fc.assert(
			fc.property(seenOver(90), (seen) => {
				for (const [print, { missingSince }] of unpack(pack(seen))) {
					const before = seen.get(print)!.missingSince;
					if (before === undefined) expect(missingSince).toBeUndefined();
					else expect(missingSince).toBeGreaterThanOrEqual(before);
				}
			}),
		);
	});

	it('is not read when bytes are missing or left over', () => {
		const packed = pack(new Map([1n, 2n, 3n].map((print) => [print, { incomplete: true }])));
		const bytes = Buffer.from(packed.responses, 'base64');
		for (const changed of [bytes.subarray(1), Buffer.concat([bytes, Buffer.alloc(1)])]) {
			const responses = changed.toString('base64');
			expect(() => unpack({ ...packed, responses })).toThrow(RangeError);
		}
	});

	const counts = [0, 1, 10, 100, 500, 1_000, 1_025, 2_047, 2_048, 2_049, 4_096, 4_097, 20_000];

	it.each(counts)('takes at most 10 bytes a response and 1 KB in static data (%i)', (count) => {
		expect(bytesOf(count, () => ({ incomplete: false }))).toBeLessThanOrEqual(10 * count + 1024);
	});

	it.each(counts)('keeps to that when all are incomplete and missing (%i)', (count) => {
		const missing = (index: number) => ({ incomplete: true, missingSince: 20_000 + (index % 31) });
		expect(bytesOf(count, missing)).toBeLessThanOrEqual(10 * count + 1024);
	});

	it('is never read as something else when a character of it is changed', () => {
		fc.assert(
			fc.property(
				seenOver(31).filter(({ size }) => size > 0),
				fc.nat(),
				fc.constantFrom('A', 'Q', 'z', '/'),
				(seen, at, character) => {
					const saved = save({ source: 'source', revision: 1, seen });
					const text = String(saved.responses);
					const position = at % text.length;
					fc.pre(text[position] !== character);
					const responses = text.slice(0, position) + character + text.slice(position + 1);
					expect(restore({ ...saved, responses }).kind).toBe('damaged');
				},
			),
		);
	});
});

/** What n8n saves of so many responses, in the static data of the node. */
function bytesOf(count: number, known: (index: number) => Known): number {
	const ids = Array.from({ length: count }, (_, index) => `response-${index}`);
	const seen: Seen = new Map(ids.map((id, index) => [fingerprint(id), known(index)]));
	const saved = save({ source: 'f'.repeat(16), revision: 1_000_000, seen });
	return JSON.stringify({ seen: saved }).length;
}
