import { upperFirst, without } from 'lodash';
import type { Failure } from 'n8n-workflow';
import type { Account } from '../account';
import { clock } from '../clock';
import type { Effect } from '../endpoints';
import type { Envelope } from '../envelope';
import {
	asSentence,
	CHECK_BASE_URL,
	formatTime,
	truncateText,
	TRY_LATER,
	type RequestFailure,
} from '../errors';
import { REQUESTS_PER_DAY, REQUESTS_PER_MINUTE } from './requestQueue';
import type { TransportFailure, ReplyHeaders, Reply } from './sendOnce';

/*
 * What went wrong with a request, what a person reads of it, and whether the request is sent again. Another try
 * follows from the cause in n8n's terms: what is refused for the minute, or temporarily unavailable, can pass.
 * No message has the code of a system error or a text of the service that could have one, if the service may
 * have acted: n8n replaces such a message where it wraps the error, as for the tool of an agent.
 */

/** How often a request is sent in all while it ends with the same cause. */
const MAX_TRIES: Partial<Record<Failure['cause'], number>> = {
	'temporarily-unavailable': 4,
	// other clients of the account can use up each new window first, but hardly this often in a row
	'rate-limited': 10,
};

/** The first pause before a request is sent again. Each further pause is twice as long. */
const FIRST_PAUSE_MS = 1_000;

/**
 * Decides whether to send a request again. What must act once is sent again only if the service certainly
 * did not act: it refused, or no connection was established.
 *
 * @param tries how often the request has ended with this cause
 * @param random a number from 0 up to 1, so that clients do not all return at the same moment
 * @returns the milliseconds to wait before; undefined if the request is not sent again
 */
export function computeRetryDelayMs(
	kind: Effect['kind'],
	{ failure, mayHaveActed }: RequestFailure,
	tries: number,
	random: number,
): number | undefined {
	if (tries >= (MAX_TRIES[failure.cause] ?? 1)) return undefined;
	if (kind === 'once' && mayHaveActed) return undefined;
	// the queue waits for the next window
	if (failure.cause === 'rate-limited') return 0;
	return FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + random / 2);
}

/** The trouble as a person reads it after so many tries. */
export function finalizeFailure(
	trouble: RequestFailure,
	effect: Effect,
	tries: number,
): RequestFailure {
	if (effect.kind === 'once' && trouble.mayHaveActed) {
		const { message, description } = effect.ifUncertain;
		return { ...trouble, message: `${asSentence(trouble.message)} ${message}`, description };
	}
	const tried = tries > 1 ? ` Tried ${tries} times.` : '';
	return { ...trouble, description: trouble.description + tried, mayHaveActed: false };
}

/** What a reply is to, which its trouble depends on. */
export type FailureContext = {
	effect: Effect;
	account: Pick<Account, 'baseUrl' | 'origin' | 'conceal'>;
};

/** What a person reads, and the cause; without a cause, a person has to change something. */
type Text = [message: string, description: string, cause?: Failure['cause']];

/** The trouble of a reply that is no success. */
export function createReplyFailure(
	reply: Reply,
	envelope: Envelope | undefined,
	sent: FailureContext,
): RequestFailure {
	const { status, headers } = reply;
	if (status === 429) return createRateLimitFailure(headers, clock.now());
	const [message, description, cause = 'configuration-invalid'] = findText(reply, envelope, sent);
	// a service that breaks down can have acted before, and so can one that redirects or whose proxy gives up
	const hasRefused = envelope?.failed === true || cause === 'credential-invalid';
	const mayHaveActed = status < 400 ? !hasRefused : status >= 500 || [408, 499].includes(status);
	// the token is removed before any text is cut off within it
	const said = truncateText(sent.account.conceal(envelope?.message ?? ''));
	const isQuoted = said !== '' && cause !== 'credential-invalid' && status !== 404;
	return {
		message: isQuoted && !mayHaveActed ? `${message}: "${said}"` : message,
		description:
			isQuoted && mayHaveActed ? `The reply says "${said}". ${description}` : description,
		httpCode: String(status),
		failure: { cause },
		mayHaveActed,
	};
}

function findText(
	reply: Reply,
	envelope: Envelope | undefined,
	{ effect, account }: FailureContext,
): Text {
	const { status, headers, text } = reply;
	const { noun = '' } = effect;
	const { baseUrl, conceal } = account;
	if (text === undefined) {
		return [
			'The reply is too large for n8n to handle safely',
			'Ask your Form Service administrator for smaller pages, or delete responses that are no longer needed.',
		];
	}
	if (status >= 500) {
		const message = `Form Service returned an error (status ${status})`;
		return [message, TRY_LATER, 'temporarily-unavailable'];
	}
	if (status === 401 || (status < 400 && LOGIN.test(String(headers.location)))) {
		return [
			'Form Service rejected the access token',
			'Enter a valid access token in the Form Service credential.',
			'credential-invalid',
		];
	}
	if (status === 403) {
		const check = noun && `Check that the ${noun} belongs to the token's workspace. `;
		const advice = 'If the account lacks permission, use the credential of another account.';
		return ['Access denied (status 403)', check + advice];
	}
	if (status >= 300 && status < 400) {
		const place = truncateText(conceal(String(headers.location || 'nowhere')));
		const advice = `Redirects are not followed. ${CHECK_BASE_URL}`;
		return [`${baseUrl} redirects to ${place}`, advice];
	}
	// a web page with another status, such as 413, can come from a proxy before the service
	if (/^\s*</.test(text) && [200, 404, 405].includes(status)) {
		const advice = `${CHECK_BASE_URL} A login page means that the access token was not accepted.`;
		return [`${baseUrl} returned a web page instead of data (status ${status})`, advice];
	}
	if (status === 404 && noun === '') return ['This is not a Form Service address', CHECK_BASE_URL];
	if (status === 404) {
		const advice = `Check the ID. The ${noun} may have been deleted, or belong to another workspace.`;
		return [`${upperFirst(noun)} not found`, advice];
	}
	if (status >= 400 || envelope?.failed) {
		const at = status >= 400 ? ` (status ${status})` : '';
		const details = without(envelope?.details, envelope?.message).join(' ');
		const advice = truncateText(conceal(details), MAX_DETAILS_LENGTH) || CHECK_VALUES;
		return [`Form Service rejected the request${at}`, advice];
	}
	return envelope === undefined
		? ['Form Service sent an empty or incomplete reply', TRY_LATER, 'temporarily-unavailable']
		: ['Form Service sent a reply that does not say whether the request succeeded', TRY_LATER];
}

/** The longest text of all messages on single fields. */
const MAX_DETAILS_LENGTH = 1_000;

const CHECK_VALUES = 'Check the parameters of this node and the values of its items.';

/** Where a service sends those who have not logged in. */
const LOGIN = /\b(log|sign)[-_]?in\b/i;

/** Codes of Node that come before there is a connection, and never from one that was open: nothing was sent. */
const NOT_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;

/** The trouble of a request that got no whole reply. */
export function createTransportFailure(broken: TransportFailure, origin: string): RequestFailure {
	// a host that is refused is the credential's, so all that uses the credential fails
	const [message, description, cause = 'credential-invalid'] = findBrokenText(broken, origin);
	const { code, isRefusedByN8n } = broken;
	const isSent = !isRefusedByN8n && !NOT_CONNECTED.test(code) && !CERTIFICATE.test(code);
	return { message, description, failure: { cause }, mayHaveActed: isSent };
}

const OWN_AUTHORITY =
	'If its certificate comes from your own authority, add the authority to n8n (NODE_EXTRA_CA_CERTS).';
const CHECK_N8N = "Check the allowed domains of the credential and n8n's SSRF protection.";

function findBrokenText({ code, isRefusedByN8n }: TransportFailure, origin: string): Text {
	if (isRefusedByN8n) return [`n8n does not allow requests to ${origin}`, `${code}. ${CHECK_N8N}`];
	if (NOT_CONNECTED.test(code)) {
		const reason = code === 'ECONNREFUSED' ? 'connection refused' : 'unknown host';
		const message = `Couldn't connect to ${origin} (${reason})`;
		return [message, `Form Service may be down. ${CHECK_BASE_URL}`, 'temporarily-unavailable'];
	}
	// EPROTO is what Node says of a server that does not speak TLS
	if (CERTIFICATE.test(code) || code === 'EPROTO') {
		const message = `Couldn't establish a secure connection to ${origin}`;
		return [message, `${CHECK_BASE_URL} ${OWN_AUTHORITY} (${code})`];
	}
	if (/^(ECONNABORTED|ETIMEDOUT)$/.test(code)) {
		const longer = "In Form Service nodes, 'Timeout' in the request options waits longer.";
		const message = `${origin} did not reply in time`;
		return [message, `${TRY_LATER} ${longer}`, 'temporarily-unavailable'];
	}
	const message = `The connection to ${origin} broke before the whole reply arrived`;
	return [message, `${TRY_LATER} (${code})`, 'temporarily-unavailable'];
}

/** A refusal that asks to wait longer cannot mean the minute's limit, so it means the day's. */
const LONGEST_MINUTE_MS = 60_000;

/** No day's limit lasts longer. */
const LONGEST_DAY_MS = 24 * 60 * 60_000;

/** Added to `Retry-After`, which the service rounds down to whole seconds. */
const RETRY_AFTER_MARGIN_MS = 1_000;

/** A refusal for the minute's limit, or for the day's: it shows the day's number of requests, or a long wait. */
export function createRateLimitFailure(headers: ReplyHeaders, now: number): RequestFailure {
	// seconds (RFC 9110, section 10.2.3); the service sends no dates
	const askedMs = Number(headers['retry-after'] ?? NaN) * 1_000;
	const limitedMs = askedMs >= 0 ? Math.min(askedMs, LONGEST_DAY_MS) : LONGEST_MINUTE_MS;
	const waitMs = limitedMs + RETRY_AFTER_MARGIN_MS;
	const shown = Number(headers['x-ratelimit-limit']);
	const isOfDay = limitedMs > LONGEST_MINUTE_MS || shown === REQUESTS_PER_DAY;
	const limit = isOfDay
		? '1,440 requests a day'
		: `${shown || REQUESTS_PER_MINUTE} requests a minute`;
	const shared = `Form Service allows ${limit} for all nodes, workflows and tools that use this account.`;
	if (isOfDay) {
		return {
			message: `Daily request limit reached. It resets at ${formatTime(now + waitMs)}`,
			description: `${shared} Run this again after that time, or let the workflow send fewer requests.`,
			httpCode: '429',
			failure: { cause: 'quota-exhausted', resetsAtEpochMs: now + waitMs },
		};
	}
	return {
		message: "This account's per-minute limit is used up",
		description: `${shared} Let other workflows on this account send fewer requests.`,
		httpCode: '429',
		failure: { cause: 'rate-limited', retryAfterMs: waitMs },
	};
}
