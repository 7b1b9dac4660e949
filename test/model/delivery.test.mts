/** Deliveries: what n8n discards or still saves, what has no room, what is abandoned, and a renamed node. */
import { expect, it } from 'vitest';
import type { Mode } from './n8n.mts';
import type { Order } from './service.mts';
import { DAY_MINUTES, DAY_MS, HOUR_MS, MINUTE_MS } from '../time.mts';
import { ALL, createPaged, listEvents, World } from './world.mts';

it.each<[number, number, Order, Mode]>([
	[1, 2, 'newest', 'durable'],
	[60, 5, 'newest', 'default'],
	[30, 40, 'oldest', 'durable'],
])('A poll repeats what n8n discarded (%i pages, number %i, %s first, %s)', async (...given) => {
	const [pages, number, order, mode] = given;
	const isIncomplete = (one: number) => one === number;
	const { world, A } = createPaged({ pages, order, mode, isIncomplete });
	await world.beginAndRun(20);
	world.complete(A.kept[number - 1]);
	const expected = [`A-${number} responseCompleted`];
	let discarded: string[] = [];
	for (let minute = 0; minute < DAY_MINUTES && discarded.length === 0; minute++) {
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

it.each(['default', 'durable'] as const)(
	'A poll repeats new and changed forms that n8n discarded (%s)',
	async (mode) => {
		const events = ['formCreated', 'formUpdated', 'responseCompleted'] as const;
		const world = new World(['A'], { mode, watch: ALL, events });
		await world.beginAndRun(1);
		world.submit(world.createForm('B'));
		world.edit(world.forms.A);
		const discarded = await world.tick(2 * HOUR_MS, { end: 'discarded' });
		const expected = ['A formUpdated', 'B formCreated', 'B-1 responseCompleted'];
		expect(listEvents(discarded).sort()).toEqual(expected);
		await world.calm();
		expect(world.delivered.sort()).toEqual(expected);
	},
);

it.each(['default', 'durable'] as const)(
	'What n8n discarded meets the filters that were chosen since (%s)',
	async (mode) => {
		const world = new World(['A'], { mode });
		await world.beginAndRun(1);
		for (let count = 0; count < 2; count++) world.submit(world.forms.A);
		world.time.pass(HOUR_MS);
		const discarded = world.note(await world.n8n.tick({ end: 'discarded' }));
		expect(listEvents(discarded)).toEqual(['A-2 responseCompleted', 'A-3 responseCompleted']);
		await world.changeAtOnce({ condition: '3' });
		await world.calm();
		expect(world.delivered).toEqual(['A-3 responseCompleted']);
	},
);

it('A delivery is not repeated while n8n still saves it, as in durable mode', async () => {
	// so many requests that the form is due again at once
	const world = new World(['A'], { mode: 'durable', requestsPerDay: 86_400 });
	await world.beginAndRun(1);
	world.submit(world.forms.A);
	world.time.pass(HOUR_MS);
	for (const poll of await world.n8n.tickWithOldCopy()) world.note(poll);
	await world.tick(HOUR_MS);
	expect(world.polls.flatMap(listEvents)).toEqual(['A-2 responseCompleted']);
});

it('One event too many for a poll comes with the next one, without another request', async () => {
	const events = ['formCreated', 'responseCompleted'] as const;
	const world = new World(['A'], { maxPerPoll: 2, events, watch: ALL });
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

it('Responses that are completed while later pages are read are not abandoned', async () => {
	const given = { mode: 'durable', events: ['responseAbandoned'], requestsPerDay: 8_640 } as const;
	const { world, A } = createPaged({ pages: 55, pageSize: 5, order: 'shuffled', ...given });
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
	await world.run(75, undefined, { latencyMs: 2_000, beforeReply });
	expect(completed.size).toBeGreaterThan(0);
	expect(world.delivered.filter((event) => completed.has(event))).toEqual([]);
});

it.each([
	['begins anew in the default mode, which keeps the state by the old name', 'default', []],
	['continues in the durable mode', 'durable', ['A-2 responseCompleted']],
] as const)('A renamed node %s', async (_text, mode, delivered) => {
	const world = new World(['A'], { mode });
	const { A } = world.forms;
	await world.beginAndRun(60);
	world.submit(A);
	world.n8n.rename('Renamed');
	const published = await world.n8n.activate('activate');
	const next = await world.tick(HOUR_MS);
	expect([published, next].flatMap(listEvents)).toEqual(delivered);
	world.submit(A);
	expect(listEvents(await world.tick(HOUR_MS))).toEqual(['A-3 responseCompleted']);
	const before = world.service.sent.length;
	await world.run(60);
	expect(world.service.sent.length - before).toBeLessThanOrEqual(30);
});
