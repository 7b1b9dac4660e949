/** The process's memory: what a trigger keeps from poll to poll is bounded. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../time.mts';
import { START, World } from './world.mts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function measureHeap(): number {
	collectGarbage();
	return process.memoryUsage().heapUsed;
}

it('Thousands of polls leave nothing in memory, however clock and token change', async () => {
	const world = new World(['A', 'B'], { watch: { kind: 'all', except: [] } });
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
});

it('Of 20,000 responses that wait for room, 5,000 stay in memory', async () => {
	const world = new World(['A'], { emitExisting: true });
	const { A } = world.forms;
	for (let number = 0; number < 20_000; number++) A.submit(false, START - HOUR_MS);
	const before = measureHeap();
	const { items } = await world.n8n.activate('activate');
	expect(items).toHaveLength(100);
	expect(measureHeap() - before).toBeLessThan(3_000_000);
});
