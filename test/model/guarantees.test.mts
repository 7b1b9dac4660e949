/** Fine guarantees of the trigger, each with a story of its own, so that none depends on what chance draws. */
import { describe, expect, it } from 'vitest';
import type { Poll } from './n8n.mts';
import { faults } from './service.mts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.mts';
import { failAll, START, World } from './world.mts';

const all = { kind: 'all', except: [] } as const;
const eventsOf = ({ items }: Poll) => items.map(({ uuid, event }) => `${uuid} ${event}`);
const modes = ['default', 'durable'] as const;

describe('The trigger', () => {
	it('starts nothing when a response is reopened and completed again', async () => {
		const world = new World(['A']);
		await world.begin();
		const response = world.submit(world.forms.A);
		expect(eventsOf(await world.tick(HOUR_MS))).toEqual(['A-2 responseCompleted']);
		world.reopen(response);
		expect(eventsOf(await world.tick(HOUR_MS))).toEqual([]);
		world.complete(response);
		expect(eventsOf(await world.tick(HOUR_MS))).toEqual([]);
	});

	it('gives each event of a response in turn', async () => {
		const world = new World(['A'], {
			events: ['responseStarted', 'responseAbandoned', 'responseCompleted'],
		});
		await world.begin();
		const response = world.submit(world.forms.A, true);
		expect(eventsOf(await world.tick(HOUR_MS))).toEqual(['A-2 responseStarted']);
		expect(eventsOf(await world.tick(22 * HOUR_MS))).toEqual([]);
		expect(eventsOf(await world.tick(2 * HOUR_MS))).toEqual(['A-2 responseAbandoned']);
		world.complete(response);
		expect(eventsOf(await world.tick(HOUR_MS))).toEqual(['A-2 responseCompleted']);
	});

	it('starts nothing for a response that was abandoned before the trigger began', async () => {
		const world = new World(['A'], { events: ['responseAbandoned'] });
		world.forms.A.submit(true, START - 25 * HOUR_MS);
		world.forms.A.submit(true, START - 12 * HOUR_MS);
		await world.begin();
		expect(eventsOf(await world.tick(HOUR_MS))).toEqual([]);
		expect(eventsOf(await world.tick(12 * HOUR_MS))).toEqual(['A-3 responseAbandoned']);
		expect(eventsOf(await world.tick(12 * HOUR_MS))).toEqual([]);
	});

	it('takes a response that is listed twice for complete if one of its records is', async () => {
		const world = new World(['A']);
		const { A } = world.forms;
		Object.assign(A, { pageSize: 2, order: 'newest' });
		const response = A.submit(true, START - HOUR_MS);
		A.submit(false, START - HOUR_MS);
		await world.begin();
		A.betweenPages = () => {
			world.submit(A);
			world.complete(response);
		};
		expect(eventsOf(await world.tick(HOUR_MS))).toEqual(['A-2 responseCompleted']);
		expect(eventsOf(await world.tick(HOUR_MS))).toEqual(['A-4 responseCompleted']);
	});

	it.each(modes)('delivers again what n8n discarded, and nothing else (%s mode)', async (mode) => {
		const world = new World(['A', 'B'], { mode });
		await world.begin();
		await world.tick(HOUR_MS);
		world.submit(world.forms.A);
		expect(eventsOf(await world.tick(HOUR_MS, { end: 'discarded' }))).toHaveLength(1);
		world.submit(world.forms.B);
		await world.calm();
		expect(world.oracle.delivered.size).toBe(2);
		for (const times of world.oracle.delivered.values()) expect(times).toHaveLength(1);
	});

	it('delivers a new form again that n8n discarded, although its responses were read', async () => {
		const world = new World(['A'], {
			mode: 'durable',
			watch: all,
			events: ['formCreated', 'responseCompleted'],
		});
		await world.begin();
		await world.tick(MINUTE_MS);
		world.createForm('B');
		expect(eventsOf(await world.tick(2 * HOUR_MS, { end: 'discarded' }))).toEqual([
			'B formCreated',
		]);
		expect(eventsOf(await world.tick(HOUR_MS))).toEqual(['B formCreated']);
		expect(eventsOf(await world.tick(HOUR_MS))).toEqual([]);
	});

	it('continues in durable mode although n8n drops the state of the activation', async () => {
		const world = new World(['A'], { mode: 'durable' });
		await world.begin();
		world.submit(world.forms.A);
		expect(eventsOf(await world.tick(5 * MINUTE_MS))).toEqual(['A-2 responseCompleted']);
		await world.restart();
		world.submit(world.forms.A);
		expect(eventsOf(await world.tick(5 * MINUTE_MS))).toEqual(['A-3 responseCompleted']);
	});

	it('delivers nothing twice while n8n still saves the last delivery', async () => {
		// so many requests that the form is due again at once
		const world = new World(['A'], { mode: 'durable', requestsPerDay: 86_400 });
		await world.begin();
		await world.tick(MINUTE_MS);
		world.submit(world.forms.A);
		world.time.pass(HOUR_MS);
		const [first, second] = await world.n8n.tickWithOldCopy();
		expect(eventsOf(world.note(first))).toEqual(['A-2 responseCompleted']);
		expect(eventsOf(world.note(second))).toEqual([]);
		expect(eventsOf(await world.tick(HOUR_MS))).toEqual([]);
	});

	it.each([
		[29, []],
		[32, ['A-2 responseCompleted']],
	] as const)('takes a response that was away for %i days for %j', async (days, expected) => {
		const world = new World(['A']);
		await world.begin();
		const response = world.submit(world.forms.A);
		await world.tick(HOUR_MS);
		world.setShown(world.forms.A, () => (response.deleted = true));
		// readings while it is away show first that it is, and then for how long
		await world.tick(HOUR_MS);
		await world.tick(days * DAY_MS);
		world.setShown(world.forms.A, () => (response.deleted = false));
		expect(eventsOf(await world.tick(HOUR_MS))).toEqual(expected);
	});

	it('forgets no response because of a reading that is not whole', async () => {
		const world = new World(['A']);
		const { A } = world.forms;
		Object.assign(A, { pageSize: 2, order: 'newest' });
		for (let count = 20; count > 0; count--) A.submit(false, START - HOUR_MS);
		await world.begin();
		// no whole reading gets past the third page for 33 days, while short ones go well
		const failWith = ({ url }: { url: string }) =>
			url.endsWith('page=4') ? faults.serverError : undefined;
		await world.run(33 * 24 * 60, (minute) => minute % (8 * 60) === 5 && world.submit(A), {
			failWith,
			periodMinutes: 60,
		});
		await world.calm();
		const old = [...world.oracle.delivered.keys()].filter((key) => /^A-(\d|1\d|2[01]) /.test(key));
		expect(old).toEqual([]);
	});

	it('continues with a form that was deleted and is back', async () => {
		const world = new World(['A', 'B'], { watch: all });
		await world.begin();
		const { B } = world.forms;
		world.submit(B);
		await world.tick(2 * HOUR_MS);
		world.setListed(B, false);
		await world.tick(2 * HOUR_MS);
		await world.tick(20 * DAY_MS);
		const response = world.submit(B);
		world.setListed(B, true);
		const items = [await world.tick(2 * HOUR_MS), await world.tick(2 * HOUR_MS)].flatMap(eventsOf);
		expect(response.uuid).toBe('B-3');
		expect(items).toEqual(['B-3 responseCompleted']);
	});

	it('does not count the days in which the list of forms could not be read', async () => {
		const world = new World(['A', 'B'], { watch: all, emitExisting: false });
		await world.begin();
		world.setListed(world.forms.B, false);
		await world.tick(2 * HOUR_MS);
		const failing = failAll(faults.serverError, '');
		for (let day = 0; day < 33; day++) await world.tick(DAY_MS, failing);
		const { B } = world.forms;
		B.submit(false, world.time.actual());
		B.listed = true;
		const items = [];
		for (let hour = 0; hour < 4; hour++) items.push(...eventsOf(await world.n8n.tick()));
		for (let hour = 0; hour < 4; hour++) {
			world.time.pass(HOUR_MS);
			items.push(...eventsOf(await world.n8n.tick()));
		}
		expect(items).toEqual(['B-2 responseCompleted']);
	});

	it('takes for new what came to an excluded form only after it is included', async () => {
		const world = new World(['A', 'B'], { watch: { kind: 'all', except: ['B'] } });
		await world.begin();
		await world.tick(HOUR_MS);
		world.submit(world.forms.B);
		await world.tick(2 * HOUR_MS);
		await world.change({ watch: all });
		world.submit(world.forms.B);
		await world.calm();
		expect([...world.oracle.delivered.keys()]).toEqual(['B-3 responseCompleted']);
	});

	it('continues when the base URL becomes https, and starts anew with another host', async () => {
		const world = new World(['A']);
		world.n8n.baseUrl = 'http://forms.example.com/api/v1';
		await world.begin();
		await world.tick(HOUR_MS);
		world.n8n.baseUrl = 'https://forms.example.com/api/v1';
		world.submit(world.forms.A);
		expect(eventsOf(await world.publish())).toEqual(['A-2 responseCompleted']);
		world.n8n.baseUrl = 'https://other.example.com/api/v1';
		world.forms.A.submit(false, world.time.actual() - HOUR_MS);
		expect(eventsOf(await world.publish())).toEqual([]);
	});

	it.each([-8, 8])(
		'loses nothing when the clock is set by %i hours, and no wait gets longer',
		async (hours) => {
			const world = new World(['A']);
			await world.begin();
			await world.run(30);
			world.time.set(hours * HOUR_MS);
			world.submit(world.forms.A);
			await world.run(5);
			expect(world.missing()).toEqual([]);
			world.time.set(-hours * HOUR_MS);
			world.submit(world.forms.A);
			await world.run(5);
			expect(world.missing()).toEqual([]);
		},
	);

	it.each([-6, 6])(
		"goes by the service's clock where its own is %i minutes off",
		async (minutes) => {
			const world = new World(['A', 'B'], { watch: all });
			world.time.set(minutes * MINUTE_MS);
			await world.begin();
			world.submit(world.forms.A);
			const form = world.createForm('C');
			world.submit(form);
			await world.run(90);
			expect(world.missing()).toEqual([]);
			expect(world.oracle.delivered.size).toBe(2);
		},
	);

	it('gives the name that a form has now', async () => {
		const world = new World(['A'], { watch: all });
		await world.begin();
		world.forms.A.name = 'Sale (closed)';
		world.submit(world.forms.A);
		const { items } = await world.tick(2 * HOUR_MS);
		expect(items.map(({ name }) => name)).toEqual(['Sale (closed)']);
	});
});
