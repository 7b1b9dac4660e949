import { clock as machineClock } from '../clock';
import type { Clock } from '../clock';
import { TOO_MANY_REQUESTS } from './limits';
import type { Headers, Refusal } from './limits';
import { RateLimiter } from './rateLimiter';
import type { Decision, SentRequest } from './rateLimiter';

/**
 * The most open requests of one queue: enough to use the minute's allowance at reply times of several
 * seconds, and few enough that a refusal, which meets all open requests, stays cheap.
 */
const MAX_OPEN = 5;

/** Items' requests that hang leave one place to triggers and to people at the editor. */
const MAX_OPEN_BULK = 4;

/** All open requests failed at each of their four tries: a failure that passes sooner does not count. */
const FAILURES_TO_OPEN = MAX_OPEN * 4;

/** The pause between two tests of a service that is down. A day of them costs 288 of 1,440 requests. */
const TEST_PAUSE_MS = 5 * 60_000;

/** Longer than any limit lasts. */
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

/** A request may be sent now; `endTurn` takes its turn back. */
export type Turn = { kind: 'turn'; urgency: Urgency; request: SentRequest };

/** Why a request is not sent: the day's limit, a service that fails or refuses, or the caller gave up. */
export type HeldBack =
	| Exclude<Decision, { kind: 'send' | 'wait' }>
	| { kind: 'serviceDown' | 'onlyRefusals' }
	| { kind: 'notSent' };

type Waiting = { urgency: Urgency; settle: (turn: Turn | HeldBack) => void };

/**
 * Lets requests through: at most `MAX_OPEN` at a time, none before the rate limiter allows it, first
 * come first served within an urgency. After many failures in a row, a circuit breaker lets items fail,
 * but for one from time to time that tests the service. The queue sends nothing by itself.
 */
export class RequestQueue {
	/** The waiting requests by rank: retries before first tries, and triggers and people before items. */
	private readonly lines = [0, 1, 2, 3].map(() => new Set<Waiting>());

	private readonly open = { prompt: 0, bulk: 0 };

	/** Failures and refusals since the last other reply, and what the last of them was. */
	private failures = { count: 0, kind: 'serviceDown' as 'serviceDown' | 'onlyRefusals' };

	/** When an item tests a service that is down. */
	private testAt = -Infinity;

	private wakeAt = Infinity;

	/** When the last request ended. */
	private lastEndAt = -Infinity;

	constructor(
		private readonly limiter: RateLimiter,
		private readonly clock: Pick<Clock, 'now' | 'sleep'> = machineClock,
	) {}

	/** How many requests wait for their turn. */
	get waiting(): number {
		return this.lines.reduce((sum, line) => sum + line.size, 0);
	}

	/** Whether the service has failed or refused so often in a row that nothing is retried. */
	get isServiceDown(): boolean {
		return this.failures.count >= FAILURES_TO_OPEN;
	}

	/** See `RateLimiter.countLeft`. */
	countLeftToday(): number | undefined {
		return this.limiter.countLeft(this.clock.now());
	}

	/** Whether nothing waits or is open, and nothing that was learned still matters. */
	canBeForgotten(): boolean {
		const { prompt, bulk } = this.open;
		return this.waiting + prompt + bulk === 0 && this.clock.now() > this.lastEndAt + REMEMBERED_MS;
	}

	/** Waits for a request's turn, which must be given to `endTurn`. */
	async waitForTurn({ urgency, isRetry, signal }: Job): Promise<Turn | HeldBack> {
		if (signal?.aborted) return { kind: 'notSent' };
		const line = this.lines[(urgency === 'prompt' ? 0 : 2) + (isRetry ? 0 : 1)];
		return await new Promise((resolve) => {
			const waiting: Waiting = {
				urgency,
				settle: (turn) => {
					line.delete(waiting);
					signal?.removeEventListener('abort', withdraw);
					resolve(turn);
				},
			};
			const withdraw = () => waiting.settle({ kind: 'notSent' });
			signal?.addEventListener('abort', withdraw);
			line.add(waiting);
			this.admitWaiting();
		});
	}

	/** The request with this turn has ended: its place is free for others. Returns what the reply refuses. */
	endTurn({ urgency, request }: Turn, end: JobEnd): Refusal | undefined {
		this.lastEndAt = this.clock.now();
		this.countFailures(end, this.lastEndAt);
		const reply = end.kind === 'reply' ? end : undefined;
		const refusal = this.limiter.end(request, reply, this.lastEndAt);
		this.open[urgency]--;
		// a moment later, so that the sender can first withdraw its other waiting requests
		void this.clock.sleep(0).then(() => this.admitWaiting());
		return refusal;
	}

	/** What an end says about the service: that it works, fails or refuses, or nothing. */
	private countFailures(end: JobEnd, now: number): void {
		if (end.kind === 'broken' && end.isOurs) return;
		const status = end.kind === 'reply' ? end.status : 500;
		const kind = status === TOO_MANY_REQUESTS ? 'onlyRefusals' : 'serviceDown';
		const count = kind === 'onlyRefusals' || status >= 500 ? this.failures.count + 1 : 0;
		this.failures = { count, kind };
		if (count === FAILURES_TO_OPEN) this.testAt = now + TEST_PAUSE_MS;
	}

	private admitWaiting(): void {
		for (let next = this.findNext(); next !== undefined; next = this.findNext()) {
			const { urgency, settle } = next;
			const now = this.clock.now();
			const decision = this.decideTurn(urgency, now);
			if (decision.kind === 'send') {
				if (urgency === 'bulk' && this.isServiceDown) this.testAt = now + TEST_PAUSE_MS;
				this.open[urgency]++;
				settle({ kind: 'turn', urgency, request: this.limiter.start(now) });
				continue;
			}
			if (decision.kind === 'wait') {
				this.scheduleWake(decision.until, now);
				return;
			}
			const lines = decision.kind === 'dayUsedUp' ? this.lines : this.lines.slice(2);
			for (const one of lines.flatMap((line) => [...line])) one.settle(decision);
		}
	}

	private decideTurn(urgency: Urgency, now: number): Decision | HeldBack {
		// a clock that was set back does not lengthen the pause
		this.testAt = Math.min(this.testAt, now + TEST_PAUSE_MS);
		return urgency === 'bulk' && this.isServiceDown && now < this.testAt
			? { kind: this.failures.kind }
			: this.limiter.decide(now);
	}

	/** Who is served next, if a place is free. */
	private findNext(): Waiting | undefined {
		const { bulk, prompt } = this.open;
		if (bulk + prompt >= MAX_OPEN) return undefined;
		const lines = bulk < MAX_OPEN_BULK ? this.lines : this.lines.slice(0, 2);
		const [first] = lines.find((line) => line.size > 0) ?? [];
		return first;
	}

	private scheduleWake(at: number, now: number): void {
		if (this.wakeAt <= at) return;
		this.wakeAt = at;
		void this.clock.sleep(Math.max(0, at - now)).then(() => {
			if (this.wakeAt === at) this.wakeAt = Infinity;
			this.admitWaiting();
		});
	}
}

const queues = new Map<string, RequestQueue>();

/**
 * The queue of an account for all nodes of this process: the service counts them together (specification,
 * section 8). An idle queue is dropped, so nobody may keep one between two requests.
 *
 * @param key see `Account.key`
 */
export function getQueue(key: string): RequestQueue {
	const known = queues.get(key);
	if (known !== undefined) return known;
	for (const [other, queue] of queues) if (queue.canBeForgotten()) queues.delete(other);
	const queue = new RequestQueue(new RateLimiter());
	queues.set(key, queue);
	return queue;
}
