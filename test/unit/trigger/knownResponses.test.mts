import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fingerprints, shortNameOf } from '../../../nodes/FormService/trigger/knownResponses.ts';

const bitsOf = (text: string) => BigInt(`0x${shortNameOf(text)}`);

function differentBits(one: bigint, other: bigint): number {
	return [...(one ^ other).toString(2)].filter((bit) => bit === '1').length;
}

describe('Fingerprints', () => {
	it('number texts in the order in which they first come', () => {
		fc.assert(
			fc.property(fc.array(fc.string()), (texts) => {
				const fingerprints = new Fingerprints(texts.length);
				const distinct = [...new Set(texts)];
				expect(texts.map((text) => fingerprints.numberOf(text))).toEqual(
					texts.map((text) => distinct.indexOf(text)),
				);
			}),
		);
	});

	it('go on from those that were saved', () => {
		const before = new Fingerprints(2);
		for (const text of ['a', 'b']) before.numberOf(text);
		const halves = new Uint32Array(4);
		for (const number of [0, 1]) before.copy(number, halves, 2 * number);
		const after = new Fingerprints(3);
		after.addAll(halves);
		expect(['b', 'c', 'a'].map((text) => after.numberOf(text))).toEqual([1, 2, 0]);
	});

	it.each<[string, (index: number) => string]>([
		['UUIDs', () => randomUUID()],
		['numbers', String],
		['texts that differ at the end', (index) => `${'response-'.repeat(10)}${index}`],
		['texts that differ at the start', (index) => `${index}${'-response'.repeat(10)}`],
		['texts of two characters in all orders', (index) => index.toString(2)],
	])('do not collide: 300,000 %s', (_kind, textOf) => {
		const fingerprints = new Fingerprints(300_000);
		for (let index = 0; index < 300_000; index++) fingerprints.numberOf(textOf(index));
		expect(fingerprints.size).toBe(300_000);
	});

	it('differ in half of their bits for texts that differ in one', () => {
		let sum = 0;
		let least = 64;
		for (let index = 0; index < 20_000; index++) {
			const uuid = randomUUID();
			const at = index % 36;
			const other =
				uuid.slice(0, at) + String.fromCharCode(uuid.charCodeAt(at) ^ 1) + uuid.slice(at + 1);
			const bits = differentBits(bitsOf(uuid), bitsOf(other));
			sum += bits;
			least = Math.min(least, bits);
		}
		expect(sum / 20_000).toBeGreaterThan(31.8);
		expect(sum / 20_000).toBeLessThan(32.2);
		expect(least).toBeGreaterThan(8);
	});
});

it('A short name is of 16 digits, and tells names apart whatever they have in common', () => {
	expect(shortNameOf('')).toMatch(/^[0-9a-f]{16}$/);
	expect(shortNameOf('https://a/api/v1')).not.toBe(shortNameOf('https://b/api/v1'));
});
