import { upperFirst } from 'lodash';
import type { Account } from '../account';
import { clock } from '../clock';
import type { Effect } from '../endpoints';
import type { Content, Envelope } from '../envelope';
import { asSentence, CHECK_BASE_URL, shortened, TRY_LATER } from '../errors';
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
import type { Broken } from './http';
import { explained } from './problems';
import type { Problem } from './problems';
import type { ReadReply } from './reply';

/** What the explanation of a failed request needs besides its last result. */
type Failed = { effect: Effect; account: Account; tries: number; mayHaveActed: boolean };

/** Explains the end of a request that brought no success. */
export function explain(
	ended: ReadReply | Broken,
	{ effect, account, tries, mayHaveActed }: Failed,
): Explanation {
	const explanation =
		ended.kind === 'broken'
			? explained(ended.problem, { origin: account.origin, detail: ended.detail })
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

/** Classifies a reply that is no success. */
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
	json: 'a reply that does not say whether the request succeeded',
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
