/** Failures: when people are told, and that one bad page or form holds back nothing but itself. */
import lodash from 'lodash';
import type { NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { failAll, failPage, faults, type FaultName } from './faults.mts';
import type { Mode, Poll } from './n8n.mts';
import type { Order, Sent } from './service.mts';
import { DAY_MINUTES, listGaps } from '../time.mts';
import { createPaged, World } from './world.mts';

/** Failures in which the service does not say how long to wait. */
const NAMES = (Object.keys(faults) as FaultName[]).filter(
	(name) => !/UsedUp$|maintenance$/i.test(name),
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
		await world.begin(5);
		await world.run(400, failAll(name));
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

	it('of all of several forms is reported every hour', async () => {
		const world = new World(['A', 'B']);
		await world.begin(30);
		await world.run(5 * 60, { failWith: () => faults.serverError });
		expectHourly(world.reports, 90);
	});

	it('of two forms among ten is reported once each, and delays no other', async () => {
		const world = new World(lodash.times(10, (index) => `F${index}`));
		const bad: Record<string, FaultName> = { F0: 'serverError', F1: 'notFound' };
		const failWith = ({ form }: Sent) => faults[bad[form]];
		await world.begin(0, { failWith });
		expect(world.n8n.isActive).toBe(true);
		const happen = (minute: number) =>
			minute % 21 === 5 && world.submit(world.forms[`F${2 + (minute % 8)}`]);
		await world.run(8 * 60, { happen, failWith });
		await world.run(30);
		const [, gone, ...others] = world.reports.map(({ thrown }) => String(thrown));
		expect([gone, others]).toEqual([expect.stringMatching('"Form F1"'), []]);
		expect(world.oracle.listMissing()).toEqual([]);
		// as ten forms that are read
		expect(lodash.mean(world.oracle.listDelays())).toBeLessThanOrEqual(20);
	});

	it.each<[FaultName, number]>([
		['brokenConnection', 0],
		['unauthorized', 0],
		['maintenance', 10],
		// it asks for more than the trigger waits
		['longMaintenance', 60],
		['dayUsedUp', 480],
	])(
		'of all forms is reported, and takes one request a poll: %s, after which polls wait for %i minutes or half an hour longer',
		async (name, minutes) => {
			const world = new World(['A', 'B', 'C']);
			await world.begin(5);
			const [pollsBefore, requestsBefore] = [world.polls.length, world.requestTimes.length];
			await world.run(10 * 60, failAll(name));
			expectHourly(world.reports, 60);
			const sent = world.polls.slice(pollsBefore).map((poll) => poll.sent.length);
			expect(Math.max(...sent)).toBe(1);
			expect(lodash.sum(sent)).toBeLessThanOrEqual(30);
			// after three failures, the trigger itself waits for longer than ten minutes
			const [gap] = listGaps(world.requestTimes.slice(requestsBefore));
			expect(gap).toBeGreaterThanOrEqual(minutes);
			expect(gap).toBeLessThanOrEqual(minutes + 30);
		},
	);
});

it.each<[FaultName, Order, Mode]>([
	['notFound', 'newest', 'default'],
	['cutBody', 'oldest', 'default'],
	['serverError', 'oldest', 'durable'],
	['unauthorized', 'shuffled', 'durable'],
])(
	'A page that cannot be read holds back nothing new and no page before it, and is reported: %s, %s, %s',
	async (name, order, mode) => {
		const given = { pages: 20, listing: { order, pageSize: 10 }, mode };
		const { world, A } = createPaged(given, (number) => number % 9 === 0);
		await world.begin(20);
		// on one of the pages 4 to 6
		const early = lodash.find(A.listShown(), 'incomplete', 30)!;
		world.complete(early);
		const happen = (minute: number) => order !== 'shuffled' && minute % 42 === 9 && world.submit(A);
		await world.run(DAY_MINUTES / 2, { happen, ...failPage(12, name) });
		expect(world.delivered).toContain(`${early.id} responseCompleted`);
		expect(world.oracle.listMissing()).toEqual([]);
		const [, ...delays] = world.oracle.listDelays();
		expect(Math.max(0, ...delays)).toBeLessThanOrEqual(6);
		// all pages are read every 80 minutes
		expectHourly(world.reports, 90);
		// a page can be missing because the list has become shorter
		expect(String(world.reports[0].thrown)).not.toContain('no longer exists');
	},
);
