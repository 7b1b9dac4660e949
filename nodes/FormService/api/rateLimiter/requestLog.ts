/**
 * A sliding log of requests. A request counts from when it leaves until one window after its reply. By
 * then, every window of the service that can have counted the request is over, so the log does not need
 * the start of the service's window. All times are epoch milliseconds of one clock. If the clock was set back, what lies in its
 * future counts as if it were now.
 */
export class RequestLog {
	private lastId = 0;

	/** When each open request left, by its id. */
	private readonly openSince = new Map<number, number>();

	/** When the other requests ended, in ascending order. */
	private endedAt: number[] = [];

	/** @param windowMs how long a request counts after it has ended */
	constructor(private readonly windowMs: number) {}

	/** How many requests are open: they have left and not ended yet. */
	get open(): number {
		return this.openSince.size;
	}

	/**
	 * Counts a request from now on.
	 *
	 * @returns its id, for `end` or `forget`
	 */
	leave(now: number): number {
		this.openSince.set(++this.lastId, now);
		return this.lastId;
	}

	/** The request has its reply, or will get none. It counts for one more window. */
	end(id: number, now: number): void {
		if (!this.openSince.delete(id)) return;
		this.takeFutureAsNow(now);
		this.endedAt.push(now);
	}

	/** The open request does not count, because it was refused or never sent. */
	forget(id: number): void {
		this.openSince.delete(id);
	}

	/** When an open request left. */
	leftAt(id: number): number | undefined {
		return this.openSince.get(id);
	}

	/** How many requests count now, open ones included. */
	count(now: number): number {
		this.takeFutureAsNow(now);
		const gone = this.endedAt.findIndex((endedAt) => endedAt + this.windowMs > now);
		if (gone === -1) this.endedAt = [];
		else if (gone > 0) this.endedAt.splice(0, gone);
		return this.openSince.size + this.endedAt.length;
	}

	/**
	 * When this many more requests will fit under the limit: now, or when enough requests have ended a
	 * window ago. Open requests are assumed to end now, which is the earliest. More than the limit fits
	 * when nothing counts any more.
	 */
	freeAt(wanted: number, limit: number, now: number): number {
		const counted = this.count(now);
		const surplus = Math.min(counted + wanted - limit, counted);
		if (surplus <= 0) return now;
		return (this.endedAt[surplus - 1] ?? now) + this.windowMs;
	}

	/**
	 * A reply has shown that the request opened a window: requests that ended before it left belong to an
	 * earlier window and no longer count.
	 *
	 * @param id of a request that is open
	 */
	forgetBefore(id: number): void {
		const leftAt = this.leftAt(id) ?? -Infinity;
		this.endedAt = this.endedAt.filter((endedAt) => endedAt >= leftAt);
	}

	private takeFutureAsNow(now: number): void {
		const future = this.endedAt.findIndex((endedAt) => endedAt > now);
		if (future !== -1) this.endedAt.fill(now, future);
	}
}
