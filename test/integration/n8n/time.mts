import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createUnzip, type Unzip } from 'node:zlib';

type Sleeper = { due: number; timer?: NodeJS.Timeout; wake: () => void };

/** Real milliseconds without any event after which nothing more is expected to happen by itself. */
const QUIET_MS = 2;

/** Turns of the event loop that have to bring nothing either: a busy loop has had no chance to tell. */
const QUIET_TURNS = 3;

/** What unpacks a body, by which a test can see it at work; the functions that make it cannot be replaced. */
const UNZIP = Object.getPrototypeOf(createUnzip()) as Unzip;

/** Real milliseconds after which what is under way will hardly end. */
const LONGEST_SETTLING_MS = 60_000;

/** What a timer takes at most. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The time that the package under test and the service in its tests live in. It goes as fast as real
 * time, and leaps to the next moment that something waits for whenever nothing else can happen: no
 * HTTP request is under way, but for those whose reply the service holds back by this very time. So a
 * minute's pause takes some milliseconds, and everything happens in the order in which it would.
 */
export class TestTime {
	/** Of real time. */
	private ahead = 0;
	private readonly sleepers = new Set<Sleeper>();
	/** The ends of all timeouts. */
	private readonly deadlines = new Set<Sleeper>();
	/** Those that someone listens to. */
	private readonly awaited = new Set<Sleeper>();
	/** The requests that are under way, the replies that are being read, and the bodies that are unpacked. */
	private readonly open = new Set<ClientRequest | IncomingMessage | Unzip>();
	/** The service's ends of the connections on which replies wait for this time themselves. */
	private readonly heldBack = new Set<Socket>();
	private stoppedAt?: number;
	private events = 0;
	private settling?: NodeJS.Timeout;
	private whenSettled: Array<() => void> = [];

	constructor() {
		subscribe('http.client.request.created', (message) =>
			this.follow((message as { request: ClientRequest }).request),
		);
		subscribe('http.client.response.finish', (message) =>
			this.follow((message as { response: IncomingMessage }).response),
		);
		const follow = (one: Unzip) => this.open.has(one) || this.follow(one);
		const { _transform: transform } = UNZIP;
		UNZIP._transform = function (this: Unzip, ...given) {
			follow(this);
			transform.apply(this, given);
		};
	}

	private follow(one: ClientRequest | IncomingMessage | Unzip): void {
		this.open.add(one);
		this.happened();
		one.once('close', () => {
			this.open.delete(one);
			this.happened();
		});
	}

	/** Epoch milliseconds. */
	readonly now = (): number => this.stoppedAt ?? realNow() + this.ahead;

	/**
	 * Waits so long.
	 *
	 * @param ms milliseconds; infinite for ever
	 * @param signal ends the wait when it aborts
	 */
	readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
		if (signal?.aborted) return;
		const { promise, resolve } = Promise.withResolvers<void>();
		const sleeper = this.begin(this.sleepers, ms, resolve);
		signal?.addEventListener('abort', sleeper.wake);
		await promise;
		signal?.removeEventListener('abort', sleeper.wake);
	};

	/** A signal that aborts after so many milliseconds. */
	readonly timeout = (ms: number): AbortSignal => {
		const controller = new AbortController();
		const { signal } = controller;
		const deadline = this.begin(this.deadlines, ms, () => {
			this.awaited.delete(deadline);
			controller.abort(new DOMException('The time is over', 'TimeoutError'));
		});
		deadline.timer?.unref();
		const listeners = new Set<unknown>();
		const { addEventListener, removeEventListener } = signal;
		return Object.assign(signal, {
			addEventListener: (...given: Parameters<typeof addEventListener>) => {
				listeners.add(given[1]);
				this.awaited.add(deadline);
				addEventListener.apply(signal, given);
			},
			removeEventListener: (...given: Parameters<typeof removeEventListener>) => {
				listeners.delete(given[1]);
				if (listeners.size === 0) this.awaited.delete(deadline);
				this.happened();
				removeEventListener.apply(signal, given);
			},
		});
	};

	/**
	 * As `sleep`, for what holds a reply back: that its request is under way does not keep time from
	 * leaping.
	 *
	 * @param connection the service's end of the connection on which the request came
	 */
	readonly holdBack = async (ms: number, connection: Socket): Promise<void> => {
		const gone = new AbortController();
		const leave = () => gone.abort();
		connection.once('close', leave);
		this.heldBack.add(connection);
		await this.sleep(ms, gone.signal);
		this.heldBack.delete(connection);
		connection.off('close', leave);
	};

	/** Stands still while the work is done, which can then not wait for any time to pass. */
	async still<T>(work: () => Promise<T>): Promise<T> {
		this.stoppedAt = this.now();
		try {
			return await work();
		} finally {
			this.ahead = this.stoppedAt - realNow();
			this.stoppedAt = undefined;
			for (const sleeper of [...this.sleepers, ...this.deadlines]) this.arm(sleeper);
			this.happened();
		}
	}

	/**
	 * Resolves when nothing more happens before some time has passed.
	 *
	 * @throws what is under way, when it does not end
	 */
	async settled(): Promise<void> {
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		const timer = setTimeout(() => {
			const under = [...this.open].map((one) =>
				'path' in one ? `${one.method} ${one.host}${one.path}` : one.constructor.name,
			);
			reject(new Error(`Still under way: ${under.join(', ')}`));
		}, LONGEST_SETTLING_MS);
		this.whenSettled.push(resolve);
		this.happened();
		await promise.finally(() => clearTimeout(timer));
	}

	/** What a test file has left open does not keep the time of the next one from leaping. */
	forgetWhatIsOpen(): void {
		this.open.clear();
		this.happened();
	}

	private begin(group: Set<Sleeper>, ms: number, end: () => void): Sleeper {
		const sleeper: Sleeper = {
			due: this.now() + ms,
			wake: () => {
				clearTimeout(sleeper.timer);
				group.delete(sleeper);
				this.happened();
				end();
			},
		};
		group.add(sleeper);
		this.arm(sleeper);
		this.happened();
		return sleeper;
	}

	/** Real time wakes as well: not all that can take time is known here. */
	private arm(sleeper: Sleeper): void {
		clearTimeout(sleeper.timer);
		const left = Math.ceil(sleeper.due - this.now());
		sleeper.timer = setTimeout(
			() => {
				if (this.stoppedAt !== undefined) return;
				if (this.now() >= sleeper.due) sleeper.wake();
				else this.arm(sleeper);
			},
			Math.min(Math.max(left, 0), LONGEST_TIMER_MS),
		);
	}

	private happened(): void {
		this.events++;
		clearTimeout(this.settling);
		if (this.sleepers.size + this.open.size + this.whenSettled.length === 0) return;
		this.settling = setTimeout(() => this.settle(this.events, QUIET_TURNS), QUIET_MS);
	}

	private settle(events: number, turns: number): void {
		if (events !== this.events) return;
		if (turns > 0) setImmediate(() => this.settle(events, turns - 1));
		else if (this.nothingComes()) {
			const waiting = this.whenSettled.splice(0);
			for (const tell of waiting) tell();
			// whoever has waited may do something now
			if (waiting.length > 0) this.happened();
			else if (this.stoppedAt === undefined) this.leap();
		}
	}

	private nothingComes(): boolean {
		return [...this.open].every((one) => 'socket' in one && this.isHeldBack(one.socket));
	}

	/** By both ports: that of a client can be another's as well, for another service. */
	private isHeldBack(client: Socket | null): boolean {
		return [...this.heldBack].some(
			({ localPort, remotePort }) =>
				localPort === client?.remotePort && remotePort === client?.localPort,
		);
	}

	private leap(): void {
		const waiting = [...this.sleepers, ...(this.open.size > 0 ? this.awaited : [])];
		const next = Math.min(...waiting.map(({ due }) => due));
		if (!Number.isFinite(next)) return;
		this.ahead += Math.max(0, next - this.now());
		const due = [...this.sleepers, ...this.deadlines].filter((one) => one.due <= next);
		for (const { wake } of due.sort((one, other) => one.due - other.due)) wake();
	}
}

function realNow(): number {
	return performance.timeOrigin + performance.now();
}
