/** The clock of the service, as its replies show it. */
export class ServiceClock {
	/** How far the service's clock is ahead; 0 before its first reply. */
	private offsetMs = 0;

	/** Converts a time of this machine. */
	toServiceMs(machineMs: number): number {
		return machineMs + this.offsetMs;
	}

	/**
	 * Returns when the service sent a reply, by its own clock, and remembers how far that clock is ahead, at
	 * least. The clock counts as right if the date can lie between the request and now.
	 *
	 * @param dateMs the date of the reply, cut off to seconds, if the reply has one
	 */
	readDate(dateMs: number | undefined, sentAtMs: number, nowMs: number): number {
		if (dateMs === undefined) return this.toServiceMs(sentAtMs);
		const latestMs = dateMs + 999;
		const isRight = dateMs <= nowMs && latestMs >= sentAtMs;
		this.offsetMs = isRight ? 0 : latestMs - sentAtMs;
		return dateMs;
	}
}
