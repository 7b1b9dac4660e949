import { clock } from '../clock';
import type { Target } from '../endpoints';
import { parseEnvelope } from '../envelope';
import type { Envelope } from '../envelope';
import { createInputError, NotSent } from '../errors';
import type { ServiceError, Trouble } from '../errors';
import { createRequestError, getStopSignal } from '../requestContext';
import type { RequestContext } from '../requestContext';
import { parseUrl } from '../url';
import { getQueue } from './requestQueue';
import { send } from './send';
import type { Broken, Headers, Reply } from './send';
import { decideRetry, explain, explainBroken, explainReply } from './trouble';
import type { Sent } from './trouble';

/** What a successful reply contains. */
export type ServiceReply = { envelope: Envelope; headers: Headers; trouble?: undefined };

/**
 * The only way to the service's API: waits for its turn in the account's queue, sends, parses the reply, and
 * explains what went wrong or tries again.
 *
 * @throws ServiceError that says what happened and what to do; NotSent if the caller gave up first
 */
export async function request(context: RequestContext, given: Target): Promise<ServiceReply> {
	const { account, urgency, retry = true } = context;
	const target = checkTarget(context, given);
	const { effect } = target.endpoint;
	const queue = getQueue(account.key);
	const signal = getStopSignal(context);
	const causes: string[] = [];
	let failed: ServiceError | undefined;
	for (let requests = 1; ; requests++) {
		// wait for the turn
		const turn = await queue.waitForTurn({ urgency, isRetry: requests > 1, signal });
		// what was sent must not say that it was not
		if (turn === 'notSent') throw failed ?? new NotSent(context.n8n.getNode(), context.itemIndex);
		if ('trouble' in turn) throw failed ?? createRequestError(context, turn.trouble);

		// send, and parse the reply
		let outcome: Outcome | undefined;
		try {
			outcome = parseReply(await send(context, target), { effect, account });
		} finally {
			queue.endTurn(turn, outcome);
		}
		if (outcome.trouble === undefined) return outcome;

		// explain, and decide whether to retry
		const { trouble } = outcome;
		const { cause } = trouble.failure;
		causes.push(cause);
		failed = createRequestError(context, explain(trouble, effect, requests));
		const tries = causes.filter((one) => one === cause).length;
		const pauseMs = retry ? decideRetry(effect.kind, trouble, tries, Math.random()) : undefined;
		if (pauseMs === undefined) throw failed;
		await clock.sleep(pauseMs, signal);
	}
}

/** How a request ended. */
type Outcome = ServiceReply | { headers: Headers; trouble: Trouble };

/** A request that reads succeeds unless the reply says that it failed; one that acts must be confirmed. */
export function parseReply(reply: Reply | Broken, sent: Sent): Outcome {
	if ('code' in reply) return { headers: {}, trouble: explainBroken(reply, sent.account.origin) };
	const { status, headers, text = '' } = reply;
	const envelope = parseEnvelope(text);
	const isSuccess = sent.effect.kind === 'safe' ? !envelope?.failed : envelope?.isConfirmed;
	return status < 300 && envelope !== undefined && isSuccess
		? { headers, envelope }
		: { headers, trouble: explainReply(reply, envelope, sent) };
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
