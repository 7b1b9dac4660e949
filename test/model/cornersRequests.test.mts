/** Requests per Day in the corners, waits that the service asks for, and lists longer than a poll. */
import lodash from 'lodash';
import { expect, it } from 'vitest';
import type { Mode } from './n8n.mts';
import { failAll, faults, type FaultName, type Order, type Sent } from './service.mts';
import { DAY_MINUTES, countMostInADay, listGaps } from '../time.mts';
import { createPaged, fill, World } from './world.mts';

const watch = { kind: 'all', except: [] } as const;

it.each<[number, number, FaultName, Mode, number]>([
	[50, 20, 'notFound', 'default', 5],
	[50, 20, 'forbidden', 'durable', 5],
	[50, 9, 'serverError', 'default', 5],
	[200, 100, 'notFound', 'default', 10],
])('Requests per Day hold for %i forms, %i of them never read (%s, %s)', async (...given) => {
	const [count, failing, name, mode, periodMinutes] = given;
	const ids = lodash.times(count, (index) => `F${index}`);
	const bad = new Set(ids.slice(0, failing));
	const world = new World(ids, { mode });
	const failWith = ({ form }: Sent) => (bad.has(form) ? faults[name] : undefined);
	await world.begin({ failWith });
	await world.run(1.5 * DAY_MINUTES, undefined, { failWith, periodMinutes });
	expect(world.n8n.active).toBe(true);
	// only the first attempt to read a form comes on top
	const first = lodash.uniqBy(world.service.sent, 'form');
	expect(lodash.difference(ids, lodash.map(first, 'form'))).toEqual([]);
	const later = lodash.map(lodash.difference(world.service.sent, first), 'at');
	// docs/trigger.md: a tenth more, or two more for each form if each has fewer than 20
	const bound = Math.max(1.1 * 720, 720 / count < 20 ? 720 + 2 * count : 0);
	expect(countMostInADay(later)).toBeLessThanOrEqual(bound);
});

it.each<[number, number, FaultName, Mode]>([
	[120, 60, 'badRequest', 'default'],
	[120, 60, 'notFound', 'durable'],
])(
	'Requests per Day hold for a form whose first reading fails: %i, %i, %s, %s',
	async (...given) => {
		const [pages, badPage, name, mode] = given;
		// another form lets the activation succeed
		const world = new World(['A', 'B'], { mode });
		world.forms.B.pageSize = 2;
		fill(world.forms.B, 2 * pages);
		const failWith = ({ page }: Sent) => (page === badPage ? faults[name] : undefined);
		await world.begin({ failWith });
		await world.run(2 * DAY_MINUTES, undefined, { failWith });
		// the first attempt reads up to the page that fails
		const first = world.service.sent.findIndex(({ isGood }) => !isGood) + 1;
		expect(first).toBeLessThanOrEqual(badPage + 2);
		expect(countMostInADay(world.requestTimes.slice(first))).toBeLessThanOrEqual(1.1 * 720);
	},
);

it('Requests for the list of all forms are taken from those of the forms', async () => {
	const world = new World(['A', 'B'], { watch, requestsPerDay: 100 });
	await world.beginAndRun(60);
	const before = world.service.sent.length;
	await world.run(DAY_MINUTES);
	const sent = world.service.sent.slice(before);
	expect(lodash.countBy(sent, 'kind').forms).toBeGreaterThan(20);
	expect(countMostInADay(lodash.map(sent, 'at'))).toBeLessThanOrEqual(110);
});

it.each<[number, number, number, number, Mode]>([
	[503, 1_800, 30, 32, 'default'],
	[503, 7_200, 60, 62, 'default'],
	[429, 3_600, 60, 62, 'default'],
	// the other nodes of the account wait for as long as the service asks
	[429, 7_200, 60, 122, 'durable'],
	[429, 28_800, 60, 482, 'default'],
])('After status %i and Retry-After %i, a form waits %i to %i minutes (%s)', async (...given) => {
	const [status, seconds, least, most, mode] = given;
	const world = new World(['A'], { mode });
	await world.beginAndRun(10);
	const fault = { ...faults.serverError, status, headers: { 'retry-after': `${seconds}` } };
	const before = world.requestTimes.length;
	await world.run(DAY_MINUTES, undefined, failAll(fault));
	const gaps = listGaps(world.requestTimes.slice(before));
	expect(gaps.length).toBeGreaterThan(1);
	expect(Math.min(...gaps)).toBeGreaterThanOrEqual(least - 0.01);
	expect(Math.max(...gaps)).toBeLessThanOrEqual(most);
});

it.each([429, 503])('Retry-After counts from the reply (status %i)', async (status) => {
	const world = new World(['A'], { requestsPerDay: 8_640 });
	await world.begin();
	const fault = { ...faults.serverError, status, headers: { 'retry-after': '300' } };
	while ((await world.tick(10_000, { ...failAll(fault), latencyMs: 20_000 })).sent.length === 0);
	const repliedAt = world.time.now();
	while ((await world.tick(5_000)).sent.length === 0);
	const waitedMs = world.requestTimes.at(-1)! - repliedAt;
	expect(waitedMs).toBeGreaterThanOrEqual(300_000);
	expect(waitedMs).toBeLessThanOrEqual(330_000);
});

it.each<[number, number, Order, Mode]>([
	[500, 1_000, 'newest', 'default'],
	[1_000, 3_000, 'newest', 'durable'],
	[700, 600, 'oldest', 'default'],
])('A list of %i pages takes several polls (%i a minute, %s first, %s)', async (...given) => {
	const [pages, perMinute, order, mode] = given;
	const { world, A } = createPaged({ pages, order, mode });
	world.service.perMinute = perMinute;
	await world.begin();
	await world.run(180, (minute) => minute % 60 === 30 && world.submit(A));
	expect(world.reports).toHaveLength(0);
	expect(lodash.uniqBy(world.service.sent, 'page').length).toBeGreaterThanOrEqual(pages);
	expect(world.delivered).toHaveLength(3);
});

it.each<[number, number, Mode]>([
	[40, 10_000, 'default'],
	[90, 2_000, 'durable'],
	[330, 0, 'default'],
])('A list of all forms takes several polls (%i pages, %i ms, %s)', async (...given) => {
	const [pages, latencyMs, mode] = given;
	const ids = lodash.times(pages, (index) => `F${index}`);
	const events = ['formCreated', 'responseCompleted'] as const;
	const world = new World(ids, { mode, watch, events, requestsPerDay: 17_280 });
	world.service.otherPageSize = 1;
	await world.begin({ latencyMs });
	expect(world.n8n.active).toBe(true);
	await world.run(60, undefined, { latencyMs });
	expect(world.delivered).toEqual([]);
	world.submit(world.forms.F39);
	// the service lists it after all others
	world.createForm('New');
	await world.run(3.5 * 60, undefined, { latencyMs });
	expect(world.delivered.sort()).toEqual(['F39-2 responseCompleted', 'New formCreated']);
	expect(world.reports).toHaveLength(0);
});

it.each<[number, number, FaultName, Mode]>([
	[300, 50, 'serverError', 'default'],
	[100, 50, 'brokenConnection', 'durable'],
])('Single failures fail no workflow (%i pages, one request of %i, %s, %s)', async (...given) => {
	const [pages, every, name, mode] = given;
	const { world, A } = createPaged({ pages, isIncomplete: (number) => number === 9, mode });
	let count = 0;
	const failWith = () => (++count % every === 0 ? faults[name] : undefined);
	await world.begin();
	const happen = (minute: number) => {
		if (minute % 300 === 9) world.submit(A);
		if (minute === 60) world.complete(A.kept[8]);
	};
	await world.run(3 * DAY_MINUTES, happen, { failWith });
	expect(world.reports).toHaveLength(0);
	expect(world.oracle.listMissing()).toEqual([]);
});
