import { clock } from '../clock';
import type { Target } from '../endpoints';
import { createRequestError, type RequestContext } from '../requestContext';
import type { FailureCause, RequestFailure } from '../failures';
import { parseReply, type Reply } from './classify';
import { getQueue, type Priority } from './requestQueue';
import { sendOnce } from './sendOnce';

/**
 * Sends a request to the API, and retries temporary failures. All requests of the node and the trigger to the
 * API go through this function. `sentAtMs` is when the request left the queue.
 */
export async function callApi(
	context: RequestContext,
	target: Target,
): Promise<Reply & { sentAtMs: number }> {
	const { account, priority, signal, retry = true } = context;
	const queue = getQueue(account.key);
	const failures: RequestFailure[] = [];
	for (;;) {
		// a slot, or the reason why there is none
		const slot = await queue.acquireSlot(priority, signal);
		if ('reason' in slot) throw createRequestError(context, slot, failures.length);
		const sentAtMs = clock.now();
		let reply: Reply | undefined;
		try {
			reply = parseReply(await sendOnce(context, target), target.endpoint, clock.now());
		} finally {
			queue.releaseSlot(slot, reply);
		}
		const { requestFailure } = reply;
		if (requestFailure === undefined) return { ...reply, sentAtMs };
		failures.push(requestFailure);
		const retryDelayMs = retry ? computeRetryDelayMs(failures, priority, Math.random()) : undefined;
		if (retryDelayMs === undefined) {
			throw createRequestError(context, requestFailure, failures.length);
		}
		await clock.sleep(retryDelayMs, signal);
	}
}

/** Other clients can use up a new minute first, but hardly ten in a row. */
const MAX_ATTEMPTS: Record<FailureCause, number> = { temporary: 4, rateLimit: 10, credential: 1 };

/** The delay before the first retry is at most this long, and doubles with each further retry. */
const FIRST_RETRY_DELAY_MS = 1_000;

/**
 * Returns how long to wait before the next attempt. Undefined if the request is not sent again.
 *
 * @param failures the failures of all attempts, at least one. Each cause has its own attempts
 * @param random a number from 0 up to 1, so that clients do not all retry at the same moment
 */
export function computeRetryDelayMs(
	failures: readonly RequestFailure[],
	priority: Priority,
	random: number,
): number | undefined {
	const { reason, cause, mayHaveActed } = failures[failures.length - 1];
	if (mayHaveActed) return undefined;
	// items are sent again at once, because the queue makes them wait; triggers and the editor fail
	if (reason === 'unavailable') return priority === 'low' ? 0 : undefined;
	const attempts = failures.filter((failure) => failure.cause === cause).length;
	if (cause === undefined || attempts >= MAX_ATTEMPTS[cause]) return undefined;
	// the queue waits for the next minute
	if (cause === 'rateLimit') return 0;
	return FIRST_RETRY_DELAY_MS * 2 ** (attempts - 1) * (0.5 + random / 2);
}
