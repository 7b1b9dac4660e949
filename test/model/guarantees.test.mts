/** Fine guarantees of the trigger, each with a story of its own, so that none depends on what chance draws. */
import { describe, expect, it } from 'vitest';
import { failAll, faults, Form } from './service.mts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.mts';
import { listEvents, START, World } from './world.mts';

const all = { kind: 'all', except: [] } as const;

/** A trigger that has begun, and what a poll after some time delivers. */
async function begin(...given: ConstructorParameters<typeof World>) {
	const world = new World(...given);
	await world.begin();
	const pollAfter = async (ms: number) => listEvents(await world.tick(ms));
	return { world, ...(world.forms as { A: Form; B: Form }), pollAfter };
}

describe('A response', () => {
	it('that is completed, reopened and completed again gives one event', async () => {
		const { world, A, pollAfter } = await begin(['A']);
		const response = world.submit(A);
		expect(await pollAfter(HOUR_MS)).toEqual(['A-2 responseCompleted']);
		world.reopen(response);
		expect(await pollAfter(HOUR_MS)).toEqual([]);
		world.complete(response);
		expect(await pollAfter(HOUR_MS)).toEqual([]);
	});

	it('gives each of its events in turn', async () => {
		const events = ['responseStarted', 'responseAbandoned', 'responseCompleted'] as const;
		const { world, A, pollAfter } = await begin(['A'], { events });
		const response = world.submit(A, true);
		expect(await pollAfter(HOUR_MS)).toEqual(['A-2 responseStarted']);
		expect(await pollAfter(22 * HOUR_MS)).toEqual([]);
		expect(await pollAfter(2 * HOUR_MS)).toEqual(['A-2 responseAbandoned']);
		world.complete(response);
		expect(await pollAfter(HOUR_MS)).toEqual(['A-2 responseCompleted']);
	});

	it('that was abandoned before the trigger began starts nothing', async () => {
		const world = new World(['A'], { events: ['responseAbandoned'] });
		for (const hours of [25, 12]) world.forms.A.submit(true, START - hours * HOUR_MS);
		await world.begin();
		for (const hours of [1, 12, 12]) await world.tick(hours * HOUR_MS);
		expect(world.polls.map(listEvents)).toEqual([[], [], ['A-3 responseAbandoned'], []]);
	});

	it('without a time that can be read is abandoned a day after the trigger found it', async () => {
		const { world, A, pollAfter } = await begin(['A'], { events: ['responseAbandoned'] });
		A.spelling = 'plain';
		world.submit(A, true);
		expect(await pollAfter(20 * HOUR_MS)).toEqual([]);
		expect(await pollAfter(23.9 * HOUR_MS)).toEqual([]);
		expect(await pollAfter(0.2 * HOUR_MS)).toEqual(['A-2 responseAbandoned']);
	});

	it('that is listed twice is complete if one of its records is', async () => {
		const world = new World(['A']);
		const { A } = world.forms;
		A.pageSize = 2;
		const response = A.submit(true, START - HOUR_MS);
		A.submit(false, START - HOUR_MS);
		await world.begin();
		A.betweenPages = () => {
			world.submit(A);
			world.complete(response);
		};
		expect(listEvents(await world.tick(HOUR_MS))).toEqual(['A-2 responseCompleted']);
		expect(listEvents(await world.tick(HOUR_MS))).toEqual(['A-4 responseCompleted']);
	});

	it.each([
		[[29], 'known', []],
		[[20, 20], 'known', []],
		[[61], 'new', ['A-2 responseCompleted']],
	] as const)('that returns after %j days is %s', async (absences, _text, expected) => {
		const { world, A, pollAfter } = await begin(['A']);
		const response = world.submit(A);
		let items = await pollAfter(HOUR_MS);
		for (const days of absences) {
			world.setDeleted(response, true);
			// readings while it is away show first that it is, and then for how long
			await pollAfter(HOUR_MS);
			for (let day = 0; day < days; day++) await pollAfter(DAY_MS);
			world.setDeleted(response, false);
			items = await pollAfter(HOUR_MS);
		}
		expect(items).toEqual(expected);
	});

	it('is not forgotten because of a reading that is not whole', async () => {
		const world = new World(['A']);
		const { A } = world.forms;
		A.pageSize = 2;
		for (let count = 20; count > 0; count--) A.submit(false, START - HOUR_MS);
		await world.begin();
		// no whole reading gets past the third page for 33 days, while short ones go well
		await world.run(33 * 24 * 60, (minute) => minute % (8 * 60) === 5 && world.submit(A), {
			failWith: ({ url }) => (url.endsWith('page=4') ? faults.serverError : undefined),
			periodMinutes: 60,
		});
		await world.calm();
		expect(world.delivered.filter((event) => /^A-(\d|1\d|2[01]) /.test(event))).toEqual([]);
	});
});

describe('A delivery', () => {
	const modes = ['default', 'durable'] as const;

	it.each(modes)('that n8n discards is repeated, and nothing else (%s mode)', async (mode) => {
		const events = ['formCreated', 'responseCompleted'] as const;
		const { world, A, B, pollAfter } = await begin(['A', 'B'], { mode, watch: all, events });
		await pollAfter(MINUTE_MS);
		world.submit(A);
		world.createForm('C');
		const discarded = listEvents(await world.tick(2 * HOUR_MS, { end: 'discarded' }));
		expect(discarded).toEqual(['C formCreated', 'A-2 responseCompleted']);
		world.submit(B);
		await world.calm();
		expect(world.delivered.sort()).toEqual([...discarded, 'B-2 responseCompleted'].sort());
	});

	it('that n8n discards is repeated before what had no room beside it', async () => {
		const { world, A } = await begin(['A'], { mode: 'durable', maxPerPoll: 1 });
		for (let count = 2; count > 0; count--) world.submit(A);
		const { items } = await world.tick(HOUR_MS, { end: 'discarded' });
		expect(items.map(({ id }) => id)).toEqual(['A-2']);
		await world.run(10);
		expect(world.delivered).toEqual(['A-2 responseCompleted', 'A-3 responseCompleted']);
	});

	it('comes once although n8n drops the state of the activation, as in durable mode', async () => {
		const { world, A, pollAfter } = await begin(['A'], { mode: 'durable' });
		world.submit(A);
		expect(await pollAfter(5 * MINUTE_MS)).toEqual(['A-2 responseCompleted']);
		await world.restart();
		world.submit(A);
		expect(await pollAfter(5 * MINUTE_MS)).toEqual(['A-3 responseCompleted']);
	});

	it('is not repeated while n8n still saves it, as in durable mode', async () => {
		// so many requests that the form is due again at once
		const { world, A, pollAfter } = await begin(['A'], { mode: 'durable', requestsPerDay: 86_400 });
		await pollAfter(MINUTE_MS);
		world.submit(A);
		world.time.pass(HOUR_MS);
		const [first, second] = await world.n8n.tickWithOldCopy();
		expect(listEvents(world.note(first))).toEqual(['A-2 responseCompleted']);
		expect(listEvents(world.note(second))).toEqual([]);
		expect(await pollAfter(HOUR_MS)).toEqual([]);
	});
});

describe('A form', () => {
	it('that was deleted and is back continues', async () => {
		const { world, B, pollAfter } = await begin(['A', 'B'], { watch: all });
		world.submit(B);
		await pollAfter(2 * HOUR_MS);
		world.setListed(B, false);
		for (const days of [0.1, 20]) await pollAfter(days * DAY_MS);
		world.submit(B);
		world.setListed(B, true);
		const items = [await pollAfter(2 * HOUR_MS), await pollAfter(2 * HOUR_MS)].flat();
		expect(items).toEqual(['B-3 responseCompleted']);
	});

	it('is not missing on days on which the list of forms could not be read', async () => {
		const { world, B, pollAfter } = await begin(['A', 'B'], { watch: all });
		world.setListed(B, false);
		await pollAfter(2 * HOUR_MS);
		for (let day = 0; day < 33; day++) await world.tick(DAY_MS, failAll(faults.serverError, ''));
		world.submit(B);
		B.listed = true;
		for (let poll = 0; poll < 8; poll++) await pollAfter(poll < 4 ? 0 : HOUR_MS);
		expect(world.delivered).toEqual(['B-2 responseCompleted']);
	});

	it('that is older than the trigger and is shared later has no new responses so far', async () => {
		const { world, pollAfter } = await begin(['A'], { watch: all });
		await pollAfter(MINUTE_MS);
		const shared = new Form('D', START - 90 * DAY_MS);
		shared.submit(false, world.time.actual());
		world.forms.D = shared;
		expect([await pollAfter(2 * HOUR_MS), await pollAfter(HOUR_MS)].flat()).toEqual([]);
		world.submit(shared);
		expect(await pollAfter(HOUR_MS)).toEqual(['D-2 responseCompleted']);
	});

	it.each([
		['was excluded', { watch: { kind: 'all', except: ['B'] } }],
		['was not needed, for Form Created', { watch: all, events: ['formCreated'] }],
	] as const)('that %s has no new responses from that time', async (_text, before) => {
		const { world, B, pollAfter } = await begin(['A', 'B'], { watch: all });
		await world.change(before);
		world.submit(B);
		await pollAfter(2 * HOUR_MS);
		await world.change({ watch: all, events: ['responseCompleted'] });
		world.submit(B);
		await world.calm();
		expect(world.delivered).toEqual(['B-3 responseCompleted']);
	});
});

describe('The trigger', () => {
	it('continues when the base URL becomes https, and starts anew with another host', async () => {
		const world = new World(['A']);
		const publishWith = async (baseUrl: string) => {
			world.n8n.credential.baseUrl = baseUrl;
			return listEvents(await world.publish());
		};
		await publishWith('http://forms.example.com/api/v1');
		await world.tick(HOUR_MS);
		world.submit(world.forms.A);
		const events = await publishWith('https://forms.example.com/api/v1');
		expect(events).toEqual(['A-2 responseCompleted']);
		world.forms.A.submit(false, world.time.actual() - HOUR_MS);
		expect(await publishWith('https://other.example.com/api/v1')).toEqual([]);
	});

	it.each([-8, 8])(
		'loses nothing and is not late when its clock is set by %i hours',
		async (hours) => {
			const { world, A } = await begin(['A']);
			await world.run(30);
			for (const aheadMs of [hours * HOUR_MS, 0]) {
				world.time.aheadMs = aheadMs;
				world.submit(A);
				await world.run(5);
			}
			expect(world.delivered).toHaveLength(2);
		},
	);

	it.each([-6, 6])(
		"uses the service's clock where its own is %i minutes ahead",
		async (minutes) => {
			const world = new World(['A', 'B'], { watch: all });
			world.time.aheadMs = minutes * MINUTE_MS;
			await world.begin();
			world.submit(world.forms.A);
			world.submit(world.createForm('C'));
			await world.run(90);
			expect(world.delivered.sort()).toEqual(['A-2 responseCompleted', 'C-1 responseCompleted']);
		},
	);
});

describe('A renamed node', () => {
	it.each([
		['begins anew in the default mode, which keeps the state by the old name', 'default', []],
		['continues in the durable mode', 'durable', ['A-2 responseCompleted']],
	] as const)('%s', async (_text, mode, delivered) => {
		const { world, A, pollAfter } = await begin(['A'], { mode });
		await pollAfter(HOUR_MS);
		world.submit(A);
		world.n8n.rename('Renamed');
		const published = listEvents(await world.n8n.activate('activate'));
		expect([...published, ...(await pollAfter(HOUR_MS))]).toEqual(delivered);
		world.time.pass(MINUTE_MS);
		world.submit(A);
		expect(await pollAfter(HOUR_MS)).toEqual(['A-3 responseCompleted']);
	});
});
