import { clock } from '../clock';
import type { Target } from '../endpoints';
import { inputError } from '../errors';
import { queueOf } from '../rateLimiter/requestQueue';
import type { Headers } from '../rateLimiter/limits';
import { cancelSignal, notSent, requestError, stopSignal } from '../requestContext';
import type { RequestContext } from '../requestContext';
import { MAX_REDIRECTS, parseUrl } from '../url';
import { explain, explainHeldBack } from './explain';
import { sendOnce } from './http';
import {
	isOfOtherVersion,
	MAX_REPLY_BYTES,
	readReply,
	redirectOf,
	successIn,
	versionOf,
} from './reply';
import type { Version } from './reply';
import { decideRetry, mayHaveActed } from './retry';

export type { Version } from './reply';

/** What a successful reply contains. */
export type ServiceReply = {
	/** The JSON of the body; undefined if the reply `isUnchanged`. */
	value: unknown;
	headers: Headers;
	/** Requests that were sent for it, redirects and retries included. */
	requests: number;
	/** Only where versions were asked for. */
	version?: Version;
	/** The reply is the known version; its body was not parsed. */
	isUnchanged?: true;
};

const JSON_HEADERS = { Accept: 'application/json', 'Content-Type': 'application/json' };

/**
 * The only way to the service's API: waits for its turn in the account's rate limiter, sends, follows
 * redirects, retries, and returns what a successful reply contains.
 *
 * @param versions asks for the version of the reply; if it equals `known`, the body is not parsed
 * @throws NodeOperationError if the URL is not below the account's base URL
 * @throws ServiceError that says what happened and what to do
 * @throws NotSent if the caller gave up first
 */
export async function request(
	context: RequestContext,
	target: Target,
	versions?: { known?: Version },
): Promise<ServiceReply> {
	const { account, n8n, transport, urgency, retry = true } = context;
	const { endpoint, body } = target;
	const { method, effect } = endpoint;
	const signal = cancelSignal(context);
	const stop = stopSignal(context);
	const tries = { sent: 0, rateLimited: 0 };
	let url = urlWithinApi(context, target);
	let known = versions?.known;
	let redirects = 0;
	let isUncertain = false;
	for (let requests = 1; ; requests++) {
		const condition = known?.etag === undefined ? {} : { 'If-None-Match': known.etag };
		const headers = { ...JSON_HEADERS, ...transport?.headers, ...condition };
		const outgoing = {
			...transport,
			// the whole URL has the query already
			...{ method, url, headers, body, qs: undefined, baseURL: undefined },
			...{ maxBytes: MAX_REPLY_BYTES, withDigest: versions !== undefined, signal },
		};

		// wait for the turn, and send
		const queue = queueOf(account.key);
		const turn = await queue.turn({ urgency, isRetry: requests > 1, signal: stop });
		if (turn.kind === 'notSent') throw notSent(context);
		if (turn.kind !== 'turn') throw requestError(context, explainHeldBack(turn));
		const ended = await sendOnce(n8n, outgoing);
		queue.ended(turn, ended);
		const isCanceled = ended.kind === 'broken' && signal?.aborted === true;
		// a change that was under way may have happened, so its error must not say that it was not sent
		if (isCanceled && effect.kind === 'safe') throw notSent(context);

		if (ended.kind === 'reply') {
			// follow redirects, and recognize the known version
			const next = redirects < MAX_REDIRECTS && redirectOf(ended, url, endpoint, account);
			if (next) {
				url = next;
				redirects++;
				continue;
			}
			if (isOfOtherVersion(ended, known)) {
				known = known && { digest: known.digest };
				continue;
			}
		}
		const version = ended.kind === 'reply' && versions ? versionOf(ended, known) : undefined;
		if (ended.kind === 'reply' && version !== undefined && version.digest === known?.digest) {
			return { value: undefined, headers: ended.headers, requests, version, isUnchanged: true };
		}

		// parse
		const read = ended.kind === 'reply' ? readReply(ended, account, queue.perMinute) : ended;
		const success = successIn(read);
		if (success !== undefined) return { ...success, requests, ...(version && { version }) };

		// decide whether to retry; else explain
		tries.sent = requests - redirects;
		if (read.kind === 'reply' && read.refusal) tries.rateLimited++;
		isUncertain ||= mayHaveActed(read);
		const mayRetry = retry && !isCanceled && !queue.isServiceDown;
		const pauseMs = mayRetry
			? decideRetry(effect.kind, read, tries, Math.random(), clock.now())
			: undefined;
		if (pauseMs === undefined) {
			const failed = { effect, account, tries: tries.sent, mayHaveActed: isUncertain };
			throw requestError(context, explain(read, failed));
		}
		if (pauseMs > 0) await clock.sleep(pauseMs, stop);
	}
}

/** Refuses a URL outside the API, since expressions can put anything into it. */
function urlWithinApi({ n8n, account, itemIndex }: RequestContext, target: Target): string {
	const url = parseUrl(target.url)?.href;
	if (url?.startsWith(`${account.baseUrl}/`)) return url;
	throw inputError(n8n.getNode(), {
		message: 'The request URL is outside the API',
		description: 'Check the IDs in the parameters of this node.',
		itemIndex,
	});
}
