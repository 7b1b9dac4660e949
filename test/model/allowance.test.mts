import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { Memory } from '../../nodes/FormService/trigger/memory.ts';
import { poll } from '../../nodes/FormService/trigger/poll.ts';
import type { Dependencies, Trigger } from '../../nodes/FormService/trigger/dependencies.ts';
import { node } from '../unit/trigger/polling.mts';
import { errorOf, faults } from './faults.mts';
import { runs } from './runs.mts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const START = Date.UTC(2026, 10, 21);

/** One trigger on the account, and when n8n gives it ticks. Times in milliseconds. */
type Ticking = {
	from: number;
	to: number;
	period: number;
	/** How much later than in time each tick comes at most. */
	jitter: number;
	/** Whether it watches all forms of the workspace, so many at first and so many more a day. */
	all: boolean;
	forms: number;
	newForms: number;
	/** Pages of each form's listing at first, and how many more there are with each look. */
	pages: number;
	growth: number;
	/** How many listings of a form there are for one with a new response; 0 for none ever. */
	listingsPerResponse: number;
	needsFields: boolean;
	/** Pages of the list of forms, and of the fields of a form. */
	otherPages: number;
	requestsPerDay: number;
};

type Sent = { at: number; trigger: number; of: 'responses' | 'forms' | 'fields' };

/** Some days of n8n's ticks for some triggers, in which some looks fail. Gives all requests. */
async function requestsOf(
	triggers: readonly Ticking[],
	days: number,
	fails: (look: number) => string | undefined = () => undefined,
): Promise<Sent[]> {
	const clock = { now: START };
	const memory = new Memory();
	const requests: Sent[] = [];
	let looks = 0;
	const running = triggers.map((ticking, index) => {
		const staticData: IDataObject = {};
		let { pages } = ticking;
		const listings = new Map<string, number>();
		const idOf = (form: number) => `form-${index}-${form}`;
		const dependencies = (): Dependencies => {
			let sent = 0;
			/** Reads a list of so many pages; gives whether it was read to its end. */
			const read = async (of: Sent['of'], all: number, goOn: () => boolean) => {
				const fault = fails((looks += 1));
				for (let page = 0; page === 0 || page < all; page++) {
					if (page > 0 && !goOn()) return false;
					sent += 1;
					requests.push({ at: clock.now, trigger: index, of });
					await Promise.resolve();
					if (fault !== undefined) throw errorOf(node, faults[fault]);
				}
				return true;
			};
			return {
				node,
				now: () => clock.now,
				log: { info: () => undefined, warn: () => undefined },
				requestsSent: () => sent,
				async listForms(goOn) {
					const complete = await read('forms', ticking.otherPages, goOn);
					const days = Math.floor((clock.now - START) / DAY_MS);
					const count = ticking.forms + days * ticking.newForms;
					return {
						records: Array.from({ length: count }, (_, at) => ({ id: idOf(at) })),
						complete,
					};
				},
				listFields: async (_formId, goOn) => ({
					records: [],
					complete: await read('fields', ticking.otherPages, goOn),
				}),
				async listResponses(formId, goOn) {
					const complete = await read('responses', pages, goOn);
					pages += ticking.growth;
					const count = (listings.get(formId) ?? 0) + 1;
					listings.set(formId, count);
					const responses = Math.floor(count / (ticking.listingsPerResponse || Infinity));
					const records = Array.from({ length: responses }, (_, at) => ({ id: `${at}` }));
					return { records, complete };
				},
				toItem: async () => ({ json: {} }),
				toItemWithoutFiles: async () => ({ json: {} }),
			};
		};
		let isFirst = true;
		return async () => {
			const trigger: Trigger = {
				key: `trigger-${index}`,
				account: 'account',
				service: 'forms.example.com',
				watch: ticking.all
					? { kind: 'all', except: [] }
					: { kind: 'chosen', formIds: Array.from({ length: ticking.forms }, (_, at) => idOf(at)) },
				names: new Map(),
				abandonedAfterMs: DAY_MS,
				conditions: { match: 'all', conditions: [], zone: 'utc' },
				events: ['responseCompleted'],
				emitExisting: false,
				maxPerPoll: 100,
				requestsPerDay: ticking.requestsPerDay,
				needsFields: ticking.needsFields,
				reason: isFirst ? 'publish' : 'tick',
				budgetMs: 5 * MINUTE_MS,
			};
			isFirst = false;
			// a failure that is told is one that n8n shows: the ticks go on
			await poll(trigger, staticData, memory, dependencies()).catch(() => null);
		};
	});
	for (const { at, index } of ticksOf(triggers, days)) {
		clock.now = START + at;
		await running[index]();
	}
	return requests;
}

function ticksOf(triggers: readonly Ticking[], days: number): Array<{ at: number; index: number }> {
	return triggers
		.flatMap(({ from, to, period, jitter }, index) => {
			const end = Math.min(to, days * DAY_MS);
			const count = Math.max(0, Math.ceil((end - from) / period));
			return Array.from({ length: count }, (_, tick) => ({
				at: from + tick * period + ((tick * 7_919) % (jitter + 1)),
				index,
			}));
		})
		.sort((left, right) => left.at - right.at);
}

/** The most requests that fall into any 24 hours. */
function mostInADay(requests: readonly Sent[]): number {
	let first = 0;
	return requests.reduce((most, { at }, last) => {
		while (requests[first].at <= at - DAY_MS) first += 1;
		return Math.max(most, last - first + 1);
	}, 0);
}

const DAYS = 2;

const ticking = (requestsPerDay: number) =>
	fc
		.record({
			from: fc.nat({ max: DAY_MS }),
			length: fc.integer({ min: MINUTE_MS, max: DAYS * DAY_MS }),
			period: fc.constantFrom(10_000, MINUTE_MS, 2 * MINUTE_MS, 7 * MINUTE_MS, 61 * MINUTE_MS),
			jitter: fc.constantFrom(0, 300, 9_000),
			all: fc.boolean(),
			forms: fc.constantFrom(1, 1, 2, 6),
			newForms: fc.constantFrom(0, 4),
			pages: fc.constantFrom(1, 1, 1, 2, 5),
			growth: fc.constantFrom(0, 0, 0, 0.01, 1),
			listingsPerResponse: fc.constantFrom(0, 1, 3),
			needsFields: fc.boolean(),
			otherPages: fc.constantFrom(1, 1, 1, 3),
		})
		.map(({ length, ...rest }) => ({ ...rest, to: rest.from + length, requestsPerDay }));

const accounts = fc
	.constantFrom(1, 7, 24, 100, 720)
	.chain((requestsPerDay) => fc.array(ticking(requestsPerDay), { minLength: 1, maxLength: 10 }));

/** On one form, without responses, at any time. */
const always: Omit<Ticking, 'period' | 'requestsPerDay'> = {
	from: 0,
	to: Infinity,
	jitter: 300,
	all: false,
	forms: 1,
	newForms: 0,
	pages: 1,
	growth: 0,
	listingsPerResponse: 0,
	needsFields: false,
	otherPages: 1,
};

describe('The triggers of an account', () => {
	it(
		'never make more requests than their allowance in any 24 hours',
		{ timeout: 3_600_000 },
		async () => {
			await fc.assert(
				fc.asyncProperty(accounts, fc.nat({ max: 10 }), async (triggers, failing) => {
					const names = Object.keys(faults);
					const fails = (look: number) =>
						(look * 31) % 10 < failing ? names[look % names.length] : undefined;
					const requests = await requestsOf(triggers, DAYS, fails);
					expect(mostInADay(requests)).toBeLessThanOrEqual(triggers[0].requestsPerDay);
				}),
				runs(60),
			);
		},
	);

	it.each([
		['one form', { forms: 1 }],
		['several forms', { forms: 12 }],
		['all forms', { forms: 12, all: true, newForms: 4 }],
	])('keep to it with all that they ask for: %s', async (_text, watched) => {
		const trigger = { ...always, ...watched, period: MINUTE_MS, requestsPerDay: 720 };
		const busy = { ...trigger, listingsPerResponse: 1, needsFields: true };
		const requests = await requestsOf([busy, { ...busy, pages: 2 }], 3);
		expect(mostInADay(requests)).toBeLessThanOrEqual(720);
		const lastDay = requests.filter(({ at }) => at >= START + 2 * DAY_MS);
		expect(lastDay.length).toBeGreaterThan(0.85 * 720);
		const kinds = new Set(requests.map(({ of }) => of));
		expect(kinds).toEqual(new Set(['responses', 'forms', 'fields']));
	});

	it.each([1, 3, 10])('use nearly all of it when there are %i and all is well', async (count) => {
		const trigger = { ...always, period: MINUTE_MS, requestsPerDay: 720 };
		const requests = await requestsOf(
			Array.from({ length: count }, () => trigger),
			2,
		);
		const secondDay = requests.filter(({ at }) => at >= START + DAY_MS);
		expect(secondDay.length).toBeGreaterThan(0.95 * 720);
	});

	it.each([
		[1, 2],
		[3, 6],
		[10, 20],
	])('look evenly: %i of them each every %i minutes', async (count, minutes) => {
		const trigger = { ...always, period: MINUTE_MS, requestsPerDay: 720 };
		const requests = await requestsOf(
			Array.from({ length: count }, () => trigger),
			1,
		);
		for (let index = 0; index < count; index++) {
			// the first gaps are those of triggers that did not know of each other yet
			const gaps = gapsOf(requests, index).slice(1);
			expect(new Set(gaps)).toEqual(new Set([minutes]));
		}
	});

	it.each([
		['once a day', { period: DAY_MS }, 720],
		['once a week', { period: 7 * DAY_MS }, 720],
		['once a week', { period: 7 * DAY_MS }, 24],
		['each minute, with many pages', { period: MINUTE_MS, pages: 30 }, 48],
	])('look in spite of one that always could: %s', async (_text, seldom, requestsPerDay) => {
		const days = 22;
		const often = { ...always, period: MINUTE_MS, requestsPerDay };
		const other = { ...often, from: 9 * 60 * MINUTE_MS, ...seldom };
		const requests = await requestsOf([often, other], days);
		expect(mostInADay(requests)).toBeLessThanOrEqual(requestsPerDay);
		const looks = requests.filter(({ trigger }) => trigger === 1).map(({ at }) => at);
		const gaps = [...looks, START + days * DAY_MS].map(
			(at, index) => at - (looks[index - 1] ?? START),
		);
		expect(Math.max(...gaps)).toBeLessThan(Math.max(seldom.period, 2 * DAY_MS) + DAY_MS);
	});

	it('go on looking at a listing that takes the whole allowance', async () => {
		const trigger = { ...always, period: 10 * MINUTE_MS, requestsPerDay: 3 };
		for (const pages of [2, 3]) {
			const requests = await requestsOf([{ ...trigger, pages }], 4);
			const days = new Set(requests.map(({ at }) => Math.floor((at - START) / DAY_MS)));
			expect(days.size).toBeGreaterThanOrEqual(3);
			expect(mostInADay(requests)).toBeLessThanOrEqual(3);
		}
	});

	it('ask a service that fails less and less, and then every 30 minutes', async () => {
		const trigger = { ...always, period: MINUTE_MS, requestsPerDay: 720 };
		const gaps = gapsOf(await requestsOf([trigger], 1, () => 'unauthorized'), 0);
		expect(gaps.slice(0, 3)).toEqual([4, 8, 16]);
		expect(new Set(gaps.slice(3))).toEqual(new Set([30]));
	});
});

/** Minutes between the requests of one trigger. */
function gapsOf(requests: readonly Sent[], trigger: number): number[] {
	const times = requests.filter((sent) => sent.trigger === trigger).map(({ at }) => at);
	return times.slice(1).map((time, index) => Math.round((time - times[index]) / MINUTE_MS));
}
