import { clock } from '../clock';
import type { Endpoint, Target } from '../endpoints';
import { parseEnvelope, type Envelope } from '../envelope';
import { InputError } from '../errors';
import { createRequestError, getAbortSignal, type RequestContext } from '../requestContext';
import type { RequestFailure } from '../requestFailure';
import { parseUrl } from '../url';
import type { ReplyHeaders } from './rateLimit';
import { createReplyFailure } from './replyFailure';
import { getQueue } from './requestQueue';
import { computeRetryDelayMs } from './retry';
import { sendOnce, type Reply } from './sendOnce';

/** A reply that confirms success. */
export type SuccessfulReply = { headers: ReplyHeaders; envelope: Envelope };

/** The reply to a request, and the time at which the request left the queue, in epoch milliseconds. */
export type TimedReply = SuccessfulReply & { sentAtMs: number };

/**
 * Sends a request to the API, and retries temporary failures. All requests of the node and the trigger to the
 * API go through this function. Before each attempt, the function waits for a slot: the permission of the
 * account's queue to send one request.
 *
 * @throws ServiceError that says what happened and what to do
 */
export async function callApi(
	context: RequestContext,
	uncheckedTarget: Target,
): Promise<TimedReply> {
	const { account, priority, retry = true } = context;
	const target = checkTarget(context, uncheckedTarget);
	const { endpoint } = target;
	const queue = getQueue(account.key);
	const signal = getAbortSignal(context);
	const failures: RequestFailure[] = [];
	for (;;) {
		const attempts = failures.length;
		// a slot, or the reason why there is none
		const slot = await queue.acquireSlot({ priority, isRetry: attempts > 0, signal });
		if ('reason' in slot) {
			throw createRequestError(context, chooseFailure(slot, failures, endpoint), {
				attempts,
				endpoint,
			});
		}

		const sentAtMs = clock.now();
		let result: ReturnType<typeof parseReply> | undefined;
		try {
			result = parseReply(await sendOnce(context, target), target);
		} finally {
			queue.releaseSlot(slot, result);
		}
		if ('envelope' in result) return { ...result, sentAtMs };

		// Until the error is thrown, do not wait for a timer or I/O. The queue sends the next request only
		// after the caller has handled the error, see `admitAfterSender`.
		failures.push(result.requestFailure);
		const retryDelayMs = retry ? computeRetryDelayMs(failures, priority, Math.random()) : undefined;
		if (retryDelayMs === undefined) {
			const details = { attempts: failures.length, endpoint };
			throw createRequestError(context, result.requestFailure, details);
		}
		await clock.sleep(retryDelayMs, signal);
	}
}

/**
 * Chooses the failure to report if a request gets no slot for a further attempt.
 *
 * - If nothing was sent, returns the failure of the slot.
 * - If both failures have the same reason, returns the failure of the slot, because its retry time is newer.
 * - If the caller has stopped waiting, and no attempt can have changed anything, returns the failure of the
 *   slot: `canceled`. For example, another item has stopped the node, and the user has to see the error of that
 *   item.
 * - Otherwise, returns the failure of the last attempt, because the failure of the slot says that nothing was
 *   sent.
 */
function chooseFailure(
	slotFailure: RequestFailure,
	failures: readonly RequestFailure[],
	{ effect }: Endpoint,
): RequestFailure {
	const lastFailure = failures.at(-1);
	if (lastFailure === undefined || lastFailure.reason === slotFailure.reason) return slotFailure;
	// `mayHaveActed` is false for every failure of an idempotent endpoint, even if the service has acted
	const hasChangedNothing = effect !== 'idempotent' && !lastFailure.mayHaveActed;
	return slotFailure.reason === 'canceled' && hasChangedNothing ? slotFailure : lastFailure;
}

/**
 * Returns a successful reply, or the failure of the request. A reply with status 300 or higher is a failure.
 * With a lower status, a GET succeeds if the reply is JSON without `success: false`. A POST succeeds only if
 * the reply confirms that the service has acted.
 */
export function parseReply(
	reply: Reply | RequestFailure,
	target: Pick<Target, 'endpoint' | 'fields'>,
): SuccessfulReply | { headers: ReplyHeaders; requestFailure: RequestFailure } {
	const result = parseSuccessOrFailure(reply, target);
	if ('envelope' in result) return result;
	// an endpoint that only reads, or changes nothing when repeated, cannot act twice
	const mayHaveActed = result.mayHaveActed && target.endpoint.effect === 'nonIdempotent';
	const headers = 'headers' in reply ? reply.headers : {};
	return { headers, requestFailure: { ...result, mayHaveActed } };
}

/**
 * Returns a successful reply, or the failure of the request. The failure of a GET can have
 * `mayHaveActed: true`, which `parseReply` changes to false.
 */
function parseSuccessOrFailure(
	reply: Reply | RequestFailure,
	target: Pick<Target, 'endpoint' | 'fields'>,
): SuccessfulReply | RequestFailure {
	if ('reason' in reply) return reply;
	const { status, headers, text = '' } = reply;
	const envelope = parseEnvelope(text);
	const isReading = target.endpoint.effect === 'safe';
	const isSuccess = isReading ? !envelope?.isFailure : envelope?.isConfirmed;
	if (status < 300 && envelope !== undefined && isSuccess) return { headers, envelope };
	return createReplyFailure(reply, envelope, target, clock.now());
}

/**
 * Checks that the URL of a request is below the account's base URL, because an expression can put any string
 * into the URL.
 */
function checkTarget({ n8n, account, itemIndex }: RequestContext, target: Target): Target {
	const url = parseUrl(target.url)?.href;
	if (url?.startsWith(`${account.baseUrl}/`)) return { ...target, url };
	throw new InputError(n8n.getNode(), {
		message: 'The request URL is outside the API',
		description: 'Check the IDs in the parameters of this node.',
		itemIndex,
	});
}
