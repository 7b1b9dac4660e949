import type { Effect } from '../endpoints';
import { retryAfterSeconds, TOO_MANY_REQUESTS } from '../rateLimiter/limits';
import { leadsToLogin } from '../url';
import { isSetting, mayHaveArrived } from './connectionProblems';
import type { Broken } from './http';
import type { ReadReply } from './reply';

/** How one try of a request ended. */
export type Ended =
	| Pick<Broken, 'kind' | 'problem'>
	| (Pick<ReadReply, 'kind' | 'status' | 'headers'> &
			Partial<Pick<ReadReply, 'isIncomplete' | 'saysFailed' | 'refusal'>>);

/** How often a request has been sent, and how many of these were refused for the minute's limit. */
export type Tries = { sent: number; rateLimited: number };

/** The most tries of one request, not counting those refused for the minute's limit. */
export const MAX_TRIES = 4;

/**
 * A refused request waits for a new window. Where other clients of the account reply sooner, it can be
 * too late several times in a row, but hardly this often.
 */
const MAX_RATE_LIMITED = 10;

/** The most tries that end in a timeout, since each takes long. */
const MAX_TIMEOUTS = 2;

/** The first pause before a request is sent again. Each further pause is twice as long. */
const FIRST_PAUSE_MS = 1_000;

/** The longest pause that a service can ask for with `Retry-After` on a 5xx status. */
const LONGEST_PAUSE_S = 60;

/** The only 5xx status (RFC 9110, section 15.6.2) that another try cannot change. */
const NOT_IMPLEMENTED = 501;

/**
 * Decides whether to send a request again. What is safe or idempotent is repeated while the failure can
 * pass. What must act once is repeated only if the service certainly did not act: it refused with 429,
 * or no connection was established.
 *
 * @param random a number from 0 up to 1, so that clients do not all return at the same moment
 * @param now epoch milliseconds
 * @returns the milliseconds to wait before; undefined if the request is not sent again
 */
export function decideRetry(
	kind: Effect['kind'],
	ended: Ended,
	tries: Tries,
	random: number,
	now: number,
): number | undefined {
	if (ended.kind === 'reply' && ended.status === TOO_MANY_REQUESTS) {
		const isOver = ended.refusal?.limit === 'day' || tries.rateLimited >= MAX_RATE_LIMITED;
		// the rate limiter waits for the next window
		return isOver ? undefined : 0;
	}
	const failed = tries.sent - tries.rateLimited;
	if (failed >= MAX_TRIES || !canPass(ended, failed)) return undefined;
	if (kind === 'once' && mayHaveActed(ended)) return undefined;
	const pause = FIRST_PAUSE_MS * 2 ** (failed - 1) * (0.5 + random / 2);
	const asked = ended.kind === 'reply' ? retryAfterSeconds(ended.headers, now) : undefined;
	return Math.max(pause, Math.min(asked ?? 0, LONGEST_PAUSE_S) * 1000);
}

/**
 * Whether the service may have acted on a request in spite of how it ended. It did not act after a 4xx
 * status, and after a redirect that keeps the method (307, 308; RFC 9110, section 15.4) or leads to a
 * login. Other redirects are what many services send after they have acted.
 */
export function mayHaveActed(ended: Ended): boolean {
	if (ended.kind === 'broken') return mayHaveArrived(ended.problem);
	const { status, headers, saysFailed } = ended;
	// a service that breaks down (5xx) can have acted before, even if the body says otherwise
	if (status >= 500) return true;
	if (status >= 400 || saysFailed) return false;
	return status < 300 || !(status === 307 || status === 308 || leadsToLogin(headers.location));
}

function canPass(ended: Ended, failed: number): boolean {
	if (ended.kind === 'reply') {
		return ended.isIncomplete === true || (ended.status >= 500 && ended.status !== NOT_IMPLEMENTED);
	}
	if (ended.problem === 'timeout') return failed < MAX_TIMEOUTS;
	return !isSetting(ended.problem);
}
