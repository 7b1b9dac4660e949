import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Form, type Order } from './form.mts';
import { N8n } from './n8n.mts';
import { runs } from './runs.mts';
import { VirtualTime } from './time.mts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const START = Date.UTC(2026, 10, 21);
const REQUESTS_PER_DAY = 720;

/** Something that happens to a form in a minute, to the response with such a number. */
type Happening = { minute: number; kind: 'submit' | 'begin' | 'complete' | 'delete'; at: number };

/** A form whose listing takes 67 requests, one trigger that has the whole allowance, and ticks each minute. */
class Days {
	readonly form = new Form('A');
	readonly n8n: N8n;
	/** The messages of the errors that people see. */
	readonly told: string[] = [];
	private readonly time = new VirtualTime(START);
	/** When each response was submitted, and when it was delivered, in minutes. */
	private readonly submittedAt = new Map<string, number>();
	private readonly deliveredAt = new Map<string, number[]>();

	constructor(order: Order) {
		Object.assign(this.form, { order, pageSize: 3, hasTotals: true });
		for (let number = 0; number < 200; number++) this.form.submit(number % 20 === 0, START);
		const given = {
			watch: { kind: 'chosen', formIds: ['A'] } as const,
			events: ['responseCompleted'] as const,
			condition: undefined,
			needsFields: false,
			downloadFiles: false,
			emitExisting: false,
			maxPerPoll: 100,
			requestsPerDay: REQUESTS_PER_DAY,
		};
		this.n8n = new N8n('default', given, { A: this.form }, this.time);
	}

	/** @param latencyMs how long each page takes once the workflow is active */
	async run(days: number, happenings: readonly Happening[], latencyMs = 0): Promise<void> {
		await this.n8n.activate('activate');
		const byMinute = Map.groupBy(happenings, ({ minute }) => minute);
		for (let minute = 1; minute <= days * DAY_MINUTES; minute++) {
			// a poll can take longer than the time to the next tick
			this.time.pass(Math.max(0, START + minute * MINUTE_MS - this.time.now()));
			for (const one of byMinute.get(minute) ?? []) this.happen(one);
			const { items, thrown } = await this.n8n.tick({ latencyMs });
			if (thrown instanceof Error) this.told.push(thrown.message);
			for (const { uuid } of items) {
				this.deliveredAt.set(uuid, [...(this.deliveredAt.get(uuid) ?? []), minute]);
			}
		}
	}

	private happen({ minute, kind, at }: Happening): void {
		const { form } = this;
		if (kind === 'submit' || kind === 'begin') {
			const { uuid } = form.submit(kind === 'begin', this.time.now());
			if (kind === 'submit') this.submittedAt.set(uuid, minute);
			return;
		}
		const isMeant = kind === 'complete' ? this.isOpen : this.isOver;
		const meant = form.kept.filter((response) => !response.deleted && isMeant(response));
		const response = meant[at % meant.length];
		if (response === undefined) return;
		if (kind === 'delete') response.deleted = true;
		else {
			response.incomplete = false;
			this.submittedAt.set(response.uuid, minute);
		}
	}

	private readonly isOpen = ({ incomplete }: { incomplete: boolean }) => incomplete;
	/** What is deleted before it was seen cannot be delivered. */
	private readonly isOver = ({ uuid, incomplete }: { uuid: string; incomplete: boolean }) =>
		!incomplete && (!this.submittedAt.has(uuid) || this.deliveredAt.has(uuid));

	expectAllOnce(): void {
		const submitted = [...this.submittedAt.keys()].sort();
		expect([...this.deliveredAt.keys()].sort()).toEqual(submitted);
		for (const times of this.deliveredAt.values()) expect(times).toHaveLength(1);
	}

	/** Minutes from each submission to its delivery. */
	delays(): number[] {
		return [...this.submittedAt].map(([uuid, at]) => this.deliveredAt.get(uuid)![0] - at);
	}

	/** The most requests that fall into any 24 hours. */
	mostInADay(): number {
		const times = this.n8n.requestTimes;
		const dayMs = DAY_MINUTES * MINUTE_MS;
		let first = 0;
		return times.reduce((most, at, last) => {
			while (times[first] <= at - dayMs) first += 1;
			return Math.max(most, last - first + 1);
		}, 0);
	}
}

const mean = (values: readonly number[]) =>
	values.reduce((sum, value) => sum + value, 0) / values.length;

const DAYS = 2;

/** Days in which everything can happen, and one and a half without, in which all has to be delivered. */
const happenings = fc.array(
	fc.record<Happening>({
		minute: fc.integer({ min: 1, max: DAYS * DAY_MINUTES }),
		kind: fc.constantFrom('submit', 'submit', 'submit', 'begin', 'complete', 'delete'),
		at: fc.nat({ max: 1_000 }),
	}),
	{ maxLength: 120 },
);

/** One response in each 40 minutes. */
const steady = Array.from({ length: 72 }, (_, index): Happening => {
	return { minute: 7 + 40 * index, kind: 'submit', at: 0 };
});

describe('A form of 67 pages', () => {
	it.each<Order>(['newest', 'oldest', 'shuffled'])(
		'loses nothing and keeps to the allowance, whatever happens (%s first)',
		{ timeout: 3_600_000 },
		async (order) => {
			await fc.assert(
				fc.asyncProperty(happenings, async (given) => {
					const days = new Days(order);
					await days.run(DAYS + 1.5, given);
					days.expectAllOnce();
					expect(days.mostInADay()).toBeLessThanOrEqual(REQUESTS_PER_DAY);
				}),
				runs(2),
			);
		},
	);

	it.each<Order>(['newest', 'oldest'])(
		'delivers new responses within minutes where the pages are in order (%s first)',
		async (order) => {
			const days = new Days(order);
			await days.run(DAYS + 0.5, steady);
			days.expectAllOnce();
			expect(mean(days.delays())).toBeLessThan(6);
		},
	);

	it('delivers them as before where the pages are in no order', async () => {
		const days = new Days('shuffled');
		await days.run(DAYS + 0.5, steady);
		days.expectAllOnce();
		expect(mean(days.delays())).toBeLessThan(134);
	});

	it('delivers them within minutes also while others are deleted', async () => {
		const days = new Days('newest');
		const deletions = steady.map((one): Happening => ({ ...one, kind: 'delete', at: 50 }));
		await days.run(DAYS + 0.5, [...steady, ...deletions]);
		days.expectAllOnce();
		expect(mean(days.delays())).toBeLessThan(6);
	});

	it('goes on with it where there is no time for all pages, and says so', async () => {
		const days = new Days('newest');
		await days.run(DAYS + 0.5, steady, 6_000);
		days.expectAllOnce();
		expect(Math.max(...days.delays())).toBeLessThan(35);
		expect(days.told[0]).toContain("Couldn't read all responses");
	});
});
