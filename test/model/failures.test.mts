/** Failures: when people are told, how soon the trigger asks again, and what fails with what. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { always } from './runs.mts';
import { faults, type FaultName } from './service.mts';
import { HOUR_MS, MINUTE_MS } from './time.mts';
import { failAll, World } from './world.mts';

/** Failures in which the service does not say how long to wait. */
const NAMES = (Object.keys(faults) as FaultName[]).filter((name) => !name.endsWith('UsedUp'));
const modes = fc.constantFrom('default' as const, 'durable' as const);

/** Minutes until a request was sent. */
async function minutesUntilSent(world: World, circumstances = {}): Promise<number> {
	for (let minutes = 1; minutes < 200; minutes++) {
		const { sent } = await world.tick(MINUTE_MS, circumstances);
		// a failure that is reported is one that n8n shows: it polls on
		if (sent.length > 0) return minutes;
	}
	return Infinity;
}

describe('A failure', () => {
	it('is reported when it is the third in a row, and then hourly', async () => {
		await always(
			fc.asyncProperty(
				fc.constantFrom(...NAMES),
				modes,
				fc.nat({ max: 20 }),
				async (name, mode, good) => {
					const world = new World(['A'], { mode });
					await world.begin();
					await world.run(good);
					let failures = 0;
					const reports: Array<{ failures: number; minute: number }> = [];
					for (let minute = 0; minute < 360; minute++) {
						const { sent, thrown } = await world.tick(MINUTE_MS, failAll(faults[name]));
						if (sent.length > 0) failures += 1;
						if (thrown !== undefined) reports.push({ failures, minute });
						if (thrown !== undefined) expect(sent.length, 'requests').toBeGreaterThan(0);
					}
					expect(reports[0]?.failures).toBe(3);
					expect(reports.length).toBeGreaterThanOrEqual(4);
					for (const [index, { minute }] of reports.slice(1).entries()) {
						const gap = minute - reports[index].minute;
						expect(gap).toBeGreaterThanOrEqual(60);
						expect(gap).toBeLessThanOrEqual(92);
					}
				},
			),
			8,
		);
	});

	it('makes the trigger ask less and less, and then every 30 minutes', async () => {
		const world = new World(['A']);
		await world.begin();
		const waits: number[] = [];
		while (waits.length < 7) {
			waits.push(await minutesUntilSent(world, failAll(faults.unauthorized)));
		}
		expect(waits).toEqual([2, 4, 8, 16, 30, 30, 30]);
	});

	it('is waited out for as long as the service says, for an hour', async () => {
		const world = new World(['A']);
		await world.begin();
		const headers = { ...faults.dayUsedUp.headers, 'retry-after': '2700' };
		await minutesUntilSent(world, failAll({ ...faults.dayUsedUp, headers }));
		expect([45, 46]).toContain(await minutesUntilSent(world, failAll(faults.dayUsedUp)));
		expect(await minutesUntilSent(world)).toBeGreaterThanOrEqual(60);
	});

	it('changes nothing once it is over', async () => {
		await always(
			fc.asyncProperty(
				fc.constantFrom(...NAMES),
				modes,
				fc.integer({ min: 1, max: 8 }),
				fc.boolean(),
				async (name, mode, failures, isPublished) => {
					const world = new World(['A'], { mode });
					await world.begin();
					for (let count = failures; count > 0; count--) {
						await minutesUntilSent(world, failAll(faults[name]));
					}
					world.submit(world.forms.A);
					world.time.pass(MINUTE_MS);
					const poll = isPublished ? await world.publish() : undefined;
					if (poll !== undefined) expect(poll.items, 'seen by who publishes').toHaveLength(1);
					else expect(await minutesUntilSent(world)).toBeLessThanOrEqual(30);
					expect(world.missing()).toEqual([]);
					expect(await minutesUntilSent(world)).toBeLessThanOrEqual(5);
				},
			),
			8,
		);
	});

	it('of one form among several is reported once, and delays no other', async () => {
		const world = new World(['A', 'B', 'C']);
		await world.begin();
		const circumstances = failAll(faults.notFound, 'B');
		await world.run(
			6 * 60,
			(minute) => minute % 20 === 5 && world.submit(world.forms.A),
			circumstances,
		);
		expect(world.polls.filter(({ thrown }) => thrown !== undefined)).toHaveLength(1);
		expect(world.missing()).toEqual([]);
		expect(Math.max(...world.oracle.delays().values())).toBeLessThanOrEqual(6);
		await world.run(60);
		await world.run(3 * 60, undefined, circumstances);
		expect(world.polls.filter(({ thrown }) => thrown !== undefined)).toHaveLength(2);
	});

	it('of whole readings is reported although short ones succeed', async () => {
		const world = new World(['A']);
		const { A } = world.forms;
		Object.assign(A, { pageSize: 1, order: 'newest' });
		for (let count = 9; count > 0; count--) world.submit(A);
		await world.begin();
		await world.run(20);
		const circumstances = {
			failWith: ({ url }: { url: string }) =>
				url.endsWith('page=5') ? faults.badRequest : undefined,
		};
		await world.run(3 * 24 * 60, (minute) => minute % 60 === 5 && world.submit(A), circumstances);
		const reports = world.polls.filter(({ thrown }) => thrown !== undefined);
		expect(reports.length).toBeGreaterThan(12);
		for (const [index, { startedAt }] of reports.slice(1).entries()) {
			expect(startedAt - reports[index].startedAt).toBeGreaterThanOrEqual(HOUR_MS - 1_000);
		}
	});

	it('at activation lets it fail, and the next attempt is a first one', async () => {
		const world = new World(['A', 'B']);
		expect(
			(await world.n8n.activate('activate', failAll(faults.serverError))).thrown,
		).toBeDefined();
		world.time.pass(HOUR_MS);
		world.forms.A.submit(false, world.time.actual());
		world.time.pass(HOUR_MS);
		await world.begin();
		world.submit(world.forms.A);
		await world.calm();
		expect([...world.oracle.delivered.keys()]).toEqual(['A-3 responseCompleted']);
	});
});
