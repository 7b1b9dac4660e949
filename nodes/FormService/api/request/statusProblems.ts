import type { Failure } from 'n8n-workflow';
import type { Account } from '../account';
import type { Effect } from '../endpoints';
import type { Content, Envelope } from '../envelope';
import { CHECK_BASE_URL, shortened, timeInWords, TRY_LATER } from '../errors';
import type { Explanation } from '../errors';
import { LONGEST_MINUTE_S, REQUESTS_PER_DAY, REQUESTS_PER_MINUTE } from '../rateLimiter/limits';
import type { Headers, Refusal } from '../rateLimiter/limits';
import { isRecord, saysYes } from '../records';
import { parseUrl } from '../url';
import { isRedirect, leadsToLogin } from './redirects';

/** A reply that is no success. */
export type FailedReply = {
	status: number;
	headers: Headers;
	content: Content;
	/** Of a reply in JSON, without the token. */
	envelope?: Envelope;
	tooLarge: boolean;
	/** Of a status 429. */
	refusal?: Refusal;
};

/** What the texts are made of: the reply, and what was requested. */
type Facts = FailedReply & {
	effect: Effect;
	baseUrl: string;
	origin: string;
	/** The service's message as the end of a sentence, or nothing. */
	said: string;
};

type Row = {
	message: (facts: Facts) => string;
	description: (facts: Facts) => string;
	cause: Failure['cause'];
};

const TABLE = {
	tooLarge: {
		message: () => 'The reply is too large for n8n to handle safely',
		description: () =>
			'Ask your Form Service administrator for smaller pages, or delete responses that are no longer needed.',
		cause: 'configuration-invalid',
	},
	minuteUsedUp: {
		message: ({ said }) => `This account's per-minute limit is used up${said}`,
		description: ({ refusal }) =>
			`The service allows ${inWords(refusal?.allowed ?? REQUESTS_PER_MINUTE)} requests a minute for all nodes, workflows and tools that use this account. Let the others send fewer requests.`,
		cause: 'rate-limited',
	},
	unavailable: {
		message: ({ status, said }) => `The service could not answer (status ${status})${said}`,
		description: () => TRY_LATER,
		cause: 'temporarily-unavailable',
	},
	tokenRefused: {
		message: ({ said }) => `The service did not accept the access token${said}`,
		description: () => 'Open the Form Service credential, enter a valid access token and save it.',
		cause: 'credential-invalid',
	},
	login: {
		message: () => 'The service requires a login: it did not accept the access token',
		description: () =>
			"Enter a valid access token in the Form Service credential, and check its 'Base URL'.",
		cause: 'credential-invalid',
	},
	redirect: {
		message: ({ headers, origin }) =>
			`The service at ${origin} redirects ${destination(headers, origin)}`,
		description: () => `${CHECK_BASE_URL} Use the service's actual address.`,
		cause: 'configuration-invalid',
	},
	otherSite: {
		message: ({ baseUrl, status }) =>
			`${baseUrl} returned a web page instead of data (status ${status})`,
		description: () => CHECK_BASE_URL,
		cause: 'configuration-invalid',
	},
	formClosed: {
		message: ({ said }) => `The form is closed${said}`,
		description: ({ effect }) => effect.ifClosed ?? '',
		cause: 'configuration-invalid',
	},
	denied: {
		message: ({ said }) => `Access denied (status 403)${said}`,
		description: ({ effect: { noun } }) =>
			`${noun === undefined ? '' : `Check that the ${noun} belongs to the token's workspace. `}If more rights are needed, use the credential of an account that has them.`,
		cause: 'configuration-invalid',
	},
	notFormService: {
		message: ({ said }) => `This is not a Form Service address${said}`,
		description: () => CHECK_BASE_URL,
		cause: 'configuration-invalid',
	},
	notFound: {
		message: ({ effect: { noun = 'It' }, said }) =>
			`${noun.charAt(0).toUpperCase()}${noun.slice(1)} not found${said}`,
		description: ({ effect }) =>
			`Check the ID of the ${effect.noun}. It may have been deleted, or belong to another workspace.`,
		cause: 'configuration-invalid',
	},
	rejected: {
		message: ({ status, said }) => `The service rejected the request (status ${status})${said}`,
		// JSON with a message comes from the service itself: the Base URL is right
		description: ({ content, effect, envelope }) =>
			detailsOf(envelope) ||
			(effect.ifRejected ?? (content.kind === 'json' ? TRY_LATER : CHECK_BASE_URL)),
		cause: 'configuration-invalid',
	},
	webPage: {
		message: ({ baseUrl }) => `${baseUrl} returned a web page instead of data`,
		description: () =>
			`${CHECK_BASE_URL} A login page means that the access token was not accepted.`,
		cause: 'configuration-invalid',
	},
	notDone: {
		message: ({ said }) => `The service did not do what was asked${said}`,
		description: ({ effect, envelope }) => detailsOf(envelope) || (effect.ifRejected ?? TRY_LATER),
		cause: 'configuration-invalid',
	},
	unusable: {
		message: ({ content, status }) =>
			`The service sent ${UNUSABLE[content.kind]} (status ${status})`,
		description: () => TRY_LATER,
		cause: 'temporarily-unavailable',
	},
} as const satisfies Record<string, Row>;

/** What a reply means, by its status first. */
function problemOf(reply: FailedReply, effect: Effect): keyof typeof TABLE {
	const { status, headers, content, envelope } = reply;
	const isWebPage = content.kind === 'webPage';
	if (reply.tooLarge) return 'tooLarge';
	if (status >= 500) return 'unavailable';
	if (status === 429) return 'minuteUsedUp';
	if (status === 401) return 'tokenRefused';
	// a web page with another status, such as 403 or 413, can come from a proxy before the service
	if (isWebPage && [404, 405, 410].includes(status)) return 'otherSite';
	if (status === 403) return saysClosed(envelope, effect) ? 'formClosed' : 'denied';
	if (status === 404) return effect.noun === undefined ? 'notFormService' : 'notFound';
	if (status >= 400) return 'rejected';
	if (isRedirect(status)) return leadsToLogin(headers) ? 'login' : 'redirect';
	if (isWebPage) return 'webPage';
	return envelope?.failed ? 'notDone' : 'unusable';
}

/**
 * Explains a reply that is no success.
 *
 * @param now epoch milliseconds
 */
export function explainStatus(
	reply: FailedReply,
	effect: Effect,
	{ baseUrl, origin }: Pick<Account, 'baseUrl' | 'origin'>,
	now: number,
): Explanation {
	const { status, envelope, refusal } = reply;
	const httpCode = String(status);
	const said = envelope?.message === undefined ? '' : `: "${shortened(envelope.message)}"`;
	const waitMs = refusal?.waitMs ?? LONGEST_MINUTE_S * 1000;
	if (refusal?.limit === 'day') {
		const explanation = dayUsedUp(now + waitMs, refusal.allowed);
		return { ...explanation, message: explanation.message + said };
	}
	const { message, description, cause }: Row = TABLE[problemOf(reply, effect)];
	const facts = { ...reply, effect, baseUrl, origin, said };
	const failure = cause === 'rate-limited' ? { cause, retryAfterMs: waitMs } : { cause };
	return { message: message(facts), description: description(facts), httpCode, failure };
}

/**
 * The day's limit is used up.
 *
 * @param until epoch milliseconds
 * @param allowed requests a day
 */
export function dayUsedUp(until: number, allowed = REQUESTS_PER_DAY): Explanation {
	return {
		message: `The daily request limit is used up until ${timeInWords(until)}`,
		description: `The service allows ${inWords(allowed)} requests a day for all nodes, workflows and tools that use this account. Run this again after that time, or let the workflow send fewer requests.`,
		httpCode: '429',
		failure: { cause: 'quota-exhausted', resetsAtEpochMs: until },
	};
}

/** Requests that are not sent while the service is failing. */
export const SERVICE_DOWN: Explanation = {
	message: 'The service has failed too often in a row; this request was not sent',
	description:
		'The node asks from time to time whether it works again. Run this item again when it does.',
	failure: { cause: 'temporarily-unavailable' },
};

/** Requests that are not sent while the service refuses each request. */
export const ONLY_REFUSALS: Explanation = {
	message:
		'The service refuses all requests of this account for its limit; this request was not sent',
	description:
		'Other nodes, workflows or tools that use this account send too many requests. Let them send fewer, and run this item again.',
	failure: { cause: 'rate-limited' },
};

function inWords(count: number): string {
	return count.toLocaleString('en-US');
}

/** Words for a closed form. The specification has none; `is_closed` is the setting of a form. */
const CLOSED = /\bclosed\b|\bno (longer|more)\b.*\b(accept|response|submission)/i;

/** Whether a refusal is about a form that is closed, where that matters. */
function saysClosed(envelope: Envelope | undefined, { ifClosed }: Effect): boolean {
	if (ifClosed === undefined || envelope === undefined) return false;
	const { message = '', data } = envelope;
	return CLOSED.test(message) || (isRecord(data) && saysYes(data.is_closed));
}

function destination({ location }: Headers, origin: string): string {
	const target = typeof location === 'string' ? parseUrl(location, origin) : undefined;
	if (target === undefined) return 'without saying where';
	if (target.origin === origin) return 'in a loop or to another page';
	return `to ${target.origin}, where the access token is not sent`;
}

const UNUSABLE: Record<Content['kind'], string> = {
	webPage: 'a web page',
	empty: 'an empty reply',
	unreadable: 'an incomplete or invalid JSON reply',
	tooDeep: 'a reply that is nested too deeply to be read',
	json: 'a reply that does not say whether it succeeded',
};

/** The most messages on single fields that are shown. */
const MAX_DETAILS = 20;

/** The service's messages on single fields, one a line, without its `message` again. */
function detailsOf(envelope: Envelope | undefined): string {
	const said = shortened(envelope?.message ?? '');
	const details = envelope?.details.map((text) => shortened(text)) ?? [];
	const lines = details.filter((line) => line !== '' && line !== said);
	return lines.slice(0, MAX_DETAILS).join('\n');
}
