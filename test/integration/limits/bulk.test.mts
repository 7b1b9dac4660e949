import { describe, expect, it } from 'vitest';
import { withWorld } from '../world.mts';
import { addEach, numbered, numbersOf } from './adding.mts';
import { refused, watchOpen } from './watch.mts';

const COUNT = 1_000;

describe('1,000 items in one execution', () => {
	it('are sent four at a time, none is refused, and each has its output in its place', async () => {
		await withWorld(
			async ({ service, n8n }) => {
				const { mostOpen } = watchOpen(service, 5);
				const { items, error } = await n8n.runNode(addEach, numbered(service, COUNT));
				const all = Array.from({ length: COUNT }, (_, index) => index);

				expect(error).toBeUndefined();
				expect(mostOpen()).toBe(4);
				expect(service.requests).toHaveLength(COUNT);
				expect(refused(service.requests)).toBe(0);
				expect(numbersOf(service, items)).toEqual(all);
				expect(items.map(({ pairedItem }) => pairedItem)).toEqual(all.map((item) => ({ item })));
			},
			{ perMinute: 5_000, perDay: 20_000 },
		);
	});
});
