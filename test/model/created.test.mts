/** Creation times that are wrong, or old: after the first complete pass, each unseen response is new. */
import { expect, it } from 'vitest';
import type { Mode } from './n8n.mts';
import type { Order } from './service.mts';
import { DAY_MS, HOUR_MS } from '../time.mts';
import { createPaged, World } from './world.mts';

it.each<[string, number, number, Order, Mode]>([
	['8 hours behind', 8 * HOUR_MS, 1, 'newest', 'default'],
	['8 hours behind', 8 * HOUR_MS, 20, 'oldest', 'durable'],
	['8 hours ahead', -8 * HOUR_MS, 20, 'newest', 'default'],
	['of last year', 365 * DAY_MS, 1, 'newest', 'durable'],
	['of last year', 365 * DAY_MS, 20, 'shuffled', 'default'],
])(
	'New responses with creation times %s start the workflow (%i ms, %i pages, %s, %s)',
	async (_text, behindMs, pages, order, mode) => {
		const { world, A } = createPaged({ pages, order, mode });
		await world.beginAndRun(60);
		world.oracle.settle(A);
		for (let count = 0; count < 5; count++) {
			world.submit(A, false, world.time.actual() - behindMs);
			await world.run(30);
		}
		await world.run(120);
		expect(world.delivered).toHaveLength(5);
	},
);

it('A list that is empty for a moment is no first complete pass', async () => {
	const world = new World(['A']);
	const { A } = world.forms;
	A.hidden = true;
	await world.beginAndRun(30);
	world.show(A, () => (A.hidden = false));
	await world.run(30);
	world.submit(A);
	await world.run(10);
	expect(world.delivered).toEqual(['A-2 responseCompleted']);
});

it('A response that comes back after it was forgotten is new, and one that comes back earlier is not', async () => {
	const world = new World(['A'], { emitExisting: true });
	const { A } = world.forms;
	await world.beginAndRun(10);
	const [first] = A.kept;
	const second = world.submit(A);
	await world.run(10);
	for (const [response, days] of [
		[first, 100],
		[second, 29],
	] as const) {
		world.setDeleted(response, true);
		await world.run(days * 24 * 60, undefined, { periodMinutes: 300 });
		world.setDeleted(response, false);
		await world.run(30);
	}
	const expected = ['A-1 responseCompleted', 'A-2 responseCompleted', 'A-1 responseCompleted'];
	expect(world.delivered).toEqual(expected);
});
