/** Deliveries: what n8n discards, what is abandoned, and what has no room. */
import { expect, it } from 'vitest';
import type { Mode } from './n8n.mts';
import type { Order } from './service.mts';
import { DAY_MINUTES, DAY_MS, HOUR_MS, MINUTE_MS } from '../time.mts';
import { createPaged, listEvents, World } from './world.mts';

it.each<[number, number, Order, Mode]>([
	[1, 2, 'newest', 'durable'],
	[60, 5, 'newest', 'default'],
	[30, 40, 'oldest', 'durable'],
	[30, 40, 'shuffled', 'default'],
])('A poll repeats what n8n discarded (%i pages, number %i, %s first, %s)', async (...given) => {
	const [pages, number, order, mode] = given;
	const isIncomplete = (one: number) => one === number;
	const { world, A } = createPaged({ pages, order, mode, isIncomplete });
	await world.beginAndRun(20);
	world.complete(A.kept[number - 1]);
	const expected = [`A-${number} responseCompleted`];
	let discarded: string[] = [];
	while (discarded.length === 0) {
		world.time.pass(MINUTE_MS);
		discarded = listEvents(world.note(await world.n8n.tick({ end: 'discarded' })));
	}
	expect(discarded).toEqual(expected);
	// the default mode discards items if the workflow is published meanwhile
	if (mode === 'default') await world.publish();
	else await world.tick(MINUTE_MS);
	expect(world.delivered).toEqual(expected);
	await world.run(DAY_MINUTES / 2, undefined, { periodMinutes: 5 });
	expect(world.delivered).toEqual(expected);
});

it('One event too many for a poll comes with the next one, without another request', async () => {
	const events = ['formCreated', 'responseCompleted'] as const;
	const world = new World(['A'], { maxPerPoll: 2, events, watch: { kind: 'all', except: [] } });
	await world.begin();
	// a form without a creation time is new as well
	world.createForm('B').isDated = false;
	for (let count = 2; count > 0; count--) world.submit(world.forms.A);
	await world.tick(2 * HOUR_MS);
	const before = world.service.sent.length;
	await world.tick(1_000);
	expect(world.service.sent).toHaveLength(before);
	const expected = ['A-2 responseCompleted', 'A-3 responseCompleted', 'B formCreated'];
	expect(world.delivered.sort()).toEqual(expected);
});

const abandoned = ['responseAbandoned'] as const;

it.each<[number, number, Order, Mode]>([
	[20, 12_000, 'newest', 'default'],
	[20, 6_000, 'oldest', 'durable'],
	[67, 0, 'newest', 'default'],
	[67, 2_000, 'shuffled', 'durable'],
])('Responses completed in time are not abandoned (%i pages, %i ms, %s, %s)', async (...given) => {
	const [pages, latencyMs, order, mode] = given;
	const rest = { mode, events: abandoned, requestsPerDay: 8_640 };
	const { world, A } = createPaged({ pages: pages - 12, pageSize: 5, order, ...rest });
	const completed = new Set<string>();
	// as soon as a page was read, the responses on it that have a few minutes left are completed
	const beforeReply = ({ page }: { page: number }) => {
		for (const response of A.shown().slice(0, (page - 1) * A.pageSize)) {
			const leftMs = response.createdAt + DAY_MS - world.time.actual();
			if (!response.incomplete || leftMs < 0 || leftMs > 4 * MINUTE_MS) continue;
			world.complete(response);
			completed.add(`${response.id} responseAbandoned`);
		}
	};
	await world.begin();
	await world.run(60, () => world.submit(A, true));
	world.time.pass(22.9 * HOUR_MS);
	await world.run(75, undefined, { latencyMs, beforeReply });
	expect(completed.size).toBeGreaterThan(0);
	expect(world.delivered.filter((event) => completed.has(event))).toEqual([]);
});

it.each<[number, number, Mode]>([
	[72, 72, 'default'],
	[-72, -72, 'durable'],
	[0, 5, 'default'],
	[-5, 0, 'durable'],
])('A response is abandoned after a day, n8n %i h ahead, then %i (%s)', async (...given) => {
	const [aheadHours, laterHours, mode] = given;
	const world = new World(['A', 'B'], { mode, events: abandoned });
	const { A, B } = world.forms;
	B.spelling = 'none';
	world.time.aheadMs = aheadHours * HOUR_MS;
	await world.beginAndRun(10);
	for (const form of [A, B]) world.submit(form, true);
	await world.run(30);
	world.time.aheadMs = laterHours * HOUR_MS;
	// it is missing for an hour
	world.setDeleted(A.kept[1], true);
	await world.run(60);
	world.setDeleted(A.kept[1], false);
	await world.run(22 * 60, undefined, { periodMinutes: 5 });
	expect(world.delivered).toEqual([]);
	await world.run(70);
	expect(world.delivered.sort()).toEqual(['A-2 responseAbandoned', 'B-2 responseAbandoned']);
});
