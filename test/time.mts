/** The virtual time of all tests and benchmarks: days pass in moments, in the order of real time. */
import { subscribe } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import type { ClientRequest } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setImmediate, setTimeout } from 'node:timers/promises';
import lodash from 'lodash';
import type { Clock } from '../nodes/FormService/api/clock.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const DAY_MINUTES = 24 * 60;

/** A sleep, or a timeout with its signal. */
type Wait = { dueMs: number; end: () => void; signal?: AbortSignal };

/** Made once, because each one reads the stack. */
const TIME_IS_OVER = new DOMException('The time is over', 'TimeoutError');

/** A time that passes only if somebody lets it pass. The clock of the machine under test can be wrong. */
export class VirtualTime implements Clock {
	/** How far the machine's clock is ahead. */
	aheadMs = 0;
	/** The earliest is the first. */
	protected readonly waits: Wait[] = [];
	private actualMs: number;

	/** @param startMs epoch milliseconds */
	constructor(startMs = 1_800_000_000_000) {
		this.actualMs = startMs;
	}

	readonly now = (): number => this.actualMs + this.aheadMs;

	readonly monotonicMs = (): number => this.actualMs;

	/** The time itself, as the service has it. */
	readonly actual = (): number => this.actualMs;

	readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
		if (signal?.aborted) return;
		const { promise, resolve } = Promise.withResolvers<void>();
		const { end } = this.addWait(ms, resolve);
		signal?.addEventListener('abort', end);
		await promise;
		signal?.removeEventListener('abort', end);
	};

	readonly timeout = (ms: number, given?: AbortSignal): AbortSignal => {
		const controller = new AbortController();
		const { end } = this.addWait(ms, () => controller.abort(TIME_IS_OVER), controller.signal);
		if (given?.aborted) end();
		given?.addEventListener('abort', end, { once: true });
		return controller.signal;
	};

	pass(ms: number): void {
		this.actualMs += Math.max(0, ms);
		while (this.waits[0]?.dueMs <= this.actualMs) this.waits[0].end();
	}

	/** Lets time pass from one wait to the next until the work is done. */
	async waitFor<T>(work: Promise<T>): Promise<T> {
		let isDone = false;
		void work.catch(() => {}).then(() => (isDone = true));
		for (;;) {
			// all that can happen without time passing happens
			await setImmediate();
			if (isDone) return await work;
			if (this.waits.length === 0) throw new Error('What is under way waits for nothing');
			this.pass(this.waits[0].dueMs - this.actualMs);
		}
	}

	protected addWait(ms: number, onEnd: () => void, signal?: AbortSignal): Wait {
		const end = () => {
			lodash.pull(this.waits, wait);
			onEnd();
		};
		const wait: Wait = { dueMs: this.actualMs + Math.max(0, ms), end, signal };
		this.waits.splice(lodash.sortedLastIndexBy(this.waits, wait, 'dueMs'), 0, wait);
		return wait;
	}
}

/** The event loop is quiet if it gets nothing in so many real milliseconds, and in turns after them. */
const QUIET_MS = 2;
const QUIET_TURNS = 3;

const countEvents = () => performance.nodeTiming.uvMetricsInfo.events;

/** Whether a thread of Node.js is at work for this process: on a file, or on the address of a name. */
const isThreadAtWork = () => process.getActiveResourcesInfo().some((name) => /Req/.test(name));

/** Resolves when the event loop of this process is quiet. Its services are in this process, too. */
async function waitUntilQuiet(): Promise<void> {
	let seen = NaN;
	while (seen !== countEvents() || isThreadAtWork()) {
		seen = countEvents();
		await setTimeout(QUIET_MS);
		// a busy process may not have got its events yet
		for (let turn = 0; turn < QUIET_TURNS; turn++) await setImmediate();
	}
}

/**
 * The time of work that sends HTTP requests, and of the service that replies. It passes by itself: whenever
 * the event loop is quiet, nothing can happen before the next wait is due, and the time leaps to that moment.
 */
export class HttpTime extends VirtualTime {
	private isStill = false;
	private isPassing = false;
	/** How many requests have no whole reply. */
	private openCount = 0;

	constructor() {
		super();
		subscribe('http.client.request.created', (message) => {
			this.openCount++;
			const { request } = message as { request: ClientRequest };
			request.once('close', () => this.openCount--);
		});
	}

	/** Stands still while the work is done, which can then not wait for any time to pass. */
	async still<T>(work: () => Promise<T>): Promise<T> {
		this.isStill = true;
		try {
			return await work();
		} finally {
			this.isStill = false;
		}
	}

	/** Resolves when nothing more happens before some time has passed. */
	readonly settled = async (): Promise<void> => await this.sleep(0);

	protected override addWait(...given: Parameters<VirtualTime['addWait']>): Wait {
		if (!this.isPassing) void this.passByItself();
		return super.addWait(...given);
	}

	private async passByItself(): Promise<void> {
		this.isPassing = true;
		do {
			await waitUntilQuiet();
			this.leap();
		} while (this.waits.length > 0);
		this.isPassing = false;
	}

	/** Goes to the next moment at which a wait is due; while the time stands still, only to the present one. */
	private leap(): void {
		// a timeout matters while somebody listens to it, and a request is open that it can end
		const canBeHeard = (timeout: AbortSignal) =>
			this.openCount > 0 && getEventListeners(timeout, 'abort').length > 0;
		const next = this.waits.find(({ signal }) => !signal || canBeHeard(signal));
		const ms = (next?.dueMs ?? Infinity) - this.actual();
		if (this.isStill ? ms === 0 : ms < Infinity) this.pass(ms);
	}
}

/** The most of these requests, in the order of their times, in any 24 hours. */
export function countMostInADay(times: readonly number[]): number {
	const countEarlier = (at: number) => lodash.sortedLastIndex(times, at - DAY_MS);
	return lodash.max(times.map((at, index) => index + 1 - countEarlier(at))) ?? 0;
}

/** Minutes between the times of a list. */
export const listGaps = (times: readonly number[]): number[] =>
	times.slice(1).map((at, index) => (at - times[index]) / MINUTE_MS);
