/**
 * What is new where times are cut to seconds: responses of one second, which a list can have in another order
 * for each page, and the second in which the trigger began.
 */
import lodash from 'lodash';
import { expect, it } from 'vitest';
import type { Mode } from './n8n.mts';
import { failAll, faults } from './service.mts';
import type { Order, Paging } from './service.mts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.mts';
import { createPaged, START, World } from './world.mts';

const SECOND_MS = 1_000;

it.each<[Order, Paging, boolean, Mode]>([
	['newest', 'number', true, 'default'],
	['newest', 'cursor', false, 'durable'],
	['newest', 'link', true, 'durable'],
	['oldest', 'number', true, 'durable'],
	['oldest', 'link', false, 'default'],
])(
	'Each new response comes once, and no existing one, if a list shuffles ties: %s first, by %s, with a total: %s (%s)',
	async (order, paging, announcesTotal, mode) => {
		const listing = { order, paging, announcesTotal, ties: 'shuffled', pageSize: 7 } as const;
		const { world, A } = createPaged({ pages: 1, mode, ...listing });
		lodash.times(100, (n) => A.submit(n % 9 === 0, START - HOUR_MS - (n % 3) * SECOND_MS));
		await world.beginAndRun(12 * 60);
		expect(world.delivered).toEqual([]);
		for (let n = 0; n < 60; n++) {
			world.submit(A);
			if (n % 20 === 0) await world.tick(SECOND_MS);
		}
		await world.calm();
		expect(world.delivered).toHaveLength(60);
	},
);

it.each([1, 60])(
	'What existed and was not listed is no new response %i days later',
	async (days) => {
		const world = new World(['A'], {});
		const { A } = world.forms;
		const [first, second] = [A.kept[0], A.submit(true, START - HOUR_MS)];
		for (const response of [first, second]) response.deleted = true;
		await world.beginAndRun(60);
		world.time.pass(days * DAY_MS);
		for (const response of [first, second]) response.deleted = false;
		await world.run(60);
		expect(world.delivered).toEqual([]);
		// it was seen as unfinished
		world.complete(second);
		await world.run(10);
		expect(world.delivered).toEqual(['A-2 responseCompleted']);
	},
);

it.each([0, 7 * MINUTE_MS, -3 * MINUTE_MS])(
	'A response of the second in which the trigger begins is new (a clock %i ms ahead)',
	async (aheadMs) => {
		for (const afterMs of [0.5 * SECOND_MS, 0.999 * SECOND_MS]) {
			const world = new World(['A', 'B']);
			world.time.aheadMs = aheadMs;
			world.forms.A.submit(false, world.time.actual() - SECOND_MS);
			world.time.pass(afterMs - 0.375);
			// the responses of the form are first read later
			await world.begin(failAll(faults.serverError, 'A'));
			world.submit(world.forms.A);
			await world.run(20);
			expect(world.delivered).toEqual(['A-3 responseCompleted']);
		}
	},
);

it('Responses of the second of a poll come with the next good poll of the newest page, after polls that fail', async () => {
	const listing = { ties: 'mixed', pageSize: 3 } as const;
	const { world, A } = createPaged({ pages: 40, requestsPerDay: 86_400, ...listing });
	await world.beginAndRun(120);
	for (let round = 0; round < 10; round++) {
		world.time.pass(MINUTE_MS);
		lodash.times(3, () => world.submit(A));
		await world.tick(0);
		lodash.times(4, () => world.submit(A));
		await world.tick(MINUTE_MS, failAll(faults.serverError));
		await world.tick(MINUTE_MS);
		expect(world.oracle.listMissing()).toEqual([]);
	}
});

it('Responses of the second of a poll come with the next poll of the newest page, wherever that page ends', async () => {
	const listing = { ties: 'mixed', pageSize: 3 } as const;
	// the form is due with each poll
	const { world, A } = createPaged({ pages: 40, requestsPerDay: 86_400, ...listing });
	await world.beginAndRun(120);
	for (let minute = 0; minute < 20; minute++) {
		world.time.pass(MINUTE_MS);
		lodash.times(3, () => world.submit(A));
		// sees some responses of the second
		await world.tick(0);
		expect(world.oracle.listMissing()).toEqual([]);
		lodash.times(4, () => world.submit(A));
	}
});
