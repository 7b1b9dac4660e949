/** The process's memory: what a trigger keeps from poll to poll is bounded. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from './time.mts';
import { START, World } from './world.mts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function measureHeap(): number {
	collectGarbage();
	return process.memoryUsage().heapUsed;
}

/** The bytes that each of so many polls leaves in memory, from half of them on: before, code is compiled. */
async function measureGrowth(
	world: World,
	polls: number,
	stepMs: number,
	step: (at: number) => void,
) {
	await world.n8n.activate('activate');
	let before = 0;
	for (let poll = 0; poll < polls; poll++) {
		if (poll === polls / 2) before = measureHeap();
		step(poll);
		world.time.pass(stepMs);
		await world.n8n.tick();
		world.service.sent.length = 0;
		world.n8n.log.length = 0;
	}
	return (measureHeap() - before) / (polls / 2);
}

it('Thousands of polls leave nothing in memory, however the clock is set', async () => {
	const world = new World(['A', 'B'], { watch: { kind: 'all', except: [] } });
	const { A } = world.forms;
	const bytes = await measureGrowth(world, 4_000, MINUTE_MS, (poll) => {
		if (poll % 50 === 0) A.submit(false, world.time.actual());
		if (poll % 50 === 49) A.kept.at(-1)!.deleted = true;
		if (poll % 500 === 499)
			world.time.aheadMs = [8, 0, -1, 0][Math.floor(poll / 500) % 4] * HOUR_MS;
	});
	expect(bytes).toBeLessThan(100);
});

it('Tokens that are used no more leave nothing in memory', async () => {
	const world = new World(['A']);
	const bytes = await measureGrowth(world, 1_000, HOUR_MS, (poll) => {
		world.n8n.credential.accessToken = `token-${poll}`;
	});
	expect(bytes).toBeLessThan(500);
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
