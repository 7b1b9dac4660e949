/** Deliveries: what n8n discards or still saves, what has no room, and a renamed node. */
import lodash from 'lodash';
import { expect, it } from 'vitest';
import type { Mode } from './n8n.mts';
import { failAll, faults } from './service.mts';
import type { Order } from './service.mts';
import { HOUR_MS, MINUTE_MS } from '../time.mts';
import { ALL, createPaged, listEvents, World } from './world.mts';

it.each(['default', 'durable'] as const)(
	'A poll repeats the events of forms and responses that n8n discarded (%s)',
	async (mode) => {
		const events = ['formCreated', 'formUpdated', 'responseCompleted'] as const;
		const world = new World(['A'], { mode, watch: ALL, events });
		await world.beginAndRun(1);
		world.submit(world.createForm('B'));
		world.edit(world.forms.A);
		const discarded = await world.tick(2 * HOUR_MS, { end: 'discarded' });
		expect(listEvents(discarded)).toContain('B formCreated');
		await world.tick(8 * MINUTE_MS);
		const expected = ['A formUpdated', 'B formCreated', 'B-1 responseCompleted'];
		expect(world.delivered.toSorted()).toEqual(expected);
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

it.each<[number, Order, Mode]>([
	[1, 'newest', 'default'],
	[20, 'newest', 'durable'],
	[20, 'oldest', 'default'],
	[20, 'shuffled', 'durable'],
])('What has no room comes with later polls (%i pages, %s, %s)', async (pages, order, mode) => {
	// a poll delivers only a part of a page
	const { world, A } = createPaged({ pages, order, mode, maxPerPoll: 2 });
	await world.beginAndRun(60);
	lodash.times(30, () => world.submit(A));
	await world.run(80);
	expect(world.delivered).toHaveLength(30);
	world.submit(A);
	await world.run(3 * 60);
	expect(world.delivered).toHaveLength(31);
});

it('Items that need fields are delivered although their pages take up the requests of a minute', async () => {
	const given = { mode: 'durable', needsFields: true, maxPerPoll: 999 } as const;
	const { world, A } = createPaged({ pages: 4, ...given });
	await world.beginAndRun(30);
	lodash.times(200, () => world.submit(A));
	await world.run(120);
	expect(world.delivered).toHaveLength(200);
});

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

it('New forms of a workspace without forms start the workflow, beyond Max Responses per Poll later', async () => {
	const world = new World(['A'], { watch: ALL, events: ['formCreated'], maxPerPoll: 1 });
	world.setListed(world.forms.A, false);
	await world.beginAndRun(5);
	for (const id of ['B', 'C', 'D']) world.createForm(id);
	await world.run(20);
	expect(world.delivered.toSorted()).toEqual(['B formCreated', 'C formCreated', 'D formCreated']);
});

const MODES = ['default', 'durable'] as const;

/** What happens between the renaming and the next scheduled poll. */
const RENAMINGS: Record<string, (world: World) => unknown> = {
	'is published': async (world) => await world.publish(),
	'is published as n8n starts after a kill': async (world) => await world.restart(),
	'is published, and n8n is killed': async (world) => {
		await world.publish();
		await world.restart();
	},
	'is published, gets its old name back, and n8n is killed': async (world) => {
		await world.publish();
		await world.tick(HOUR_MS);
		world.submit(world.forms.A);
		await world.tick(HOUR_MS);
		world.n8n.rename('Trigger');
		await world.publish();
		await world.restart();
	},
};

it.each(MODES.flatMap((mode) => Object.keys(RENAMINGS).map((what) => [mode, what] as const)))(
	'In %s mode, a renamed trigger that %s continues',
	async (mode, what) => {
		const world = new World(['A'], { mode, emitExisting: true });
		const { A } = world.forms;
		await world.beginAndRun(60);
		world.submit(A);
		await world.run(60);
		world.submit(A);
		world.time.pass(MINUTE_MS);
		world.n8n.rename('Renamed');
		await RENAMINGS[what](world);
		world.submit(A);
		await world.calm();
		const expected = A.kept.map(({ number }) => `A-${number} responseCompleted`);
		expect(world.delivered).toEqual(expected);
	},
);

it.each(MODES)(
	'In %s mode, a new trigger with the name of a deleted one starts over',
	async (mode) => {
		const world = new World(['A'], { mode });
		const { A } = world.forms;
		await world.beginAndRun(60);
		world.submit(A);
		await world.run(60);
		world.submit(A);
		world.n8n.replaceTrigger();
		world.n8n.parameters.emitExisting = true;
		const { n8n } = world;
		const polls = [await n8n.activate('activate'), (world.time.pass(HOUR_MS), await n8n.tick())];
		const expected = [1, 2, 3].map((number) => `A-${number} responseCompleted`);
		expect(polls.flatMap(listEvents)).toEqual(expected);
		await world.restart();
		world.submit(A);
		expect(listEvents(await world.tick(HOUR_MS))).toEqual(['A-4 responseCompleted']);
	},
);

it('In default mode, a trigger continues if the workflow is saved without the IDs of nodes', async () => {
	const world = new World(['A'], { emitExisting: true });
	const { A } = world.forms;
	await world.beginAndRun(60);
	for (let count = 0; count < 3; count++) {
		world.submit(A);
		await world.saveWithoutIds();
		world.submit(A);
		await world.tick(HOUR_MS);
	}
	const expected = A.kept.map(({ number }) => `A-${number} responseCompleted`);
	expect(world.delivered).toEqual(expected);
});

it.each(['renamed first', 'saved without IDs first'])(
	'In default mode, a trigger starts over if it gets a new ID and another name before it is active again (%s)',
	async (order) => {
		const world = new World(['A']);
		const { n8n, forms } = world;
		await world.beginAndRun(60);
		world.submit(forms.A);
		await world.run(60);
		n8n.parameters.emitExisting = true;
		const changes = [() => n8n.rename('Renamed'), () => n8n.saveWithoutIds()];
		for (const change of order === 'renamed first' ? changes : changes.toReversed()) {
			change();
			world.time.pass(HOUR_MS);
			const { thrown } = await n8n.activate('activate', failAll(faults.unauthorized));
			expect(thrown).toBeDefined();
		}
		const polls = [await n8n.activate('activate'), (world.time.pass(HOUR_MS), await n8n.tick())];
		const expected = ['A-1 responseCompleted', 'A-2 responseCompleted'];
		expect(polls.flatMap(listEvents)).toEqual(expected);
	},
);
