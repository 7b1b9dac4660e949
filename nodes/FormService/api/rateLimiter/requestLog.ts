/**
 * A sliding log of requests. A service that allows so many in a window need not say when its window
 * began: a request counts from when it leaves until a window after its reply, and by then every
 * window that can have counted it is over. All times are epoch milliseconds of one clock that never
 * goes back.
 */
export class RequestLog {
	private lastId = 0;

	/** When each request left that has not ended yet, by its id. */
	private readonly openSince = new Map<number, number>();

	/** When the others ended, in the order in which they did. */
	private endedAt: number[] = [];

	/** @param windowMs how long a request counts after it has ended */
	constructor(private readonly windowMs: number) {}

	/** How many requests have left and not ended yet. */
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

	/** The request has its reply, or will have none: it counts for one more window. */
	end(id: number, now: number): void {
		if (this.openSince.delete(id)) this.endedAt.push(now);
	}

	/** The open request did not count, as one that was refused or was never sent. */
	forget(id: number): void {
		this.openSince.delete(id);
	}

	/** When an open request left. */
	leftAt(id: number): number | undefined {
		return this.openSince.get(id);
	}

	/** How many requests count now, open ones included. */
	count(now: number): number {
		const gone = this.endedAt.findIndex((endedAt) => endedAt + this.windowMs > now);
		if (gone === -1) this.endedAt = [];
		else if (gone > 0) this.endedAt.splice(0, gone);
		return this.openSince.size + this.endedAt.length;
	}

	/**
	 * When so many more will fit under the limit: now, or when enough of what counts has ended a window
	 * ago. What is open is taken to end now, which is the earliest. More than the limit fits when
	 * nothing counts any more.
	 */
	freeAt(wanted: number, limit: number, now: number): number {
		const counted = this.count(now);
		const surplus = Math.min(counted + wanted - limit, counted);
		if (surplus <= 0) return now;
		return (this.endedAt[surplus - 1] ?? now) + this.windowMs;
	}

	/**
	 * A reply has proven that the request opened a window: what had ended before it left is of an
	 * earlier one, and counts no more.
	 *
	 * @param id of a request that is open
	 */
	forgetBefore(id: number): void {
		const leftAt = this.leftAt(id) ?? -Infinity;
		this.endedAt = this.endedAt.filter((endedAt) => endedAt >= leftAt);
	}
}
