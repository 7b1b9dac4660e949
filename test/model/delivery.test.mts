/** Deliveries: what has no room yet, and a trigger that gets another name or another ID. */
import lodash from 'lodash';
import { expect, it } from 'vitest';
import type { Mode } from './n8n.mts';
import { HOUR_MS, MINUTE_MS } from '../time.mts';
import { World } from './world.mts';

it('Max Responses per Poll leaves each form its turn, although one has more than it can deliver', async () => {
	// each form is due with each poll
	const world = new World(['A', 'B', 'C'], { maxPerPoll: 2, requestsPerDay: 86_400 });
	await world.beginAndRun(5);
	await world.run(60, (minute) => {
		lodash.times(3, () => world.submit(world.forms.A));
		if (minute === 10) [world.forms.B, world.forms.C].map((form) => world.submit(form));
	});
	expect(world.delivered).toContain('B-2 responseCompleted');
	expect(world.delivered).toContain('C-2 responseCompleted');
});

/** What happens to the trigger between two submissions. */
const CHANGES: Record<string, (world: World) => unknown> = {
	'is renamed and published': async (world) => {
		world.n8n.rename('Renamed');
		await world.publish();
	},
	'is renamed for a while, in which n8n is killed': async (world) => {
		world.n8n.rename('Renamed');
		await world.restart();
		world.submit(world.forms.A);
		await world.tick(HOUR_MS);
		world.n8n.rename('Trigger');
		await world.publish();
		await world.restart();
	},
	'is saved without its ID': async (world) => await world.saveWithoutId(),
};

it.each<[Mode, string]>([
	['default', 'is renamed and published'],
	['durable', 'is renamed and published'],
	['default', 'is renamed for a while, in which n8n is killed'],
	['durable', 'is renamed for a while, in which n8n is killed'],
	['default', 'is saved without its ID'],
])('In %s mode, a trigger that %s continues', async (mode, what) => {
	const world = new World(['A'], { mode, emitExisting: true });
	const { A } = world.forms;
	await world.beginAndRun(60);
	world.submit(A);
	await world.run(60);
	world.submit(A);
	world.time.pass(MINUTE_MS);
	await CHANGES[what](world);
	world.submit(A);
	await world.calm();
	const expected = A.kept.map(({ number }) => `A-${number} responseCompleted`);
	expect(world.delivered).toEqual(expected);
});
