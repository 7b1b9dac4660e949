import { pull, remove, sortedLastIndexBy } from 'lodash';
import { clock as machineClock, type Clock } from '../clock';
import { createFailure, type RequestFailure } from '../failures';
import { UNKNOWN_WINDOW, updateRateLimitWindow, WINDOW_MS, type ReplyHeaders } from './rateLimit';

/** At five requests at a time, replies that take five seconds still use up 60 requests a minute. */
const MAX_IN_FLIGHT = 5;

/** After this number of failures in a row, requests of items fail immediately for a minute. */
const OUTAGE_FAILURES = 20;

const OUTAGE_CAUSES: unknown[] = ['temporarily-unavailable', 'rate-limited', 'credential-invalid'];

const OUTAGE_MS = 60_000;

/** How long items wait while the service replies with status 503. After a longer wait, a node would seem to hang. */
const MAX_UNAVAILABLE_MS = 5 * 60_000;

/** A shorter `Retry-After` would let the requests of five minutes use up the daily limit. */
const MIN_UNAVAILABLE_PAUSE_MS = 10_000;

/** Requests of triggers and the editor (`high`) go before requests of items (`low`). */
export type Priority = 'high' | 'low';

export type Job = { priority: Priority; isRetry: boolean; signal?: AbortSignal };

/** The permission to send one request, which counts toward the limit until a minute after its end. */
export type Slot = { readonly startedAtMs: number; countsUntilMs: number };

export type RequestResult = { headers: ReplyHeaders; requestFailure?: RequestFailure };

/** The rank of a retry. The rank of a first attempt is higher by 1. The lowest rank goes first. */
const RANKS = { high: 0, low: 2 };

/** Until `untilMs`, requests whose rank is at least `rank` wait. If there is a `failure`, they fail instead. */
type Stop = { rank: number; untilMs: number; failure?: RequestFailure };

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
	/** Sorted by rank. */
	private readonly waiting: QueueEntry[] = [];

	/** Of the requests that the service may still count. */
	private slots: Slot[] = [];

	private rateLimitWindow = UNKNOWN_WINDOW;

	private readonly stops: Stop[] = [];

	private failureStreak = 0;

	/** When the first of the latest replies with status 503 came. */
	private unavailableSinceMs?: number;

	private wakeAtMs = Infinity;

	constructor(private readonly clock: Omit<Clock, 'timeout'> = machineClock) {}

	/** The caller must pass the slot to `releaseSlot`. Returns a failure if the request must not be sent. */
	async acquireSlot({ priority, isRetry, signal }: Job): Promise<Slot | RequestFailure> {
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

	/** `result` is undefined if sending threw an error. */
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
		if (requestFailure?.reason !== 'unavailable') this.resumeItems();
		if (requestFailure === undefined) this.failureStreak = 0;
		else this.applyFailure(requestFailure, nowMs);
		// the caller first handles the result, and may abort its other requests
		void this.clock.sleep(0).then(() => this.admitWaiting());
	}

	private applyFailure(failure: RequestFailure, nowMs: number): void {
		remove(this.stops, ({ untilMs }) => untilMs <= nowMs);
		const { reason, cause, retryAtMs = 0 } = failure;
		const retryMs = nowMs + retryAtMs - this.clock.now();
		if (reason === 'unavailable') {
			this.pauseItems(failure, Math.max(retryMs, nowMs + MIN_UNAVAILABLE_PAUSE_MS), nowMs);
			return;
		}
		if (reason === 'dayLimit') this.stops.push({ rank: RANKS.high, untilMs: retryMs, failure });
		if (reason === 'minuteLimit') this.stops.push({ rank: RANKS.high, untilMs: retryMs });
		this.failureStreak = OUTAGE_CAUSES.includes(cause) ? this.failureStreak + 1 : 0;
		if (this.failureStreak >= OUTAGE_FAILURES) {
			this.failItems(createFailure('outage', { cause, lastFailure: failure }), nowMs);
		}
	}

	/** Makes requests of items wait for an unavailable service, or fail if they would wait too long. */
	private pauseItems(failure: RequestFailure, untilMs: number, nowMs: number): void {
		this.unavailableSinceMs ??= nowMs;
		if (untilMs <= this.unavailableSinceMs + MAX_UNAVAILABLE_MS) {
			this.stops.push({ rank: RANKS.low, untilMs });
			return;
		}
		this.resumeItems();
		this.failItems(failure, nowMs);
	}

	private resumeItems(): void {
		this.unavailableSinceMs = undefined;
		remove(this.stops, ({ rank, failure }) => rank === RANKS.low && failure === undefined);
	}

	/** Makes the requests of items fail for a minute, unless they already fail. */
	private failItems(failure: RequestFailure, nowMs: number): void {
		if (this.findFailure(RANKS.low, nowMs) !== undefined) return;
		this.stops.push({ rank: RANKS.low, untilMs: nowMs + OUTAGE_MS, failure });
	}

	private findFailure(rank: number, nowMs: number): RequestFailure | undefined {
		return this.listStops(rank, nowMs).find(({ failure }) => failure !== undefined)?.failure;
	}

	private listStops(rank: number, nowMs: number): Stop[] {
		return this.stops.filter((stop) => rank >= stop.rank && stop.untilMs > nowMs);
	}

	private admitWaiting(): void {
		while (this.waiting.length > 0) {
			const nowMs = this.clock.monotonicMs();
			const [{ rank, settle }] = this.waiting;
			const failure = this.findFailure(rank, nowMs);
			if (failure !== undefined) {
				settle(failure);
				continue;
			}
			const stopEnds = this.listStops(rank, nowMs).map(({ untilMs }) => untilMs);
			const freeAtMs = Math.max(this.findFreeTimeMs(nowMs), ...stopEnds);
			if (freeAtMs > nowMs) {
				this.scheduleWake(freeAtMs, nowMs);
				return;
			}
			const slot = { startedAtMs: nowMs, countsUntilMs: Infinity };
			this.slots.push(slot);
			settle(slot);
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

/** All nodes of this process share the queue of an account, because the service counts their requests together. */
export function getQueue(key: string): RequestQueue {
	const queue = queues.get(key) ?? new RequestQueue();
	queues.set(key, queue);
	return queue;
}
