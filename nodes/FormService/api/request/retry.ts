import type { Failure as N8nFailure } from 'n8n-workflow';
import type { RequestFailure } from '../requestFailure';
import type { Priority } from './requestQueue';

/** How often a request is sent in all while it fails with a cause; once for any other cause. */
const MAX_ATTEMPTS_BY_CAUSE: Partial<Record<N8nFailure['cause'], number>> = {
	'temporarily-unavailable': 4,
	// other clients of the account can use up a new window first, but hardly ten windows in a row
	'rate-limited': 10,
};

/** The first delay before a request is sent again. Each further delay is twice as long. */
const FIRST_RETRY_DELAY_MS = 1_000;

/**
 * Decides whether to send a request again. A request that must act once is sent again only if the service
 * certainly did not act: it rejected the request, or no connection was established.
 *
 * @param failures the failures of all attempts so far, at least one. Each cause has its own number of attempts: nine
 * attempts with status 429 and three with status 503 are retried.
 * @param random a number from 0 up to 1, so that clients do not all return at the same moment
 * @returns the milliseconds to wait before the next slot; undefined if the request is not sent again
 */
export function computeRetryDelayMs(
	failures: readonly RequestFailure[],
	priority: Priority,
	random: number,
): number | undefined {
	const { reason, cause, mayHaveActed } = failures[failures.length - 1];
	if (mayHaveActed) return undefined;
	// the queue lets items wait and decides how long; the editor does not wait
	if (reason === 'unavailable') return priority === 'low' ? 0 : undefined;
	const attempts = failures.filter((failure) => failure.cause === cause).length;
	const maxAttempts = (cause && MAX_ATTEMPTS_BY_CAUSE[cause]) ?? 1;
	if (attempts >= maxAttempts) return undefined;
	// the queue waits for the next window
	if (cause === 'rate-limited') return 0;
	return FIRST_RETRY_DELAY_MS * 2 ** (attempts - 1) * (0.5 + random / 2);
}
