import type { Account } from '../account';
import type { Endpoint } from '../endpoints';
import type { Content, Envelope } from '../envelope';
import { CHECK_BASE_URL, shortened, timeInWords, TRY_LATER } from '../errors';
import type { Explanation } from '../errors';
import {
	LONGEST_MINUTE_S,
	readRefusal,
	REQUESTS_PER_DAY,
	REQUESTS_PER_MINUTE,
} from '../rateLimiter/limits';
import type { Headers } from '../rateLimiter/limits';
import { parseUrl } from '../url';

/** A reply that is not the success it should be, read. */
export type FailedReply = {
	status: number;
	headers: Headers;
	content: Content;
	/** Of a reply in JSON. */
	envelope?: Envelope;
	tooLarge: boolean;
};

/** What was asked for. */
type Asked = {
	endpoint: Pick<Endpoint, 'url' | 'effect'>;
	account: Pick<Account, 'baseUrl' | 'origin'>;
};

/**
 * Explains what the status of a reply means, or, where that says nothing, what the reply holds.
 *
 * @param now epoch milliseconds
 */
export function explainStatus(reply: FailedReply, asked: Asked, now: number): Explanation {
	const httpCode = String(reply.status);
	return { httpCode, ...(reply.tooLarge ? TOO_LARGE : explained(reply, asked, now)) };
}

const TOO_LARGE: Explanation = {
	message: 'The reply is too large for n8n to handle safely',
	description:
		'Ask your Form Service administrator for smaller pages, or delete responses that are no longer needed.',
	failure: { cause: 'configuration-invalid' },
};

function explained(reply: FailedReply, asked: Asked, now: number): Explanation {
	const { status, headers, envelope } = reply;
	if (status === 429) return explainRateLimited(headers, envelope, now);
	if (status >= 500) {
		return {
			message: `The service could not answer (status ${status})${quoted(envelope)}`,
			description: TRY_LATER,
			failure: { cause: 'temporarily-unavailable' },
		};
	}
	if (status === 401) {
		return {
			message: `The service did not accept the access token${quoted(envelope)}`,
			description: 'Open the Form Service credential, enter a valid access token and save it.',
			failure: { cause: 'credential-invalid' },
		};
	}
	if (status >= 400) {
		return { ...explainRejected(reply, asked), failure: { cause: 'configuration-invalid' } };
	}
	return isRedirect(status) ? explainRedirect(headers, asked) : explainContent(reply, asked);
}

/** The day's limit, when it ends (epoch milliseconds), and how many requests a day it allows. */
export function dayUsedUp(until: number, allowed = REQUESTS_PER_DAY): Explanation {
	return {
		message: `The daily request limit is used up until ${timeInWords(until)}`,
		description: `The service allows ${inWords(allowed)} requests a day for all nodes, workflows and tools that use this account. Run this again after that time, or let the workflow send fewer requests.`,
		httpCode: '429',
		failure: { cause: 'quota-exhausted', resetsAtEpochMs: until },
	};
}

/** Status 429, which was not repeated, or not any more. */
function explainRateLimited(
	headers: Headers,
	envelope: Envelope | undefined,
	now: number,
): Explanation {
	const { limit, allowed, waitMs = LONGEST_MINUTE_S * 1000 } = readRefusal(headers, now);
	if (limit === 'day') {
		const explanation = dayUsedUp(now + waitMs, allowed);
		return { ...explanation, message: explanation.message + quoted(envelope) };
	}
	return {
		message: `This account's per-minute limit is used up${quoted(envelope)}`,
		description: `The service allows ${inWords(allowed ?? REQUESTS_PER_MINUTE)} requests a minute for all nodes, workflows and tools that use this account. Let the others send fewer requests.`,
		failure: { cause: 'rate-limited', retryAfterMs: waitMs },
	};
}

function inWords(count: number): string {
	return count.toLocaleString('en-US');
}

/** Any other status from 400 to 499 (specification, section 7). */
function explainRejected({ status, content, envelope }: FailedReply, asked: Asked): Explanation {
	// a page with another status, such as 403 or 413, can come from what stands before the service
	if (content.kind === 'webPage' && [404, 405, 410].includes(status)) {
		return {
			message: `${asked.account.baseUrl} returned a web page instead of data (status ${status})`,
			description: CHECK_BASE_URL,
		};
	}
	const noun = nounOf(asked.endpoint);
	if (status === 403) {
		const belongs =
			noun === undefined ? '' : `Check that the ${noun} belongs to the token's workspace. `;
		return {
			message: `Access denied (status 403)${quoted(envelope)}`,
			description: `${belongs}If more rights are needed, use the credential of an account that has them.`,
		};
	}
	if (status === 404 && noun === undefined) {
		return {
			message: `This is not a Form Service address${quoted(envelope)}`,
			description: CHECK_BASE_URL,
		};
	}
	if (status === 404) {
		return {
			message: `${noun === 'form' ? 'Form' : 'Response'} not found${quoted(envelope)}`,
			description: `Check the ID of the ${noun}. It may have been deleted, or belong to another workspace.`,
		};
	}
	// what answers in JSON with a message is the service: the Base URL is right
	const advice = content.kind === 'json' ? TRY_LATER : CHECK_BASE_URL;
	return {
		message: `The service rejected the request (status ${status})${quoted(envelope)}`,
		description: detailsOr(asked.endpoint.effect === 'read' ? advice : CHECK_VALUES, envelope),
	};
}

const CHECK_VALUES = 'Check the values of this item.';

/** What an endpoint is about, where it is about one. */
function nounOf({ url }: Pick<Endpoint, 'url'>): 'form' | 'response' | undefined {
	if (url.includes('{formId}')) return 'form';
	return url.includes('{responseId}') ? 'response' : undefined;
}

/** Whether a status says that what was asked for is elsewhere; 304 and others from 300 on do not. */
export function isRedirect(status: number): boolean {
	return [301, 302, 303, 307, 308].includes(status);
}

function explainRedirect({ location }: Headers, { account: { origin } }: Asked): Explanation {
	const target = typeof location === 'string' ? parseUrl(location, origin) : undefined;
	if (target !== undefined && isLogin(target)) {
		return {
			message: 'The service asks for a login: it did not accept the access token',
			description: `Enter a valid access token in the Form Service credential. ${CHECK_BASE_URL}`,
			failure: { cause: 'credential-invalid' },
		};
	}
	return {
		message: `The service at ${origin} redirects ${destination(target, origin)}`,
		description: `${CHECK_BASE_URL} Use the service's actual address.`,
		failure: { cause: 'configuration-invalid' },
	};
}

function destination(target: URL | undefined, origin: string): string {
	if (target === undefined) return 'without saying where';
	if (target.origin === origin) return 'in a loop or to another page';
	return `to ${target.origin}, where the access token is not sent`;
}

/** A part of a path, such as `login`, `sign_in`, `wp-login.php`; not of `signing.pdf`, `login.png`. */
const LOGIN = /(^|[/_-])(log|sign)[_-]?in(\.(php|html?|aspx?|jsp))?([/;]|$)/i;

/** Whether a page is one on which people log in. */
export function isLogin({ pathname }: URL): boolean {
	return LOGIN.test(pathname);
}

/** A status that could be a success, with something else in it. */
function explainContent(
	{ status, content, envelope }: FailedReply,
	{ account: { baseUrl }, endpoint }: Asked,
): Explanation {
	if (content.kind === 'webPage') {
		return {
			message: `${baseUrl} returned a web page instead of data`,
			description: `${CHECK_BASE_URL} A login page means that the access token was not accepted.`,
			failure: { cause: 'configuration-invalid' },
		};
	}
	if (envelope?.failed) {
		return {
			message: `The service did not do what was asked${quoted(envelope)}`,
			description: detailsOr(endpoint.effect === 'read' ? TRY_LATER : CHECK_VALUES, envelope),
			failure: { cause: 'configuration-invalid' },
		};
	}
	return {
		message: `The service sent ${UNUSABLE[content.kind]} (status ${status})`,
		description: TRY_LATER,
		failure: { cause: 'temporarily-unavailable' },
	};
}

const UNUSABLE: Record<Exclude<Content['kind'], 'webPage'>, string> = {
	empty: 'an empty reply',
	unreadable: 'an incomplete or invalid JSON reply',
	tooDeep: 'a reply that is nested too deeply to be read',
	json: 'a reply that does not say whether it succeeded',
};

/** The service's own message (specification, section 7), as the end of a sentence. */
function quoted(envelope: Envelope | undefined): string {
	return envelope?.message === undefined ? '' : `: "${shortened(envelope.message)}"`;
}

/** Messages on single fields that are shown. */
const MAX_DETAILS = 20;

/** The service's messages on single fields, but not its `message` again, one a line; else what to do. */
function detailsOr(fallback: string, envelope: Envelope | undefined): string {
	const said = shortened(envelope?.message ?? '');
	const details = envelope?.details.map((text) => shortened(text)) ?? [];
	const lines = details.filter((line) => line !== '' && line !== said);
	return lines.slice(0, MAX_DETAILS).join('\n') || fallback;
}
