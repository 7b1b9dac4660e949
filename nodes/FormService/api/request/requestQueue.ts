import { pull, sortedLastIndexBy } from 'lodash';
import { clock as machineClock, type Clock } from '../clock';
import { createFailure, type RequestFailure } from '../requestFailure';
import { UNKNOWN_WINDOW, updateServerWindow, WINDOW_MS, type ReplyHeaders } from './rateLimit';

/** The most open requests of an account: enough to use the minute's allowance if replies take five seconds. */
const MAX_IN_FLIGHT = 5;

/** All open requests failed at each of their four attempts: a failure that passes sooner does not count. */
const BREAKER_THRESHOLD = MAX_IN_FLIGHT * 4;

/** Causes that every request of the account meets. */
const BREAKER_CAUSES: unknown[] = ['temporarily-unavailable', 'rate-limited', 'credential-invalid'];

/** How long items fail at once after this many failures in a row, or if the service asks for a long wait. */
const BREAKER_OPEN_MS = 60_000;

/** How long items wait for a service that is unavailable. Chosen: a user sees no sign of the wait. */
const MAX_UNAVAILABLE_MS = 5 * 60_000;

/** The longest time until an unavailable service is asked again, if it asks for less. */
const MAX_UNAVAILABLE_PAUSE_MS = 30_000;

/** Requests of triggers and the editor (`high`) go before those of items (`low`), which can wait. */
export type Priority = 'high' | 'low';

/** The permission to send one request. It counts until one window after the end of the request. */
export type Slot = { readonly startedAtMs: number; countsUntilMs: number };

/** The end of a request: the headers of its reply, and its failure, if the request failed. */
export type RequestOutcome = { headers: ReplyHeaders; requestFailure?: RequestFailure };

/** The rank of a retry; first attempts come one after it. */
const RANKS = { high: 0, low: 2 };

type QueueEntry = { rank: number; settle: (result: Slot | RequestFailure) => void };

/**
 * Lets the requests of an account through: at most `MAX_IN_FLIGHT` at a time and 60 in any minute, in order of rank,
 * then of arrival. The service does not say when its window started. A request counts from its start until one window
 * after its end: by then, every window that can have counted it is over. The headers of replies also count the requests
 * of other clients; the lower number applies. All times are those of `clock.monotonicMs`.
 */
export class RequestQueue {
	/** Sorted by rank. */
	private readonly waiting: QueueEntry[] = [];

	/** The requests that count. */
	private slots: Slot[] = [];

	/** The service's window, as the replies show it. */
	private serverWindow = UNKNOWN_WINDOW;

	/** After a status 429 for the minute's limit, all requests wait until then. */
	private rateLimitedUntilMs = -Infinity;

	/** Until then, requests of this rank and later ranks fail at once: all for the day's limit, items in an outage. */
	private failFast?: { untilMs: number; rank: number; failure: RequestFailure };

	/** The number of failures in a row with one of the `BREAKER_CAUSES`. */
	private failureStreak = 0;

	/** When the service first replied that it is unavailable, and until when items wait. */
	private unavailableSinceMs?: number;
	private itemsPausedUntilMs = -Infinity;

	private wakeAtMs = Infinity;
	private usedAtMs = -Infinity;

	constructor(private readonly clock: Omit<Clock, 'timeout'> = machineClock) {}

	/** Waits for a slot, which must be passed to `releaseSlot`. Returns a failure if the request must not be sent. */
	async acquireSlot({
		priority,
		isRetry,
		signal,
	}: {
		priority: Priority;
		isRetry: boolean;
		signal?: AbortSignal;
	}): Promise<Slot | RequestFailure> {
		this.usedAtMs = this.clock.monotonicMs();
		if (signal?.aborted) return createFailure('canceled');
		return await new Promise((resolve) => {
			const entry: QueueEntry = {
				rank: RANKS[priority] + (isRetry ? 0 : 1),
				settle: (result) => {
					pull(this.waiting, entry);
					signal?.removeEventListener('abort', cancel);
					resolve(result);
				},
			};
			const cancel = () => entry.settle(createFailure('canceled'));
			signal?.addEventListener('abort', cancel);
			this.waiting.splice(sortedLastIndexBy(this.waiting, entry, 'rank'), 0, entry);
			this.admitWaiting();
		});
	}

	/** Whether a later request needs nothing of the queue: even a day's limit has ended. */
	isForgettable(): boolean {
		const isOpen = this.slots.some(({ countsUntilMs }) => countsUntilMs === Infinity);
		const isUnused = this.clock.monotonicMs() - this.usedAtMs > FORGOTTEN_AFTER_MS;
		return isUnused && !isOpen && this.waiting.length === 0;
	}

	/** Ends the request of a slot. `outcome` is undefined if sending threw. */
	releaseSlot(slot: Slot, outcome?: RequestOutcome): void {
		const nowMs = this.clock.monotonicMs();
		this.usedAtMs = nowMs;
		const { headers = {}, requestFailure } = outcome ?? {};
		slot.countsUntilMs = nowMs + WINDOW_MS;
		// the service does not count a rate-limited request
		if (requestFailure?.reason === 'minuteLimit') pull(this.slots, slot);
		else this.serverWindow = updateServerWindow(this.serverWindow, { ...slot, headers, nowMs });
		if (requestFailure?.reason === 'unavailable') this.pauseItems(requestFailure, nowMs);
		else this.countFailure(requestFailure, nowMs);
		this.admitAfterSender();
	}

	/**
	 * Admits waiting requests after the sender of the request that has ended has acted on its end. A timer fires only
	 * after all promise callbacks. In such a callback, a node that stops on failure aborts the signal of its other
	 * requests, so none of these requests is sent.
	 */
	private admitAfterSender(): void {
		void this.clock.sleep(0).then(() => this.admitWaiting());
	}

	/**
	 * Lets items wait until the service is available again. If the wait takes too long, items fail at once. Triggers
	 * and the editor do not wait.
	 */
	private pauseItems(failure: RequestFailure, nowMs: number): void {
		const retryInMs = this.computeRetryInMs(failure);
		const { unavailableSinceMs: sinceMs = nowMs } = this;
		// a service that always asks for one second is not asked each second
		const pauseMs = Math.max(retryInMs, Math.min(nowMs - sinceMs, MAX_UNAVAILABLE_PAUSE_MS));
		if (nowMs + pauseMs > sinceMs + MAX_UNAVAILABLE_MS) {
			this.resumeItems();
			this.failItems(failure, nowMs, Math.min(pauseMs, BREAKER_OPEN_MS));
			return;
		}
		this.unavailableSinceMs = sinceMs;
		this.itemsPausedUntilMs = Math.max(this.itemsPausedUntilMs, nowMs + pauseMs);
	}

	private resumeItems(): void {
		this.unavailableSinceMs = undefined;
		this.itemsPausedUntilMs = -Infinity;
	}

	/** Counts failures in a row, which a success or a failure of a single request ends. */
	private countFailure(failure: RequestFailure | undefined, nowMs: number): void {
		this.resumeItems();
		const isBreaking = BREAKER_CAUSES.includes(failure?.cause);
		this.failureStreak = isBreaking ? this.failureStreak + 1 : 0;
		if (failure !== undefined) this.applyFailure(failure, nowMs);
	}

	/** Returns how long the service asks to wait, by the queue's clock, which is never set back. */
	private computeRetryInMs({ retryAtMs = Infinity }: RequestFailure): number {
		return retryAtMs - this.clock.now();
	}

	/** Lets other requests wait for a rate limit, or fail at once in an outage: after many failures in a row. */
	private applyFailure(failure: RequestFailure, nowMs: number): void {
		const { reason, cause } = failure;
		const retryInMs = this.computeRetryInMs(failure);
		if (reason === 'minuteLimit') {
			this.rateLimitedUntilMs = Math.max(this.rateLimitedUntilMs, nowMs + retryInMs);
		}
		if (reason === 'dayLimit') {
			this.failFast = { untilMs: nowMs + retryInMs, rank: RANKS.high, failure };
		} else if (this.failureStreak >= BREAKER_THRESHOLD) {
			const outage = createFailure('outage', { cause, lastFailure: failure });
			this.failItems(outage, nowMs, BREAKER_OPEN_MS);
		}
	}

	/** Lets items fail at once for a while, unless requests already fail at once. */
	private failItems(failure: RequestFailure, nowMs: number, durationMs: number): void {
		if (this.isFailingFast(nowMs)) return;
		this.failFast = { untilMs: nowMs + durationMs, rank: RANKS.low, failure };
	}

	private isFailingFast(nowMs: number): boolean {
		return this.failFast !== undefined && nowMs < this.failFast.untilMs;
	}

	private admitWaiting(): void {
		while (this.waiting.length > 0) {
			const nowMs = this.clock.monotonicMs();
			const [nextEntry] = this.waiting;
			if (this.failFast && this.isFailingFast(nowMs) && nextEntry.rank >= this.failFast.rank) {
				nextEntry.settle(this.failFast.failure);
				continue;
			}
			const freeAtMs = Math.max(
				this.rateLimitedUntilMs,
				nextEntry.rank >= RANKS.low ? this.itemsPausedUntilMs : nowMs,
				this.findFreeTimeMs(nowMs),
			);
			if (freeAtMs > nowMs) {
				this.scheduleWake(freeAtMs, nowMs);
				return;
			}
			const slot = { startedAtMs: nowMs, countsUntilMs: Infinity };
			this.slots.push(slot);
			nextEntry.settle(slot);
		}
	}

	/** Returns when one more request fits under the limits: now, later, or at Infinity: once an open one has ended. */
	private findFreeTimeMs(nowMs: number): number {
		this.slots = this.slots.filter(({ countsUntilMs }) => countsUntilMs > nowMs);
		const ends = this.slots.map(({ countsUntilMs }) => countsUntilMs);
		const inFlight = ends.filter((endMs) => endMs === Infinity).length;
		if (inFlight >= MAX_IN_FLIGHT) return Infinity;
		const { perMinute, remaining, endsByMs } = this.serverWindow;
		const serverAtMs = remaining > inFlight ? nowMs : endsByMs;
		return Math.max(serverAtMs, ends.length < perMinute ? nowMs : Math.min(...ends));
	}

	private scheduleWake(atMs: number, nowMs: number): void {
		// at Infinity, the end of an open request calls `admitWaiting`
		if (this.wakeAtMs <= atMs) return;
		this.wakeAtMs = atMs;
		void this.clock.sleep(atMs - nowMs).then(() => {
			if (this.wakeAtMs === atMs) this.wakeAtMs = Infinity;
			this.admitWaiting();
		});
	}
}

/** Longer than the longest wait: a day's limit, with a margin. */
const FORGOTTEN_AFTER_MS = 25 * 3_600_000;

const queues = new Map<string, RequestQueue>();

/**
 * Returns the queue of an account (`Account.key`) for all nodes of this process, because the service counts their
 * requests together. A new account removes the queues of unused accounts.
 */
export function getQueue(key: string): RequestQueue {
	const existing = queues.get(key);
	if (existing !== undefined) return existing;
	for (const [account, queue] of queues) if (queue.isForgettable()) queues.delete(account);
	const queue = new RequestQueue();
	queues.set(key, queue);
	return queue;
}
