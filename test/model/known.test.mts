/** What is new, with wrong clocks, old creation times, and after damage, absences and changes. */
import lodash from 'lodash';
import { expect, it } from 'vitest';
import { failPage, faults } from './faults.mts';
import { ALL } from './parameters.mts';
import type { Form, Sent } from './service.mts';
import { DAY_MINUTES, DAY_MS, HOUR_MS, MINUTE_MS } from '../time.mts';
import { createPaged, START, World } from './world.mts';

const SECOND_MS = 1_000;

it.each([0, 7 * MINUTE_MS, -3 * MINUTE_MS])(
	'A response of the second in which the trigger begins is new (a clock %i ms ahead)',
	async (aheadMs) => {
		const world = new World(['A', 'B']);
		world.time.aheadMs = aheadMs;
		world.forms.A.submit(false, world.time.actual() - SECOND_MS);
		world.time.pass(0.999 * SECOND_MS - 0.375);
		// the responses of the form are first read later
		const failWith = ({ form }: Sent) => (form === 'A' ? faults.serverError : undefined);
		await world.begin(0, { failWith });
		world.submit(world.forms.A);
		await world.run(20);
		expect(world.delivered).toEqual(['A-3 responseCompleted']);
	},
);

it('The responses of a created form are new, although the clock is 30 hours ahead', async () => {
	const world = new World(['A'], { watch: ALL });
	world.time.aheadMs = 30 * HOUR_MS;
	await world.begin(10);
	world.submit(world.createForm('B'));
	await world.run(20);
	expect(world.delivered).toEqual(['B-1 responseCompleted']);
});

it('Nothing is repeated if the saved state cannot be read and the first polls break off', async () => {
	const { world, A } = createPaged({ pages: 5, listing: { pageSize: 2 }, emitSince: 0 });
	await world.begin(20);
	const damaged = { 'node-1': 'damaged' };
	world.n8n.saved.staticData = { global: { formServiceTriggers: damaged } };
	const failing = failPage(3, 'cutBody');
	await world.restart(failing);
	await world.run(90, failing);
	await world.restart();
	await world.run(60);
	world.submit(A);
	await world.run(30);
	expect(world.delivered).toEqual(A.kept.map(({ id }) => `${id} responseCompleted`));
});

it.each<[string, (form: Form) => unknown]>([
	['a form without an entry', (form) => (form.state = 'deleted')],
	['an empty listing', (form) => (form.state = 'empty')],
	['a response', (form) => (form.kept[1].deleted = true)],
])('What is missing for a month and then returns is not new: %s', async (_what, hide) => {
	const world = new World(['A', 'B'], { watch: ALL, emitSince: 0 });
	const { A, B } = world.forms;
	lodash.times(4, () => B.submit(false, START - HOUR_MS));
	await world.begin(70);
	hide(B);
	const listOfB = () => world.delivered.filter((event) => event.startsWith('B'));
	// the default mode saves its state with the items of another form
	const happen = (minute: number) => minute % DAY_MINUTES === 7 && world.submit(A);
	await world.run(29.9 * DAY_MINUTES, { happen, periodMinutes: 300 });
	world.showAll();
	await world.run(120);
	expect(listOfB()).toHaveLength(5);
	world.submit(B);
	await world.restart();
	await world.run(60);
	expect(listOfB().slice(5)).toEqual(['B-6 responseCompleted']);
});

it('A form that was left goes on where it was within 30 days, also with another token', async () => {
	const world = new World(['A', 'B'], { watch: ALL, emitSince: 0 });
	const { B } = world.forms;
	await world.begin();
	await world.calm();
	const before = world.delivered.length;
	await world.change({ watch: { kind: 'chosen', formIds: ['A'] } });
	world.submit(B);
	await world.run(20 * DAY_MINUTES, { periodMinutes: 300 });
	expect(world.delivered).toHaveLength(before);
	world.n8n.credential = { accessToken: 'token-2', baseUrl: 'http://forms.example.com/api/v1' };
	await world.change({ watch: ALL });
	world.submit(B);
	await world.calm();
	const expected = ['B-2 responseCompleted', 'B-3 responseCompleted'];
	expect(world.delivered.slice(before)).toEqual(expected);
});

it('Events that are chosen later begin with what happens from then on', async () => {
	const events = ['responseStarted', 'responseUpdated', 'formUpdated'] as const;
	const world = new World(['A'], { events });
	const { A } = world.forms;
	await world.begin(10);
	await world.change({ events: ['responseCompleted'] });
	world.submit(A, true);
	for (const subject of [A, A.kept[0]]) world.oracle.edit(subject);
	await world.run(10);
	await world.change({ events });
	await world.run(10);
	expect(world.delivered).toEqual([]);
	world.oracle.edit(A.kept[0]);
	await world.run(10);
	expect(world.delivered).toEqual(['A-1 responseUpdated']);
});

it('A response is not forgotten because of readings that are not whole', async () => {
	const { world, A } = createPaged({ pages: 10, listing: { order: 'oldest' } });
	await world.begin();
	// no whole reading gets past the third page, while short ones go well
	const happen = (minute: number) => minute % DAY_MINUTES === 5 && world.submit(A);
	await world.run(66 * DAY_MINUTES, { happen, periodMinutes: 180, ...failPage(4, 'serverError') });
	await world.calm();
	expect(world.delivered).toHaveLength(66);
});

it.each([11, 12, 13])(
	'A deletion before poll %i makes no listed response new, although a pass takes weeks',
	async (poll) => {
		const { world, A } = createPaged({ pages: 4, listing: { order: 'newest' }, mode: 'durable' });
		await world.begin(5);
		for (let week = 1; week <= 40; week++) {
			// the first response of each later page moves to the page before
			if (week === poll) lodash.last(A.kept)!.deleted = true;
			await world.tick(7 * DAY_MS);
		}
		expect(world.delivered).toEqual([]);
	},
);
