/**
 * Several forms and several triggers: that each gets its turn, both for requests and for room in a poll,
 * and that all of them together keep to Requests per Day.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENTS, type Parameters } from './n8n.mts';
import { startProcess } from './process.mts';
import { always } from './runs.mts';
import { faults, type FaultName } from './service.mts';
import { MINUTE_MS, VirtualTime } from './time.mts';
import { failAll, START, World } from './world.mts';

const DAY_MINUTES = 24 * 60;

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `F${index}`);

const mean = (values: readonly number[]) =>
	values.reduce((sum, value) => sum + value, 0) / values.length;

/** Minutes from each response of these forms to its delivery. */
const delaysOf = (world: World, ...ids: string[]) =>
	[...world.oracle.delays()]
		.filter(([key]) => ids.includes(key.split('-')[0]))
		.map(([, minutes]) => minutes);

/** The forms whose listings were begun, in the order in which they were. */
const readings = (world: World): string[] =>
	world.n8n.sent.filter(({ kind }) => kind === 'responses').map(({ form }) => form);

/** The gaps in minutes between the requests of a trigger. */
const gaps = ({ n8n: { requestTimes } }: World) =>
	requestTimes.slice(1).map((at, index) => Math.round((at - requestTimes[index]) / MINUTE_MS));

describe('Room in a poll', () => {
	it('is shared in turns: a form that many respond to delays no other', async () => {
		const situation = fc.record({
			maxPerPoll: fc.constantFrom(1, 2, 10, 100),
			perMinute: fc.constantFrom(1, 3, 20),
			mode: fc.constantFrom('default' as const, 'durable' as const),
			minutes: fc.uniqueArray(fc.integer({ min: 20, max: 90 }), { minLength: 2, maxLength: 6 }),
		});
		await always(
			fc.asyncProperty(situation, async ({ perMinute, minutes, ...given }) => {
				const world = new World(['A', 'B', 'C'], given);
				await world.begin();
				await world.run(110, (minute) => {
					for (let count = perMinute; count > 0; count--) world.submit(world.forms.A);
					if (minutes.includes(minute)) world.submit(world.forms[minute % 2 ? 'B' : 'C']);
				});
				const delays = delaysOf(world, 'B', 'C');
				expect(delays).toHaveLength(minutes.length);
				// each form is read every six minutes, and then waits for two others and its own kind
				for (const delay of delays) expect(delay).toBeLessThanOrEqual(6 + 3 + minutes.length);
			}),
			3,
		);
	});

	it('goes to each form once before one gets it again', async () => {
		const world = new World(['A', 'B', 'C'], { maxPerPoll: 1, requestsPerDay: 86_400 });
		const { A, B, C } = world.forms;
		await world.begin();
		for (const form of [A, A, A, A, B, C]) world.submit(form);
		await world.run(3);
		expect(new Set(world.polls.flatMap(({ items }) => items.map(({ form }) => form))).size).toBe(3);
	});

	it('is used up: what had none comes with the next polls, without another request', async () => {
		const world = new World(['A'], { maxPerPoll: 2 });
		await world.begin();
		for (let count = 7; count > 0; count--) world.submit(world.forms.A);
		const counts: number[] = [];
		for (let poll = 0; poll < 40; poll++) {
			const { items } = await world.tick(5_000);
			if (items.length > 0) counts.push(items.length);
		}
		expect(counts).toEqual([2, 2, 2, 1]);
		expect(readings(world)).toHaveLength(2);
	});

	it('is shared with new forms', async () => {
		const watch = { kind: 'all', except: [] } as const;
		const world = new World(['A'], {
			watch,
			events: ['formCreated', 'responseCompleted'],
			maxPerPoll: 2,
		});
		await world.begin();
		for (const id of ['B', 'C', 'D']) world.submit(world.createForm(id));
		for (let count = 3; count > 0; count--) world.submit(world.forms.A);
		await world.run(80);
		expect(world.missing()).toEqual([]);
	});
});

describe('Turns of forms', () => {
	it('come round: none is read twice before another one that is due', async () => {
		const situation = fc.record({
			count: fc.integer({ min: 2, max: 25 }),
			mode: fc.constantFrom('default' as const, 'durable' as const),
			latencyMs: fc.constantFrom(500, 2_000, 5_000, 12_000),
			changes: fc.array(fc.array(fc.nat({ max: 24 }), { maxLength: 4 }), { maxLength: 20 }),
		});
		await always(
			fc.asyncProperty(situation, async ({ count, mode, latencyMs, changes }) => {
				// so many requests that all forms are due at each poll
				const world = new World(idsOf(count), { mode, requestsPerDay: 864_000 });
				const forms = Object.values(world.forms);
				await world.begin({ latencyMs });
				const happen = (minute: number) => {
					for (const at of changes[minute - 1] ?? []) world.submit(forms[at % count]);
				};
				await world.run(20, happen, { latencyMs });
				const turns = readings(world);
				for (const [index, form] of turns.entries()) {
					const next = turns.indexOf(form, index + 1);
					const others = new Set(turns.slice(index + 1, next));
					if (next >= 0) expect(others.size, `read before form ${form} again`).toBe(count - 1);
				}
			}),
			10,
		);
	});

	it('come sooner for two busy ones of ten: 4.5 minutes on average', async () => {
		const world = new World(idsOf(10));
		const [one, other] = Object.values(world.forms);
		await world.begin();
		await world.run(3 * DAY_MINUTES, (minute) => {
			if (minute % 10 === 3) world.submit(one);
			if (minute % 10 === 8) world.submit(other);
			if (minute % 240 === 11) world.submit(world.forms[`F${2 + ((minute / 240) % 8 | 0)}`]);
		});
		await world.run(60);
		expect(world.missing()).toEqual([]);
		const lastDay = delaysOf(world, 'F0', 'F1').slice(DAY_MINUTES / 5);
		expect(mean(lastDay)).toBeLessThan(4.8);
		expect(mean(delaysOf(world, ...idsOf(10).slice(2)))).toBeLessThan(20);
	});
});

/** Triggers of one account in one process, each with forms of its own. */
function createTriggers(all: ReadonlyArray<Partial<Parameters> & { forms?: number }>): World[] {
	const time = new VirtualTime(START);
	const process = startProcess(time);
	return all.map(({ forms = 1, ...given }, index) => {
		const ids = idsOf(forms).map((id) => `${id}${'abcdefghij'[index]}`);
		return new World(ids, { ...given, time, process });
	});
}

/** n8n polls each trigger each so many minutes, in which something may happen. */
async function runTriggers(
	worlds: readonly World[],
	minutes: number,
	periodMinutes: number,
	circumstances: (minute: number) => object = () => ({}),
): Promise<void> {
	const [{ time }] = worlds;
	const from = time.actual();
	for (const world of worlds) if (!world.n8n.active) await world.begin();
	for (let minute = periodMinutes; minute <= minutes; minute += periodMinutes) {
		time.pass(Math.max(0, from + minute * MINUTE_MS - time.actual()));
		for (const world of worlds) await world.tick(0, circumstances(minute));
	}
}

const sentBy = (worlds: readonly World[], sinceMs: number) =>
	worlds
		.flatMap(({ n8n }) => n8n.requestTimes)
		.filter((at) => at >= sinceMs)
		.sort((a, b) => a - b);

describe('Requests per Day', () => {
	it.each([
		[1, 10],
		[3, 30],
		[10, 100],
	])('are spread evenly: %i triggers poll every %i minutes each', async (count, minutes) => {
		const worlds = createTriggers(Array.from({ length: count }, () => ({ requestsPerDay: 144 })));
		await runTriggers(worlds, DAY_MINUTES, 5);
		// the first gaps are those of triggers that did not know of each other yet
		for (const world of worlds) expect(new Set(gaps(world).slice(2))).toEqual(new Set([minutes]));
	});

	it('are kept by all triggers of an account, whatever they watch and whatever fails', async () => {
		const trigger = fc.record({
			forms: fc.constantFrom(1, 2, 6),
			events: fc.subarray(
				[...EVENTS].filter((event) => event !== 'formCreated'),
				{ minLength: 1 },
			),
			isAll: fc.boolean(),
			needsFields: fc.boolean(),
			pageSize: fc.constantFrom(2, 3, Infinity),
			order: fc.constantFrom('newest' as const, 'oldest' as const, 'shuffled' as const),
			requestsPerDay: fc.constantFrom(144, 720),
		});
		const failing = fc.constantFrom<Array<FaultName | undefined>>(
			undefined,
			'serverError',
			'cutBody',
		);
		await always(
			fc.asyncProperty(
				fc.array(trigger, { minLength: 1, maxLength: 4 }),
				failing,
				async (given, fault) => {
					const worlds = createTriggers(
						given.map(({ isAll, ...rest }) =>
							isAll ? { ...rest, watch: { kind: 'all', except: [] } } : rest,
						),
					);
					for (const [index, { forms }] of worlds.entries()) {
						const { pageSize, order } = given[index];
						for (const form of Object.values(forms)) {
							Object.assign(form, { pageSize, order });
							for (let count = 6; count > 0; count--) form.submit(false, START - MINUTE_MS);
						}
					}
					await runTriggers(worlds, 120, 5);
					const sinceMs = worlds[0].time.actual();
					await runTriggers(worlds, 2 * DAY_MINUTES, 5, (minute) => {
						for (const world of worlds) {
							if (minute % 65 === 0)
								for (const form of Object.values(world.forms)) world.submit(form);
						}
						return fault !== undefined && minute % 50 === 0 ? failAll(faults[fault]) : {};
					});
					const most = Math.max(...given.map(({ requestsPerDay }) => requestsPerDay));
					const times = sentBy(worlds, sinceMs);
					expect(worlds[0].mostInADay(times)).toBeLessThanOrEqual(Math.ceil(1.1 * most));
				},
			),
			3,
		);
	});

	it('are used: about so many are sent where there is something to read', async () => {
		const worlds = createTriggers([{ forms: 12, requestsPerDay: 144 }, { requestsPerDay: 144 }]);
		await runTriggers(worlds, 2 * DAY_MINUTES, 5);
		const lastDay = sentBy(worlds, START + DAY_MINUTES * MINUTE_MS);
		expect(lastDay.length).toBeGreaterThan(0.9 * 144);
		expect(lastDay.length).toBeLessThanOrEqual(1.1 * 144);
	});

	it('are kept where somebody publishes again and again while the service fails', async () => {
		const world = new World(['A']);
		await world.begin();
		await world.run(10);
		const before = world.n8n.sent.length;
		for (let count = 10; count > 0; count--) {
			await world.publish(failAll(faults.serverError));
			world.time.pass(MINUTE_MS);
		}
		await world.publish();
		await world.run(30);
		expect(world.n8n.sent.length - before).toBeLessThanOrEqual(21);
	});

	it('suffice for a list that takes them all', async () => {
		const world = new World(['A'], { requestsPerDay: 3 });
		const { A } = world.forms;
		Object.assign(A, { pageSize: 1, order: 'shuffled' });
		for (let count = 4; count > 0; count--) A.submit(false, START - MINUTE_MS);
		await world.begin();
		await world.run(4 * DAY_MINUTES, (minute) => minute === 10 && world.submit(A), {
			periodMinutes: 10,
		});
		expect(world.missing()).toEqual([]);
		expect(world.mostInADay(world.n8n.requestTimes.slice(5))).toBeLessThanOrEqual(4);
	});
});
