import { expect } from 'vitest';
import { Form, type Kept, type Order, type Paging } from './form.mts';
import { N8n, type Circumstances, type Outcome, type Parameters } from './n8n.mts';
import { startProcess } from './process.mts';
import { VirtualTime } from './time.mts';
import { settings } from './world.mts';

const MINUTE_MS = 60_000;
export const DAY_MINUTES = 24 * 60;
const START = Date.UTC(2026, 10, 21);

/**
 * Something that happens in a minute: to the response with such a number, or to the machine's clock,
 * which is set by so many minutes. `appear`: one that was hidden until now is in the listing, at its place.
 */
export type Happening = {
	minute: number;
	kind: 'submit' | 'burst' | 'begin' | 'complete' | 'appear' | 'delete' | 'clock';
	at: number;
};

type Setting = {
	order: Order;
	pages?: number;
	paging?: Paging;
	hasTotals?: boolean;
	requestsPerDay?: number;
	/** Minutes from one tick to the next. */
	period?: number;
};

const PAGE_SIZE = 3;

/** Days of one form of many pages, and of one trigger that has the whole allowance. */
export class Days {
	readonly form = new Form('A');
	readonly n8n: N8n;
	readonly time = new VirtualTime(START);
	/** The messages of the errors that people see. */
	readonly told: string[] = [];
	/** When each response was submitted, and when it was delivered, in minutes. */
	readonly submittedAt = new Map<string, number>();
	private readonly deliveredAt = new Map<string, number[]>();
	/** Those that were incomplete or hidden before, so that they can be on any page. */
	readonly elsewhere = new Set<string>();
	private readonly hidden: Kept[] = [];
	private readonly period: number;

	constructor({ order, pages = 67, requestsPerDay = 720, period = 1, ...listing }: Setting) {
		Object.assign(this.form, { hasTotals: true, ...listing, order, pageSize: PAGE_SIZE });
		for (let number = 0; number < PAGE_SIZE * pages - 1; number++) {
			const createdAt = START - MINUTE_MS * (PAGE_SIZE * pages - number);
			const response = this.form.submit(number % 20 === 0, createdAt);
			response.deleted = number % 7 === 3;
			if (response.deleted) this.hidden.push(response);
		}
		const given: Parameters = { ...settings, requestsPerDay };
		this.period = period;
		this.n8n = new N8n('default', given, { A: this.form }, this.time, startProcess(this.time));
	}

	/** @param circumstances of each poll once the workflow is active */
	async run(
		days: number,
		happenings: readonly Happening[],
		circumstances: Circumstances = {},
	): Promise<void> {
		await this.n8n.activate('activate');
		const byTick = Map.groupBy(happenings, ({ minute }) => Math.ceil(minute / this.period));
		for (let tick = 1; tick * this.period <= days * DAY_MINUTES; tick++) {
			const minute = tick * this.period;
			// a poll can take longer than the time to the next tick
			this.time.pass(Math.max(0, START + minute * MINUTE_MS - this.time.actual()));
			for (const one of byTick.get(tick) ?? []) this.happen(one);
			this.take(await this.n8n.tick(circumstances), minute);
		}
	}

	private take({ items, thrown }: Outcome, minute: number): void {
		if (thrown instanceof Error) this.told.push(thrown.message);
		for (const { uuid } of items) {
			this.deliveredAt.set(uuid, [...(this.deliveredAt.get(uuid) ?? []), minute]);
		}
	}

	private happen({ minute, kind, at }: Happening): void {
		const { form, time } = this;
		if (kind === 'clock') {
			time.set(at * MINUTE_MS);
			return;
		}
		if (kind === 'submit' || kind === 'burst' || kind === 'begin') {
			for (let count = kind === 'burst' ? 2 * PAGE_SIZE + 1 : 1; count > 0; count--) {
				const { uuid } = form.submit(kind === 'begin', time.actual());
				if (kind !== 'begin') this.submittedAt.set(uuid, minute);
			}
			return;
		}
		if (kind === 'appear') {
			const response = this.hidden.splice(at % (this.hidden.length || 1), 1).at(0);
			if (response === undefined) return;
			Object.assign(response, { deleted: false, incomplete: false });
			this.shows(response, minute);
			return;
		}
		const isMeant = kind === 'complete' ? this.isOpen : this.isOver;
		const meant = form.kept.filter((response) => !response.deleted && isMeant(response));
		const response = meant[at % meant.length];
		if (response === undefined) return;
		if (kind === 'delete') response.deleted = true;
		else {
			response.incomplete = false;
			this.shows(response, minute);
		}
	}

	private shows({ uuid }: Kept, minute: number): void {
		this.submittedAt.set(uuid, minute);
		this.elsewhere.add(uuid);
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

	/** Minutes from a submission to its delivery; infinite if there was none. */
	delayOf(uuid: string): number {
		const [at = Infinity] = this.deliveredAt.get(uuid) ?? [];
		return at - this.submittedAt.get(uuid)!;
	}

	delays(): number[] {
		return [...this.submittedAt.keys()].map((uuid) => this.delayOf(uuid));
	}

	/** The most requests that fall into any 24 hours. */
	mostInADay(): number {
		return mostInADay(this.n8n.requestTimes);
	}
}

/** The most requests that fall into any 24 hours. */
export function mostInADay(times: readonly number[]): number {
	const dayMs = DAY_MINUTES * MINUTE_MS;
	let first = 0;
	return times.reduce((most, at, last) => {
		while (times[first] <= at - dayMs) first += 1;
		return Math.max(most, last - first + 1);
	}, 0);
}
