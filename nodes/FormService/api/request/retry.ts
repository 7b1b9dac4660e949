import type { Endpoint } from '../endpoints';
import type { ConnectionProblem } from './connectionProblem';
import type { Outcome } from './exchange';
import { readRefusal, retryAfterSeconds } from '../gate/rateHeaders';

/** Whether a request is sent again, and after how many milliseconds. */
export type RetryDecision = { again: false } | { again: true; afterMs: number };

/** How often a request has been sent, and how many of these were refused for the minute's limit. */
export type Tries = { sent: number; refused: number };

/** A request is sent at most this often when the service is in trouble. */
const MAX_SENT = 4;

/** A refused request waits for a new window; other users of the account can be faster, but not for ever. */
const MAX_REFUSED = 3;

/** A reply that did not come in time is waited for once more only: each wait is long. */
const MAX_TIMEOUTS = 2;

/** The first pause before a request is sent again; each further one is twice as long. */
const FIRST_PAUSE_MS = 1_000;

/** The longest pause that a service can ask for with `Retry-After` on a 5xx status. */
const LONGEST_PAUSE_S = 60;

/** Of all 5xx statuses, by which the service or what stands before it is in trouble, the one that lasts. */
const NOT_IMPLEMENTED = 501;

/** The service cannot have taken a request that ended so. */
const CERTAINLY_NOT_TAKEN = new Set<ConnectionProblem>([
	'refused',
	'unknownHost',
	'unreachable',
	'certificate',
	'encryption',
	'notAllowed',
]);

/** Problems that another try cannot mend. */
const LASTING = new Set<ConnectionProblem>(['certificate', 'encryption', 'notAllowed']);

/**
 * Decides whether to send a request again. What only reads, and settings, which are the same after
 * a second time, are repeated when the trouble can pass. A response is added again only when the
 * service certainly did not take it: it was refused with 429, or no connection came about.
 *
 * @param random a number from 0 up to 1: pauses differ, so that clients do not return all at once
 * @param now epoch milliseconds
 */
export function decideRetry(
	effect: Endpoint['effect'],
	outcome: Outcome,
	tries: Tries,
	random: number,
	now: number,
): RetryDecision {
	if (outcome.kind === 'reply' && outcome.status === 429) {
		const { limit } = readRefusal(outcome.headers, now);
		// the gate knows when the next window begins
		return limit === 'minute' && tries.refused < MAX_REFUSED
			? { again: true, afterMs: 0 }
			: { again: false };
	}
	const troubles = tries.sent - tries.refused;
	if (troubles >= MAX_SENT || !canPass(outcome, troubles)) return { again: false };
	if (effect === 'once' && mayHaveBeenTaken(outcome)) return { again: false };
	return { again: true, afterMs: pauseMs(outcome, troubles, random, now) };
}

/**
 * Whether the service may have acted on a request in spite of how it ended. A redirect and a 4xx
 * status say that it did not.
 */
export function mayHaveBeenTaken(outcome: Outcome): boolean {
	if (outcome.kind === 'broken') return !CERTAINLY_NOT_TAKEN.has(outcome.problem);
	return outcome.status < 300 || outcome.status >= 500;
}

function canPass(outcome: Outcome, troubles: number): boolean {
	if (outcome.kind === 'reply') return outcome.status >= 500 && outcome.status !== NOT_IMPLEMENTED;
	if (outcome.problem === 'timeout') return troubles < MAX_TIMEOUTS;
	return !LASTING.has(outcome.problem);
}

function pauseMs(outcome: Outcome, troubles: number, random: number, now: number): number {
	const own = FIRST_PAUSE_MS * 2 ** (troubles - 1) * (0.5 + random / 2);
	const asked =
		outcome.kind === 'reply' ? retryAfterSeconds(withoutReset(outcome), now) : undefined;
	return asked === undefined ? own : Math.max(own, Math.min(asked, LONGEST_PAUSE_S) * 1000);
}

/** The rate limiter's reset says nothing of when a broken service is well again. */
function withoutReset({ headers }: Outcome & { kind: 'reply' }) {
	return { 'retry-after': headers['retry-after'], date: headers.date };
}
