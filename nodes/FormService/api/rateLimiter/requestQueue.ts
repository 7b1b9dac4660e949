import { clock as steadyClock } from '../clock';
import type { Clock } from '../clock';
import { CircuitBreaker } from './circuitBreaker';
import type { Pause } from './circuitBreaker';
import type { Headers } from './limits';
import { RateLimiter } from './rateLimiter';
import type { Decision } from './rateLimiter';

/**
 * Requests of one queue that are open at a time. Enough to spend the minute's allowance at reply
 * times of several seconds, and few enough that a refusal, which meets all that are open, stays cheap.
 */
const MAX_OPEN = 5;

/** Requests of items that hang leave one place to triggers and to people at the editor. */
const MAX_OPEN_BULK = 4;

/** What the queue must know of how a request ended: with a reply, or without. */
export type JobEnd =
	| { kind: 'reply'; status: number; headers: Headers }
	| { kind: 'broken' | 'cancelled' };

/** A request that waits for its turn. */
export type Job = {
	/** A trigger or a person at the editor (`prompt`) goes before items (`bulk`). */
	urgency: 'prompt' | 'bulk';
	/** A request that was refused or lost keeps its place: it goes before those that never left. */
	isRetry: boolean;
	signal?: AbortSignal;
};

/** Why a request did not leave: the day's limit, a service that is down, or it was given up. */
export type HeldBack =
	| Exclude<Decision, { kind: 'send' | 'wait' }>
	| { kind: 'serviceDown' }
	| { kind: 'notSent' };

type Turn = { kind: 'turn'; id: number };

type Urgency = Job['urgency'];

type Waiting = { settle: (turn: Turn | HeldBack) => void };

/**
 * Lets requests through: at most `MAX_OPEN` at a time, none before the rate limiter allows it, first
 * come first served within an urgency. It holds back, and sends nothing by itself.
 */
export class RequestQueue {
	/** In the order in which they are served. */
	private readonly lines = {
		promptRetry: new Set<Waiting>(),
		prompt: new Set<Waiting>(),
		bulkRetry: new Set<Waiting>(),
		bulk: new Set<Waiting>(),
	};

	private readonly breaker = new CircuitBreaker();

	private readonly open = { prompt: 0, bulk: 0 };

	private wakeAt = Infinity;

	/** @param limiter of the account; left out where nobody counts */
	constructor(
		private readonly limiter: RateLimiter | undefined,
		private readonly clock: Pick<Clock, 'now' | 'sleep'> = steadyClock,
	) {}

	/** How many requests wait for their turn. */
	get waiting(): number {
		return Object.values(this.lines).reduce((sum, line) => sum + line.size, 0);
	}

	/** Whether the service has failed so often that nothing is to be repeated. */
	get isServiceDown(): boolean {
		return this.breaker.isOpen;
	}

	/**
	 * Waits for the request's turn, sends it, and learns from the reply.
	 *
	 * @param send sends the request; what it gives is given back, what it throws is thrown
	 * @returns what `send` gave, or why it was not called
	 */
	async pass<T extends JobEnd>(job: Job, send: () => Promise<T>): Promise<T | HeldBack> {
		const turn = await this.turn(job);
		if (turn.kind !== 'turn') return turn;
		let end: JobEnd = { kind: 'broken' };
		try {
			const result = await send();
			end = result;
			return result;
		} finally {
			this.ended(job, turn.id, end);
		}
	}

	private async turn({ urgency, isRetry, signal }: Job): Promise<Turn | HeldBack> {
		if (signal?.aborted) return { kind: 'notSent' };
		const line = this.lines[isRetry ? (`${urgency}Retry` as const) : urgency];
		return await new Promise((resolve) => {
			const waiting: Waiting = {
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

	private ended({ urgency }: Job, id: number, end: JobEnd): void {
		const now = this.clock.now();
		if (this.limiter && end.kind !== 'cancelled') this.breaker.ended(isWorking(end), now);
		if (end.kind === 'reply') this.limiter?.replied(id, end.status, end.headers, now);
		else this.limiter?.lost(id, now);
		this.open[urgency]--;
		// a moment later: whoever sent it may now give up what else it has waiting
		void this.clock.sleep(0).then(() => this.letThrough());
	}

	private letThrough(): void {
		for (let next = this.next(); next !== undefined; next = this.next()) {
			const [urgency, waiting] = next;
			const now = this.clock.now();
			const decision = this.decide(urgency, now);
			if (decision.kind === 'send') {
				this.open[urgency]++;
				waiting.settle({ kind: 'turn', id: this.limiter?.leave(now) ?? 0 });
				continue;
			}
			if (decision.kind === 'wait') this.wake(decision.until);
			if (decision.kind === 'dayUsedUp') this.settleAll(decision, ['prompt', 'bulk']);
			if (decision.kind === 'serviceDown') this.settleAll(decision, ['bulk']);
			return;
		}
	}

	private decide(urgency: Urgency, now: number): Decision | Pause {
		const pause = urgency === 'bulk' ? this.breaker.pause(now) : undefined;
		return pause ?? this.limiter?.decide(now) ?? { kind: 'send' };
	}

	/** Who is served next, where a place is free. */
	private next(): [Urgency, Waiting] | undefined {
		const { bulk, prompt } = this.open;
		if (bulk + prompt >= MAX_OPEN) return undefined;
		const isBulkFree = bulk < (this.breaker.isOpen ? 1 : MAX_OPEN_BULK);
		const urgencies = isBulkFree ? (['prompt', 'bulk'] as const) : (['prompt'] as const);
		for (const urgency of urgencies) {
			for (const line of this.linesOf(urgency)) {
				for (const waiting of line) return [urgency, waiting];
			}
		}
		return undefined;
	}

	private linesOf(urgency: Urgency): Array<Set<Waiting>> {
		return [this.lines[`${urgency}Retry`], this.lines[urgency]];
	}

	private settleAll(turn: HeldBack, urgencies: readonly Urgency[]): void {
		for (const line of urgencies.flatMap((urgency) => this.linesOf(urgency))) {
			for (const waiting of [...line]) waiting.settle(turn);
		}
	}

	private wake(at: number): void {
		if (this.wakeAt <= at) return;
		this.wakeAt = at;
		void this.clock.sleep(Math.max(0, at - this.clock.now())).then(() => {
			if (this.wakeAt === at) this.wakeAt = Infinity;
			this.letThrough();
		});
	}
}

/** Whether a reply is of a service that works: its refusals may never end either. */
function isWorking(end: JobEnd): boolean {
	return end.kind === 'reply' && end.status < 500 && end.status !== TOO_MANY_REQUESTS;
}

const TOO_MANY_REQUESTS = 429;

const queues = new Map<string, RequestQueue>();

/**
 * The queue of an account, the same for all nodes, triggers and lists of this process: the service
 * counts them together (specification, section 8).
 *
 * @param key see `Account.key`
 */
export function queueOf(key: string): RequestQueue {
	const queue = queues.get(key) ?? new RequestQueue(new RateLimiter());
	queues.set(key, queue);
	return queue;
}

/** The queue to all other hosts: nobody counts there, but the items of a run all come at once. */
export const otherHosts = new RequestQueue(undefined);
