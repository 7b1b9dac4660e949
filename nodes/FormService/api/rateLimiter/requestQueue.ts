import { clock as machineClock, SteadyTime } from '../clock';
import type { Clock } from '../clock';
import { MAX_TRIES } from '../request/retry';
import { CircuitBreaker } from './circuitBreaker';
import { TOO_MANY_REQUESTS } from './limits';
import type { Headers } from './limits';
import { RateLimiter } from './rateLimiter';
import type { Decision } from './rateLimiter';

/**
 * The most open requests of one queue: enough to use the minute's allowance at reply times of several
 * seconds, and few enough that a refusal, which meets all open requests, stays cheap.
 */
const MAX_OPEN = 5;

/** Items' requests that hang leave one place to triggers and to people at the editor. */
const MAX_OPEN_BULK = 4;

/** All open requests were tried as often as they may be: a failure that passes sooner does not count. */
const FAILURES_TO_OPEN = MAX_OPEN * MAX_TRIES;

/** Longer than any limit with its margin. A circuit that is still open then may be tried again. */
const REMEMBERED_MS = 25 * 60 * 60_000;

/** What the queue needs to know of how a request ended. */
export type JobEnd =
	| { kind: 'reply'; status: number; headers: Headers }
	/** `isOurs`: n8n or the node caused it, so it says nothing about the service. */
	| { kind: 'broken'; isOurs?: boolean };

type Urgency = 'prompt' | 'bulk';

/** A request that waits for its turn. */
export type Job = {
	/** A trigger or a person at the editor (`prompt`) goes before items (`bulk`). */
	urgency: Urgency;
	/** A request that was sent before keeps its place: it goes before those that were not. */
	isRetry: boolean;
	signal?: AbortSignal;
};

/** A request may leave now; `ended` takes its turn back. */
export type Turn = { kind: 'turn'; urgency: Urgency; id: number };

/**
 * Why a request did not leave: the day's limit (until a time in epoch milliseconds), a service that is
 * down or refuses all requests, or the caller gave up.
 */
export type HeldBack =
	| Exclude<Decision, { kind: 'send' | 'wait' }>
	| { kind: 'serviceDown' }
	| { kind: 'onlyRefusals' }
	| { kind: 'notSent' };

type Waiting = { urgency: Urgency; settle: (turn: Turn | HeldBack) => void };

/**
 * Lets requests through: at most `MAX_OPEN` at a time, none before the rate limiter allows it, first
 * come first served within an urgency. It sends nothing by itself.
 */
export class RequestQueue {
	/** The waiting requests: for each urgency the retries, which are served first, and the others. */
	private readonly lines = {
		prompt: [new Set<Waiting>(), new Set<Waiting>()],
		bulk: [new Set<Waiting>(), new Set<Waiting>()],
	};

	/** Opens after 5xx statuses and failed connections. */
	private readonly breaker = new CircuitBreaker(FAILURES_TO_OPEN);

	/** Opens after refusals: those of a service whose limit never resets would not end either. */
	private readonly refusals = new CircuitBreaker(FAILURES_TO_OPEN);

	private readonly open = { prompt: 0, bulk: 0 };

	private readonly time = new SteadyTime();

	private wakeAt = Infinity;

	/** When the last request ended. */
	private lastEndAt = -Infinity;

	constructor(
		private readonly limiter: RateLimiter,
		private readonly clock: Pick<Clock, 'now' | 'sleep'> = machineClock,
	) {}

	/** How many requests wait for their turn. */
	get waiting(): number {
		return this.waitingFor('prompt', 'bulk').length;
	}

	/** Whether the service has failed or refused so often that nothing is retried. */
	get isServiceDown(): boolean {
		return this.breaker.isOpen || this.refusals.isOpen;
	}

	/** The account's limit, once a reply has shown it. */
	get perMinute(): number | undefined {
		return this.limiter.perMinute;
	}

	/** Whether nothing waits or is open, and nothing that was learned still matters. */
	isForgettable(): boolean {
		const { prompt, bulk } = this.open;
		return this.waiting + prompt + bulk === 0 && this.now() > this.lastEndAt + REMEMBERED_MS;
	}

	/**
	 * Waits for a request's turn.
	 *
	 * @returns the turn, which must be given to `ended`, or why the request must not be sent
	 */
	async turn({ urgency, isRetry, signal }: Job): Promise<Turn | HeldBack> {
		if (signal?.aborted) return { kind: 'notSent' };
		const line = this.lines[urgency][isRetry ? 0 : 1];
		return await new Promise((resolve) => {
			const waiting: Waiting = {
				urgency,
				settle: (turn) => {
					line.delete(waiting);
					signal?.removeEventListener('abort', giveUp);
					resolve(turn);
				},
			};
			const giveUp = () => waiting.settle({ kind: 'notSent' });
			signal?.addEventListener('abort', giveUp);
			line.add(waiting);
			this.letThrough();
		});
	}

	/** The request with this turn has ended: its place is free for others. */
	ended({ urgency, id }: Turn, end: JobEnd): void {
		const now = this.now();
		this.lastEndAt = now;
		this.judge(end, now);
		if (end.kind === 'reply') {
			this.limiter.replied(id, end.status, end.headers, now, this.clock.now());
		} else this.limiter.lost(id, now);
		this.open[urgency]--;
		// a moment later, so that the sender can first withdraw its other waiting requests
		void this.clock.sleep(0).then(() => this.letThrough());
	}

	/** What an end says about the service: that it works, fails or refuses, or nothing. */
	private judge(end: JobEnd, now: number): void {
		if (end.kind === 'broken' && end.isOurs) return;
		if (end.kind === 'broken' || end.status >= 500) this.breaker.failed(now);
		else if (end.status === TOO_MANY_REQUESTS) this.refusals.failed(now);
		else {
			this.breaker.succeeded();
			this.refusals.succeeded();
		}
	}

	private letThrough(): void {
		for (let next = this.next(); next !== undefined; next = this.next()) {
			const { urgency, settle } = next;
			const now = this.now();
			const decision = this.decide(urgency, now);
			if (decision.kind === 'send') {
				this.open[urgency]++;
				settle({ kind: 'turn', urgency, id: this.limiter.leave(now) });
				continue;
			}
			if (decision.kind === 'wait') this.wake(decision.until, now);
			else if (decision.kind === 'dayUsedUp') {
				const held = { ...decision, until: this.time.onClock(decision.until) };
				for (const one of this.waitingFor('prompt', 'bulk')) one.settle(held);
			} else for (const one of this.waitingFor('bulk')) one.settle(decision);
			return;
		}
	}

	private decide(urgency: Urgency, now: number): Decision | HeldBack {
		const decision = this.limiter.decide(now);
		if (urgency === 'prompt') return decision;
		const down = this.breaker.pause(now);
		const refused = this.refusals.pause(now);
		if (down?.kind === 'open') return { kind: 'serviceDown' };
		if (refused?.kind === 'open') return { kind: 'onlyRefusals' };
		return down ?? refused ?? decision;
	}

	/** Who is served next, if a place is free. */
	private next(): Waiting | undefined {
		const { bulk, prompt } = this.open;
		if (bulk + prompt >= MAX_OPEN) return undefined;
		const isFreeForItems = bulk < (this.isServiceDown ? 1 : MAX_OPEN_BULK);
		return this.first('prompt') ?? (isFreeForItems ? this.first('bulk') : undefined);
	}

	private first(urgency: Urgency): Waiting | undefined {
		for (const line of this.lines[urgency]) for (const waiting of line) return waiting;
		return undefined;
	}

	private waitingFor(...urgencies: Urgency[]): Waiting[] {
		return urgencies.flatMap((urgency) => this.lines[urgency].flatMap((line) => [...line]));
	}

	private wake(at: number, now: number): void {
		if (this.wakeAt <= at) return;
		this.wakeAt = at;
		void this.clock.sleep(Math.max(0, at - now)).then(() => {
			if (this.wakeAt === at) this.wakeAt = Infinity;
			this.letThrough();
		});
	}

	private now(): number {
		return this.time.at(this.clock.now());
	}
}

const queues = new Map<string, RequestQueue>();

/**
 * The queue of an account, the same for all nodes, triggers and lists of this process: the service
 * counts them together (specification, section 8). A queue that has nothing left to remember is
 * dropped, so nobody may keep one between two requests.
 *
 * @param key see `Account.key`
 */
export function queueOf(key: string): RequestQueue {
	const known = queues.get(key);
	if (known !== undefined) return known;
	for (const [other, queue] of queues) if (queue.isForgettable()) queues.delete(other);
	const queue = new RequestQueue(new RateLimiter());
	queues.set(key, queue);
	return queue;
}
