/** Failures: when people are told, and that one bad page or form holds back nothing but itself. */
import lodash from 'lodash';
import type { NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { Mode, Poll } from './n8n.mts';
import { failAll, failPage, faults, refuse, unavailable } from './service.mts';
import type { Fault, FaultName, Order, Sent } from './service.mts';
import { DAY_MINUTES, HOUR_MS, MINUTE_MS, listGaps } from '../time.mts';
import { createPaged, World } from './world.mts';

/** Failures in which the service does not say how long to wait. */
const NAMES = (Object.keys(faults) as FaultName[]).filter(
	(name) => !/UsedUp$|^maintenance$/.test(name),
);

/** @param waitMinutes between two failures, at most */
function expectHourly(reports: readonly Poll[], waitMinutes = 32): void {
	const gaps = listGaps(reports.map(({ endedAt }) => endedAt));
	expect(gaps.length).toBeGreaterThan(3);
	expect(Math.min(...gaps)).toBeGreaterThanOrEqual(59);
	expect(Math.max(...gaps)).toBeLessThanOrEqual(60 + waitMinutes);
}

describe('A failure', () => {
	it.each(NAMES)('is reported third in a row, then hourly, and loses nothing: %s', async (name) => {
		const world = new World(['A'], { mode: name.length % 2 === 0 ? 'default' : 'durable' });
		await world.beginAndRun(5);
		await world.run(400, undefined, failAll(faults[name]));
		const failed = world.polls.filter(({ sent }) => sent.some(({ isGood }) => !isGood));
		expect(failed.indexOf(world.reports[0])).toBe(2);
		const { message, description } = world.reports[0].thrown as NodeApiError;
		expect(description).toMatch(/The trigger keeps trying, and no response is lost\.$/);
		expect(world.n8n.log.join()).toContain(`Form A could not be read: ${message}`);
		expectHourly(world.reports);
		expect(Math.max(...listGaps(world.requestTimes))).toBeLessThanOrEqual(31);
		world.submit(world.forms.A);
		if (name < 'm') await world.publish();
		else await world.run(30);
		expect(world.delivered).toEqual(['A-2 responseCompleted']);
	});

	it('of two forms among ten is reported once each, and delays no other', async () => {
		const world = new World(lodash.times(10, (index) => `F${index}`));
		const failWith = ({ form }: Sent) =>
			form === 'F0' ? faults.serverError : form === 'F1' ? faults.notFound : undefined;
		await world.begin({ failWith });
		expect(world.n8n.active).toBe(true);
		const submit = (minute: number) =>
			minute % 21 === 5 && world.submit(world.forms[`F${2 + (minute % 8)}`]);
		await world.run(8 * 60, submit, { failWith });
		await world.run(30);
		const [, gone, ...others] = world.reports.map(({ thrown }) => String(thrown));
		expect([gone, others]).toEqual([expect.stringMatching('"Form F1"'), []]);
		expect(world.oracle.listMissing()).toEqual([]);
		// as ten forms that are read
		expect(lodash.mean(world.oracle.listDelays())).toBeLessThanOrEqual(20);
	});

	it.each(['brokenConnection', 'unauthorized', 'dayUsedUp', 'maintenance'] as const)(
		'of all forms is reported hourly, and takes one request a poll: %s',
		async (name) => {
			const world = new World(['A', 'B', 'C']);
			await world.beginAndRun(5);
			const before = world.polls.length;
			await world.run(10 * 60, undefined, failAll(faults[name]));
			expectHourly(world.reports);
			const sent = world.polls.slice(before).map((poll) => poll.sent.length);
			expect(Math.max(...sent)).toBe(1);
			expect(lodash.sum(sent)).toBeLessThanOrEqual(30);
		},
	);

	it.each<[number, Fault]>([
		[10, unavailable('600')],
		[60, unavailable('9000')],
		[480, refuse('1440', '28800')],
	])(
		'lets polls wait for %i minutes, or half an hour longer, as the service asks',
		async (minutes, fault) => {
			const world = new World(['A', 'B']);
			await world.beginAndRun(5);
			const before = world.requestTimes.length;
			await world.run(10 * 60, undefined, failAll(fault));
			// after three failures, the trigger itself waits for longer than ten minutes
			const [gap] = listGaps(world.requestTimes.slice(before));
			expect(gap).toBeGreaterThanOrEqual(minutes);
			expect(gap).toBeLessThanOrEqual(minutes + 30);
		},
	);

	it('at the activation lets it fail, and the next attempt is a first one', async () => {
		const world = new World(['A', 'B']);
		const { A } = world.forms;
		const failed = await world.n8n.activate('activate', failAll(faults.serverError));
		expect(failed.thrown).toBeDefined();
		world.time.pass(HOUR_MS);
		A.submit(false, world.time.actual());
		world.time.pass(HOUR_MS);
		await world.begin();
		world.submit(A);
		await world.calm();
		expect(world.delivered).toEqual(['A-3 responseCompleted']);
	});
});

describe('One page that cannot be read', () => {
	it.each<[FaultName, number, number, Order, Mode]>([
		['serverError', 8, 2, 'newest', 'default'],
		['cutBody', 67, 66, 'oldest', 'default'],
		// a page on which a poll goes on reading; and the form is not deleted
		['notFound', 100, 63, 'newest', 'durable'],
	])('holds back nothing new: %s, %i pages, page %i, %s first, %s', async (...given) => {
		const [name, pages, badPage, order, mode] = given;
		const { world, A } = createPaged({ pages, pageSize: 15, order, mode });
		await world.beginAndRun(20);
		const submit = (minute: number) => minute % 42 === 9 && world.submit(A);
		await world.run(12 * 42, submit, failPage(badPage, faults[name]));
		expect(world.delivered).toHaveLength(12);
		expect(Math.max(...world.oracle.listDelays())).toBeLessThanOrEqual(6);
	});

	it.each<[FaultName, Order, Mode]>([
		['notFound', 'newest', 'default'],
		['serverError', 'oldest', 'durable'],
		['unauthorized', 'shuffled', 'durable'],
	])('holds back no page before it, and is reported: %s, %s, %s', async (name, order, mode) => {
		const isIncomplete = (number: number) => number % 9 === 0;
		const { world, A } = createPaged({ pages: 20, pageSize: 10, order, mode, isIncomplete });
		await world.beginAndRun(20);
		// on one of the pages 4 to 6
		const early = lodash.find(A.shown(), 'incomplete', 30)!;
		world.complete(early);
		await world.run(DAY_MINUTES, undefined, failPage(12, faults[name]));
		expect(world.delivered).toEqual([`${early.id} responseCompleted`]);
		// all pages are read every 80 minutes
		expectHourly(world.reports, 90);
	});
});

it('A known form keeps the trigger active although the token is refused, until a person publishes', async () => {
	const world = new World(['A', 'B']);
	await world.beginAndRun(5);
	world.time.pass(10 * MINUTE_MS);
	const refused = failAll(faults.unauthorized);
	for (let start = 0; start < 2; start++) {
		const { sent, thrown } = await world.n8n.activate('init', refused);
		expect([sent.length, thrown]).toEqual([1, undefined]);
	}
	expect((await world.n8n.activate('activate', refused)).thrown).toBeDefined();
});
