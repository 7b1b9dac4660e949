/** The pause before the service is asked again. Each further pause is twice as long. */
const FIRST_PAUSE_MS = 10_000;

/** A day of such pauses costs 288 requests, a fifth of the daily allowance. */
const LONGEST_PAUSE_MS = 5 * 60_000;

/** Items wait for this many probes. If all of them fail, the items fail as well. */
const PROBES_TO_WAIT_FOR = 3;

/** When the circuit is open: how long items wait to ask again, or that they fail immediately. */
export type Pause = { kind: 'wait'; until: number } | { kind: 'open' };

/**
 * Keeps a service that is down from using up an account's day: after many failures in a row, nothing is
 * retried, and one request at a time asks whether the service works again. Times in milliseconds of one
 * clock that never goes back.
 */
export class CircuitBreaker {
	private failures = 0;

	private probes = 0;

	private askAt = -Infinity;

	/** @param failuresToOpen failures in a row that open the circuit */
	constructor(private readonly failuresToOpen: number) {}

	/** Whether there were so many failures that nothing is retried. */
	get isOpen(): boolean {
		return this.failures >= this.failuresToOpen;
	}

	/** A request has failed. */
	failed(now: number): void {
		this.failures++;
		// other requests may have been under way when the circuit opened
		if (!this.isOpen || now < this.askAt) return;
		this.askAt = now + Math.min(FIRST_PAUSE_MS * 2 ** this.probes, LONGEST_PAUSE_MS);
		this.probes++;
	}

	/** A request has succeeded. */
	succeeded(): void {
		this.failures = 0;
		this.probes = 0;
	}

	/** Why an item's request does not leave now; undefined if it may, alone while the circuit is open. */
	pause(now: number): Pause | undefined {
		if (!this.isOpen || now >= this.askAt) return undefined;
		return this.probes > PROBES_TO_WAIT_FOR
			? { kind: 'open' }
			: { kind: 'wait', until: this.askAt };
	}
}
