import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faults, type Fault } from './faults.mts';
import { always } from './runs.mts';
import { HOUR_MS, idsOf, MINUTE_MS, START, World } from './world.mts';

describe('The trigger', { timeout: 36_000_000 }, () => {
	it('reports a failure with the third in a row, and then once an hour at most', async () => {
		const names = Object.keys(faults).filter((name) => !/UsedUp|noReply/.test(name));
		const situation = fc.record({
			name: fc.constantFrom(...names),
			good: fc.integer({ min: 0, max: 20 }),
			mode: fc.constantFrom('default' as const, 'durable' as const),
		});
		await always(
			fc.asyncProperty(situation, async ({ name, good, mode }) => {
				const world = new World(['A'], {}, mode);
				await world.publish();
				for (let tick = 0; tick < good; tick++) {
					expect((await world.tick(MINUTE_MS)).thrown).toBeUndefined();
				}
				let failures = 0;
				const reports: Array<{ failures: number; minute: number }> = [];
				for (let minute = 0; minute < 360; minute++) {
					const { sent, thrown } = await world.tick(MINUTE_MS, { fault: faults[name] });
					if (sent.length > 0) failures += 1;
					if (thrown !== undefined) reports.push({ failures, minute });
					if (thrown !== undefined) expect(sent.length).toBeGreaterThan(0);
				}
				expect(reports[0]?.failures).toBe(3);
				for (const [index, { minute }] of reports.slice(1).entries()) {
					const gap = minute - reports[index].minute;
					expect(gap).toBeGreaterThanOrEqual(60);
					expect(gap).toBeLessThanOrEqual(92);
				}
				expect(reports.length).toBeGreaterThanOrEqual(4);
			}),
			10,
		);
	});

	it('throws nothing in a poll that goes well', async () => {
		type Step = { afterMs: number; of: string; fault?: Fault; changed: string; publish: boolean };
		const steps = fc.array(
			fc.record<Step>({
				afterMs: fc.constantFrom(MINUTE_MS, 5 * MINUTE_MS, HOUR_MS),
				of: fc.constantFrom('F0', 'F1', 'F2', ''),
				fault: fc.constantFrom(
					...[undefined, undefined, faults.serverError, faults.notFound, faults.cutBody],
				),
				changed: fc.constantFrom('F0', 'F1', 'F2'),
				publish: fc.constantFrom(false, false, false, true),
			}),
			{ minLength: 1, maxLength: 40 },
		);
		const how = fc.record({
			isAll: fc.boolean(),
			needsFields: fc.boolean(),
			pageSize: fc.constantFrom(1, 2, Infinity),
			mode: fc.constantFrom('default' as const, 'durable' as const),
		});
		await always(
			fc.asyncProperty(how, steps, async ({ isAll, needsFields, pageSize, mode }, given) => {
				const ids = idsOf(3);
				const watch = isAll
					? { kind: 'all' as const, except: [] }
					: { kind: 'chosen' as const, formIds: ids };
				const parameters = { watch, needsFields, requestsPerDay: 86_400 };
				const world = new World(ids, parameters, mode);
				for (const form of Object.values(world.forms)) {
					Object.assign(form, { pageSize });
					for (let number = 0; number < 4; number++) form.submit(false, START - HOUR_MS);
				}
				await world.publish();
				/** What was last asked for in vain: its failure may be reported later. */
				const failing = new Set<string>();
				for (const { afterMs, of, fault, changed, publish } of given) {
					world.forms[changed].submit(false, world.time.now());
					const circumstances = fault && { fault, faultOf: of };
					const { sent, thrown } = publish
						? await world.publish(circumstances)
						: await world.tick(afterMs, circumstances);
					for (const one of sent) {
						const asked = 'form' in one ? one.form : '';
						if (one.isGood) failing.delete(asked);
						else failing.add(asked);
					}
					if (failing.size === 0) expect(thrown, 'what a good poll throws').toBeUndefined();
				}
			}),
			30,
		);
	});

	it('delivers what had no room without another request', async () => {
		const world = new World(['A'], { maxPerPoll: 2 });
		await world.publish();
		for (let number = 0; number < 7; number++) world.forms.A.submit(false, world.time.now());
		const counts: number[] = [];
		let requests = 0;
		while (counts.reduce((sum, count) => sum + count, 0) < 7) {
			const { items, sent } = await world.tick(5_000);
			if (items.length > 0) counts.push(items.length);
			requests += sent.filter(({ of }) => of === 'responses').length;
		}
		expect(counts).toEqual([2, 2, 2, 1]);
		expect(requests).toBe(1);
	});
});
