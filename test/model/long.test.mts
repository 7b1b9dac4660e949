/**
 * Lists of many pages: that all arrives, and how late, where a reading takes several polls, goes on after
 * a restart, or is of the end of the list only.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Order, Paging } from './service.mts';
import { DAY_MINUTES, countMostInADay } from '../time.mts';
import { always, createPaged } from './world.mts';

/** A form with so many pages, on which each twentieth response is incomplete. */
function createWorld(given: Parameters<typeof createPaged>[0]) {
	const isIncomplete = (number: number) => number % 20 === 6;
	const { world, A } = createPaged({ paging: 'link', isIncomplete, ...given });
	const submit = (count = 1) => {
		for (let left = count; left > 0; left--) world.submit(A);
	};
	const deleteFirst = (count: number) => {
		for (const response of A.shown().slice(0, count)) world.setDeleted(response, true);
	};
	const open = A.kept.filter(({ incomplete }) => incomplete);
	return { world, A, open, submit, deleteFirst };
}

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
				const { world, open, submit } = createWorld({ order, paging, pages, mode });
				await world.begin();
				const happen = async (minute: number) => {
					if (minute % 40 === 7) submit();
					// the default mode has saved by then what it knows
					if (minute === 2_000) world.complete(open.at(-1)!);
					if (restartMinutes.includes(minute)) await world.restart();
				};
				await world.run(2 * DAY_MINUTES, happen, { periodMinutes: 5 });
				await world.run(DAY_MINUTES, undefined, { periodMinutes: 5 });
				expect(world.oracle.listMissing()).toEqual([]);
				expect(world.delivered).toHaveLength(73);
			}),
			2,
		);
	});

	it('is read on where the last poll ended, although new responses fill four pages', async () => {
		const { world, A, submit } = createWorld({ pages: 200 });
		await world.begin();
		submit(4 * A.pageSize);
		await world.run(20);
		expect(world.oracle.listMissing()).toEqual([]);
		expect(world.n8n.log.join()).not.toContain('could not be read');
	});

	it('hides no response if others are deleted between two polls of a reading', async () => {
		const { world, deleteFirst } = createWorld({ pages: 200 });
		await world.begin();
		deleteFirst(2);
		await world.run(2 * DAY_MINUTES, undefined, { periodMinutes: 30 });
		expect(world.delivered).toEqual([]);
	});
});

describe('A list of many pages', () => {
	it('delivers all within Requests per Day, and what is on the newest page within minutes', async () => {
		const situation = fc.record({
			order: orders,
			paging: fc.constantFrom<Paging>('link', 'number'),
			size: fc.constantFrom<[number, number]>([3, 720], [25, 720], [67, 720], [13, 144]),
			latencyMs: fc.constantFrom(0, 0, 6_000),
		});
		const happenings = fc.array(fc.tuple(fc.integer({ min: 20, max: DAY_MINUTES }), fc.nat(9)), {
			maxLength: 60,
		});
		await always(
			fc.asyncProperty(situation, happenings, async ({ size, latencyMs, ...how }, happened) => {
				const [pages, requestsPerDay] = size;
				const { world, open, submit, deleteFirst } = createWorld({ ...how, pages, requestsPerDay });
				const happenIn = new Map(happened);
				const others = new Set<unknown>();
				await world.begin({ latencyMs });
				await world.run(10, undefined, { latencyMs });
				const before = world.requestTimes.length;
				const happen = (minute: number) => {
					const what = happenIn.get(minute) ?? -1;
					if (what === 0 && open.length > 0) {
						others.add(open[0]);
						world.complete(open.shift()!);
					}
					if (what === 1) deleteFirst(1);
					if (what >= 2) submit(what === 2 ? 7 : 1);
				};
				await world.run(2.5 * DAY_MINUTES, happen, { latencyMs, periodMinutes: 2 });
				expect(world.oracle.listMissing()).toEqual([]);
				const most = countMostInADay(world.requestTimes.slice(before));
				expect(most).toBeLessThanOrEqual(1.1 * requestsPerDay);
				const spacing = DAY_MINUTES / requestsPerDay;
				const wholeMinutes = DAY_MINUTES / 2 + 4.4 * pages * spacing;
				const isQuick =
					how.order !== 'shuffled' && [...happenIn.values()].every((what) => what !== 1);
				const quickMinutes = 10 * spacing + latencyMs / 400;
				for (const { subject, minutes } of world.oracle.listDelays()) {
					const most = isQuick && !others.has(subject) ? quickMinutes : wholeMinutes;
					expect(minutes, `minutes until ${subject.id}`).toBeLessThanOrEqual(most);
				}
			}),
			3,
		);
	});

	it.each([
		['is listed from the other end', 'newest'],
		['loses more than a page at its beginning', 'oldest'],
	] as const)('that %s is soon read whole again', async (_text, order) => {
		const { world, A, submit, deleteFirst } = createWorld({ order, paging: 'number', pages: 20 });
		await world.begin();
		await world.run(10);
		if (order === 'newest') A.order = 'oldest';
		else deleteFirst(4);
		submit(5);
		await world.run(45);
		expect(world.oracle.listMissing()).toEqual([]);
	});
});
