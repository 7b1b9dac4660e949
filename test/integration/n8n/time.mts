import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createUnzip, type Unzip } from 'node:zlib';

/**
 * The time in which the package under test and the stand-in of its service live. A minute's pause takes some
 * real milliseconds, and everything happens in the order in which it would happen in real time:
 *
 * 1. Each wait of the package and of the stand-in is registered here with the moment at which it is due.
 * 2. Each HTTP request and each body that is unpacked is followed while it is under way.
 * 3. After each event (a wait or a request begins or ends), the test time watches for a moment of quiet.
 * 4. If nothing is under way by then, nothing can happen before the next wait is due. So the time leaps to
 *    that moment. A request whose reply is held back by a wait of the stand-in does not count as under way.
 *
 * Between leaps, the time passes as fast as real time.
 */

/** Real milliseconds without an event, and turns of the event loop after them, that count as quiet. */
const QUIET_MS = 2;
const QUIET_TURNS = 3;

/** Real milliseconds after which `settled` gives up. */
const MAX_SETTLING_MS = 60_000;

/** The longest delay of a timer of Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Something that ends at a moment of the test time. */
type Wait = { due: number; timer?: NodeJS.Timeout; end: () => void };

export class TestTime {
	private readonly traffic = new Traffic(() => this.onEvent());
	/** How far the test time is ahead of real time, in milliseconds. */
	private aheadMs = 0;
	private readonly sleeps = new Set<Wait>();
	private readonly timeouts = new Set<Wait>();
	/** The timeouts that somebody listens to: only they can end a request that is under way. */
	private readonly awaitedTimeouts = new Set<Wait>();
	private stoppedAt?: number;
	private events = 0;
	private quietTimer?: NodeJS.Timeout;
	private whenSettled: Array<() => void> = [];

	/** Epoch milliseconds. */
	readonly now = (): number => this.stoppedAt ?? realNow() + this.aheadMs;

	/**
	 * Waits for some milliseconds, or for ever.
	 *
	 * @param signal ends the wait when it aborts
	 */
	readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
		if (signal?.aborted) return;
		const { promise, resolve } = Promise.withResolvers<void>();
		const wait = this.addWait(this.sleeps, ms, resolve);
		signal?.addEventListener('abort', wait.end);
		await promise;
		signal?.removeEventListener('abort', wait.end);
	};

	/** A signal that aborts after some milliseconds. */
	readonly timeout = (ms: number): AbortSignal => {
		const controller = new AbortController();
		const { signal } = controller;
		const wait = this.addWait(this.timeouts, ms, () => {
			this.awaitedTimeouts.delete(wait);
			controller.abort(new DOMException('The time is over', 'TimeoutError'));
		});
		wait.timer?.unref();
		const listeners = new Set<unknown>();
		const { addEventListener, removeEventListener } = signal;
		return Object.assign(signal, {
			addEventListener: (...given: Parameters<typeof addEventListener>) => {
				listeners.add(given[1]);
				this.awaitedTimeouts.add(wait);
				addEventListener.apply(signal, given);
			},
			removeEventListener: (...given: Parameters<typeof removeEventListener>) => {
				listeners.delete(given[1]);
				if (listeners.size === 0) this.awaitedTimeouts.delete(wait);
				this.onEvent();
				removeEventListener.apply(signal, given);
			},
		});
	};

	/**
	 * Waits before a reply of the stand-in, whose request then no longer counts as under way.
	 *
	 * @param connection the stand-in's end of the connection on which the request came
	 */
	readonly holdBack = async (ms: number, connection: Socket): Promise<void> => {
		await this.traffic.withoutReply(connection, async (isGone) => await this.sleep(ms, isGone));
	};

	/** Stands still while the work is done, which can then not wait for any time to pass. */
	async still<T>(work: () => Promise<T>): Promise<T> {
		this.stoppedAt = this.now();
		try {
			return await work();
		} finally {
			this.aheadMs = this.stoppedAt - realNow();
			this.stoppedAt = undefined;
			for (const wait of [...this.sleeps, ...this.timeouts]) this.setTimer(wait);
			this.onEvent();
		}
	}

	/**
	 * Resolves when nothing more happens before some time has passed.
	 *
	 * @throws Error that lists what is under way, if it does not end
	 */
	async settled(): Promise<void> {
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		const timer = setTimeout(
			() => reject(new Error(`Still under way: ${this.traffic.describe()}`)),
			MAX_SETTLING_MS,
		);
		this.whenSettled.push(resolve);
		this.onEvent();
		await promise.finally(() => clearTimeout(timer));
	}

	/** What a test file has left open does not keep the time of the next one from leaping. */
	forgetWhatIsOpen(): void {
		this.traffic.forget();
		this.onEvent();
	}

	private addWait(group: Set<Wait>, ms: number, onEnd: () => void): Wait {
		const wait: Wait = {
			due: this.now() + ms,
			end: () => {
				clearTimeout(wait.timer);
				group.delete(wait);
				this.onEvent();
				onEnd();
			},
		};
		group.add(wait);
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
	}

	/** Something began or ended: from now on, quiet has to last again. */
	private onEvent(): void {
		this.events++;
		clearTimeout(this.quietTimer);
		const isIdle = this.sleeps.size + this.traffic.size + this.whenSettled.length === 0;
		if (isIdle) return;
		const { events } = this;
		this.quietTimer = setTimeout(() => this.watchTurns(events, QUIET_TURNS), QUIET_MS);
	}

	/** A busy event loop has had no chance to report events: its next turns have to be quiet, too. */
	private watchTurns(events: number, turns: number): void {
		if (events !== this.events) return;
		if (turns > 0) setImmediate(() => this.watchTurns(events, turns - 1));
		else if (this.traffic.isHeldBack()) this.onQuiet();
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
		const waits = [...this.sleeps, ...(this.traffic.size > 0 ? this.awaitedTimeouts : [])];
		const next = Math.min(...waits.map(({ due }) => due));
		if (!Number.isFinite(next)) return;
		this.aheadMs += Math.max(0, next - this.now());
		const due = [...this.sleeps, ...this.timeouts].filter((wait) => wait.due <= next);
		for (const { end } of due.sort((one, other) => one.due - other.due)) end();
	}
}

/** What unpacks a body; the functions that make it cannot be replaced. */
const UNZIP = Object.getPrototypeOf(createUnzip()) as Unzip;

/** The HTTP requests of this process that are under way, the replies that are read, and the bodies that are unpacked. */
class Traffic {
	private readonly open = new Set<ClientRequest | IncomingMessage | Unzip>();
	/** The stand-in's ends of the connections whose replies wait for the test time. */
	private readonly withoutReplies = new Set<Socket>();
	private readonly onEvent: () => void;

	constructor(onEvent: () => void) {
		this.onEvent = onEvent;
		subscribe('http.client.request.created', (message) =>
			this.follow((message as { request: ClientRequest }).request),
		);
		subscribe('http.client.response.finish', (message) =>
			this.follow((message as { response: IncomingMessage }).response),
		);
		const follow = (unzip: Unzip) => this.open.has(unzip) || this.follow(unzip);
		const { _transform: transform } = UNZIP;
		UNZIP._transform = function (this: Unzip, ...given) {
			follow(this);
			transform.apply(this, given);
		};
	}

	get size(): number {
		return this.open.size;
	}

	private follow(one: ClientRequest | IncomingMessage | Unzip): void {
		this.open.add(one);
		this.onEvent();
		one.once('close', () => {
			this.open.delete(one);
			this.onEvent();
		});
	}

	/** Whether nothing is under way but requests whose replies are held back. */
	isHeldBack(): boolean {
		return [...this.open].every((one) => 'socket' in one && this.hasNoReply(one.socket));
	}

	/** By both ports: the port of a client can also be that of another client, of another service. */
	private hasNoReply(client: Socket | null): boolean {
		return [...this.withoutReplies].some(
			({ localPort, remotePort }) =>
				localPort === client?.remotePort && remotePort === client?.localPort,
		);
	}

	/** Does the work while a connection has no reply. The signal aborts when the connection is closed. */
	async withoutReply(connection: Socket, work: (isGone: AbortSignal) => Promise<void>) {
		const gone = new AbortController();
		const abort = () => gone.abort();
		connection.once('close', abort);
		this.withoutReplies.add(connection);
		await work(gone.signal);
		this.withoutReplies.delete(connection);
		connection.off('close', abort);
	}

	forget(): void {
		this.open.clear();
	}

	describe(): string {
		const names = [...this.open].map((one) =>
			'path' in one ? `${one.method} ${one.host}${one.path}` : one.constructor.name,
		);
		return names.join(', ');
	}
}

function realNow(): number {
	return performance.timeOrigin + performance.now();
}
