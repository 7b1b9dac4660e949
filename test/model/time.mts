/**
 * Virtual time: it passes only when nothing else can happen, so that days of polls take moments. The
 * machine on which n8n runs can have a wrong clock; the service's clock is always right.
 */
import lodash from 'lodash';
import type { Clock } from '../../nodes/FormService/api/clock.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const DAY_MINUTES = 24 * 60;

/** One error for all: making it takes longer than a poll without a request. */
const TIME_IS_OVER = new DOMException('The time is over', 'TimeoutError');

export class VirtualTime implements Clock {
	/** How far the machine's clock is ahead. */
	aheadMs = 0;
	private actualMs: number;
	/** The earliest is the first. */
	private readonly timers: Array<{ at: number; wake: () => void }> = [];

	/** @param start epoch milliseconds; a machine's clock has fractions of them */
	constructor(start: number) {
		this.actualMs = start;
	}

	/** What the machine's clock says. */
	readonly now = (): number => this.actualMs + this.aheadMs;

	/** The time itself, as the service has it. */
	readonly actual = (): number => this.actualMs;

	/** Time passes while nothing is under way. */
	pass(ms: number): void {
		this.actualMs += ms;
		while (this.timers[0]?.at <= this.actualMs) this.timers.shift()?.wake();
	}

	readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
		if (signal?.aborted) return;
		const { promise, resolve } = Promise.withResolvers<void>();
		this.addTimer(ms, resolve);
		signal?.addEventListener('abort', () => resolve(), { once: true });
		await promise;
	};

	readonly timeout = (ms: number): AbortSignal => {
		const controller = new AbortController();
		this.addTimer(ms, () => controller.abort(TIME_IS_OVER));
		return controller.signal;
	};

	/** Lets time pass from one timer to the next until the work is done. */
	async waitFor<T>(work: Promise<T>): Promise<T> {
		let isDone = false;
		void work.catch(() => {}).then(() => (isDone = true));
		for (;;) {
			// all that can happen without time passing happens
			await new Promise<void>((resolve) => void setImmediate(resolve));
			if (isDone) return await work;
			const next = this.timers.shift();
			if (next === undefined) throw new Error('What is under way waits for nothing');
			this.actualMs = Math.max(this.actualMs, next.at);
			next.wake();
		}
	}

	private addTimer(ms: number, wake: () => void): void {
		const timer = { at: this.actualMs + Math.max(0, ms), wake };
		this.timers.splice(lodash.sortedLastIndexBy(this.timers, timer, 'at'), 0, timer);
	}
}

/** The most of these requests, in the order of their times, in any 24 hours. */
export function countMostInADay(times: readonly number[]): number {
	let first = 0;
	return times.reduce((most, at, last) => {
		while (times[first] <= at - DAY_MS) first += 1;
		return Math.max(most, last - first + 1);
	}, 0);
}

/** Minutes between the times of a list. */
export const listGaps = (times: readonly number[]): number[] =>
	times.slice(1).map((at, index) => (at - times[index]) / MINUTE_MS);
