import type { IDataObject } from 'n8n-workflow';
import type { Account } from '../account';
import type { Endpoint } from '../endpoints';
import { serviceError } from '../errors';
import type { Outcome } from './exchange';
import { explainBroken } from './explain/broken';
import { isLogin } from './explain/redirect';
import { explainReply } from './explain/reply';
import { steadyClock } from '../gate/accounts';
import type { Headers } from '../gate/rateHeaders';
import { readContent, unwrap } from '../replies/content';
import { decideRetry } from './retry';
import { hasStopped, pause, throughGate } from './send';
import type { Sender } from '../sender';
import { onOwnOrigin } from './url';

/** Bytes of a reply that are read at most: tens of thousands of responses, and what n8n's memory stands. */
export const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/** Redirects that are followed; those of a request to the service only within the account's origin. */
export const MAX_REDIRECTS = 5;

/** The JSON of a successful reply, and its headers. */
export type Received = { value: unknown; headers: Headers };

export type Request = {
	endpoint: Endpoint;
	/** The whole URL, on the account's origin. */
	url: string;
	body?: IDataObject;
};

/**
 * The only way to the service: waits for the account's gate, sends, repeats what may be repeated,
 * and gives what a successful reply holds.
 *
 * @throws NodeApiError that says what happened and what to do
 * @throws NotSent when the sender gave up first
 */
export async function request(
	sender: Sender,
	account: Account,
	{ endpoint, url, body }: Request,
): Promise<Received> {
	const { reply, sent } = await sendUntilSettled(sender, account, { endpoint, url, body });
	if (reply.kind === 'reply') {
		const { headers } = reply;
		const content = readContent(headers, reply.body);
		if (reply.status === 204 && content.kind === 'empty') return { value: {}, headers };
		const success = reply.status >= 200 && reply.status < 300 && !reply.tooLarge;
		if (success && content.kind === 'json' && !unwrap(content.value).failed) {
			return { value: content.value, headers };
		}
	}
	const { context, itemIndex } = sender;
	const { baseUrl, origin, conceal } = account;
	const circumstances = { endpoint, baseUrl, origin, conceal, sent, now: steadyClock.now() };
	const explanation =
		reply.kind === 'broken'
			? explainBroken(reply, circumstances)
			: explainReply(reply, circumstances);
	throw serviceError(context.getNode(), explanation, itemIndex);
}

async function sendUntilSettled(
	sender: Sender,
	account: Account,
	{ endpoint, url, body }: Request,
): Promise<{ reply: Outcome; sent: number }> {
	let target = url;
	let refused = 0;
	let redirects = 0;
	for (let sent = 1; ; sent++) {
		const reply = await throughGate(sender, account, sent > 1, {
			method: endpoint.method,
			url: target,
			headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
			body,
			maxBytes: MAX_REPLY_BYTES,
		});
		const next =
			redirects < MAX_REDIRECTS ? redirectOf(reply, target, endpoint, account) : undefined;
		if (next !== undefined) {
			redirects++;
			target = next;
			continue;
		}
		if (reply.kind === 'reply' && reply.status === 429) refused++;
		const tries = { sent: sent - redirects, refused };
		const now = steadyClock.now();
		const decision =
			sender.retry === false || hasStopped(sender)
				? ({ again: false } as const)
				: decideRetry(endpoint.effect, reply, tries, Math.random(), now);
		if (!decision.again) return { reply, sent: tries.sent };
		await pause(sender, decision.afterMs);
	}
}

/** Where a redirect of a request that only reads leads, if that is on the account's own origin. */
export function redirectOf(
	reply: Outcome,
	current: string,
	{ effect }: Endpoint,
	{ origin }: Account,
): string | undefined {
	if (reply.kind !== 'reply' || effect !== 'read') return undefined;
	const { location } = reply.headers;
	const redirects = reply.status >= 300 && reply.status < 400 && typeof location === 'string';
	const target = redirects ? onOwnOrigin(location, current, origin) : undefined;
	// a login page has no data; the redirect itself tells more
	return target !== undefined && !isLogin(new URL(target)) ? target : undefined;
}
