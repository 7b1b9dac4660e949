/**
 * Virtual time: it passes only when nothing else can happen, so that days of polls take moments. The
 * machine on which n8n runs can have a clock that is wrong; the service's clock is always right.
 */
import lodash from 'lodash';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

type Timer = { at: number; wake: () => void };

/** What the package reads, waits and gives up by. */
export type ProcessClock = {
	now(): number;
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
	timeout(ms: number): AbortSignal;
};

/** One error for all: making it takes longer than a poll without a request. */
const TIME_IS_OVER = new DOMException('The time is over', 'TimeoutError');

/** Milliseconds since 1970. */
export class VirtualTime implements ProcessClock {
	/** A machine's clock has fractions of milliseconds. */
	private time: number;
	/** How far the machine's clock is ahead. */
	private skew = 0;
	/** The earliest is the first. */
	private readonly timers: Timer[] = [];

	constructor(start: number) {
		this.time = start;
	}

	/** What the machine's clock says. */
	readonly now = (): number => this.time + this.skew;

	/** The time itself, as the service has it. */
	readonly actual = (): number => this.time;

	/** Time goes by while nothing is under way. */
	pass(ms: number): void {
		this.time += ms;
	}

	/** Sets the machine's clock so far ahead of where it is. */
	set(ms: number): void {
		this.skew += ms;
	}

	readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
		if (signal?.aborted) return;
		const { promise, resolve } = Promise.withResolvers<void>();
		this.begin(ms, resolve);
		signal?.addEventListener('abort', () => resolve(), { once: true });
		await promise;
	};

	readonly timeout = (ms: number): AbortSignal => {
		const controller = new AbortController();
		this.begin(ms, () => controller.abort(TIME_IS_OVER));
		return controller.signal;
	};

	/** Lets time pass from one timer to the next until the work is done. */
	async until<T>(work: Promise<T>): Promise<T> {
		let isDone = false;
		const done = () => {
			isDone = true;
		};
		work.then(done, done);
		for (await turn(); !isDone; await turn()) {
			const next = this.timers.shift();
			if (next === undefined) throw new Error('What is under way waits for nothing');
			this.time = Math.max(this.time, next.at);
			next.wake();
		}
		return await work;
	}

	private begin(ms: number, wake: () => void): void {
		const timer = { at: this.time + Math.max(0, ms), wake };
		this.timers.splice(lodash.sortedLastIndexBy(this.timers, timer, 'at'), 0, timer);
	}
}

/** All that can happen without time passing has happened. */
const turn = async () => await new Promise<void>((resolve) => void setImmediate(resolve));
