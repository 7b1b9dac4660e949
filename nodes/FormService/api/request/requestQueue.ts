import { pull, sortedLastIndexBy } from 'lodash';
import { clock as machineClock, type Clock } from '../clock';
import type { RequestFailure } from '../errors';
import type { ReplyHeaders } from './sendOnce';

/** Requests that the service allows an account in a minute and in a day (specification, section 8). */
export const REQUESTS_PER_MINUTE = 60;
export const REQUESTS_PER_DAY = 1440;

/**
 * The service's window: its minute starts with the first request after the last window ended. The
 * margin is for timers, which fire up to a millisecond early, and for a service that rounds.
 */
const WINDOW_MS = 60_000 + 25;

/**
 * The most open requests of one account: enough to use the minute's allowance at reply times of several
 * seconds, and few enough that a refusal, which meets all open requests, stays cheap.
 */
const MAX_OPEN = 5;

/** All open requests failed at each of their four tries: a failure that passes sooner does not count. */
const FAILURES_TO_STOP = MAX_OPEN * 4;

/** Causes that every request of the account meets. */
const FAILING_CAUSES: unknown[] = ['temporarily-unavailable', 'rate-limited', 'credential-invalid'];

/** How long no item is sent after so many failures or refusals in a row. */
const OUTAGE_MS = 60_000;
const OUTAGE = 'Not sent: Form Service failed or refused repeatedly';

/** A request that waits for its turn. */
export type Job = {
	/** A trigger or a person at the editor (`prompt`) goes before items (`bulk`). */
	urgency: 'prompt' | 'bulk';
	/** A request that was sent before goes before those that were not. */
	isRetry: boolean;
	signal?: AbortSignal;
};

/** A request may be sent. It counts until one window after its end, and as long as it is open. */
export type Slot = { readonly startedAtMs: number; countsUntilMs: number };

/** Why a request is not sent: nothing is for a while, or the caller gave up. */
export type SlotDenial = { trouble: RequestFailure } | 'notSent';

/** How a request ended: the headers of its reply, and what kept it from a success. */
export type RequestOutcome = { headers: ReplyHeaders; trouble?: RequestFailure };

/** The rank of a request: retries before first tries, triggers and people before items. */
const RANKS = { prompt: 0, bulk: 2 };

type Waiting = { rank: number; settle: (turn: Slot | SlotDenial) => void };

/**
 * Lets the requests of an account through: at most `MAX_OPEN` at a time and 60 in any minute, first come
 * first served within a rank. The service does not say when its window began, and a sliding log does not
 * need to know: a request counts from its start until one window after its end, and by then every window
 * that can have counted it is over. Other clients of the account show in the headers of replies: the lower of
 * our own count and of what remains applies. All times are those of `clock.elapsed`.
 */
export class RequestQueue {
	/** Sorted by rank. */
	private readonly waiting: Waiting[] = [];

	/** The requests that count. */
	private counted: Slot[] = [];

	/** The minute's limit, and what a reply has shown to remain of a window, which is over by `overByMs`. */
	private perMinute = REQUESTS_PER_MINUTE;
	private shown = { remaining: Infinity, atMs: -Infinity, overByMs: -Infinity };

	/** A refusal for the minute's limit holds back all requests until then. */
	private refusedUntilMs = -Infinity;

	/** Until then, requests of this rank and above fail at once: all for the day's limit, items in an outage. */
	private stop = { untilMs: -Infinity, rank: 0, trouble: undefined as RequestFailure | undefined };

	/** In a row, with refusals. */
	private failures = 0;
	private wakeAtMs = Infinity;

	constructor(private readonly clock: Omit<Clock, 'timeout'> = machineClock) {}

	/** Waits for a request's turn, which must be given to `endTurn`. */
	async waitForTurn({ urgency, isRetry, signal }: Job): Promise<Slot | SlotDenial> {
		if (signal?.aborted) return 'notSent';
		return await new Promise((resolve) => {
			const waiting: Waiting = {
				rank: RANKS[urgency] + (isRetry ? 0 : 1),
				settle: (turn) => {
					pull(this.waiting, waiting);
					signal?.removeEventListener('abort', withdraw);
					resolve(turn);
				},
			};
			const withdraw = () => waiting.settle('notSent');
			signal?.addEventListener('abort', withdraw);
			this.waiting.splice(sortedLastIndexBy(this.waiting, waiting, 'rank'), 0, waiting);
			this.admitWaiting();
		});
	}

	/** The request with this turn has ended, and its place is free. `ended` is undefined if nobody knows how. */
	endTurn(turn: Slot, ended?: RequestOutcome): void {
		const nowMs = this.clock.elapsed();
		const { cause } = ended?.trouble?.failure ?? {};
		turn.countsUntilMs = nowMs + WINDOW_MS;
		// the service does not count what it refuses
		if (cause === 'rate-limited') pull(this.counted, turn);
		else if (ended !== undefined) this.learnRemaining(turn, ended.headers, nowMs);
		this.failures = FAILING_CAUSES.includes(cause) ? this.failures + 1 : 0;
		if (ended?.trouble !== undefined) this.learnTrouble(ended.trouble, nowMs);
		// a moment later, so that the sender can first withdraw its other waiting requests
		void this.clock.sleep(0).then(() => this.admitWaiting());
	}

	/** A refusal holds other requests back, and many failures in a row are an outage. */
	private learnTrouble(trouble: RequestFailure, nowMs: number): void {
		const { message, failure } = trouble;
		if (failure.cause === 'rate-limited') {
			const untilMs = nowMs + (failure.retryAfterMs ?? WINDOW_MS);
			this.refusedUntilMs = Math.max(this.refusedUntilMs, untilMs);
		}
		if (failure.cause === 'quota-exhausted') {
			const untilMs = nowMs + (failure.resetsAtEpochMs ?? 0) - this.clock.now();
			this.stop = { untilMs, rank: RANKS.prompt, trouble };
		} else if (this.failures >= FAILURES_TO_STOP && nowMs >= this.stop.untilMs) {
			const description = `The last failure was: ${message}. Run this again in a minute or later.`;
			const outage = { message: OUTAGE, description, failure };
			this.stop = { untilMs: nowMs + OUTAGE_MS, rank: RANKS.bulk, trouble: outage };
		}
	}

	/**
	 * Takes note of what remains of the window, also after the requests of other clients. A request that was sent
	 * after another's reply finds as much or more remaining in a new window alone.
	 */
	private learnRemaining({ startedAtMs }: Slot, headers: ReplyHeaders, nowMs: number): void {
		const limit = Number(headers['x-ratelimit-limit']);
		const remaining = Number(headers['x-ratelimit-remaining']);
		// the limit of the day says nothing about the minute
		if (!(limit > 0 && remaining >= 0) || limit === REQUESTS_PER_DAY) return;
		this.perMinute = limit;
		const { remaining: before, atMs, overByMs } = this.shown;
		const isNew = startedAtMs >= overByMs || (startedAtMs >= atMs && remaining >= before);
		this.shown = isNew
			? { remaining, atMs: nowMs, overByMs: nowMs + WINDOW_MS }
			: { remaining: Math.min(remaining, before), atMs: nowMs, overByMs };
	}

	private admitWaiting(): void {
		while (this.waiting.length > 0) {
			const nowMs = this.clock.elapsed();
			const [next] = this.waiting;
			const { untilMs, rank, trouble } = this.stop;
			if (trouble !== undefined && nowMs < untilMs && next.rank >= rank) {
				next.settle({ trouble });
				continue;
			}
			const freeAtMs = Math.max(this.refusedUntilMs, this.findFreeTime(nowMs));
			if (freeAtMs > nowMs) {
				this.scheduleWake(freeAtMs, nowMs);
				return;
			}
			const turn = { startedAtMs: nowMs, countsUntilMs: Infinity };
			this.counted.push(turn);
			next.settle(turn);
		}
	}

	/** When one more request fits under the limits: now, or later; Infinity until an open one has ended. */
	private findFreeTime(nowMs: number): number {
		this.counted = this.counted.filter(({ countsUntilMs }) => countsUntilMs > nowMs);
		const ends = this.counted.map(({ countsUntilMs }) => countsUntilMs);
		const open = ends.filter((endMs) => endMs === Infinity).length;
		if (open >= MAX_OPEN) return Infinity;
		const { remaining, overByMs } = this.shown;
		const shownAtMs = remaining > open ? nowMs : overByMs;
		return Math.max(shownAtMs, ends.length < this.perMinute ? nowMs : Math.min(...ends));
	}

	private scheduleWake(atMs: number, nowMs: number): void {
		// at Infinity, the end of an open request wakes the queue
		if (this.wakeAtMs <= atMs) return;
		this.wakeAtMs = atMs;
		void this.clock.sleep(atMs - nowMs).then(() => {
			if (this.wakeAtMs === atMs) this.wakeAtMs = Infinity;
			this.admitWaiting();
		});
	}
}

const queues = new Map<string, RequestQueue>();

/** The queue of an account (`Account.key`) for all nodes of this process: the service counts them together. */
export function getQueue(key: string): RequestQueue {
	const queue = queues.get(key) ?? new RequestQueue();
	queues.set(key, queue);
	return queue;
}
