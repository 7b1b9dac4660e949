/**
 * Lists of many pages: that all arrives where a reading takes several polls, goes on after a restart, or is
 * of the end of the list only.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import lodash from 'lodash';
import { describe, expect, it } from 'vitest';
import type { Mode } from './n8n.mts';
import { faults, type Order, type Paging } from './service.mts';
import { DAY_MINUTES, HOUR_MS, MINUTE_MS } from '../time.mts';
import { ALL, always, createPaged, World } from './world.mts';

describe('A list that is longer than a poll', () => {
	it('arrives, also after restarts', async () => {
		const restarts = fc.array(fc.integer({ min: 1, max: 2 * DAY_MINUTES }), { maxLength: 3 });
		// a poll has a tenth of the requests of a day in the default mode, and those of a minute in the other
		const modes = fc.constantFrom<[Mode, number, number]>(
			['default', 50, 180],
			['durable', 62, 720],
		);
		const how = fc.record({
			order: fc.constantFrom<Order>('newest', 'oldest', 'shuffled'),
			paging: fc.constantFrom<Paging>('link', 'header', 'number', 'cursor'),
		});
		const isIncomplete = (number: number) => number === 6;
		await always(
			fc.asyncProperty(modes, how, restarts, async (sizes, given, restartMinutes) => {
				const [mode, pages, requestsPerDay] = sizes;
				const all = { ...given, pages, mode, isIncomplete, requestsPerDay };
				const { world, A } = createPaged(all);
				await world.begin();
				const happen = async (minute: number) => {
					if (minute % 40 === 7) world.submit(A);
					// the default mode has saved by then what it knows
					if (minute === 2_000) world.complete(A.kept[5]);
					if (restartMinutes.includes(minute)) await world.restart();
				};
				await world.run(2 * DAY_MINUTES, happen, { periodMinutes: 5 });
				await world.run(DAY_MINUTES, undefined, { periodMinutes: 5 });
				expect(world.oracle.listMissing()).toEqual([]);
				expect(world.delivered).toHaveLength(73);
			}),
			3,
		);
	});

	it('is read on where the last poll ended, although new responses fill four pages', async () => {
		const { world, A } = createPaged({ pages: 200 });
		await world.begin();
		lodash.times(12, () => world.submit(A));
		await world.run(20);
		expect(world.oracle.listMissing()).toEqual([]);
		expect(world.n8n.log.join()).not.toContain('could not be read');
	});
});

it.each([
	['is listed from the other end', 'newest'],
	['loses more than a page at its beginning', 'oldest'],
] as const)('A list of many pages that %s is soon read whole again', async (_text, order) => {
	const { world, A } = createPaged({ order, pages: 20 });
	await world.begin();
	await world.run(10);
	if (order === 'newest') A.order = 'oldest';
	else for (const response of A.shown().slice(0, 4)) world.setDeleted(response, true);
	lodash.times(5, () => world.submit(A));
	await world.run(45);
	expect(world.oracle.listMissing()).toEqual([]);
});

it('A list of all forms that takes several polls starts no form twice, and misses none', async () => {
	const ids = lodash.times(14, (index) => `F${index}`);
	const events = ['formCreated', 'responseCompleted'] as const;
	const world = new World(ids, { watch: ALL, events, requestsPerDay: 17_280 });
	world.service.otherPageSize = 1;
	const slow = { latencyMs: 30_000 };
	await world.begin(slow);
	expect(world.n8n.active).toBe(true);
	await world.run(60, undefined, slow);
	expect(world.delivered).toEqual([]);
	world.submit(world.forms.F13);
	// the service lists it after all others
	world.createForm('New');
	await world.run(3.5 * 60, undefined, slow);
	expect(world.delivered.sort()).toEqual(['F13-2 responseCompleted', 'New formCreated']);
	expect(world.reports).toHaveLength(0);
});

it('Single failures fail no workflow, and lose nothing', async () => {
	const isIncomplete = (number: number) => number === 9;
	const { world, A } = createPaged({ pages: 100, isIncomplete, mode: 'durable' });
	let count = 0;
	const failWith = () => (++count % 50 === 0 ? faults.brokenConnection : undefined);
	await world.begin();
	const happen = (minute: number) => {
		if (minute % 300 === 9) world.submit(A);
		if (minute === 60) world.complete(A.kept[8]);
	};
	await world.run(2 * DAY_MINUTES, happen, { failWith, periodMinutes: 3 });
	expect(world.reports).toHaveLength(0);
	expect(world.oracle.listMissing()).toEqual([]);
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function measureHeap(): number {
	collectGarbage();
	return process.memoryUsage().heapUsed;
}

it('Thousands of polls leave nothing in memory, however clock and token change', async () => {
	const world = new World(['A', 'B'], { watch: ALL });
	const { A } = world.forms;
	await world.n8n.activate('activate');
	let before = 0;
	for (let poll = 0; poll < 2_000; poll++) {
		// the code is compiled by then
		if (poll === 1_000) before = measureHeap();
		if (poll % 50 === 0) A.submit(false, world.time.actual());
		if (poll % 50 === 49) A.kept.at(-1)!.deleted = true;
		world.n8n.credential.accessToken = `token-${poll}`;
		if (poll % 500 === 499) world.time.aheadMs = (poll % 3) * 8 * HOUR_MS;
		world.time.pass(10 * MINUTE_MS);
		await world.n8n.tick();
		world.service.sent.length = 0;
		world.n8n.log.length = 0;
	}
	expect(measureHeap() - before).toBeLessThan(300_000);
	// 20 bytes for each response that is known, and some for each form
	expect(JSON.stringify(world.n8n.saved).length).toBeLessThan(20 * A.kept.length + 1_000);
});
