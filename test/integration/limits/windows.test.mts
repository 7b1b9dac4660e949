import { describe, expect, it } from 'vitest';
import { time } from '../harness.mts';
import { withWorld } from '../world.mts';
import { addEach, numbered, numbersOf } from './adding.mts';
import { refused } from './watch.mts';

const COUNT = 130;
const TWO_WINDOWS_MS = 120_000;

describe('130 items at the real limit of 60 a minute', () => {
	it('take two windows and a moment of the third, and none is refused', async () => {
		await withWorld(async ({ service, n8n }) => {
			const start = time.now();
			const { items, error } = await n8n.runNode(addEach, numbered(service, COUNT));
			const took = time.now() - start;

			expect(error).toBeUndefined();
			expect(numbersOf(service, items)).toEqual(Array.from({ length: COUNT }, (_, index) => index));
			expect(service.requests).toHaveLength(COUNT);
			expect(refused(service.requests)).toBe(0);
			expect(took).toBeGreaterThan(TWO_WINDOWS_MS);
			expect(took).toBeLessThan(TWO_WINDOWS_MS + 5_000);
		});
	});
});
