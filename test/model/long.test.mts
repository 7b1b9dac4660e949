/** Long lists and long times: that all arrives, and that nothing is left in memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Mode } from './n8n.mts';
import type { Order, Paging } from './service.mts';
import { DAY_MINUTES, HOUR_MS, MINUTE_MS } from '../time.mts';
import { ALL, always, createPaged, World } from './world.mts';

it('A list that is longer than a poll arrives, also after restarts', async () => {
	const restarts = fc.array(fc.integer({ min: 1, max: 2 * DAY_MINUTES }), { maxLength: 3 });
	// a poll has a tenth of the requests of a day in the default mode, and those of a minute in the other
	const modes = fc.constantFrom<[Mode, number, number]>(['default', 50, 180], ['durable', 62, 720]);
	const how = fc.record({
		order: fc.constantFrom<Order>('newest', 'oldest', 'shuffled'),
		paging: fc.constantFrom<Paging>('link', 'number', 'cursor'),
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
