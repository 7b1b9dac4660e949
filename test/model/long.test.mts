/**
 * Lists of many pages: that all arrives, and how late, where a reading takes several polls, goes on after
 * a restart, or is of the end of the list only.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Order, Paging } from './form.mts';
import type { Mode } from './n8n.mts';
import { always } from './runs.mts';
import { DAY_MS } from './time.mts';
import { START, World } from './world.mts';

const PAGE_SIZE = 3;
const DAY_MINUTES = 24 * 60;

type Listing = {
	order?: Order;
	paging?: Paging;
	pages: number;
	mode?: Mode;
	requestsPerDay?: number;
};

/** A form with so many pages, on which each twentieth response is incomplete. */
function createWorld({ order = 'newest', paging = 'link', pages, ...given }: Listing): World {
	const world = new World(['A'], given);
	const { A } = world.forms;
	Object.assign(A, { order, paging, pageSize: PAGE_SIZE });
	grow(world, pages);
	return world;
}

/** Older responses are imported until there are so many pages; the trigger sees them all as new. */
function grow(world: World, pages: number): void {
	const { A } = world.forms;
	while (A.kept.length < pages * PAGE_SIZE) {
		const response = A.submit(A.kept.length % 20 === 5, START - DAY_MS);
		response.createdAt += A.kept.length * 1_000;
	}
}

/** The greatest delay in minutes of all that was delivered. */
const longestDelay = (world: World) => Math.max(...world.oracle.delays().values());

const orders = fc.constantFrom<Order>('newest', 'oldest', 'shuffled');
const pagings = fc.constantFrom<Paging>('link', 'header', 'number', 'cursor');

describe('A list that is longer than a poll', () => {
	it.each([
		['default', 200],
		['durable', 62],
	] as const)('arrives in the %s mode, also after restarts', async (mode, pages) => {
		const restarts = fc.array(fc.integer({ min: 1, max: 2 * DAY_MINUTES }), { maxLength: 3 });
		await always(
			fc.asyncProperty(orders, pagings, restarts, async (order, paging, restartMinutes) => {
				const world = createWorld({ order, paging, pages, mode });
				const { A } = world.forms;
				const open = A.kept.find(({ incomplete, number }) => incomplete && number > pages)!;
				await world.begin();
				await world.run(
					2 * DAY_MINUTES,
					async (minute) => {
						if (minute % 40 === 7) world.submit(A);
						// the default mode has saved by then what it knows
						if (minute === 2_000) world.complete(open);
						if (restartMinutes.includes(minute)) await world.restart();
					},
					{ periodMinutes: 5 },
				);
				await world.run(DAY_MINUTES, undefined, { periodMinutes: 5 });
				expect(world.missing()).toEqual([]);
				expect(world.oracle.delivered.size).toBe(73);
			}),
			2,
		);
	});
});

describe('Of a list of many pages', () => {
	it('new responses come within minutes, and what changed elsewhere with the next whole reading', async () => {
		const listing = fc.record({
			order: fc.constantFrom<Order>('newest', 'oldest'),
			paging: fc.constantFrom<Paging>('link', 'number'),
			hasTotals: fc.boolean(),
			pages: fc.integer({ min: 3, max: 67 }),
		});
		const minutes = fc.uniqueArray(fc.integer({ min: 1, max: DAY_MINUTES }), { maxLength: 30 });
		await always(
			fc.asyncProperty(listing, minutes, minutes, async (how, submissions, completions) => {
				const world = createWorld(how);
				const { A } = world.forms;
				A.hasTotals = how.hasTotals;
				const open = A.kept.filter(({ incomplete }) => incomplete);
				const elsewhere = new Set<string>();
				await world.begin();
				await world.run(2.2 * DAY_MINUTES, (minute) => {
					if (submissions.includes(minute)) world.submit(A);
					if (!completions.includes(minute) || open.length === 0) return;
					const [response] = open.splice(minute % open.length, 1);
					world.complete(response);
					elsewhere.add(response.uuid);
				});
				expect(world.missing()).toEqual([]);
				const wholeMinutes = Math.max(DAY_MINUTES / 2, 2.2 * how.pages * 2) + 4 * how.pages + 20;
				for (const [key, delay] of world.oracle.delays()) {
					const most = elsewhere.has(key.split(' ')[0]) ? wholeMinutes : 20;
					expect(delay, `minutes until ${key}`).toBeLessThanOrEqual(most);
				}
			}),
			2,
		);
	});

	it.each<Order>(['newest', 'oldest', 'shuffled'])(
		'no more is read than Requests per Day and a tenth, whatever happens (%s first)',
		async (order) => {
			const happen = fc.array(fc.tuple(fc.nat({ max: DAY_MINUTES }), fc.nat({ max: 9 })), {
				maxLength: 60,
			});
			await always(
				fc.asyncProperty(happen, async (happenings) => {
					const world = createWorld({ order, pages: 13, requestsPerDay: 144 });
					const { A } = world.forms;
					const byMinute = new Map(happenings);
					await world.begin();
					await world.run(10);
					const before = world.n8n.requestTimes.length;
					const happenIn = (minute: number) => {
						const what = byMinute.get(minute);
						if (what === undefined) return;
						const open = A.shown().find(({ incomplete }) => incomplete);
						if (what === 0 && open !== undefined) world.complete(open);
						if (what === 1) world.setShown(A, () => (A.shown()[minute % 20].deleted = true));
						for (let count = what === 2 ? 7 : 1; what >= 2 && count > 0; count--) world.submit(A);
					};
					await world.run(2.5 * DAY_MINUTES, happenIn, { periodMinutes: 5 });
					expect(world.missing()).toEqual([]);
					const times = world.n8n.requestTimes.slice(before);
					expect(world.mostInADay(times)).toBeLessThanOrEqual(1.1 * 144);
				}),
				3,
			);
		},
	);

	it('a response that comes where the pages are in no order arrives within a whole reading', async () => {
		const world = createWorld({ order: 'shuffled', pages: 67 });
		await world.begin();
		await world.run(DAY_MINUTES, (minute) => minute % 40 === 7 && world.submit(world.forms.A));
		await world.run(DAY_MINUTES / 4);
		expect(world.missing()).toEqual([]);
		expect(longestDelay(world)).toBeLessThan(2 * 134 + 10);
	});

	it('slow replies lose nothing, and new responses come as soon', async () => {
		const world = createWorld({ order: 'newest', pages: 67 });
		const slow = { latencyMs: 6_000 };
		await world.begin(slow);
		await world.run(
			DAY_MINUTES,
			(minute) => minute % 40 === 7 && world.submit(world.forms.A),
			slow,
		);
		await world.run(60);
		expect(world.missing()).toEqual([]);
		expect(longestDelay(world)).toBeLessThan(35);
	});

	it.each([
		['default', 150, 200],
		['durable', 50, 62],
	] as const)('that grew, in the %s mode from %i to %i pages', async (mode, pages, grown) => {
		const world = createWorld({ order: 'oldest', pages, mode });
		await world.begin();
		await world.run(20);
		for (let count = (grown - pages) * PAGE_SIZE; count > 0; count--) world.submit(world.forms.A);
		await world.restart();
		await world.run(60);
		expect(world.missing()).toEqual([]);
	});

	it('goes on where it was, also if as many responses came meanwhile as are on four pages', async () => {
		const world = createWorld({ order: 'newest', pages: 200 });
		await world.begin();
		for (let count = 4 * PAGE_SIZE; count > 0; count--) world.submit(world.forms.A);
		await world.run(20);
		expect(world.missing()).toEqual([]);
		expect(world.n8n.log.join()).not.toContain('could not be read');
	});

	it('no deletion between two polls of a reading hides a response from it', async () => {
		const world = createWorld({ order: 'newest', pages: 200 });
		const { A } = world.forms;
		await world.begin();
		world.setShown(A, () =>
			A.shown()
				.slice(0, 2)
				.forEach((response) => (response.deleted = true)),
		);
		await world.run(2 * DAY_MINUTES, undefined, { periodMinutes: 30 });
		expect(world.oracle.delivered.size).toBe(0);
	});

	it.each([
		['is listed from the other end', 'newest'],
		['loses more than a page at its beginning', 'oldest'],
	] as const)('one that %s is soon read whole again', async (_text, order) => {
		const world = createWorld({ order, paging: 'number', pages: 20 });
		const { A } = world.forms;
		await world.begin();
		await world.run(10);
		if (order === 'newest') A.order = 'oldest';
		else
			world.setShown(A, () =>
				A.shown()
					.slice(0, 4)
					.forEach((one) => (one.deleted = true)),
			);
		for (let count = 5; count > 0; count--) world.submit(A);
		await world.run(45);
		expect(world.missing()).toEqual([]);
	});
});
