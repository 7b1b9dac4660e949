/** Lists that are longer than a poll. */
import lodash from 'lodash';
import { expect, it } from 'vitest';
import type { Mode } from './n8n.mts';
import { failAll, failPage, faults } from './service.mts';
import type { FaultName, Order, Paging } from './service.mts';
import { DAY_MINUTES, HOUR_MS, MINUTE_MS } from '../time.mts';
import { cpuTimeOf } from '../unit/cpuTime.mts';
import { ALL, createPaged, fill, World } from './world.mts';

it.each<[Mode, number, Order, Paging, number[]]>([
	// a poll has a tenth of the requests of a day in the default mode, and those of a minute in the other
	['default', 50, 'newest', 'link', [3, 1_500]],
	['durable', 62, 'oldest', 'number', [1, 2]],
	['default', 50, 'shuffled', 'cursor', [700]],
])('A list that is longer than a poll arrives (%s, %i pages, %s, %s)', async (...given) => {
	const [mode, pages, order, paging, restartMinutes] = given;
	const requestsPerDay = mode === 'default' ? 180 : 720;
	const isIncomplete = (number: number) => number === 6;
	const { world, A } = createPaged({ mode, pages, order, paging, isIncomplete, requestsPerDay });
	await world.begin();
	const happen = async (minute: number) => {
		if (minute % 40 === 7) world.submit(A);
		// the default mode has saved by then what it knows
		if (minute === 2_000) world.complete(A.kept[5]);
		if (restartMinutes.includes(minute)) await world.restart();
	};
	await world.run(2 * DAY_MINUTES, happen, { periodMinutes: 5 });
	await world.run(DAY_MINUTES, undefined, { periodMinutes: 5 });
	expect(world.delivered).toHaveLength(73);
	// what a poll has no requests or time for has not failed
	expect(world.n8n.log.join()).not.toContain('could not be read');
});

it('The saved state has at most 16 characters for each of 20,000 responses', async () => {
	const { world, A } = createPaged({ pages: 1, pageSize: 20_000 });
	await world.begin();
	const perResponse = JSON.stringify(world.n8n.saved).length / A.kept.length;
	expect(perResponse).toBeGreaterThan(5);
	expect(perResponse).toBeLessThanOrEqual(16);
});

it('A poll without a change saves no state in durable mode', async () => {
	const { world, A } = createPaged({ pages: 20, mode: 'durable' });
	// once an hour, it saves which pages it reads next
	await world.beginAndRun(65);
	const getRevision = () => lodash.get(Object.values(world.n8n.saved.cursors)[0], 'state.revision');
	const saved = getRevision();
	await world.run(50);
	expect(getRevision()).toBe(saved);
	world.submit(A);
	await world.run(5);
	expect(getRevision()).not.toBe(saved);
});

it('A poll of 20,000 responses on pages takes at most 100 ms of processor time', async () => {
	const { world } = createPaged({ pages: 67, pageSize: 300 });
	await world.beginAndRun(60);
	const times: number[] = [];
	for (let poll = 0; poll < 20; poll++)
		times.push(await cpuTimeOf(() => world.tick(4 * MINUTE_MS)));
	expect(lodash.mean(lodash.sortBy(times).slice(0, 15))).toBeLessThanOrEqual(100);
});

it('Single failures begin no round again, and fail no workflow', async () => {
	const isIncomplete = (number: number) => number === 9;
	const { world, A } = createPaged({ pages: 100, isIncomplete, mode: 'durable' });
	let count = 0;
	const failWith = () => (++count % 50 === 0 ? faults.brokenConnection : undefined);
	await world.begin({ failWith });
	await world.run(60, undefined, { failWith });
	world.complete(A.kept[8]);
	await world.run(DAY_MINUTES, undefined, { failWith, periodMinutes: 2 });
	expect(world.reports).toEqual([]);
	expect(world.delivered).toEqual(['A-9 responseCompleted']);
});

it.each<FaultName>(['serverError', 'brokenConnection'])(
	'An outage of 20 minutes interrupts no round, neither the first one nor a later one: %s',
	async (name) => {
		const { world } = createPaged({ pages: 240, order: 'shuffled' });
		const readPages = () => lodash.map(lodash.filter(world.service.sent, 'isGood'), 'page');
		const outage = failAll(faults[name]);
		await world.begin();
		const firstPages = readPages().length;
		expect(firstPages).toBeLessThan(240);
		await world.run(20, undefined, outage);
		await world.run(15);
		expect(lodash.countBy(readPages().slice(firstPages))['1']).toBeLessThanOrEqual(1);
		expect(world.service.isReadWhole('A', 0)).toBe(true);
		await world.run(20);
		const page = readPages().at(-1)!;
		await world.run(20, undefined, outage);
		await world.run(15);
		expect(readPages().at(-1)).toBeGreaterThan(page);
	},
);

it('What a slow service leaves no time for is read by the next polls, and nothing has failed', async () => {
	const world = new World(['A', 'B', 'C', 'D', 'E', 'F'], { mode: 'durable' });
	fill(Object.assign(world.forms.A, { pageSize: 3 }), 54);
	const areRead = () => ['A', 'F'].map((id) => world.service.isReadWhole(id, 0));
	await world.begin({ latencyMs: 15_000 });
	expect(areRead()).toEqual([false, false]);
	await world.run(9, undefined, { latencyMs: 9_000 });
	expect(areRead()).toEqual([true, true]);
	expect(world.n8n.log).toEqual([]);
	// no reply is waited for until n8n discards the poll
	await world.tick(HOUR_MS, { latencyMs: 20_000 });
});

it.each<[Order, number]>([
	['newest', 16_000],
	['newest', 20_000],
	['newest', 27_000],
	['oldest', 16_000],
	['oldest', 20_000],
	['shuffled', 20_000],
])(
	'A list arrives, %s first, if each page takes %i ms in durable mode',
	async (order, latencyMs) => {
		const isIncomplete = (number: number) => number % 9 === 0;
		const { world, A } = createPaged({ pages: 12, order, mode: 'durable', isIncomplete });
		const happen = (minute: number) => {
			if (minute % 100 === 10) world.submit(A);
			if (minute === 100) for (const response of A.kept.slice(0, 35)) world.complete(response);
		};
		await world.begin();
		await world.run(400, happen, { latencyMs });
		expect(world.oracle.listMissing()).toEqual([]);
		// only the name of the form may be missing
		expect(world.n8n.log.filter((text) => text.startsWith('Form A'))).toEqual([]);
	},
);

it('Forms and their list are all read if each page takes 20 s in durable mode', async () => {
	const world = new World(['A', 'B', 'C'], { mode: 'durable', watch: ALL });
	const submitAll = () => Object.values(world.forms).map((form) => world.submit(form));
	await world.begin();
	await world.run(240, (minute) => minute % 60 === 9 && submitAll(), { latencyMs: 20_000 });
	world.submit(world.createForm('D'));
	await world.run(120, undefined, { latencyMs: 20_000 });
	expect(world.oracle.listMissing()).toEqual([]);
	expect(world.n8n.log).toEqual([]);
});

it('The newest page is read first if the last poll had no time for it, and each page takes 20 s', async () => {
	const world = new World(['A', 'B'], { mode: 'durable' });
	const { B } = world.forms;
	fill(Object.assign(B, { pageSize: 2, order: 'newest' }), 60);
	await world.beginAndRun(240);
	const started = world.delivered.length;
	await world.run(60, undefined, { latencyMs: 20_000, periodMinutes: 10 });
	world.submit(B);
	await world.run(60, undefined, { latencyMs: 20_000, periodMinutes: 10 });
	expect(world.delivered.slice(started)).toEqual(['B-61 responseCompleted']);
});

it('A list whose last pages are gone is read on, and nothing is reported', async () => {
	const { world, A } = createPaged({ pages: 20, order: 'oldest' });
	await world.beginAndRun(60);
	for (const response of A.shown().slice(0, 7)) world.setDeleted(response, true);
	await world.run(300);
	world.submit(A);
	await world.run(6);
	expect(world.delivered).toEqual(['A-60 responseCompleted']);
	expect(world.reports).toEqual([]);
});

it.each([
	[20, 9],
	[240, 150],
])(
	'A first reading of %i pages that starts over, since page %i fails, keeps Requests per Day',
	async (pages, badPage) => {
		const { world } = createPaged({ pages });
		await world.begin(failPage(badPage, faults.serverError));
		await world.run(60, undefined, failPage(badPage, faults.serverError));
		const before = world.service.sent.length;
		await world.run(DAY_MINUTES, undefined, failPage(badPage, faults.serverError));
		expect(world.service.sent.length - before).toBeLessThanOrEqual(1.1 * 720);
	},
);

it('If n8n polls once an hour, a round of 60 pages takes at most five polls', async () => {
	const { world, A } = createPaged({ pages: 60, isIncomplete: (number) => number === 80 });
	await world.beginAndRun(60);
	await world.run(120, undefined, { periodMinutes: 60 });
	world.complete(A.kept[79]);
	await world.run(300, undefined, { periodMinutes: 60 });
	expect(world.delivered).toEqual(['A-80 responseCompleted']);
});
