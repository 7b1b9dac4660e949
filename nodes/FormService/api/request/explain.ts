import { upperFirst } from 'lodash';
import type { Failure } from 'n8n-workflow';
import type { Account } from '../account';
import { clock } from '../clock';
import type { Effect } from '../endpoints';
import type { Content, Envelope } from '../envelope';
import { asSentence, CHECK_BASE_URL, filled, shortened, timeInWords, TRY_LATER } from '../errors';
import type { Explanation } from '../errors';
import {
	LONGEST_MINUTE_S,
	REQUESTS_PER_DAY,
	REQUESTS_PER_MINUTE,
	TOO_MANY_REQUESTS,
} from '../rateLimiter/limits';
import type { Headers } from '../rateLimiter/limits';
import type { HeldBack } from '../rateLimiter/requestQueue';
import { readBoolean } from '../readers';
import { isRecord } from '../records';
import { isRedirect, leadsToLogin, parseUrl } from '../url';
import { explainConnection } from './connectionProblems';
import type { Broken } from './http';
import type { ReadReply } from './reply';

/** Without a `cause`, a person has to change something: `configuration-invalid`. */
type Row = { message: string; description: string; cause?: Failure['cause'] };

const MORE_RIGHTS = 'If more rights are needed, use the credential of an account that has them.';

/** What a person reads. `explainStatus` has the values of the `{names}`. */
const TABLE = {
	tooLarge: {
		message: 'The reply is too large for n8n to handle safely',
		description:
			'Ask your Form Service administrator for smaller pages, or delete responses that are no longer needed.',
	},
	unavailable: {
		message: 'The service could not answer (status {status}){said}',
		description: TRY_LATER,
		cause: 'temporarily-unavailable',
	},
	dayUsedUp: {
		message: 'The daily request limit is used up until {until}{said}',
		description:
			'The service allows {allowed} requests a day for all nodes, workflows and tools that use this account. Run this again after that time, or let the workflow send fewer requests.',
		cause: 'quota-exhausted',
	},
	minuteUsedUp: {
		message: "This account's per-minute limit is used up{said}",
		description:
			'The service allows {allowed} requests a minute for all nodes, workflows and tools that use this account. Let the others send fewer requests.',
		cause: 'rate-limited',
	},
	tokenRefused: {
		message: 'The service did not accept the access token{said}',
		description: 'Open the Form Service credential, enter a valid access token and save it.',
		cause: 'credential-invalid',
	},
	otherSite: {
		message: '{baseUrl} returned a web page instead of data (status {status})',
		description: CHECK_BASE_URL,
	},
	formClosed: {
		message: 'The form is closed{said}',
		description: '{ifClosed}',
	},
	denied: {
		message: 'Access denied (status 403){said}',
		description: `Check that the {noun} belongs to the token's workspace. ${MORE_RIGHTS}`,
	},
	accountDenied: {
		message: 'Access denied (status 403){said}',
		description: MORE_RIGHTS,
	},
	notFound: {
		message: '{Noun} not found{said}',
		description:
			'Check the ID of the {noun}. It may have been deleted, or belong to another workspace.',
	},
	notFormService: {
		message: 'This is not a Form Service address{said}',
		description: CHECK_BASE_URL,
	},
	rejected: {
		message: 'The service rejected the request (status {status}){said}',
		description: '{advice}',
	},
	login: {
		message: 'The service requires a login: it did not accept the access token',
		description:
			"Enter a valid access token in the Form Service credential, and check its 'Base URL'.",
		cause: 'credential-invalid',
	},
	redirect: {
		message: 'The service at {origin} redirects {destination}',
		description: `${CHECK_BASE_URL} Use the service's actual address.`,
	},
	webPage: {
		message: '{baseUrl} returned a web page instead of data',
		description: `${CHECK_BASE_URL} A login page means that the access token was not accepted.`,
	},
	notDone: {
		message: 'The service did not do what was asked{said}',
		description: '{advice}',
	},
	serviceDown: {
		message: 'The service has failed too often in a row; this request was not sent',
		description:
			'The node asks from time to time whether it works again. Run this item again when it does.',
		cause: 'temporarily-unavailable',
	},
	onlyRefusals: {
		message: "This account's limit stays used up; this request was not sent",
		description:
			'Other nodes, workflows or tools that use this account send too many requests. Let them send fewer, and run this item again.',
		cause: 'rate-limited',
	},
	unusable: {
		message: 'The service sent {unusable} (status {status})',
		description: TRY_LATER,
		cause: 'temporarily-unavailable',
	},
} as const satisfies Record<string, Row>;

type Problem = keyof typeof TABLE;

const rows: Readonly<Record<Problem, Row>> = TABLE;

/** What is known of a failed request beside its last end. */
type Failed = { effect: Effect; account: Account; tries: number; mayHaveActed: boolean };

/** Explains the end of a request that brought no success. */
export function explain(
	ended: ReadReply | Broken,
	{ effect, account, tries, mayHaveActed }: Failed,
): Explanation {
	const explanation =
		ended.kind === 'broken'
			? explainConnection(ended, account.origin)
			: explainReply(ended, effect, account);
	const { ifUncertain } = effect;
	if (mayHaveActed && ifUncertain !== undefined) {
		const message = `${asSentence(explanation.message)} ${ifUncertain.message}`;
		const { description } = ifUncertain;
		return { ...explanation, message, description, mayHaveActed: effect.kind === 'once' };
	}
	const description = `${explanation.description} Tried ${tries} times.`;
	return tries > 1 ? { ...explanation, description } : explanation;
}

/** Explains a request that was not sent. */
export function explainHeldBack(held: Exclude<HeldBack, { kind: 'notSent' }>): Explanation {
	if (held.kind !== 'dayUsedUp') return explained(held.kind);
	const { until, allowed = REQUESTS_PER_DAY } = held;
	return { ...explained('dayUsedUp', { until, allowed }), httpCode: '429' };
}

/** What a reply that is no success means. */
function problemOf(reply: ReadReply, { noun, ifClosed }: Effect): Problem {
	const { status, headers, content, envelope, refusal } = reply;
	const isWebPage = content.kind === 'webPage';
	if (reply.tooLarge) return 'tooLarge';
	if (status >= 500) return 'unavailable';
	if (status === TOO_MANY_REQUESTS) return refusal?.limit === 'day' ? 'dayUsedUp' : 'minuteUsedUp';
	if (status === 401) return 'tokenRefused';
	// a web page with another status, such as 403 or 413, can come from a proxy before the service
	if (isWebPage && [404, 405, 410].includes(status)) return 'otherSite';
	if (status === 403 && ifClosed !== undefined && saysClosed(envelope)) return 'formClosed';
	if (status === 403) return noun === undefined ? 'accountDenied' : 'denied';
	if (status === 404) return noun === undefined ? 'notFormService' : 'notFound';
	if (status >= 400) return 'rejected';
	if (isRedirect(status)) return leadsToLogin(headers.location) ? 'login' : 'redirect';
	if (isWebPage) return 'webPage';
	return envelope?.failed ? 'notDone' : 'unusable';
}

function explainReply(reply: ReadReply, effect: Effect, account: Account): Explanation {
	const { status, headers, content, envelope, refusal } = reply;
	const { noun = '', ifClosed, ifRejected } = effect;
	const { baseUrl, origin } = account;
	const problem = problemOf(reply, effect);
	const perLimit = problem === 'dayUsedUp' ? REQUESTS_PER_DAY : REQUESTS_PER_MINUTE;
	const waitMs = refusal?.waitMs ?? LONGEST_MINUTE_S * 1000;
	// JSON with a message comes from the service itself: the Base URL is right
	const otherwise = content.kind === 'json' ? TRY_LATER : CHECK_BASE_URL;
	const explanation = explained(problem, {
		status,
		baseUrl,
		origin,
		noun,
		Noun: upperFirst(noun),
		ifClosed,
		/** The service's own message as the end of a sentence (specification, section 7). */
		said: envelope?.message === undefined ? '' : `: "${shortened(envelope.message)}"`,
		advice: detailsOf(envelope) || (ifRejected ?? otherwise),
		allowed: refusal?.allowed ?? perLimit,
		destination: destination(headers, origin),
		unusable: UNUSABLE[content.kind],
		waitMs,
		until: clock.now() + waitMs,
	});
	return { ...explanation, httpCode: String(status) };
}

/** Values of the `{names}`; `until` and `waitMs` say when the service accepts requests again. */
type Values = Readonly<Record<string, unknown>> & {
	allowed?: number;
	until?: number;
	waitMs?: number;
};

function explained(problem: Problem, values: Values = {}): Explanation {
	const { message, description, cause = 'configuration-invalid' } = rows[problem];
	const { allowed, until = 0, waitMs } = values;
	const shown = {
		...values,
		allowed: allowed?.toLocaleString('en-US'),
		until: timeInWords(until),
	};
	const failure = {
		cause,
		...(problem === 'minuteUsedUp' && { retryAfterMs: waitMs }),
		...(problem === 'dayUsedUp' && { resetsAtEpochMs: until }),
	};
	return { message: filled(message, shown), description: filled(description, shown), failure };
}

/** Words for a closed form, which the specification does not give; `is_closed` is a form's setting. */
const CLOSED = /\bclosed\b|\bno (longer|more)\b.*\b(accept|response|submission)/i;

function saysClosed({ message = '', data }: Partial<Envelope> = {}): boolean {
	return CLOSED.test(message) || (isRecord(data) && readBoolean(data.is_closed) === true);
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
