/**
 * Several forms and several triggers: that each gets its turn, both for requests and for room in a poll,
 * and that all of them together keep to Requests per Day.
 */
import fc from 'fast-check';
import lodash from 'lodash';
import { describe, expect, it } from 'vitest';
import { RESPONSE_EVENTS } from '../../nodes/FormService/parameters/watched.ts';
import { startProcess, type Parameters } from './n8n.mts';
import { failAll, faults } from './service.mts';
import { DAY_MINUTES, MINUTE_MS, VirtualTime, countMostInADay } from '../time.mts';
import { always, START, World } from './world.mts';

const createIds = (count: number) => lodash.times(count, (index) => `F${index}`);

/** Minutes from each response of these forms to its delivery. */
const listDelays = (world: World, ids: readonly string[]) =>
	world.oracle
		.listDelays()
		.filter(({ subject }) => ids.includes(subject.id.split('-')[0]))
		.map(({ minutes }) => minutes);

/** The forms whose pages were read, in the order in which they were. */
const listReadings = (world: World): string[] =>
	world.service.sent.filter(({ kind }) => kind === 'responses').map(({ form }) => form);

describe('Room in a poll', () => {
	it.each([
		[1, 1, 'default'],
		[2, 20, 'durable'],
		[10, 20, 'default'],
		[100, 20, 'durable'],
	] as const)(
		'for %i is shared: %i responses a minute delay no other form (%s)',
		async (...given) => {
			const [maxPerPoll, perMinute, mode] = given;
			const world = new World(['A', 'B', 'C'], { maxPerPoll, mode });
			await world.begin();
			await world.run(110, (minute) => {
				lodash.times(perMinute, () => world.submit(world.forms.A));
				if (minute < 100 && minute % 13 === 8) world.submit(world.forms[minute % 2 ? 'B' : 'C']);
			});
			const delays = listDelays(world, ['B', 'C']);
			expect(delays).toHaveLength(8);
			// a form that four times as many requests go to leaves each other one every twelve minutes
			expect(Math.max(...delays)).toBeLessThanOrEqual(12 + 3);
		},
	);

	it('goes to each form in turn, in a poll and from poll to poll', async () => {
		const world = new World(['A', 'B', 'C'], { maxPerPoll: 4, requestsPerDay: 86_400 });
		const { A, B, C } = world.forms;
		await world.begin();
		for (const form of [A, A, A, B, B, C]) world.submit(form);
		const listForms = async () =>
			(await world.tick(MINUTE_MS)).items.map(({ form }) => form.id).toSorted();
		expect(await listForms()).toEqual(['A', 'A', 'B', 'C']);
		world.n8n.parameters = { ...world.n8n.parameters, maxPerPoll: 1 };
		// A and B have one left each, and C a new one
		world.submit(C);
		const items = [await listForms(), await listForms(), await listForms()];
		expect(items.flat().sort()).toEqual(['A', 'B', 'C']);
	});

	it('that is used up leaves responses to the next polls, without another request', async () => {
		const world = new World(['A'], { maxPerPoll: 2 });
		await world.begin();
		lodash.times(7, () => world.submit(world.forms.A));
		for (let poll = 0; poll < 40; poll++) await world.tick(5_000);
		const counts = world.polls.map(({ items }) => items.length).filter((count) => count > 0);
		expect(counts).toEqual([2, 2, 2, 1]);
		expect(listReadings(world)).toHaveLength(2);
	});
});

describe('Turns of forms', () => {
	it.each([
		[7, 'default', 12_000],
		[25, 'default', 5_000],
		[25, 'durable', 2_000],
	] as const)(
		'come round: none of %i is read twice before another (%s)',
		async (count, mode, latencyMs) => {
			// so many requests that all forms are due at each poll
			const world = new World(createIds(count), { mode, requestsPerDay: 864_000 });
			await world.begin({ latencyMs });
			await world.run(20, (minute) => world.submit(world.forms[`F${minute % 3}`]), { latencyMs });
			for (const turn of lodash.chunk(listReadings(world), count)) {
				expect(new Set(turn).size, `different forms in ${turn.join()}`).toBe(turn.length);
			}
		},
	);

	it('come sooner for two busy ones of ten: 4.5 minutes on average', async () => {
		const ids = createIds(10);
		const world = new World(ids);
		await world.begin();
		await world.run(2 * DAY_MINUTES, (minute) => {
			if (minute % 10 === 3) world.submit(world.forms.F0);
			if (minute % 10 === 8) world.submit(world.forms.F1);
			if (minute % 240 === 11) world.submit(world.forms[`F${2 + (Math.floor(minute / 240) % 8)}`]);
		});
		await world.run(60);
		expect(world.oracle.listMissing()).toEqual([]);
		const busy = listDelays(world, ['F0', 'F1']).slice(DAY_MINUTES / 5);
		expect(lodash.mean(busy)).toBeLessThan(4.8);
		expect(lodash.mean(listDelays(world, ids.slice(2)))).toBeLessThan(20);
	});
});

/** Triggers of one account in one process, each with forms of its own. */
function createTriggers(all: ReadonlyArray<Partial<Parameters> & { forms?: number }>): World[] {
	const time = new VirtualTime(START);
	const process = startProcess(time);
	return all.map(({ forms = 1, ...given }, index) => {
		const ids = createIds(forms).map((id) => `${id}${'abcdefghij'[index]}`);
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

describe('Requests per Day', () => {
	it.each([
		[1, 10],
		[3, 30],
		[10, 100],
	])('are spread evenly: %i triggers poll every %i minutes each', async (count, minutes) => {
		const worlds = createTriggers(lodash.times(count, () => ({ requestsPerDay: 144 })));
		await runTriggers(worlds, DAY_MINUTES, 5);
		for (const { requestTimes } of worlds) {
			// the first gaps are those of triggers that did not know of each other yet
			const gaps = requestTimes.slice(3).map((at, index) => at - requestTimes[index + 2]);
			expect(new Set(gaps.map((ms) => Math.round(ms / MINUTE_MS)))).toEqual(new Set([minutes]));
		}
	});

	it('are kept by all triggers of an account, whatever they watch and whatever fails', async () => {
		const trigger = fc.record({
			forms: fc.constantFrom(1, 2, 6),
			events: fc.subarray([...RESPONSE_EVENTS], { minLength: 1 }),
			isAll: fc.boolean(),
			needsFields: fc.boolean(),
			pageSize: fc.constantFrom(2, 3, Infinity),
			order: fc.constantFrom('newest' as const, 'oldest' as const, 'shuffled' as const),
			requestsPerDay: fc.constantFrom(144, 720),
		});
		const failing = fc.constantFrom(undefined, faults.serverError, faults.cutBody);
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
						return fault !== undefined && minute % 50 === 0 ? failAll(fault) : {};
					});
					const most = Math.max(...given.map(({ requestsPerDay }) => requestsPerDay));
					const times = worlds.flatMap(({ requestTimes }) => requestTimes);
					const counted = lodash.sortBy(times.filter((at) => at >= sinceMs));
					const formCount = lodash.sumBy(given, 'forms');
					const bound = Math.max(Math.ceil(1.1 * most), most + 2 * formCount);
					expect(countMostInADay(counted)).toBeLessThanOrEqual(bound);
				},
			),
			3,
		);
	});

	it('are used to the last one, and not exceeded, by a form of one page', async () => {
		const world = new World(['A'], { requestsPerDay: 144 });
		await world.begin();
		await world.run(60);
		const before = world.requestTimes.length;
		await world.run(DAY_MINUTES);
		expect(world.requestTimes.length - before).toBe(144);
	});

	it('are kept where somebody publishes again and again while the service fails', async () => {
		const world = new World(['A']);
		await world.begin();
		await world.run(10);
		const before = world.service.sent.length;
		for (let count = 10; count > 0; count--) {
			await world.publish(failAll(faults.serverError));
			world.time.pass(MINUTE_MS);
		}
		await world.publish();
		await world.run(30);
		expect(world.service.sent.length - before).toBeLessThanOrEqual(21);
	});

	it('suffice for a list that takes them all', async () => {
		const world = new World(['A'], { requestsPerDay: 3 });
		const { A } = world.forms;
		Object.assign(A, { pageSize: 1, order: 'shuffled' });
		lodash.times(4, () => A.submit(false, START - MINUTE_MS));
		await world.begin();
		await world.run(4 * DAY_MINUTES, (minute) => minute === 10 && world.submit(A), {
			periodMinutes: 10,
		});
		expect(world.oracle.listMissing()).toEqual([]);
		expect(countMostInADay(world.requestTimes.slice(5))).toBeLessThanOrEqual(4);
	});
});
