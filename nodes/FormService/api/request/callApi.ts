import { clock } from '../clock';
import type { Target } from '../endpoints';
import { parseEnvelope, type Envelope } from '../envelope';
import { createInputError, NotSentError, type ServiceError, type RequestFailure } from '../errors';
import { createRequestError, getAbortSignal, type RequestContext } from '../requestContext';
import { parseUrl } from '../url';
import { getQueue } from './requestQueue';
import { sendOnce, type TransportFailure, type ReplyHeaders, type Reply } from './sendOnce';
import {
	computeRetryDelayMs,
	finalizeFailure,
	createTransportFailure,
	createReplyFailure,
	type FailureContext,
} from './requestFailure';

/** What a successful reply contains. */
export type SuccessfulReply = { envelope: Envelope; headers: ReplyHeaders; trouble?: undefined };

/**
 * The only way to the service's API: waits for its turn in the account's queue, sends, parses the reply, and
 * explains what went wrong or tries again.
 *
 * @throws ServiceError that says what happened and what to do; NotSent if the caller gave up first
 */
export async function callApi(context: RequestContext, given: Target): Promise<SuccessfulReply> {
	const { account, urgency, retry = true } = context;
	const target = checkTarget(context, given);
	const { effect } = target.endpoint;
	const queue = getQueue(account.key);
	const signal = getAbortSignal(context);
	const causes: string[] = [];
	let failed: ServiceError | undefined;
	for (let requests = 1; ; requests++) {
		// wait for the turn
		const turn = await queue.waitForTurn({ urgency, isRetry: requests > 1, signal });
		// what was sent must not say that it was not
		if (turn === 'notSent')
			throw failed ?? new NotSentError(context.n8n.getNode(), context.itemIndex);
		if ('trouble' in turn) throw failed ?? createRequestError(context, turn.trouble);

		// send, and parse the reply
		let outcome: Outcome | undefined;
		try {
			outcome = parseReply(await sendOnce(context, target), { effect, account });
		} finally {
			queue.endTurn(turn, outcome);
		}
		if (outcome.trouble === undefined) return outcome;

		// explain, and decide whether to retry
		const { trouble } = outcome;
		const { cause } = trouble.failure;
		causes.push(cause);
		failed = createRequestError(context, finalizeFailure(trouble, effect, requests));
		const tries = causes.filter((one) => one === cause).length;
		const pauseMs = retry
			? computeRetryDelayMs(effect.kind, trouble, tries, Math.random())
			: undefined;
		if (pauseMs === undefined) throw failed;
		await clock.sleep(pauseMs, signal);
	}
}

/** How a request ended. */
type Outcome = SuccessfulReply | { headers: ReplyHeaders; trouble: RequestFailure };

/** A request that reads succeeds unless the reply says that it failed; one that acts must be confirmed. */
export function parseReply(reply: Reply | TransportFailure, sent: FailureContext): Outcome {
	if ('code' in reply)
		return { headers: {}, trouble: createTransportFailure(reply, sent.account.origin) };
	const { status, headers, text = '' } = reply;
	const envelope = parseEnvelope(text);
	const isSuccess = sent.effect.kind === 'safe' ? !envelope?.failed : envelope?.isConfirmed;
	return status < 300 && envelope !== undefined && isSuccess
		? { headers, envelope }
		: { headers, trouble: createReplyFailure(reply, envelope, sent) };
}

/** Refuses a URL outside the API, since expressions can put anything into it. */
function checkTarget({ n8n, account, itemIndex }: RequestContext, target: Target): Target {
	const url = parseUrl(target.url)?.href;
	if (url?.startsWith(`${account.baseUrl}/`)) return { ...target, url };
	throw createInputError(n8n.getNode(), {
		message: 'The request URL is outside the API',
		description: 'Check the IDs in the parameters of this node.',
		itemIndex,
	});
}
