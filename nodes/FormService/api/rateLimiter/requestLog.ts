/**
 * A sliding log of requests. A request counts from its start until one window after its reply. By then,
 * every window of the service that can have counted the request is over, so the log does not need the
 * start of the service's window. All times are epoch milliseconds of one clock. If the clock was set
 * back, what lies in its future counts as if it were now.
 */
export class RequestLog {
	private lastId = 0;

	/** When each open request started, by its id. */
	private readonly startedAt = new Map<number, number>();

	/** When the other requests ended, in ascending order. */
	private endedAt: number[] = [];

	/** @param windowMs how long a request counts after it has ended */
	constructor(private readonly windowMs: number) {}

	/** How many requests are open: they have started and not ended yet. */
	get open(): number {
		return this.startedAt.size;
	}

	/**
	 * Counts a request from now on.
	 *
	 * @returns its id, for `end` or `forget`
	 */
	recordStart(now: number): number {
		this.startedAt.set(++this.lastId, now);
		return this.lastId;
	}

	/** The request has its reply, or will get none. It counts for one more window. */
	recordEnd(id: number, now: number): void {
		if (!this.startedAt.delete(id)) return;
		this.limitTimes(now);
		this.endedAt.push(now);
	}

	/** The open request does not count, because it was refused. */
	forget(id: number): void {
		this.startedAt.delete(id);
	}

	/** When an open request started. */
	getStart(id: number): number | undefined {
		return this.startedAt.get(id);
	}

	/** How many requests count now, open ones included. */
	count(now: number): number {
		this.limitTimes(now);
		const gone = this.endedAt.findIndex((endedAt) => endedAt + this.windowMs > now);
		if (gone === -1) this.endedAt = [];
		else if (gone > 0) this.endedAt.splice(0, gone);
		return this.startedAt.size + this.endedAt.length;
	}

	/**
	 * When one more request will fit under the limit: now, or when enough requests have ended a window
	 * ago. Open requests are assumed to end now, which is the earliest.
	 */
	findFreeTime(limit: number, now: number): number {
		const surplus = this.count(now) + 1 - limit;
		if (surplus <= 0) return now;
		return (this.endedAt[surplus - 1] ?? now) + this.windowMs;
	}

	private limitTimes(now: number): void {
		const future = this.endedAt.findIndex((endedAt) => endedAt > now);
		if (future !== -1) this.endedAt.fill(now, future);
	}
}
