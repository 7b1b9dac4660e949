import type { Failure as N8nFailure } from 'n8n-workflow';
import type { RequestFailure } from '../requestFailure';
import type { Priority } from './requestQueue';

/**
 * The maximum number of attempts of a request, by the cause of the failure. For any other cause, a request has
 * one attempt.
 */
const MAX_ATTEMPTS_BY_CAUSE: Partial<Record<N8nFailure['cause'], number>> = {
	'temporarily-unavailable': 4,
	// other clients of the account can use up a new window first, but probably not ten windows in a row
	'rate-limited': 10,
};

/** The maximum delay before the first retry. The maximum doubles with each further retry. */
const FIRST_RETRY_DELAY_MS = 1_000;

/**
 * Returns how long to wait before the next attempt. If the service may have acted on a request that must not
 * be repeated, the request is not retried.
 *
 * @param failures the failures of all attempts so far, at least one. Attempts are counted by cause: after nine
 * replies with status 429 and three replies with status 503, the request is retried
 * @param random a number from 0 up to 1, so that clients do not all retry at the same moment
 * @returns milliseconds before the request waits for the next slot; undefined if there is no further attempt
 */
export function computeRetryDelayMs(
	failures: readonly RequestFailure[],
	priority: Priority,
	random: number,
): number | undefined {
	const { reason, cause, mayHaveActed } = failures[failures.length - 1];
	if (mayHaveActed) return undefined;
	// items wait in the queue until the service is available; triggers and the editor do not wait
	if (reason === 'unavailable') return priority === 'low' ? 0 : undefined;
	// a reply that announces when the service is available again is not counted as an attempt
	const counted = failures.filter((failure) => failure.reason !== 'unavailable');
	const attempts = counted.filter((failure) => failure.cause === cause).length;
	const maxAttempts = (cause && MAX_ATTEMPTS_BY_CAUSE[cause]) ?? 1;
	if (attempts >= maxAttempts) return undefined;
	// the queue waits for the next window
	if (cause === 'rate-limited') return 0;
	return FIRST_RETRY_DELAY_MS * 2 ** (attempts - 1) * (0.5 + random / 2);
}
