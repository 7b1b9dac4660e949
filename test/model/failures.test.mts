/** Failures: when people are told, how soon the trigger asks again, and what fails with what. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failAll, faults, type FaultName } from './service.mts';
import { HOUR_MS, MINUTE_MS, listGaps } from '../time.mts';
import { always, fill, World } from './world.mts';

/** Failures in which the service does not say how long to wait. */
const NAMES = (Object.keys(faults) as FaultName[]).filter((name) => !name.endsWith('UsedUp'));

async function countMinutesUntilSent(world: World, circumstances = {}): Promise<number> {
	for (let minutes = 1; minutes < 200; minutes++) {
		if ((await world.tick(MINUTE_MS, circumstances)).sent.length > 0) return minutes;
	}
	return Infinity;
}

describe('A failure', () => {
	it('is reported when it is the third in a row, then hourly, and loses nothing', async () => {
		const situation = fc.record({
			name: fc.constantFrom(...NAMES),
			mode: fc.constantFrom('default' as const, 'durable' as const),
			goodMinutes: fc.nat({ max: 20 }),
			badMinutes: fc.integer({ min: 3, max: 400 }),
			isPublished: fc.boolean(),
		});
		await always(
			fc.asyncProperty(situation, async ({ name, goodMinutes, badMinutes, isPublished, mode }) => {
				const world = new World(['A'], { mode });
				await world.begin();
				await world.run(goodMinutes);
				await world.run(badMinutes, undefined, failAll(faults[name]));
				const failed = world.polls.filter(({ sent }) => sent.some(({ isGood }) => !isGood));
				const { reports } = world;
				expect(failed.indexOf(reports[0])).toBe(failed.length > 2 ? 2 : -1);
				for (const gap of listGaps(reports.map(({ endedAt }) => endedAt))) {
					expect(gap).toBeGreaterThanOrEqual(59.9);
					expect(gap).toBeLessThanOrEqual(92);
				}
				world.submit(world.forms.A);
				if (isPublished) await world.publish();
				else await world.run(30);
				expect(world.delivered).toEqual(['A-2 responseCompleted']);
				expect(await countMinutesUntilSent(world)).toBeLessThanOrEqual(8);
			}),
			10,
		);
	});

	it('makes the trigger ask less and less, and then every 30 minutes', async () => {
		const world = new World(['A']);
		await world.begin();
		const waits: number[] = [];
		while (waits.length < 7) {
			waits.push(await countMinutesUntilSent(world, failAll(faults.unauthorized)));
		}
		expect(waits).toEqual([2, 4, 8, 16, 30, 30, 30]);
	});

	it('makes the trigger wait for as long as the service asks', async () => {
		const world = new World(['A']);
		await world.begin();
		const headers = { ...faults.dayUsedUp.headers, 'retry-after': '2700' };
		await countMinutesUntilSent(world, failAll({ ...faults.dayUsedUp, headers }));
		expect([45, 46]).toContain(await countMinutesUntilSent(world));
	});

	it('of one form among several is reported once, and delays no other', async () => {
		const world = new World(['A', 'B', 'C']);
		await world.begin();
		const circumstances = failAll(faults.notFound, 'B');
		const submit = (minute: number) => minute % 20 === 5 && world.submit(world.forms.A);
		await world.run(6 * 60, submit, circumstances);
		expect(world.reports).toHaveLength(1);
		expect(world.oracle.listMissing()).toEqual([]);
		expect(Math.max(...world.delays)).toBeLessThanOrEqual(6);
		await world.run(60);
		await world.run(3 * 60, undefined, circumstances);
		expect(world.reports).toHaveLength(2);
	});

	it('of whole readings is reported although short ones succeed', async () => {
		const world = new World(['A']);
		const { A } = world.forms;
		A.pageSize = 1;
		for (let count = 9; count > 0; count--) world.submit(A);
		await world.begin();
		await world.run(20);
		await world.run(24 * 60, (minute) => minute % 60 === 5 && world.submit(A), {
			failWith: ({ url }) => (url.endsWith('page=5') ? faults.badRequest : undefined),
		});
		const gaps = listGaps(world.reports.map(({ endedAt }) => endedAt));
		expect(gaps.length).toBeGreaterThan(3);
		for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(59.9);
	});

	it('of all forms is reported each hour, and no more often', async () => {
		const world = new World(['A', 'B', 'C', 'D']);
		await world.beginAndRun(30);
		await world.run(10 * 60, undefined, failAll(faults.certificate));
		const gaps = listGaps(world.reports.map(({ endedAt }) => endedAt));
		expect(Math.min(...gaps)).toBeGreaterThan(59);
		expect(gaps.length).toBeGreaterThan(4);
	});

	it('now and then, never two in a row, is not reported', async () => {
		const world = new World(['A', 'B']);
		for (const form of Object.values(world.forms)) {
			form.pageSize = 3;
			fill(form, 120);
		}
		let count = 0;
		const failWith = () => (++count % 40 === 0 ? faults.brokenConnection : undefined);
		await world.begin();
		await world.run(2 * 24 * 60, undefined, { failWith });
		expect(world.reports).toHaveLength(0);
	});

	it('of the first reading after a restart delays responses by minutes', async () => {
		const world = new World(['A']);
		await world.beginAndRun(10);
		await world.restart(failAll(faults.serverError));
		world.submit(world.forms.A);
		await world.run(10);
		expect(world.delivered).toEqual(['A-2 responseCompleted']);
	});

	it('of the account is reported also if only later pages are refused', async () => {
		const world = new World(['A']);
		const { A } = world.forms;
		A.pageSize = 1;
		A.order = 'shuffled';
		for (let count = 9; count > 0; count--) world.submit(A);
		await world.begin();
		await world.run(30);
		await world.run(12 * 60, undefined, {
			failWith: ({ url }) => (url.endsWith('page=3') ? faults.unauthorized : undefined),
		});
		expect(world.reports.length).toBeGreaterThan(2);
	});

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
