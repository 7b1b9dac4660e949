import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allEvents } from './commands.mts';
import { faults } from './faults.mts';
import { Form } from './form.mts';
import type { Outcome, TriggerEvent } from './n8n.mts';
import { always } from './runs.mts';
import type { Sent } from './service.mts';
import { HOUR_MS, idsOf, MINUTE_MS, World } from './world.mts';

/** The forms whose listings were begun, in the order in which they were. */
function begun(sent: readonly Sent[]): string[] {
	return sent.flatMap((one) =>
		one.of === 'responses' && !/[?&](page|cursor)=/.test(one.url) ? [one.form] : [],
	);
}

/** A form that was read twice before another one was read once; undefined where there is none. */
function unfair(reads: readonly string[], forms: readonly string[]): string | undefined {
	const since = new Map<string, Set<string>>();
	for (const form of reads) {
		const others = since.get(form);
		const missing = forms.find((other) => other !== form && others?.has(other) === false);
		if (missing !== undefined) return `${form} twice before ${missing}`;
		for (const seen of since.values()) seen.add(form);
		since.set(form, new Set());
	}
	return undefined;
}

describe('The trigger', { timeout: 36_000_000 }, () => {
	it('reads no form twice before every other one that is due', async () => {
		const forms = fc.integer({ min: 2, max: 25 });
		const situation = fc.record({
			mode: fc.constantFrom('default' as const, 'durable' as const),
			isAll: fc.boolean(),
			latencyMs: fc.constantFrom(500, 2_000, 5_000, 12_000),
			changes: fc.array(fc.array(fc.nat({ max: 39 }), { maxLength: 4 }), {
				minLength: 10,
				maxLength: 20,
			}),
		});
		await always(
			fc.asyncProperty(forms, situation, async (count, { mode, isAll, latencyMs, changes }) => {
				const ids = idsOf(count);
				const watch = isAll
					? { kind: 'all' as const, except: [] }
					: { kind: 'chosen' as const, formIds: ids };
				// so many requests that all forms are due at each tick
				const world = new World(ids, { watch, requestsPerDay: 864_000 }, mode);
				await world.publish({ latencyMs });
				for (const changed of changes) {
					for (const at of changed) world.forms[ids[at % count]].submit(false, world.time.now());
					await world.tick(MINUTE_MS, { latencyMs });
				}
				expect(unfair(begun(world.sent), ids)).toBeUndefined();
			}),
			20,
		);
	});

	it('reads every one of 40 forms though there is time for 12 in a poll and nothing changes', async () => {
		const ids = idsOf(40);
		const watch = { kind: 'all', except: [] } as const;
		const world = new World(ids, { watch, requestsPerDay: 864_000 });
		await world.publish({ latencyMs: 15_000 });
		for (let tick = 0; tick < 8; tick++) await world.tick(MINUTE_MS, { latencyMs: 15_000 });
		const before = world.sent.length;
		for (let tick = 0; tick < 8; tick++) await world.tick(MINUTE_MS, { latencyMs: 15_000 });
		expect(new Set(begun(world.sent.slice(before))).size).toBe(40);
	});

	it('makes no request that its events do not need', async () => {
		const situation = fc.record({
			isAll: fc.boolean(),
			events: fc.oneof(
				fc.constant<TriggerEvent[]>(['formCreated']),
				fc.subarray(allEvents, { minLength: 1 }),
			),
			needsFields: fc.boolean(),
			downloadFiles: fc.boolean(),
			hasFiles: fc.boolean(),
			submissions: fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 10 }),
		});
		await always(
			fc.asyncProperty(situation, async ({ isAll, submissions, hasFiles, ...given }) => {
				const watch = isAll
					? { kind: 'all' as const, except: ['C'] }
					: { kind: 'chosen' as const, formIds: ['A', 'B'] };
				const isOfResponses = !isAll || given.events.some((event) => event !== 'formCreated');
				const world = new World(['A', 'B', 'C'], { ...given, watch });
				world.forms.A.hasFiles = hasFiles;
				const outcomes = [await world.publish()];
				for (let tick = 0; tick < 200; tick++) {
					if (submissions.includes(tick)) world.forms.A.submit(tick % 3 === 0, world.time.now());
					outcomes.push(await world.tick(MINUTE_MS));
				}
				const lists = world.sent.filter(({ of }) => of === 'forms').length;
				const delivered = new Set(outcomes.flatMap(({ items }) => items.map(({ form }) => form)));
				// of chosen forms, the list is read only for the name of one that has an item
				expect(lists).toBeLessThanOrEqual(isAll ? 5 : delivered.size > 0 ? 4 : 0);
				for (const { sent, items } of outcomes) {
					expect(new Set(sent.map(({ url }) => url)).size).toBe(sent.length);
					for (const one of sent) {
						expect(one.of).not.toBe('other');
						if (one.of === 'responses' || one.of === 'fields') {
							expect(isOfResponses, 'responses are watched').toBe(true);
							expect(['A', 'B']).toContain(one.form);
						}
						if (one.of === 'fields') {
							expect(given.needsFields).toBe(true);
							expect(items.map(({ form }) => form)).toContain(one.form);
						}
						if (one.of === 'file') expect(given.downloadFiles && items.length > 0).toBe(true);
					}
				}
				const ofFields = world.sent.filter(({ of }) => of === 'fields').length;
				expect(ofFields).toBeLessThanOrEqual(4);
			}),
			20,
		);
	});

	it('delivers a form that is new again if n8n discarded it, although its responses were read', async () => {
		const watch = { kind: 'all', except: [] } as const;
		const events: TriggerEvent[] = ['formCreated', 'responseCompleted'];
		const world = new World(['A'], { watch, events }, 'durable');
		await world.publish();
		await world.tick(MINUTE_MS);
		world.forms.B = new Form('B', { createdAt: world.time.now() });
		const created = [{ form: 'B', uuid: 'B', event: 'formCreated' }];
		const discarded = await world.tick(2 * HOUR_MS, { end: 'discarded' });
		expect(discarded.items).toEqual(created);
		expect(begun(discarded.sent)).toContain('B');
		expect((await world.tick(HOUR_MS)).items).toEqual(created);
		expect((await world.tick(HOUR_MS)).items).toEqual([]);
	});

	/** Failures in which the service does not say how long to wait. */
	const passing = fc.constantFrom(
		...['serverError', 'badGateway', 'unauthorized', 'forbidden', 'brokenConnection', 'webPage'],
	);

	it('polls as before as soon as a failure is over', async () => {
		const situation = fc.record({
			name: passing,
			failures: fc.integer({ min: 1, max: 8 }),
			isPublished: fc.boolean(),
			mode: fc.constantFrom('default' as const, 'durable' as const),
		});
		await always(
			fc.asyncProperty(situation, async ({ name, failures, isPublished, mode }) => {
				const world = new World(['A'], {}, mode);
				await world.publish();
				const fault = faults[name];
				for (let failed = 0; failed < failures; ) {
					const { sent } = await world.tick(MINUTE_MS, { fault });
					if (sent.length > 0) failed += 1;
					// n8n tries again to activate what it could not activate
					world.n8n.active = true;
				}
				const isGood = ({ sent }: Outcome) => sent.length > 0;
				if (isPublished) {
					world.time.pass(MINUTE_MS);
					expect(isGood(await world.publish()), 'who publishes wants to know').toBe(true);
				} else while (!isGood(await world.tick(MINUTE_MS)));
				let minutes = 1;
				while (!isGood(await world.tick(MINUTE_MS))) minutes += 1;
				expect(minutes, 'minutes until the next poll').toBeLessThanOrEqual(5);
			}),
			20,
		);
	});
});
