import { expect, it } from 'vitest';
import { time } from '../harness.mts';
import { withWorld } from '../world.mts';
import { addEach, numbered, numbersOf } from './adding.mts';
import { refused, watchOpen } from './watch.mts';

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index);

it('many items are sent four at a time, none is refused, and each has its output in its place', async () => {
	await withWorld(
		async ({ service, n8n }) => {
			const { mostOpen } = watchOpen(service, 5);
			const all = numbersTo(300);
			const { items, error } = await n8n.runNode(addEach, numbered(service, all.length));
			expect(error).toBeUndefined();
			expect(mostOpen()).toBe(4);
			expect(service.requests).toHaveLength(all.length);
			expect(refused(service.requests)).toBe(0);
			expect(numbersOf(service, items)).toEqual(all);
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual(all.map((item) => ({ item })));
		},
		{ perMinute: 5_000, perDay: 20_000 },
	);
});

it('130 items at 60 a minute take two windows and a moment of the third, and none is refused', async () => {
	await withWorld(async ({ service, n8n }) => {
		const start = time.now();
		const all = numbersTo(130);
		const { items, error } = await n8n.runNode(addEach, numbered(service, all.length));
		const took = time.now() - start;
		expect(error).toBeUndefined();
		expect(numbersOf(service, items)).toEqual(all);
		expect(service.requests).toHaveLength(all.length);
		expect(refused(service.requests)).toBe(0);
		expect(took).toBeGreaterThan(120_000);
		expect(took).toBeLessThan(125_000);
	});
});
