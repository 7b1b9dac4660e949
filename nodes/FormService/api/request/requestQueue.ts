import { pull } from 'lodash';
import { clock as machineClock, MINUTE_MS, type Clock } from '../clock';
import { REQUESTS_PER_DAY, REQUESTS_PER_MINUTE } from '../endpoints';
import { createFailure, type RequestFailure } from '../failures';
import type { Reply } from './parseReply';

/** How long a request counts after its end. Timers fire up to a millisecond early. */
const WINDOW_MS = MINUTE_MS + 25;

/** At five requests at a time, replies that take five seconds still use up 60 requests a minute. */
const MAX_IN_FLIGHT = 5;

/** After this number of failures in a row, requests of items fail immediately for a minute. */
const OUTAGE_FAILURES = 20;

const OUTAGE_MS = MINUTE_MS;

/** How long items wait while the service replies with status 503. After a longer wait, a node would seem to hang. */
const MAX_UNAVAILABLE_MS = 5 * MINUTE_MS;

/** A shorter `Retry-After` would let the requests of five minutes use up the daily limit. */
const MIN_UNAVAILABLE_PAUSE_MS = 10_000;

/** Requests of triggers and the editor (`high`) go before requests of items (`low`). */
export type Priority = 'high' | 'low';

/** The permission to send one request, which counts toward the limit until a minute after its end. */
type Slot = { countsUntilMs: number };

type QueueEntry = { priority: Priority; settle: (result: Slot | RequestFailure) => void };

/** Until `untilMs`, requests wait. If there is a `failure`, they fail instead. */
type Stop = { untilMs: number; failure?: RequestFailure };

const NO_STOP: Stop = { untilMs: -Infinity };

/**
 * Limits the requests of an account: at most `MAX_IN_FLIGHT` at the same time, and at most 60 in any minute. The
 * service does not say when its minute starts, so a request counts from its start until a minute after its end.
 * Requests wait in the order of priority, then of arrival. All times are from `clock.monotonicMs`.
 */
export class RequestQueue {
	private readonly waiting: QueueEntry[] = [];

	/** Of the requests that the service may still count. */
	private slots: Slot[] = [];

	private perMinute = REQUESTS_PER_MINUTE;

	/** Stops all requests after the service has refused one. */
	private limitStop = NO_STOP;

	/** Stops only the requests of items while the service fails. */
	private itemStop = NO_STOP;

	private failureStreak = 0;

	/** When the first of the latest replies with status 503 came. */
	private unavailableSinceMs?: number;

	private wakeAtMs = Infinity;

	constructor(private readonly clock: Omit<Clock, 'timeout'> = machineClock) {}

	/** The caller must pass the slot to `releaseSlot`. Returns a failure if the request must not be sent. */
	async acquireSlot(priority: Priority, signal?: AbortSignal): Promise<Slot | RequestFailure> {
		if (signal?.aborted) return createFailure('canceled');
		return await new Promise((resolve) => {
			const entry: QueueEntry = {
				priority,
				settle: (result) => {
					pull(this.waiting, entry);
					signal?.removeEventListener('abort', cancel);
					resolve(result);
				},
			};
			const cancel = () => entry.settle(createFailure('canceled'));
			signal?.addEventListener('abort', cancel);
			this.waiting.push(entry);
			this.admitWaiting();
		});
	}

	/** `reply` is undefined if sending threw an error. */
	releaseSlot(slot: Slot, reply?: Pick<Reply, 'headers' | 'requestFailure'>): void {
		const nowMs = this.clock.monotonicMs();
		const { headers = {}, requestFailure } = reply ?? {};
		slot.countsUntilMs = nowMs + WINDOW_MS;
		const limit = Number(headers['x-ratelimit-limit']);
		// skip the limit of the day, which the header shows if less is left of the day than of the minute
		if (limit > 0 && limit !== REQUESTS_PER_DAY) this.perMinute = limit;
		this.failureStreak = requestFailure?.cause === undefined ? 0 : this.failureStreak + 1;
		if (requestFailure?.reason !== 'unavailable') this.unavailableSinceMs = undefined;
		if (requestFailure !== undefined) this.stopAfterFailure(requestFailure, nowMs);
		this.admitWaiting();
	}

	private stopAfterFailure(failure: RequestFailure, nowMs: number): void {
		const { reason, status, detail = `status ${status}`, retryAtMs = 0 } = failure;
		const untilMs = nowMs + retryAtMs - this.clock.now();
		const isDayLimit = reason === 'dayLimit';
		const isLimit = isDayLimit || reason === 'minuteLimit';
		if (isLimit && untilMs > this.limitStop.untilMs) {
			this.limitStop = { untilMs, failure: isDayLimit ? failure : undefined };
		}
		// a request that was sent before the stop does not change the stop
		if (this.itemStop.untilMs > nowMs) return;
		if (reason === 'unavailable') {
			const pauseEndMs = Math.max(untilMs, nowMs + MIN_UNAVAILABLE_PAUSE_MS);
			this.pauseItems(failure, pauseEndMs, nowMs);
		} else if (this.failureStreak >= OUTAGE_FAILURES) {
			const outage = createFailure('outage', { detail });
			this.itemStop = { untilMs: nowMs + OUTAGE_MS, failure: outage };
		}
	}

	/** Makes items wait for an unavailable service, or fail if they would wait too long. */
	private pauseItems(failure: RequestFailure, untilMs: number, nowMs: number): void {
		this.unavailableSinceMs ??= nowMs;
		const isTooLong = untilMs > this.unavailableSinceMs + MAX_UNAVAILABLE_MS;
		this.itemStop = isTooLong ? { untilMs: nowMs + OUTAGE_MS, failure } : { untilMs };
		// after a failure, the next pause may last as long again
		if (isTooLong) this.unavailableSinceMs = undefined;
	}

	private admitWaiting(): void {
		while (this.waiting.length > 0) {
			const nowMs = this.clock.monotonicMs();
			const next = this.waiting.find(({ priority }) => priority === 'high') ?? this.waiting[0];
			const allStops =
				next.priority === 'high' ? [this.limitStop] : [this.limitStop, this.itemStop];
			const stops = allStops.filter(({ untilMs }) => untilMs > nowMs);
			const failure = stops.find((stop) => stop.failure !== undefined)?.failure;
			if (failure !== undefined) {
				next.settle(failure);
				continue;
			}
			const stopEnds = stops.map(({ untilMs }) => untilMs);
			const freeAtMs = Math.max(this.findFreeTimeMs(nowMs), ...stopEnds);
			if (freeAtMs > nowMs) {
				this.scheduleWake(freeAtMs, nowMs);
				return;
			}
			const slot = { countsUntilMs: Infinity };
			this.slots.push(slot);
			next.settle(slot);
		}
	}

	/** Returns when the limits allow one more request: now, later, or Infinity if a request must end first. */
	private findFreeTimeMs(nowMs: number): number {
		this.slots = this.slots.filter(({ countsUntilMs }) => countsUntilMs > nowMs);
		const ends = this.slots.map(({ countsUntilMs }) => countsUntilMs);
		const inFlight = ends.filter((endMs) => endMs === Infinity).length;
		if (inFlight >= MAX_IN_FLIGHT) return Infinity;
		return ends.length < this.perMinute ? nowMs : Math.min(...ends);
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
