import { clock } from '../clock';
import type { Target } from '../endpoints';
import { createInputError, GARBLED } from '../errors';
import type { Explanation } from '../errors';
import type { Headers } from './limits';
import { getQueue } from './requestQueue';
import {
	getCancelSignal,
	createNotSent,
	createRequestError,
	getStopSignal,
} from '../requestContext';
import type { RequestContext } from '../requestContext';
import { parseUrl } from '../url';
import { parseTimeout, readWholeReply, sendByN8n } from './http';
import { MAX_REPLY_BYTES, readReply } from './reply';
import { decideRetry, explain, explainBroken, explainHeldBack } from './trouble';

/** What a successful reply contains. */
export type ServiceReply = {
	/** The JSON of the body. */
	value: unknown;
	headers: Headers;
	isGarbled?: boolean;
	/** Requests that were sent for it, retries included. */
	requests: number;
};

const JSON_HEADERS = { Accept: 'application/json', 'Content-Type': 'application/json' };

/**
 * The only way to the service's API: waits for its turn in the account's rate limiter, sends, retries,
 * and returns what a successful reply contains.
 *
 * @throws ServiceError that says what happened and what to do; NotSent if the caller gave up first
 */
export async function request(context: RequestContext, target: Target): Promise<ServiceReply> {
	const { account, n8n, transport, urgency, retry = true } = context;
	const { endpoint, body } = target;
	const { method, effect } = endpoint;
	const url = checkUrl(context, target);
	const signal = getCancelSignal(context);
	const stop = getStopSignal(context);
	const timeout = parseTimeout(transport?.timeout);
	const headers = { ...JSON_HEADERS, ...transport?.headers };
	const outgoing = {
		...transport,
		// the whole URL has the query already
		...{ method, url, headers, body, qs: undefined, baseURL: undefined },
		...{ timeout, abortSignal: signal },
	};
	const tries = { refused: 0, failed: 0 };
	let isUncertain = false;
	let failed: Explanation | undefined;
	for (let requests = 1; ; requests++) {
		// wait for the turn, and send
		const queue = getQueue(account.key);
		const turn = await queue.waitForTurn({ urgency, isRetry: requests > 1, signal: stop });
		if (turn.kind !== 'turn') {
			// a request that was sent must not say that it was not
			const wasSent = turn.kind !== 'notSent' || (isUncertain && effect.kind !== 'safe');
			if (failed !== undefined && wasSent) throw createRequestError(context, failed);
			if (turn.kind === 'notSent') throw createNotSent(context);
			throw createRequestError(context, explainHeldBack(turn));
		}
		const sending = sendByN8n(n8n, outgoing, true);
		const ended = await readWholeReply(sending, MAX_REPLY_BYTES, timeout, signal);
		const refusal = queue.endTurn(turn, ended);

		// parse
		const outcome =
			ended.kind === 'reply'
				? readReply(ended, { url, effect, account, refusal })
				: { trouble: explainBroken(ended, context) };
		if ('value' in outcome) {
			if (outcome.isGarbled) n8n.logger.warn(`${GARBLED}: "\uFFFD" stands for what is not text.`);
			return { ...outcome, requests };
		}
		// a change that was under way may have happened, so its error must not say that it was not sent
		if (signal?.aborted && effect.kind === 'safe') throw createNotSent(context);

		// decide whether to retry; else explain
		const { trouble } = outcome;
		isUncertain ||= trouble.mayHaveActed;
		const count = ++tries[trouble.failure.cause === 'rate-limited' ? 'refused' : 'failed'];
		const pauseMs = decideRetry(effect.kind, trouble, count, Math.random());
		failed = explain(trouble, { effect, tries: requests, isUncertain });
		if (pauseMs === undefined || !retry || signal?.aborted || queue.isServiceDown) {
			throw createRequestError(context, failed);
		}
		if (pauseMs > 0) await clock.sleep(pauseMs, stop);
	}
}

/** Refuses a URL outside the API, since expressions can put anything into it. */
function checkUrl({ n8n, account, itemIndex }: RequestContext, target: Target): string {
	const url = parseUrl(target.url)?.href;
	if (url?.startsWith(`${account.baseUrl}/`)) return url;
	throw createInputError(n8n.getNode(), {
		message: 'The request URL is outside the API',
		description: 'Check the IDs in the parameters of this node.',
		itemIndex,
	});
}
