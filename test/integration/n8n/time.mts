import { subscribe } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** Real milliseconds without an event, and turns of the event loop after them, that count as quiet. */
const QUIET_MS = 2;
const QUIET_TURNS = 3;

/** Real milliseconds after which `settled` gives up. */
const MAX_SETTLING_MS = 60_000;

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Something that ends at a moment of the test time: a sleep, or a timeout with its signal. */
type Wait = { due: number; signal?: AbortSignal; timer?: NodeJS.Timeout; end: () => void };

/**
 * The time in which the package under test and the stand-in of its service live. A minute's pause takes
 * some real milliseconds, and everything happens in the order in which it would happen in real time:
 *
 * 1. Each wait of the package and of the stand-in is registered here with the moment at which it is due.
 * 2. Each HTTP request of this process is followed until its reply has been read.
 * 3. Each wait and request that begins or ends is an event. Some real milliseconds after the last event,
 *    it is quiet: nothing can happen any more before the next wait is due, unless a request is under way.
 * 4. Then the time leaps to that moment. A request does not count as under way while the stand-in waits
 *    before its reply. A timeout counts as a wait only while somebody listens to it, and a request is open that it can end.
 *
 * Between leaps, the time passes as fast as real time.
 */
export class TestTime {
	/** How far the test time is ahead of real time, in milliseconds. */
	private aheadMs = 0;
	private stoppedAt?: number;
	private readonly waits = new Set<Wait>();
	/** Requests that are under way, and replies that are read. */
	private readonly open = new Set<ClientRequest | IncomingMessage>();
	/** The stand-in's ends of the connections on which it waits before its reply. */
	private readonly heldBack = new Set<Socket>();
	private events = 0;
	private quietTimer?: NodeJS.Timeout;
	private whenSettled: Array<() => void> = [];

	constructor() {
		subscribe('http.client.request.created', (message) =>
			this.follow((message as { request: ClientRequest }).request),
		);
		subscribe('http.client.response.finish', (message) =>
			this.follow((message as { response: IncomingMessage }).response),
		);
	}

	readonly now = (): number => this.stoppedAt ?? realNow() + this.aheadMs;

	/** Waits for some milliseconds, or for ever; the signal ends the wait. */
	readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
		if (signal?.aborted) return;
		// a pause for others needs no time to pass
		if (ms <= 0 && this.stoppedAt !== undefined) {
			await new Promise<void>((resolve) => void setTimeout(resolve));
			return;
		}
		const { promise, resolve } = Promise.withResolvers<void>();
		const { end } = this.addWait(ms, resolve);
		signal?.addEventListener('abort', end);
		await promise;
		signal?.removeEventListener('abort', end);
	};

	readonly timeout = (ms: number): AbortSignal => {
		const controller = new AbortController();
		const abort = () => controller.abort(new DOMException('The time is over', 'TimeoutError'));
		this.addWait(ms, abort, controller.signal);
		return controller.signal;
	};

	/** Waits before a reply of the stand-in, or until its end of the connection is closed. */
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
		this.stoppedAt = this.now();
		try {
			return await work();
		} finally {
			this.aheadMs = this.stoppedAt - realNow();
			this.stoppedAt = undefined;
			for (const wait of this.waits) this.setTimer(wait);
			this.onEvent();
		}
	}

	/** Resolves when nothing more happens before some time has passed, or fails after a while. */
	async settled(): Promise<void> {
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		const giveUp = () => reject(new Error(`Still under way: ${this.open.size} requests`));
		const timer = setTimeout(giveUp, MAX_SETTLING_MS);
		this.whenSettled.push(resolve);
		this.onEvent();
		await promise.finally(() => clearTimeout(timer));
	}

	/** What a test file has left open does not keep the time of the next one from leaping. */
	forgetWhatIsOpen(): void {
		this.open.clear();
		this.onEvent();
	}

	private addWait(ms: number, onEnd: () => void, signal?: AbortSignal): Wait {
		const wait: Wait = {
			due: this.now() + ms,
			signal,
			end: () => {
				clearTimeout(wait.timer);
				this.waits.delete(wait);
				this.onEvent();
				onEnd();
			},
		};
		this.waits.add(wait);
		this.setTimer(wait);
		this.onEvent();
		return wait;
	}

	/** Real time ends a wait as well: not all that can take time is known here. */
	private setTimer(wait: Wait): void {
		clearTimeout(wait.timer);
		const leftMs = Math.ceil(wait.due - this.now());
		const check = () => {
			if (this.stoppedAt !== undefined) return;
			if (this.now() >= wait.due) wait.end();
			else this.setTimer(wait);
		};
		wait.timer = setTimeout(check, Math.min(Math.max(leftMs, 0), MAX_TIMER_MS));
		if (wait.signal) wait.timer.unref();
	}

	private follow(one: ClientRequest | IncomingMessage): void {
		this.open.add(one);
		this.onEvent();
		one.once('close', () => {
			this.open.delete(one);
			this.onEvent();
		});
	}

	/** Something began or ended: from now on, quiet has to last again. */
	private onEvent(): void {
		const event = ++this.events;
		clearTimeout(this.quietTimer);
		if (this.waits.size + this.whenSettled.length === 0) return;
		this.quietTimer = setTimeout(() => void this.watchTurns(event), QUIET_MS);
	}

	/** A busy event loop has had no chance to report events: its next turns have to be quiet, too. */
	private async watchTurns(event: number): Promise<void> {
		for (let turn = 0; turn < QUIET_TURNS; turn++) {
			if (event !== this.events) return;
			await setImmediate();
		}
		if (event === this.events && [...this.open].every((one) => this.isHeldBack(one)))
			this.onQuiet();
	}

	/** By both ports: the port of a client can also be that of another client, of another service. */
	private isHeldBack({ socket }: ClientRequest | IncomingMessage): boolean {
		return [...this.heldBack].some(
			({ localPort, remotePort }) =>
				localPort === socket?.remotePort && remotePort === socket?.localPort,
		);
	}

	private onQuiet(): void {
		const settled = this.whenSettled.splice(0);
		for (const resolve of settled) resolve();
		// who has waited for this moment may do something now
		if (settled.length > 0) this.onEvent();
		else if (this.stoppedAt === undefined) this.leap();
	}

	/** Goes to the next moment at which a wait is due, and ends the waits that are due by then. */
	private leap(): void {
		const canBeHeard = (timeout: AbortSignal) =>
			this.open.size > 0 && getEventListeners(timeout, 'abort').length > 0;
		const waits = [...this.waits].filter(({ signal }) => !signal || canBeHeard(signal));
		const next = Math.min(...waits.map(({ due }) => due));
		if (!Number.isFinite(next)) return;
		this.aheadMs += Math.max(0, next - this.now());
		const due = [...this.waits].filter((wait) => wait.due <= next);
		for (const { end } of due.sort((one, other) => one.due - other.due)) end();
	}
}

function realNow(): number {
	return performance.timeOrigin + performance.now();
}
