/**
 * Failures in a row that open the circuit: five requests, as many as are open at a time, that were
 * each tried four times. A trouble that passes sooner is over before.
 */
const FAILURES_TO_OPEN = 20;

/** The pause before the service is asked again; each further one is twice as long. */
const FIRST_PAUSE_MS = 10_000;

/** A day of such pauses costs 288 requests, a fifth of what an account has. */
const LONGEST_PAUSE_MS = 5 * 60_000;

/** Items wait while the service is asked so often; if it fails then too, they fail as well. */
const PROBES_TO_WAIT_FOR = 3;

/** When the circuit is open: how long items wait to ask again, or that they fail at once. */
export type Pause = { kind: 'wait'; until: number } | { kind: 'serviceDown' };

/**
 * Keeps a service that is down from costing an account its day: after many failures in a row,
 * nothing is repeated, and one request at a time asks whether it is over. Times in epoch
 * milliseconds.
 */
export class CircuitBreaker {
	private failures = 0;

	private probes = 0;

	private askAt = -Infinity;

	/** Whether the service has failed so often that nothing is to be repeated. */
	get isOpen(): boolean {
		return this.failures >= FAILURES_TO_OPEN;
	}

	/** A request has come back: with a reply of a service that works, refusals not included, or not. */
	ended(isWorking: boolean, now: number): void {
		if (isWorking) {
			this.failures = 0;
			this.probes = 0;
			return;
		}
		this.failures++;
		// others may have been under way when the circuit opened
		if (!this.isOpen || now < this.askAt) return;
		this.askAt = now + Math.min(FIRST_PAUSE_MS * 2 ** this.probes, LONGEST_PAUSE_MS);
		this.probes++;
	}

	/** Why a request of many does not leave now; undefined where it may, alone if the circuit is open. */
	pause(now: number): Pause | undefined {
		if (!this.isOpen || now >= this.askAt) return undefined;
		return this.probes > PROBES_TO_WAIT_FOR
			? { kind: 'serviceDown' }
			: { kind: 'wait', until: this.askAt };
	}
}
