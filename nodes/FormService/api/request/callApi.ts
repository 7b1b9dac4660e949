import type { Failure as N8nFailure } from 'n8n-workflow';
import { clock } from '../clock';
import type { Target } from '../endpoints';
import { InputError } from '../errors';
import { createRequestError, getAbortSignal, type RequestContext } from '../requestContext';
import type { RequestFailure } from '../failures';
import { parseUrl } from '../url';
import { parseReply, type SuccessfulReply } from './classify';
import { getQueue, type Priority } from './requestQueue';
import { sendOnce } from './sendOnce';

/** A reply, and when the request left the queue. */
export type TimedReply = SuccessfulReply & { sentAtMs: number };

/**
 * Sends a request to the API, and retries temporary failures. All requests of the node and the trigger to the
 * API go through this function.
 */
export async function callApi(
	context: RequestContext,
	uncheckedTarget: Target,
): Promise<TimedReply> {
	const { account, priority, retry = true } = context;
	const target = checkTarget(context, uncheckedTarget);
	const queue = getQueue(account.key);
	const signal = getAbortSignal(context);
	const failures: RequestFailure[] = [];
	for (;;) {
		const attempts = failures.length;
		// a slot, or the reason why there is none
		const slot = await queue.acquireSlot({ priority, isRetry: attempts > 0, signal });
		if ('reason' in slot) {
			// if another item has stopped the node, the user has to see the error of that item
			const failure = slot.reason === 'canceled' ? slot : (failures.at(-1) ?? slot);
			throw createRequestError(context, failure, attempts);
		}
		const sentAtMs = clock.now();
		let result: ReturnType<typeof parseReply> | undefined;
		try {
			result = parseReply(await sendOnce(context, target), target, clock.now());
		} finally {
			queue.releaseSlot(slot, result);
		}
		if ('envelope' in result) return { ...result, sentAtMs };
		failures.push(result.requestFailure);
		const retryDelayMs = retry ? computeRetryDelayMs(failures, priority, Math.random()) : undefined;
		if (retryDelayMs === undefined) {
			throw createRequestError(context, result.requestFailure, failures.length);
		}
		await clock.sleep(retryDelayMs, signal);
	}
}

/** Any other cause has one attempt. Other clients can use up a new minute first, but hardly ten in a row. */
const MAX_ATTEMPTS: Partial<Record<N8nFailure['cause'], number>> = {
	'temporarily-unavailable': 4,
	'rate-limited': 10,
};

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
	// the queue pauses items while the service is unavailable; triggers and the editor do not wait
	if (reason === 'unavailable') return priority === 'low' ? 0 : undefined;
	const counted = failures.filter((failure) => failure.reason !== 'unavailable');
	const attempts = counted.filter((failure) => failure.cause === cause).length;
	if (attempts >= ((cause && MAX_ATTEMPTS[cause]) ?? 1)) return undefined;
	// the queue waits for the next minute
	if (cause === 'rate-limited') return 0;
	return FIRST_RETRY_DELAY_MS * 2 ** (attempts - 1) * (0.5 + random / 2);
}

/** Checks that the URL is below the base URL, because an expression can put anything into it. */
function checkTarget({ n8n, account, itemIndex }: RequestContext, target: Target): Target {
	const url = parseUrl(target.url)?.href;
	if (url?.startsWith(`${account.baseUrl}/`)) return { ...target, url };
	throw new InputError(n8n.getNode(), {
		message: 'The request URL is outside the API',
		description: 'Check the IDs in the parameters of this node.',
		itemIndex,
	});
}
