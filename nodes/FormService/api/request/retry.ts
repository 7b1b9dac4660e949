import type { Endpoint } from '../endpoints';
import { readRefusal, retryAfterSeconds } from '../rateLimiter/limits';
import { parseUrl } from '../url';
import type { ConnectionProblem } from './explainConnection';
import { isLogin } from './explainStatus';
import type { Broken, Reply } from './http';

/** How a request ended. `incomplete` is a success whose body was cut off or never came. */
export type Ended =
	| Broken
	| (Pick<Reply, 'kind' | 'status' | 'headers'> & { incomplete?: boolean });

/** Whether a request is sent again, and after how many milliseconds. */
export type RetryDecision = { again: false } | { again: true; afterMs: number };

/** How often a request has been sent, and how many of these were refused for the minute's limit. */
export type Tries = { sent: number; rateLimited: number };

/** A request is sent at most this often, not counting refusals, when the service is in trouble. */
const MAX_TROUBLES = 4;

/**
 * A refused request waits for a new window. Where others on the account answer sooner, it can come too
 * late for several in a row, but hardly for so many.
 */
const MAX_RATE_LIMITED = 10;

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
	'connectionRefused',
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
	ended: Ended,
	tries: Tries,
	random: number,
	now: number,
): RetryDecision {
	if (isRateLimited(ended)) {
		const { limit } = readRefusal(ended.headers, now);
		// the rate limiter knows when the next window begins
		return limit === 'minute' && tries.rateLimited < MAX_RATE_LIMITED
			? { again: true, afterMs: 0 }
			: { again: false };
	}
	const troubles = tries.sent - tries.rateLimited;
	if (troubles >= MAX_TROUBLES || !canPass(ended, troubles)) return { again: false };
	if (effect === 'once' && mayHaveBeenTaken(ended)) return { again: false };
	return { again: true, afterMs: pauseMs(ended, troubles, random, now) };
}

/** Whether the service refused a request because there were too many. */
export function isRateLimited<T extends { kind: string; status?: number }>(
	ended: T,
): ended is T & { kind: 'reply' } {
	return ended.kind === 'reply' && ended.status === 429;
}

/**
 * Whether the service may have acted on a request in spite of how it ended. A 4xx status and a
 * redirect that keeps the method (307, 308; RFC 9110, section 15.4) or leads to a login say that it
 * did not; other redirects are what many send after they have acted.
 */
export function mayHaveBeenTaken(ended: Ended): boolean {
	if (ended.kind === 'broken') return !CERTAINLY_NOT_TAKEN.has(ended.problem);
	const { status, headers } = ended;
	if (status >= 300 && status < 400) return !(status === 307 || status === 308 || toLogin(headers));
	return status < 400 || status >= 500;
}

function toLogin({ location }: Reply['headers']): boolean {
	const target = typeof location === 'string' ? parseUrl(location, 'https://host') : undefined;
	return target !== undefined && isLogin(target);
}

function canPass(ended: Ended, troubles: number): boolean {
	if (ended.kind === 'reply') {
		return ended.incomplete === true || (ended.status >= 500 && ended.status !== NOT_IMPLEMENTED);
	}
	if (ended.problem === 'timeout') return troubles < MAX_TIMEOUTS;
	return !LASTING.has(ended.problem);
}

function pauseMs(ended: Ended, troubles: number, random: number, now: number): number {
	const own = FIRST_PAUSE_MS * 2 ** (troubles - 1) * (0.5 + random / 2);
	const asked = ended.kind === 'reply' ? retryAfterSeconds(ended.headers, now) : undefined;
	return asked === undefined ? own : Math.max(own, Math.min(asked, LONGEST_PAUSE_S) * 1000);
}
