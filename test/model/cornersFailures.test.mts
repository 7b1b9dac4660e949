/** One bad thing holds back nothing but itself: a page, a form, an outage, a clock that is set back. */
import lodash from 'lodash';
import { describe, expect, it } from 'vitest';
import type { Mode } from './n8n.mts';
import { failAll, failPage, faults, type FaultName, type Order, type Sent } from './service.mts';
import { DAY_MINUTES, DAY_MS, MINUTE_MS, listGaps } from '../time.mts';
import { createPaged, World } from './world.mts';

describe('One page that cannot be read', () => {
	it.each<[FaultName, number, number, Order, Mode]>([
		['unprocessable', 20, 2, 'newest', 'durable'],
		['serverError', 8, 2, 'newest', 'default'],
		['cutBody', 67, 66, 'oldest', 'default'],
		['notFound', 20, 2, 'oldest', 'durable'],
		// a page on which a poll goes on reading
		['notFound', 100, 63, 'newest', 'durable'],
	])('holds back nothing new: %s, %i pages, page %i, %s first, %s', async (...given) => {
		const [name, pages, badPage, order, mode] = given;
		const { world, A } = createPaged({ pages, pageSize: 15, order, mode });
		await world.beginAndRun(20);
		const submit = (minute: number) => minute % 42 === 9 && world.submit(A);
		await world.run(34 * 42, submit, failPage(badPage, faults[name]));
		expect(world.delivered).toHaveLength(34);
		expect(Math.max(...world.delays)).toBeLessThanOrEqual(20);
		// it is not asked for forever
		expect(world.service.sent.filter((one) => !one.isGood).length).toBeLessThan(100);
	});

	it('holds back only what is on it when new responses fill more than a page', async () => {
		const { world, A } = createPaged({ pages: 20, pageSize: 15 });
		await world.beginAndRun(20);
		lodash.times(25, () => world.submit(A));
		await world.run(60, undefined, failPage(2, faults.notFound));
		expect(world.delivered).toHaveLength(15);
		await world.run(60);
		expect(world.delivered).toHaveLength(25);
	});

	it.each<[FaultName, Order, Mode]>([
		['notFound', 'newest', 'default'],
		['serverError', 'oldest', 'durable'],
		['oddBody', 'shuffled', 'default'],
	])('holds back nothing on earlier pages, and is reported: %s, %s first, %s', async (...given) => {
		const [name, order, mode] = given;
		const isIncomplete = (number: number) => number % 9 === 0;
		const { world, A } = createPaged({ pages: 20, pageSize: 10, order, mode, isIncomplete });
		await world.beginAndRun(20);
		// on one of the pages 4 to 6
		const early = lodash.find(A.shown(), 'incomplete', 30)!;
		world.complete(early);
		await world.run(DAY_MINUTES, undefined, failPage(12, faults[name]));
		expect(world.delivered).toEqual([`${early.id} responseCompleted`]);
		const gaps = listGaps(world.reports.map(({ endedAt }) => endedAt));
		expect(gaps.length).toBeGreaterThan(3);
		expect(Math.min(...gaps)).toBeGreaterThanOrEqual(59.9);
	});

	it('is asked for again after 4, 8, 16 and 30 minutes at the earliest', async () => {
		const { world } = createPaged({ pages: 10 });
		await world.beginAndRun(20);
		await world.run(6 * 60, undefined, failPage(5, faults.serverError));
		const gaps = listGaps(lodash.map(lodash.reject(world.service.sent, 'isGood'), 'at'));
		for (const [index, minutes] of [4, 8, 16, 30, 30].entries()) {
			expect(gaps[index]).toBeGreaterThan(minutes - 0.1);
			expect(gaps[index]).toBeLessThanOrEqual(60);
		}
	});

	it('is an expired position in a list with cursors, and not a deleted form', async () => {
		const { world } = createPaged({ pages: 10, paging: 'cursor' });
		await world.begin();
		const failWith = ({ page }: Sent) => (page > 1 ? faults.notFound : undefined);
		await world.run(DAY_MINUTES, undefined, { failWith });
		const { message, description } = world.reports[0].thrown as Error & { description: string };
		expect(`${message} ${description}`).toMatch(/position in the list .*expired/i);
		expect(`${message} ${description}`).not.toMatch(/deleted/i);
	});
});

const ids = lodash.times(10, (index) => `F${index}`);

it.each<[string, readonly string[], number, Mode]>([
	['the first two', ids.slice(0, 2), 500, 'default'],
	['the last two', ids.slice(8), 503, 'durable'],
	['every second one', ids.filter((_id, index) => index % 2 === 0), 502, 'default'],
	['the first eight', ids.slice(0, 8), 503, 'durable'],
])('Forms with 5xx hinder no others of ten: %s', async (_text, bad, status, mode) => {
	const fault = { ...faults.serverError, status };
	const failWith = ({ form }: Sent) => (bad.includes(form) ? fault : undefined);
	const world = new World(ids, { mode });
	await world.begin({ failWith });
	expect(world.n8n.active).toBe(true);
	const good = lodash.difference(ids, bad);
	const read = lodash.map(lodash.filter(world.service.sent, 'isGood'), 'form');
	expect(lodash.difference(good, read)).toEqual([]);
	await world.run(60);
	const before = world.service.sent.length;
	const submit = (minute: number) =>
		minute % 60 === 7 && world.submit(world.forms[good[Math.floor(minute / 60) % good.length]]);
	await world.run(DAY_MINUTES, submit, { failWith });
	expect(world.delivered).toHaveLength(24);
	// docs/trigger.md: ten forms are polled about every 20 minutes
	expect(lodash.mean(world.delays)).toBeLessThanOrEqual(20);
	expect(Math.max(...world.delays)).toBeLessThanOrEqual(45);
	expect(world.service.sent.length - before).toBeGreaterThanOrEqual(600);
});

it.each<[FaultName, Mode]>([
	['noReply', 'default'],
	['brokenConnection', 'durable'],
	['serverError', 'default'],
	['unauthorized', 'durable'],
	['dayUsedUp', 'default'],
	['minuteUsedUp', 'durable'],
	['notFound', 'default'],
])('Responses that were read are delivered without another request: %s, %s', async (name, mode) => {
	const world = new World(['A', 'B'], { mode, maxPerPoll: 2 });
	await world.beginAndRun(10);
	lodash.times(40, () => world.submit(world.forms.A));
	while ((await world.tick(MINUTE_MS)).items.length === 0);
	await world.run(40, undefined, failAll(faults[name]));
	expect(world.delivered).toHaveLength(40);
	// a poll that waits for a reply can take the time of the next ones
	if (name !== 'noReply') expect(Math.max(...world.delays)).toBeLessThanOrEqual(26);
});

it.each<[FaultName, number, Mode]>([
	['serverError', 1, 'default'],
	['brokenConnection', 2, 'durable'],
	['notFound', 30, 'default'],
	['minuteUsedUp', 30, 'default'],
	['dayUsedUp', 1, 'default'],
])('A clock set back after %s by %i days silences nothing (%s)', async (name, days, mode) => {
	const world = new World(['A', 'B'], { mode });
	await world.beginAndRun(30);
	await world.run(180, undefined, failAll(faults[name]));
	world.time.aheadMs = -days * DAY_MS;
	world.submit(world.forms.A);
	// the service refuses a day's requests for eight hours
	await world.run(name === 'dayUsedUp' ? 485 : 5);
	world.submit(world.forms.A);
	await world.run(10);
	expect(world.delivered).toEqual(['A-2 responseCompleted', 'A-3 responseCompleted']);
});
