import { pull, sortedLastIndexBy } from 'lodash';
import { clock as machineClock, type Clock } from '../clock';
import { createFailure, type RequestFailure } from '../failures';
import { UNKNOWN_WINDOW, updateRateLimitWindow, WINDOW_MS, type ReplyHeaders } from './rateLimit';

/** At five requests at a time, replies that take five seconds still use up 60 requests a minute. */
const MAX_IN_FLIGHT = 5;

/** After this number of failures in a row, requests of items fail immediately for a minute. */
const OUTAGE_FAILURES = 20;

/** The causes of failures that affect all requests of the account. */
const OUTAGE_CAUSES: unknown[] = ['temporarily-unavailable', 'rate-limited', 'credential-invalid'];

const OUTAGE_MS = 60_000;

/** The maximum time that items wait for a service with status 503. Longer, a node would seem to hang. */
const MAX_UNAVAILABLE_MS = 5 * 60_000;

/** The shortest pause of items after a status 503, so that five minutes do not use up the daily limit. */
const MIN_UNAVAILABLE_PAUSE_MS = 10_000;

/** Requests of triggers and the editor (`high`) go before requests of items (`low`). */
export type Priority = 'high' | 'low';

/** The permission to send one request, which counts toward the limit until a minute after its end. */
export type Slot = { readonly startedAtMs: number; countsUntilMs: number };

/** The headers of the reply to a request, and the failure if the request failed. */
export type RequestResult = { headers: ReplyHeaders; requestFailure?: RequestFailure };

/** The rank of a retry. The rank of a first attempt is higher by 1. The lowest rank goes first. */
const RANKS = { high: 0, low: 2 };

type QueueEntry = { rank: number; settle: (result: Slot | RequestFailure) => void };

/**
 * Limits the requests of an account: at most `MAX_IN_FLIGHT` at the same time, and at most 60 in any minute.
 * Requests wait in the order of rank, then of arrival.
 *
 * The service does not say when its minute started. So the queue counts a request from its start until a
 * minute after its end. The headers of replies also count requests of other clients. The lower number of the
 * two applies. All times are from `clock.monotonicMs`.
 */
export class RequestQueue {
	/** The waiting requests, sorted by rank. */
	private readonly waiting: QueueEntry[] = [];

	/** The slots of requests that the service may still count toward the limit per minute. */
	private slots: Slot[] = [];

	private rateLimitWindow = UNKNOWN_WINDOW;

	/** Until this time, all requests wait, because of a status 429. */
	private rateLimitedUntilMs = -Infinity;

	/** Until `untilMs`, requests whose rank is at least `rank` fail immediately with `failure`. */
	private failFast?: { untilMs: number; rank: number; failure: RequestFailure };

	private failureStreak = 0;

	/** When the first of the latest replies with status 503 came. Undefined if the service is available. */
	private unavailableSinceMs?: number;

	/** Until this time, requests of items wait, because of a status 503. */
	private itemsPausedUntilMs = -Infinity;

	private wakeAtMs = Infinity;

	constructor(private readonly clock: Omit<Clock, 'timeout'> = machineClock) {}

	/**
	 * Waits for a slot, which the caller must pass to `releaseSlot`. Returns a failure if the request must not
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

	/** Records the end of the request that has the slot. `result` is undefined if sending threw an error. */
	releaseSlot(slot: Slot, result?: RequestResult): void {
		const nowMs = this.clock.monotonicMs();
		const { headers = {}, requestFailure } = result ?? {};
		slot.countsUntilMs = nowMs + WINDOW_MS;
		if (requestFailure?.reason === 'minuteLimit') {
			// the service does not count a request that it refuses
			pull(this.slots, slot);
		} else {
			const reply = { startedAtMs: slot.startedAtMs, headers, nowMs };
			this.rateLimitWindow = updateRateLimitWindow(this.rateLimitWindow, reply);
		}
		if (requestFailure?.reason === 'unavailable') this.pauseItems(requestFailure, nowMs);
		else this.countFailure(requestFailure, nowMs);
		// the caller first handles the result, and may abort its other requests
		void this.clock.sleep(0).then(() => this.admitWaiting());
	}

	/** Makes requests of items wait for an unavailable service, or fail if they would wait too long. */
	private pauseItems(failure: RequestFailure, nowMs: number): void {
		const pauseMs = Math.max(this.computeWaitMs(failure), MIN_UNAVAILABLE_PAUSE_MS);
		const sinceMs = this.unavailableSinceMs ?? nowMs;
		if (nowMs + pauseMs > sinceMs + MAX_UNAVAILABLE_MS) {
			this.resumeItems();
			this.failItems(failure, nowMs);
			return;
		}
		this.unavailableSinceMs = sinceMs;
		this.itemsPausedUntilMs = Math.max(this.itemsPausedUntilMs, nowMs + pauseMs);
	}

	private resumeItems(): void {
		this.unavailableSinceMs = undefined;
		this.itemsPausedUntilMs = -Infinity;
	}

	/** Applies a failure, or a success if `failure` is undefined, to the other requests of the account. */
	private countFailure(failure: RequestFailure | undefined, nowMs: number): void {
		this.resumeItems();
		const isOutage = OUTAGE_CAUSES.includes(failure?.cause);
		this.failureStreak = isOutage ? this.failureStreak + 1 : 0;
		if (failure === undefined) return;
		const retryAtMs = nowMs + this.computeWaitMs(failure);
		if (failure.reason === 'dayLimit') {
			this.failFast = { untilMs: retryAtMs, rank: RANKS.high, failure };
			return;
		}
		if (failure.reason === 'minuteLimit') {
			this.rateLimitedUntilMs = Math.max(this.rateLimitedUntilMs, retryAtMs);
		}
		if (this.failureStreak >= OUTAGE_FAILURES) {
			const { cause } = failure;
			this.failItems(createFailure('outage', { cause, lastFailure: failure }), nowMs);
		}
	}

	private computeWaitMs({ retryAtMs = 0 }: RequestFailure): number {
		return retryAtMs - this.clock.now();
	}

	/** Makes the requests of items fail for a minute, unless requests already fail. */
	private failItems(failure: RequestFailure, nowMs: number): void {
		if (this.isFailing(RANKS.low, nowMs)) return;
		this.failFast = { untilMs: nowMs + OUTAGE_MS, rank: RANKS.low, failure };
	}

	private isFailing(rank: number, nowMs: number): boolean {
		const { failFast } = this;
		return failFast !== undefined && nowMs < failFast.untilMs && rank >= failFast.rank;
	}

	private admitWaiting(): void {
		while (this.waiting.length > 0) {
			const nowMs = this.clock.monotonicMs();
			const [nextEntry] = this.waiting;
			if (this.failFast && this.isFailing(nextEntry.rank, nowMs)) {
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
		// no timer for Infinity: `releaseSlot` admits the next request
		if (this.wakeAtMs <= atMs) return;
		this.wakeAtMs = atMs;
		void this.clock.sleep(atMs - nowMs).then(() => {
			if (this.wakeAtMs === atMs) this.wakeAtMs = Infinity;
			this.admitWaiting();
		});
	}
}

const queues = new Map<string, RequestQueue>();

/**
 * Returns the queue of an account, which all nodes of this process share, because the service counts their
 * requests together.
 *
 * @param key see `Account.key`
 */
export function getQueue(key: string): RequestQueue {
	const queue = queues.get(key) ?? new RequestQueue();
	queues.set(key, queue);
	return queue;
}
