import type { IHttpRequestOptions } from 'n8n-workflow';
import { clock } from '../clock';
import type { Effect } from '../endpoints';
import { NotSent, requestError } from '../errors';
import { otherHosts, queueOf } from '../rateLimiter/requestQueue';
import type { HeldBack } from '../rateLimiter/requestQueue';
import type { RequestContext } from '../requestContext';
import { isRedirect } from './redirects';
import { cancelSignal, stopSignal } from './request';
import { dayUsedUp, ONLY_REFUSALS, SERVICE_DOWN } from './statusProblems';
import { sendOnce } from './http';
import type { Broken, HttpRequest, HttpResult, Reply } from './http';
import { decideRetry, isRateLimited } from './retry';
import type { Ended, RetryDecision, Tries } from './retry';

/** Redirects that are followed. */
const MAX_REDIRECTS = 5;

/** How one kind of request is sent, and what is done about how it ends. */
export type Way<T extends Broken | Reply> = {
	send: (url: string, isRetry: boolean) => Promise<T>;
	/**
	 * Where a redirect is followed to; undefined where it is not.
	 *
	 * @param location as the redirect has it
	 */
	follow: (location: string, url: string) => string | undefined;
	/** Left out where nothing is repeated. */
	decide?: (ended: T, tries: Tries) => RetryDecision;
	pause?: (ms: number) => Promise<void>;
};

/**
 * Sends a request, follows redirects and repeats, until the reply is one to be taken or to be
 * explained.
 *
 * @returns the last reply, the URL that it came from, and how often the request was sent
 */
export async function sendUntilSettled<T extends Broken | Reply>(
	start: string,
	{ send, follow, decide, pause }: Way<T>,
): Promise<{ ended: T; url: string; sent: number }> {
	let url = start;
	let redirects = 0;
	let rateLimited = 0;
	for (let requests = 1; ; requests++) {
		const ended = await send(url, requests > 1);
		const location = redirects < MAX_REDIRECTS ? locationOf(ended) : undefined;
		const next = location === undefined ? undefined : follow(location, url);
		if (next !== undefined) {
			url = next;
			redirects++;
			continue;
		}
		if (isRateLimited(ended)) rateLimited++;
		const sent = requests - redirects;
		const decision = decide?.(ended, { sent, rateLimited });
		if (!decision?.again) return { ended, url, sent };
		await pause?.(decision.afterMs);
	}
}

function locationOf(ended: Broken | Reply): string | undefined {
	if (ended.kind !== 'reply' || !isRedirect(ended.status)) return undefined;
	const { location } = ended.headers;
	return typeof location === 'string' ? location : undefined;
}

/** One request to be sent, with the bytes of its reply that are read at most. */
export type Outgoing = Omit<HttpRequest, 'authenticated' | 'signal'>;

/**
 * Sends one request to the account's origin, with the token, when its turn in the account's queue
 * has come.
 *
 * @param isRetry whether it was sent before: then it goes before those that were not
 * @throws NodeApiError when the day's limit is used up; NotSent when the caller gave up first
 */
export async function toService(
	context: RequestContext,
	isRetry: boolean,
	outgoing: Outgoing,
): Promise<Broken | Reply> {
	const { account, n8n, onSend, transport, urgency } = context;
	const signal = cancelSignal(context);
	// the whole URL has the query already
	const own = { ...outgoing, qs: undefined, baseURL: undefined, authenticated: true, signal };
	const job = { urgency, isRetry, signal: stopSignal(context) };
	const result = await queueOf(account.key).pass(job, async () => {
		onSend?.();
		return await sendOnce(n8n, { ...transport, ...own });
	});
	return settled(context, result);
}

/**
 * Sends one request to another host: without the token, and without the rate limiter, which is not
 * its.
 *
 * @throws NotSent when the caller gave up first
 */
export async function toOtherHost(
	context: RequestContext,
	outgoing: Outgoing,
): Promise<Broken | Reply> {
	const { n8n, transport, urgency } = context;
	const { timeout, proxy, skipSslCertificateValidation }: Partial<IHttpRequestOptions> =
		transport ?? {};
	const options = { timeout, proxy, skipSslCertificateValidation, ...outgoing };
	const signal = cancelSignal(context);
	const job = { urgency, isRetry: false, signal: stopSignal(context) };
	const result = await otherHosts.pass(
		job,
		async () => await sendOnce(n8n, { ...options, authenticated: false, signal }),
	);
	return settled(context, result);
}

function settled(context: RequestContext, result: HttpResult | HeldBack): Broken | Reply {
	if (result.kind === 'reply' || result.kind === 'broken') return result;
	if (result.kind === 'dayUsedUp') {
		throw requestError(context, dayUsedUp(result.until, result.allowed));
	}
	if (result.kind === 'serviceDown') throw requestError(context, SERVICE_DOWN);
	if (result.kind === 'onlyRefusals') throw requestError(context, ONLY_REFUSALS);
	throw new NotSent(context.n8n.getNode(), context.itemIndex);
}

/** How a request is repeated: not at all while the service is down. */
export function repeating(context: RequestContext, effect: Effect['kind'] | 'read') {
	const queue = queueOf(context.account.key);
	return {
		decide: (ended: Ended, tries: Tries): RetryDecision =>
			context.retry === false || queue.isServiceDown
				? { again: false }
				: decideRetry(
						effect === 'read' ? 'safe' : effect,
						ended,
						tries,
						Math.random(),
						clock.now(),
					),
		/** Until it is time, or nothing more is to be sent. */
		async pause(ms: number): Promise<void> {
			if (ms > 0) await clock.sleep(ms, stopSignal(context));
		},
	};
}
