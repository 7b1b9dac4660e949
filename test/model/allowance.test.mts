import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faults, type Fault } from './faults.mts';
import { Form } from './form.mts';
import { mostInADay as mostOf } from './days.mts';
import { DAY_MS, N8n } from './n8n.mts';
import { startProcess, type Process } from './process.mts';
import { always } from './runs.mts';
import type { Sent } from './service.mts';
import { VirtualTime } from './time.mts';
import { MINUTE_MS, settings } from './world.mts';

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
	/** Pages of each form's listing at first, and how many more there are with each listing. */
	pages: number;
	growth: number;
	/** How many listings of a form there are for one with a new response; 0 for none ever. */
	listingsPerResponse: number;
	needsFields: boolean;
	/** Pages of the list of forms, and of the fields of a form. */
	otherPages: number;
	requestsPerDay: number;
};

type Request = { at: number; trigger: number; of: Sent['of'] };

/** A trigger of the account with its n8n and forms, all in one process. */
class Ticker {
	private readonly forms: Record<string, Form> = {};
	readonly n8n: N8n;
	private readonly ticking: Ticking;
	private readonly index: number;
	private readonly time: VirtualTime;
	private readonly pages = new Map<string, number>();
	private readonly listings = new Map<string, number>();

	constructor(ticking: Ticking, index: number, time: VirtualTime, process: Process) {
		this.ticking = ticking;
		this.index = index;
		this.time = time;
		const formIds = Array.from({ length: ticking.forms }, (_, at) => this.idOf(at));
		const { all, needsFields, requestsPerDay } = ticking;
		const watch = all ? { kind: 'all' as const, except: [] } : { kind: 'chosen' as const, formIds };
		const parameters = { ...settings, watch, needsFields, requestsPerDay };
		this.n8n = new N8n('default', parameters, this.forms, time, process);
		this.addForms();
	}

	async tick(faultFor?: () => Fault | undefined): Promise<Request[]> {
		this.addForms();
		const { n8n, index } = this;
		const { sent } = n8n.active
			? await n8n.tick({ faultFor })
			: await n8n.activate('activate', { faultFor });
		// a failure that is reported is one that n8n shows: the ticks go on
		n8n.active = true;
		for (const one of sent) {
			if (one.of === 'responses' && one.page?.isLast) this.wasListed(one.form);
		}
		return sent.map(({ at, of }) => ({ at, trigger: index, of }));
	}

	private idOf(form: number): string {
		return `form-${this.index}-${form}`;
	}

	private addForms(): void {
		const { forms, time, ticking, n8n } = this;
		const days = Math.floor((time.now() - START) / DAY_MS);
		const count = ticking.forms + days * ticking.newForms;
		for (let at = Object.keys(forms).length; at < count; at++) {
			const id = this.idOf(at);
			forms[id] = new Form(id, { createdAt: time.now() });
			this.pages.set(id, ticking.pages);
			while (forms[id].kept.length < 2 * ticking.pages) {
				forms[id].submit(false, time.now() - 60 * MINUTE_MS);
			}
			this.divide(id);
		}
		n8n.service.listPageSize = partOf(count, ticking.otherPages);
		n8n.service.fieldsPageSize = partOf(3, ticking.otherPages);
	}

	/** What comes between two listings of a form. */
	private wasListed(id: string): void {
		const { ticking, time } = this;
		const form = this.forms[id];
		const count = (this.listings.get(id) ?? 0) + 1;
		this.listings.set(id, count);
		this.pages.set(id, this.pages.get(id)! + ticking.growth);
		if (count % ticking.listingsPerResponse !== 0) return;
		form.submit(false, time.now());
		form.kept[form.kept.length - 2 * ticking.pages - 1].deleted = true;
		this.divide(id);
	}

	private divide(id: string): void {
		const { kept } = this.forms[id];
		const shown = kept.filter(({ deleted }) => !deleted).length;
		this.forms[id].pageSize = partOf(shown, Math.floor(this.pages.get(id)!));
	}
}

/** How many there are on each of so many pages. */
function partOf(all: number, pages: number): number {
	return pages === 1 ? Infinity : Math.max(1, Math.ceil(all / pages));
}

/** Some days of n8n's ticks for some triggers, in which some requests fail. Gives all requests. */
async function requestsOf(
	triggers: readonly Ticking[],
	days: number,
	fails: (request: number) => string | undefined = () => undefined,
): Promise<Request[]> {
	const time = new VirtualTime(START);
	const process = startProcess(time);
	const tickers = triggers.map((ticking, index) => new Ticker(ticking, index, time, process));
	const requests: Request[] = [];
	let count = 0;
	const faultFor = () => {
		const name = fails((count += 1));
		return name === undefined ? undefined : faults[name];
	};
	for (const { at, index } of ticksOf(triggers, days)) {
		time.pass(Math.max(0, START + at - time.now()));
		requests.push(...(await tickers[index].tick(faultFor)));
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

const mostInADay = (requests: readonly Request[]) => mostOf(requests.map(({ at }) => at));

const DAYS = 2;

const ticking = (requestsPerDay: number) =>
	fc
		.record({
			from: fc.nat({ max: DAY_MS }),
			length: fc.integer({ min: MINUTE_MS, max: DAYS * DAY_MS }),
			period: fc.constantFrom(
				MINUTE_MS,
				5 * MINUTE_MS,
				7 * MINUTE_MS,
				13 * MINUTE_MS,
				61 * MINUTE_MS,
			),
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
	.constantFrom(1, 7, 24, 100, 300)
	.chain((requestsPerDay) => fc.array(ticking(requestsPerDay), { minLength: 1, maxLength: 6 }));

/** On one form, without responses, at any time. */
const steady: Omit<Ticking, 'period' | 'requestsPerDay'> = {
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
			await always(
				fc.asyncProperty(accounts, fc.nat({ max: 10 }), async (triggers, failing) => {
					const names = Object.keys(faults);
					const fails = (request: number) =>
						(request * 31) % 10 < failing ? names[request % names.length] : undefined;
					const requests = await requestsOf(triggers, DAYS, fails);
					expect(mostInADay(requests)).toBeLessThanOrEqual(triggers[0].requestsPerDay);
				}),
				5,
			);
		},
	);

	it.each([
		['one form', { forms: 1 }],
		['several forms', { forms: 12 }],
		['all forms', { forms: 12, all: true, newForms: 4 }],
	])('keep to it with all that they ask for: %s', async (_text, watched) => {
		const trigger = { ...steady, ...watched, period: 5 * MINUTE_MS, requestsPerDay: 144 };
		const busy = { ...trigger, listingsPerResponse: 1, needsFields: true };
		const requests = await requestsOf([busy, { ...busy, pages: 2 }], 3);
		expect(mostInADay(requests)).toBeLessThanOrEqual(144);
		const lastDay = requests.filter(({ at }) => at >= START + 2 * DAY_MS);
		expect(lastDay.length).toBeGreaterThan(0.85 * 144);
		const kinds = new Set(requests.map(({ of }) => of));
		expect(kinds).toEqual(new Set(['responses', 'forms', 'fields']));
	});

	it.each([1, 3, 10])('use nearly all of it when there are %i and all is well', async (count) => {
		const trigger = { ...steady, period: 5 * MINUTE_MS, requestsPerDay: 144 };
		const requests = await requestsOf(
			Array.from({ length: count }, () => trigger),
			2,
		);
		const secondDay = requests.filter(({ at }) => at >= START + DAY_MS);
		expect(secondDay.length).toBeGreaterThan(0.95 * 144);
	});

	it.each([
		[1, 10],
		[3, 30],
		[10, 100],
	])('poll evenly: %i of them each every %i minutes', async (count, minutes) => {
		const trigger = { ...steady, period: 5 * MINUTE_MS, requestsPerDay: 144 };
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
		['once a day', { period: DAY_MS }, 144],
		['once a week', { period: 7 * DAY_MS }, 144],
		['once a week', { period: 7 * DAY_MS }, 24],
		['each time, with many pages', { period: 5 * MINUTE_MS, pages: 30 }, 48],
	])('poll in spite of one that always could: %s', async (_text, seldom, requestsPerDay) => {
		const days = 22;
		const often = { ...steady, period: 5 * MINUTE_MS, requestsPerDay };
		const other = { ...often, from: 9 * 60 * MINUTE_MS, ...seldom };
		const requests = await requestsOf([often, other], days);
		expect(mostInADay(requests)).toBeLessThanOrEqual(requestsPerDay);
		const polls = requests.filter(({ trigger }) => trigger === 1).map(({ at }) => at);
		const gaps = [...polls, START + days * DAY_MS].map(
			(at, index) => at - (polls[index - 1] ?? START),
		);
		expect(Math.max(...gaps)).toBeLessThan(Math.max(seldom.period, 2 * DAY_MS) + DAY_MS);
	});

	it('go on polling a listing that takes the whole allowance', async () => {
		const trigger = { ...steady, period: 10 * MINUTE_MS, requestsPerDay: 3 };
		for (const pages of [2, 3]) {
			const requests = await requestsOf([{ ...trigger, pages }], 4);
			const days = new Set(requests.map(({ at }) => Math.floor((at - START) / DAY_MS)));
			expect(days.size).toBeGreaterThanOrEqual(3);
			expect(mostInADay(requests)).toBeLessThanOrEqual(3);
		}
	});

	it('ask a service that fails less and less, and then every 30 minutes', async () => {
		const trigger = { ...steady, period: MINUTE_MS, requestsPerDay: 720 };
		const gaps = gapsOf(await requestsOf([trigger], 1, () => 'unauthorized'), 0);
		expect(gaps.slice(0, 3)).toEqual([4, 8, 16]);
		expect(new Set(gaps.slice(3))).toEqual(new Set([30]));
	});
});

/** Minutes between the requests of one trigger. */
function gapsOf(requests: readonly Request[], trigger: number): number[] {
	const times = requests.filter((sent) => sent.trigger === trigger).map(({ at }) => at);
	return times.slice(1).map((time, index) => Math.round((time - times[index]) / MINUTE_MS));
}
