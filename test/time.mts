/** The virtual time of all tests and benchmarks: days pass in moments, in the order of real time. */
import { subscribe } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import lodash from 'lodash';
import type { Clock } from '../nodes/FormService/api/clock.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const DAY_MINUTES = 24 * 60;

/** Something that ends at a moment of the virtual time: a sleep, or a timeout with its signal. */
type Wait = { due: number; end: () => void; signal?: AbortSignal };

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
		const timeIsOver = () => controller.abort(new DOMException('The time is over', 'TimeoutError'));
		const { end } = this.addWait(ms, timeIsOver, controller.signal);
		if (given?.aborted) end();
		given?.addEventListener('abort', end, { once: true });
		return controller.signal;
	};

	pass(ms: number): void {
		this.actualMs += Math.max(0, ms);
		while (this.waits[0]?.due <= this.actualMs) this.waits[0].end();
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
			this.pass(this.waits[0].due - this.actualMs);
		}
	}

	protected onEvent(): void {}

	private addWait(ms: number, onEnd: () => void, signal?: AbortSignal): Wait {
		const end = () => {
			const index = this.waits.indexOf(wait);
			if (index < 0) return;
			this.waits.splice(index, 1);
			this.onEvent();
			onEnd();
		};
		const wait: Wait = { due: this.actualMs + Math.max(0, ms), end, signal };
		this.waits.splice(lodash.sortedLastIndexBy(this.waits, wait, 'due'), 0, wait);
		this.onEvent();
		return wait;
	}
}

/** Real milliseconds without an event, and turns of the event loop after them, that count as quiet. */
const QUIET_MS = 2;
const QUIET_TURNS = 3;

/**
 * The time of work that sends HTTP requests, and of the service that replies. It passes by itself:
 *
 * 1. Each HTTP request of this process is followed until its reply has been read.
 * 2. Each wait and request that begins or ends is an event. Some real milliseconds after the last event,
 *    it is quiet: nothing can happen any more before the next wait is due, unless a request is under way.
 * 3. Then the time leaps to that moment. A request does not count as under way while the service waits
 *    before its reply. A timeout counts as a wait only while somebody listens to it, and a request is open that it can end.
 */
export class HttpTime extends VirtualTime {
	private isStill = false;
	/** Requests that are under way, and replies that are read. */
	private readonly open = new Set<ClientRequest | IncomingMessage>();
	/** The service's ends of the connections on which it waits before its reply. */
	private readonly heldBack = new Set<Socket>();
	private events = 0;
	private quietTimer?: NodeJS.Timeout;

	constructor() {
		super();
		subscribe('http.client.request.created', (message) =>
			this.follow((message as { request: ClientRequest }).request),
		);
		subscribe('http.client.response.finish', (message) =>
			this.follow((message as { response: IncomingMessage }).response),
		);
	}

	/** Waits before a reply of the service, or until the service's end of its connection is closed. */
	readonly holdBack = async (ms: number, connection: Socket): Promise<void> => {
		const gone = new AbortController();
		const abort = () => gone.abort();
		connection.once('close', abort);
		this.heldBack.add(connection);
		await this.sleep(ms, gone.signal);
		this.heldBack.delete(connection);
		connection.off('close', abort);
	};

	/** Stands still while the work is done, which can then not wait for any time to pass. */
	async still<T>(work: () => Promise<T>): Promise<T> {
		this.isStill = true;
		try {
			return await work();
		} finally {
			this.isStill = false;
			this.onEvent();
		}
	}

	/** Resolves when nothing more happens before some time has passed. */
	readonly settled = async (): Promise<void> => await this.sleep(0);

	/** Something began or ended: from now on, quiet has to last again. */
	protected override onEvent(): void {
		const event = ++this.events;
		clearTimeout(this.quietTimer);
		if (this.waits.length === 0) return;
		this.quietTimer = setTimeout(() => void this.watchTurns(event), QUIET_MS);
	}

	private follow(one: ClientRequest | IncomingMessage): void {
		this.open.add(one);
		this.onEvent();
		one.once('close', () => {
			this.open.delete(one);
			this.onEvent();
		});
	}

	/** A busy event loop has had no chance to report events: its next turns have to be quiet, too. */
	private async watchTurns(event: number): Promise<void> {
		for (let turn = 0; turn < QUIET_TURNS; turn++) {
			if (event !== this.events) return;
			await setImmediate();
		}
		if (event === this.events && [...this.open].every((one) => this.isHeldBack(one))) this.leap();
	}

	/** By both ports: the port of a client can also be that of another client, of another service. */
	private isHeldBack({ socket }: ClientRequest | IncomingMessage): boolean {
		return [...this.heldBack].some(
			({ localPort, remotePort }) =>
				localPort === socket?.remotePort && remotePort === socket?.localPort,
		);
	}

	/** Goes to the next moment at which a wait is due; while the time stands still, only to the present one. */
	private leap(): void {
		const canBeHeard = (timeout: AbortSignal) =>
			this.open.size > 0 && getEventListeners(timeout, 'abort').length > 0;
		const next = this.waits.find(({ signal }) => !signal || canBeHeard(signal));
		const ms = (next?.due ?? Infinity) - this.actual();
		if (this.isStill ? ms === 0 : ms < Infinity) this.pass(ms);
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
