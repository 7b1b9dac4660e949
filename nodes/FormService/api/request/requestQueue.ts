import { pull, sortedLastIndexBy } from 'lodash';
import { clock as machineClock, type Clock } from '../clock';
import { createFailure, type RequestFailure } from '../requestFailure';
import { UNKNOWN_WINDOW, updateRateLimitWindow, WINDOW_MS, type ReplyHeaders } from './rateLimit';

/**
 * The maximum number of requests of an account at the same time. If replies take five seconds, five requests at
 * a time use up the limit of 60 requests per minute.
 */
const MAX_IN_FLIGHT = 5;

/**
 * The number of failures in a row after which requests of items fail immediately: 20. Five simultaneous
 * requests reach this number if each request fails in four attempts.
 */
const BREAKER_THRESHOLD = MAX_IN_FLIGHT * 4;

/** The causes of failures that affect all requests of the account. */
const BREAKER_CAUSES: unknown[] = ['temporarily-unavailable', 'rate-limited', 'credential-invalid'];

/**
 * The time during which requests of items fail immediately. The time starts after many failures in a row, or
 * if the service asks for a long wait.
 */
const BREAKER_OPEN_MS = 60_000;

/**
 * The maximum time that items wait for an unavailable service. The editor does not show the wait. During a
 * longer wait, users would think that the node hangs.
 */
const MAX_UNAVAILABLE_MS = 5 * 60_000;

/**
 * The maximum pause of items between two requests to an unavailable service. If the service asks for a longer
 * pause, the longer pause applies.
 */
const MAX_UNAVAILABLE_PAUSE_MS = 30_000;

/** The priority of a request. Requests of triggers and the editor (`high`) go before requests of items (`low`). */
export type Priority = 'high' | 'low';

/**
 * The permission to send one request. The request is counted toward the per-minute limit until a minute after
 * its end.
 */
export type Slot = { readonly startedAtMs: number; countsUntilMs: number };

/** The headers of the reply to a request, and the failure if the request failed. */
export type RequestResult = { headers: ReplyHeaders; requestFailure?: RequestFailure };

/**
 * The rank of a retry, by priority. The rank of a first attempt is higher by 1. Requests with the lowest rank
 * go first.
 */
const RANKS = { high: 0, low: 2 };

type QueueEntry = { rank: number; settle: (result: Slot | RequestFailure) => void };

/**
 * Limits the requests of an account: at most `MAX_IN_FLIGHT` at the same time, and at most 60 in any minute.
 * Requests wait in the order of rank, then of arrival.
 *
 * The service does not say when its rate limit window started. So the queue counts a request from its start
 * until one window after its end. By then, every window that can have counted the request is over. The headers
 * of replies also count requests of other clients. If the headers allow fewer requests, the headers apply. All
 * times are from `clock.monotonicMs`.
 */
export class RequestQueue {
	/** The waiting requests, sorted by rank. */
	private readonly waiting: QueueEntry[] = [];

	/** The slots of requests that the service may still count toward the per-minute limit. */
	private slots: Slot[] = [];

	/** The rate limit window, as replies show it. */
	private rateLimitWindow = UNKNOWN_WINDOW;

	/** Until this time, all requests wait, because the per-minute limit is reached. */
	private rateLimitedUntilMs = -Infinity;

	/**
	 * Until `untilMs`, requests whose rank is at least `rank` fail immediately with `failure`. If the daily
	 * limit is reached, all requests fail. In an outage, only the requests of items fail.
	 */
	private failFast?: { untilMs: number; rank: number; failure: RequestFailure };

	/** How many requests in a row have failed with one of the `BREAKER_CAUSES`. */
	private failureStreak = 0;

	/** When the current outage of the service started. Undefined if the service is available. */
	private unavailableSinceMs?: number;

	/** Until this time, requests of items wait, because the service is unavailable. */
	private itemsPausedUntilMs = -Infinity;

	private wakeAtMs = Infinity;
	private usedAtMs = -Infinity;

	constructor(private readonly clock: Omit<Clock, 'timeout'> = machineClock) {}

	/**
	 * Waits for a slot. The caller must pass the slot to `releaseSlot`. Returns a failure if the request must not
	 * be sent.
	 */
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

	/**
	 * Whether the queue can be deleted. False while a request waits or is being sent. False until 25 hours
	 * after the last request, because the daily limit may still apply.
	 */
	isForgettable(): boolean {
		const isOpen = this.slots.some(({ countsUntilMs }) => countsUntilMs === Infinity);
		const isUnused = this.clock.monotonicMs() - this.usedAtMs > QUEUE_RETENTION_MS;
		return isUnused && !isOpen && this.waiting.length === 0;
	}

	/** Records the end of the request that has the slot. `result` is undefined if sending threw an error. */
	releaseSlot(slot: Slot, result?: RequestResult): void {
		const nowMs = this.clock.monotonicMs();
		this.usedAtMs = nowMs;
		const { headers = {}, requestFailure } = result ?? {};
		slot.countsUntilMs = nowMs + WINDOW_MS;
		// the service does not count a rate-limited request
		if (requestFailure?.reason === 'minuteLimit') pull(this.slots, slot);
		else
			this.rateLimitWindow = updateRateLimitWindow(this.rateLimitWindow, {
				...slot,
				headers,
				nowMs,
			});
		if (requestFailure?.reason === 'unavailable') this.pauseItems(requestFailure, nowMs);
		else this.countFailure(requestFailure, nowMs);
		this.admitAfterSender();
	}

	/**
	 * Admits waiting requests after the caller has handled the result of the last request. The caller may abort
	 * its other requests, and an aborted request must not be sent. A timer of 0 ms waits long enough, because
	 * the caller runs in promise callbacks, and Node.js runs all pending promise callbacks before a timer.
	 */
	private admitAfterSender(): void {
		void this.clock.sleep(0).then(() => this.admitWaiting());
	}

	/**
	 * Makes requests of items wait until the service is available again. If the wait would be too long, the
	 * requests fail immediately. Requests of triggers and the editor do not wait.
	 */
	private pauseItems(failure: RequestFailure, nowMs: number): void {
		const retryInMs = this.computeRetryInMs(failure);
		const { unavailableSinceMs: sinceMs = nowMs } = this;
		// lengthen the pauses during an outage, because the service may ask for only one second each time
		const pauseMs = Math.max(retryInMs, Math.min(nowMs - sinceMs, MAX_UNAVAILABLE_PAUSE_MS));
		if (nowMs + pauseMs > sinceMs + MAX_UNAVAILABLE_MS) {
			this.resumeItems();
			this.failItemRequests(failure, nowMs, Math.min(pauseMs, BREAKER_OPEN_MS));
			return;
		}
		this.unavailableSinceMs = sinceMs;
		this.itemsPausedUntilMs = Math.max(this.itemsPausedUntilMs, nowMs + pauseMs);
	}

	private resumeItems(): void {
		this.unavailableSinceMs = undefined;
		this.itemsPausedUntilMs = -Infinity;
	}

	/**
	 * Counts failures in a row that affect all requests. After a success, or after a failure that affects
	 * only one request, the count starts again at 0.
	 */
	private countFailure(failure: RequestFailure | undefined, nowMs: number): void {
		this.resumeItems();
		const isBreaking = BREAKER_CAUSES.includes(failure?.cause);
		this.failureStreak = isBreaking ? this.failureStreak + 1 : 0;
		if (failure !== undefined) this.applyFailure(failure, nowMs);
	}

	/**
	 * Returns in how many milliseconds the service accepts requests again. Infinity if the service has not
	 * announced a time.
	 */
	private computeRetryInMs({ retryAtMs = Infinity }: RequestFailure): number {
		return retryAtMs - this.clock.now();
	}

	/**
	 * Applies a failure to the other requests of the account:
	 *
	 * - If the per-minute limit is reached, all requests wait.
	 * - If the daily limit is reached, all requests fail immediately.
	 * - After `BREAKER_THRESHOLD` failures in a row, requests of items fail immediately.
	 */
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
			this.failItemRequests(outage, nowMs, BREAKER_OPEN_MS);
		}
	}

	/**
	 * Makes the requests of items fail immediately for `durationMs`. Has no effect while requests already fail
	 * immediately.
	 */
	private failItemRequests(failure: RequestFailure, nowMs: number, durationMs: number): void {
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

	/** Returns when the limits allow one more request: now, later, or Infinity if a request must end first. */
	private findFreeTimeMs(nowMs: number): number {
		this.slots = this.slots.filter(({ countsUntilMs }) => countsUntilMs > nowMs);
		const ends = this.slots.map(({ countsUntilMs }) => countsUntilMs);
		const inFlight = ends.filter((endMs) => endMs === Infinity).length;
		if (inFlight >= MAX_IN_FLIGHT) return Infinity;
		const { perMinute, remaining, endsByMs } = this.rateLimitWindow;
		const serverAtMs = remaining > inFlight ? nowMs : endsByMs;
		return Math.max(serverAtMs, ends.length < perMinute ? nowMs : Math.min(...ends));
	}

	private scheduleWake(atMs: number, nowMs: number): void {
		// return also if `atMs` is Infinity: a request must end first, and `releaseSlot` then calls `admitWaiting`
		if (this.wakeAtMs <= atMs) return;
		this.wakeAtMs = atMs;
		void this.clock.sleep(atMs - nowMs).then(() => {
			if (this.wakeAtMs === atMs) this.wakeAtMs = Infinity;
			this.admitWaiting();
		});
	}
}

/** How long an unused queue is kept. Longer than a day, because the wait for the daily limit can take a day. */
const QUEUE_RETENTION_MS = 25 * 3_600_000;

const queues = new Map<string, RequestQueue>();

/**
 * Returns the queue of an account for all nodes of this process, because the service counts the requests of all
 * nodes together. If the account is new, deletes the unused queues of other accounts.
 *
 * @param key see `Account.key`
 */
export function getQueue(key: string): RequestQueue {
	const existing = queues.get(key);
	if (existing !== undefined) return existing;
	for (const [account, queue] of queues) if (queue.isForgettable()) queues.delete(account);
	const queue = new RequestQueue();
	queues.set(key, queue);
	return queue;
}
