/** What is new, with wrong clocks, old creation times and ties, and after damage, absences and changes. */
import lodash from 'lodash';
import { expect, it } from 'vitest';
import { failPage, faults } from './faults.mts';
import type { Mode } from './n8n.mts';
import { ALL } from './parameters.mts';
import type { Form, Order, Paging, Sent } from './service.mts';
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

it.each<[string, number, number, Order, Mode]>([
	['8 hours behind', 8 * HOUR_MS, 20, 'oldest', 'durable'],
	['of last year', 365 * DAY_MS, 1, 'newest', 'durable'],
	['of last year', 365 * DAY_MS, 20, 'shuffled', 'default'],
])(
	'New responses with creation times %s start the workflow (%i ms, %i pages, %s, %s)',
	async (_text, behindMs, pages, order, mode) => {
		const { world, A } = createPaged({ pages, listing: { order }, mode });
		await world.begin(60);
		world.oracle.settle([A]);
		for (let count = 0; count < 5; count++) {
			world.submit(A, false, world.time.actual() - behindMs);
			await world.run(30);
		}
		await world.run(120);
		expect(world.delivered).toHaveLength(5);
	},
);

it.each<[Order, Paging, Mode]>([
	['newest', 'number', 'default'],
	['oldest', 'number', 'durable'],
])(
	'Each new response comes once, and no existing one, if a list shuffles ties: %s first, by %s (%s)',
	async (order, paging, mode) => {
		const listing = { order, paging, shufflesTies: true, pageSize: 7 };
		const { world, A } = createPaged({ pages: 1, listing, mode });
		lodash.times(100, (n) => A.submit(n % 9 === 0, START - HOUR_MS - (n % 3) * SECOND_MS));
		await world.begin();
		const happen = (minute: number) => minute % 5 === 0 && world.submit(A);
		await world.run(4 * 60, { happen });
		lodash.times(60, () => world.submit(A));
		await world.calm();
		expect(world.delivered).toHaveLength(60 + 4 * 12);
	},
);

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

it.each<Mode>(['default', 'durable'])(
	'A trigger that is renamed for a while, in which n8n is killed, continues (%s)',
	async (mode) => {
		const world = new World(['A'], { mode, emitSince: 0 });
		const { A } = world.forms;
		await world.begin(60);
		world.submit(A);
		await world.run(60);
		world.submit(A);
		world.n8n.nodeName = 'Renamed';
		await world.restart();
		world.submit(A);
		await world.tick(HOUR_MS);
		world.n8n.nodeName = 'Trigger';
		await world.publish();
		await world.restart();
		world.submit(A);
		await world.calm();
		expect(world.delivered).toEqual(A.kept.map(({ id }) => `${id} responseCompleted`));
	},
);

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
