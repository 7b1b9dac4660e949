import { clock } from '../clock';
import type { Target } from '../endpoints';
import { NotSent, requestError } from '../errors';
import { queueOf } from '../rateLimiter/requestQueue';
import type { HeldBack } from '../rateLimiter/requestQueue';
import type { Headers } from '../rateLimiter/limits';
import type { RequestContext } from '../requestContext';
import { sendOnce } from './http';
import type { Broken } from './http';
import { MAX_REDIRECTS, redirectOf } from './redirects';
import {
	explain,
	isOfOtherVersion,
	MAX_REPLY_BYTES,
	readReply,
	successIn,
	versionOf,
} from './reply';
import type { Version } from './reply';
import { decideRetry, isRateLimited, mayHaveActed } from './retry';
import { explainHeldBack } from './statusProblems';

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

const INTERRUPTED: Broken = { kind: 'broken', problem: 'interrupted' };

/**
 * The only way to the service's API: waits for its turn in the account's rate limiter, sends, follows
 * redirects, retries, and returns what a successful reply contains.
 *
 * @param versions asks for the version of the reply; if it equals `known`, the body is not parsed
 * @throws ServiceError that says what happened and what to do
 * @throws NotSent if the caller gave up first
 */
export async function request(
	context: RequestContext,
	{ endpoint, url: start, body }: Target,
	versions?: { known?: Version },
): Promise<ServiceReply> {
	const { account, n8n, transport, urgency, retry = true } = context;
	const { method, effect } = endpoint;
	const signal = cancelSignal(context);
	const stop = stopSignal(context);
	const tries = { sent: 0, rateLimited: 0 };
	let url = start;
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
		const job = { urgency, isRetry: requests > 1, signal: stop };
		const result = await queue.pass(job, async () => await sendOnce(n8n, outgoing));
		if (isHeldBack(result)) throw heldBackError(context, result);
		const isCanceled = result.kind === 'canceled';
		if (isCanceled && effect.kind === 'safe') throw new NotSent(n8n.getNode(), context.itemIndex);
		// a change that was under way may have happened: that it was not sent would not be true
		const ended = isCanceled ? INTERRUPTED : result;

		if (ended.kind === 'reply') {
			// follow redirects, and recognize what is known
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
		if (isRateLimited(read)) tries.rateLimited++;
		isUncertain ||= mayHaveActed(read);
		const mayRetry = retry && !isCanceled && !queue.isServiceDown;
		const decision = mayRetry && decideRetry(effect.kind, read, tries, Math.random(), clock.now());
		if (!decision || !decision.again) {
			const failed = { effect, account, tries: tries.sent, mayHaveActed: isUncertain };
			throw requestError(context, explain(read, failed));
		}
		if (decision.afterMs > 0) await clock.sleep(decision.afterMs, stop);
	}
}

function isHeldBack(result: { kind: string }): result is HeldBack {
	return ['notSent', 'dayUsedUp', 'serviceDown', 'onlyRefusals'].includes(result.kind);
}

/** Why a request was not sent, as an error. */
function heldBackError(context: RequestContext, held: HeldBack): Error {
	if (held.kind === 'notSent') return new NotSent(context.n8n.getNode(), context.itemIndex);
	return requestError(context, explainHeldBack(held));
}

/**
 * Aborts when the execution is canceled. Only this ends a request that is under way: if a caller gives
 * up, the service may have acted, and its reply still matters.
 */
function cancelSignal({ n8n }: RequestContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in n8n ? n8n.getExecutionCancelSignal() : undefined;
}

/** Aborts when the caller gives up or the execution is canceled: what is waiting is then not sent. */
export function stopSignal(context: RequestContext): AbortSignal | undefined {
	return context.signal ?? cancelSignal(context);
}

/** Whether nothing more is to be sent. */
export function hasStopped(context: RequestContext): boolean {
	return stopSignal(context)?.aborted === true;
}
