import { clock } from '../clock';
import type { Target } from '../endpoints';
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

/**
 * Sends a request to the service's API: acquires a slot in the account's queue, sends, parses the reply, and retries or
 * throws. Sends all requests to the API.
 *
 * @throws ServiceError that says what happened and what to do
 */
export async function callApi(
	context: RequestContext,
	uncheckedTarget: Target,
): Promise<SuccessfulReply> {
	const { account, priority, retry = true } = context;
	const target = checkTarget(context, uncheckedTarget);
	const { endpoint } = target;
	const queue = getQueue(account.key);
	const signal = getAbortSignal(context);
	const failures: RequestFailure[] = [];
	for (;;) {
		const attempts = failures.length;
		const slot = await queue.acquireSlot({ priority, isRetry: attempts > 0, signal });
		if ('reason' in slot) {
			// what was sent must not say that it was not
			const { [attempts - 1]: lastFailure = slot } = failures;
			const failure = lastFailure.reason === slot.reason ? slot : lastFailure;
			throw createRequestError(context, failure, { attempts, endpoint });
		}

		let outcome: ReturnType<typeof parseReply> | undefined;
		try {
			outcome = parseReply(await sendOnce(context, target), target);
		} finally {
			queue.releaseSlot(slot, outcome);
		}
		if ('envelope' in outcome) return outcome;

		failures.push(outcome.requestFailure);
		const retryDelayMs = retry ? computeRetryDelayMs(failures, priority, Math.random()) : undefined;
		if (retryDelayMs === undefined) {
			const details = { attempts: failures.length, endpoint };
			throw createRequestError(context, outcome.requestFailure, details);
		}
		await clock.sleep(retryDelayMs, signal);
	}
}

/**
 * Returns a success, or why a request failed. A request that reads succeeds unless the reply says that it
 * failed; one that acts must be confirmed.
 */
export function parseReply(
	reply: Reply | RequestFailure,
	target: Pick<Target, 'endpoint' | 'fieldTitles'>,
): SuccessfulReply | { headers: ReplyHeaders; requestFailure: RequestFailure } {
	const result = parseForAnyEndpoint(reply, target);
	if ('envelope' in result) return result;
	// the service cannot act twice if the endpoint only reads, or changes nothing when repeated
	const mayHaveActed = result.mayHaveActed && target.endpoint.effect === 'nonIdempotent';
	const headers = 'headers' in reply ? reply.headers : {};
	return { headers, requestFailure: { ...result, mayHaveActed } };
}

/** Returns a success, or the failure of a request to any endpoint: `mayHaveActed` even if the endpoint only reads. */
function parseForAnyEndpoint(
	reply: Reply | RequestFailure,
	target: Pick<Target, 'endpoint' | 'fieldTitles'>,
): SuccessfulReply | RequestFailure {
	if ('reason' in reply) return reply;
	const { status, headers, text = '' } = reply;
	const envelope = parseEnvelope(text);
	const isReading = target.endpoint.effect === 'safe';
	const isSuccess = isReading ? !envelope?.isFailure : envelope?.isConfirmed;
	if (status < 300 && envelope !== undefined && isSuccess) return { headers, envelope };
	return createReplyFailure(reply, envelope, target, clock.now());
}

/** Rejects a URL outside the API, since expressions can put anything into it. */
function checkTarget({ n8n, account, itemIndex }: RequestContext, target: Target): Target {
	const url = parseUrl(target.url)?.href;
	if (url?.startsWith(`${account.baseUrl}/`)) return { ...target, url };
	throw new InputError(n8n.getNode(), {
		message: 'The request URL is outside the API',
		description: 'Check the IDs in the parameters of this node.',
		itemIndex,
	});
}
