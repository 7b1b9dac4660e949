import { difference, uniq, upperFirst } from 'lodash';
import type { Failure } from 'n8n-workflow';
import { adviseOnBaseUrl } from '../account';
import type { Account } from '../account';
import { clock } from '../clock';
import type { Effect } from '../endpoints';
import { readContent, unwrap } from '../envelope';
import type { Content, Envelope } from '../envelope';
import { CHECK_BASE_URL, shortenText, TRY_LATER } from '../errors';
import { parseRefusal, parseRetryAfter, TOO_MANY_REQUESTS } from './limits';
import type { Headers, Refusal } from './limits';
import { readBoolean } from '../readers';
import { isRecord } from '../records';
import { isRedirect, isLoginLink, parseUrl } from '../url';
import type { Reply } from './http';
import { explainRefusal, MAX_TRIES } from './trouble';
import type { Text, Trouble } from './trouble';

/** The most bytes of a reply that are read: well over 100,000 responses, and what n8n's memory can hold. */
export const MAX_REPLY_BYTES = 128 * 1024 * 1024;

const NO_CONTENT = 204;

/** The only 5xx status (RFC 9110, section 15.6.2) that another try cannot change. */
const NOT_IMPLEMENTED = 501;

/** The longest pause that a service can ask for with `Retry-After` on a 5xx status. */
const LONGEST_PAUSE_S = 60;

/** What a reply is to, which its trouble depends on. */
type Sent = {
	/** The URL that was requested. */
	url: string;
	effect: Effect;
	account: Pick<Account, 'baseUrl' | 'conceal'>;
	/** What the reply refuses, as the account's rate limiter reads it. */
	refusal?: Refusal;
};

/** The value of a success, or the trouble. */
type Outcome = { value: unknown; headers: Headers; isGarbled?: boolean } | { trouble: Trouble };

/** Reads a reply to a request. */
export function readReply(reply: Reply, sent: Sent): Outcome {
	const { status, headers, body } = reply;
	const { kind } = sent.effect;
	if (status === NO_CONTENT && kind !== 'once') return { value: {}, headers };
	const content = readContent(headers, body);
	const envelope = content.kind === 'json' ? concealTexts(unwrap(content.value), sent) : undefined;
	const isSuccess = kind === 'safe' ? !envelope?.failed : envelope?.isConfirmed;
	if (status < 300 && content.kind === 'json' && isSuccess) {
		return { value: content.value, headers, isGarbled: content.isGarbled };
	}
	if (status === TOO_MANY_REQUESTS) {
		const refusal = explainRefusal(sent.refusal ?? parseRefusal(headers, clock.now()));
		return { trouble: { ...refusal, message: addQuote(refusal.message, envelope) } };
	}
	const text = findReplyText({ ...reply, content, envelope }, sent);
	const [ours, description, cause = 'configuration-invalid'] = text;
	const message = addQuote(ours, envelope);
	// a redirect that keeps the method (RFC 9110, section 15.4), or to a login; others can follow the act
	const hasRefused =
		envelope?.failed || [307, 308].includes(status) || cause === 'credential-invalid';
	const passes =
		status < 300
			? content.kind === 'empty' || content.kind === 'cutOff'
			: status >= 500 && status !== NOT_IMPLEMENTED;
	const retryAfterS = parseRetryAfter(headers, clock.now());
	// a service that is down can say until when (RFC 9110, section 15.6.4)
	const failure: Failure =
		cause === 'temporarily-unavailable' && retryAfterS !== undefined
			? { cause, retryAfterMs: retryAfterS * 1000 }
			: { cause };
	const trouble: Trouble = {
		...{ message, description, httpCode: String(status), failure },
		maxTries: passes ? MAX_TRIES : 1,
		// a service that breaks down (5xx) can have acted before, even if the body says otherwise
		mayHaveActed: status >= 500 || (status < 400 && !hasRefused),
		retryAfterMs: parsePauseMs(headers),
	};
	return { trouble };
}

/** How long a reply that is no refusal asks to wait. */
export function parsePauseMs(headers: Headers): number {
	return Math.min(parseRetryAfter(headers, clock.now()) ?? 0, LONGEST_PAUSE_S) * 1000;
}

/** Words with which a sentence says no more than ours. */
const FILLERS = 'a an the this that is was were be been could requested resource'.split(' ');

/** A message with the service's own (specification, section 7) at its end, unless that only repeats it. */
function addQuote(message: string, { message: said = '' }: Partial<Envelope> = {}): string {
	const [ours, theirs] = [message, said].map((text) => text.toLowerCase().match(/\p{L}+/gu));
	const words = difference(theirs, FILLERS);
	const isRepeated = words.length > 0 && difference(words, ours ?? []).length === 0;
	return said === '' || isRepeated ? message : `${message}: "${shortenText(said)}"`;
}

type Failed = Reply & { content: Content; envelope?: Envelope };

function findReplyText(reply: Failed, sent: Sent): Text {
	const { status, content, envelope } = reply;
	const { effect, account } = sent;
	const { noun, ifRejected, ifClosed } = effect;
	const { baseUrl } = account;
	const checkBaseUrl = adviseOnBaseUrl(account);
	if (content.kind === 'tooLarge') {
		return [
			'The reply is too large for n8n to handle safely',
			'Ask your Form Service administrator for smaller pages, or delete responses that are no longer needed.',
		];
	}
	if (status >= 500) {
		const message = `Form Service returned an error (status ${status})`;
		return [message, TRY_LATER, 'temporarily-unavailable'];
	}
	if (status === 401) {
		return [
			'Form Service rejected the access token',
			'Open the Form Service credential, enter a valid access token and save it.',
			'credential-invalid',
		];
	}
	// a web page with another status, such as 403 or 413, can come from a proxy before the service
	if (content.kind === 'webPage' && [404, 405, 410].includes(status)) {
		return [`${baseUrl} returned a web page instead of data (status ${status})`, checkBaseUrl];
	}
	if (status === 403 && ifClosed !== undefined && isFormClosed(envelope)) {
		return ['The form is closed', ifClosed];
	}
	if (status === 403) {
		const check = `Check that the ${noun} belongs to the token's workspace. `;
		return [`Access denied (status 403)`, (noun === undefined ? '' : check) + MORE_RIGHTS];
	}
	if (status === 404 && noun === undefined) {
		return ['This is not a Form Service address', checkBaseUrl];
	}
	if (status === 404) {
		return [
			`${upperFirst(noun)} not found`,
			`Check the ID. The ${noun} may have been deleted, or belong to another workspace.`,
		];
	}
	if (status >= 400) {
		// JSON with a message comes from the service itself: the Base URL is right
		const otherwise = content.kind === 'json' ? "Check the node's parameters." : checkBaseUrl;
		const message = `Form Service rejected the request (status ${status})`;
		return [message, joinDetails(envelope) || (ifRejected ?? otherwise)];
	}
	if (isRedirect(status)) return explainRedirect(reply, sent);
	if (content.kind === 'webPage') {
		return [
			`${baseUrl} returned a web page instead of data`,
			`${checkBaseUrl} A login page means that the access token was not accepted.`,
		];
	}
	if (envelope?.failed) {
		const message = "Form Service couldn't complete the request";
		return [message, joinDetails(envelope) || (ifRejected ?? TRY_LATER)];
	}
	const message = `Form Service sent ${UNUSABLE[content.kind]} (status ${status})`;
	return [message, TRY_LATER, 'temporarily-unavailable'];
}

const MORE_RIGHTS = 'If the account lacks permission, use the credential of another account.';

/** Words for a closed form, which the specification does not give; `is_closed` is a form's setting. */
const CLOSED = /\bclosed\b|\bno (longer|more)\b.*\b(accept|response|submission)/i;

function isFormClosed({ message = '', data }: Partial<Envelope> = {}): boolean {
	return CLOSED.test(message) || (isRecord(data) && readBoolean(data.is_closed) === true);
}

const UNUSABLE = {
	empty: 'an empty reply',
	cutOff: 'an incomplete or invalid JSON reply',
	unreadable: 'an incomplete or invalid JSON reply',
	tooDeep: 'a reply that is nested too deeply to be read',
	json: 'a reply that does not say whether the request succeeded',
};

/** No redirect of the API is followed: the error names the address that Form Service has itself. */
function explainRedirect({ headers: { location } }: Reply, { url, account }: Sent): Text {
	const { baseUrl } = account;
	if (isLoginLink(location)) {
		return [
			'Form Service requires a login: it rejected the access token',
			"Enter a valid access token in the Form Service credential, and check its 'Base URL'.",
			'credential-invalid',
		];
	}
	const target = typeof location === 'string' ? parseUrl(location, url) : undefined;
	if (!target) return [`${baseUrl} sent a redirect without a target`, CHECK_BASE_URL];
	const address = shortenText(target.origin + target.pathname);
	const path = url.slice(baseUrl.length).split('?')[0];
	const newBaseUrl = address.endsWith(path) ? address.slice(0, -path.length) : baseUrl;
	const advice =
		newBaseUrl === baseUrl
			? `${CHECK_BASE_URL} Redirects are not followed.`
			: `Enter ${newBaseUrl} as the 'Base URL' in the Form Service credential.`;
	return [`${baseUrl} redirects to ${address}`, advice];
}

/** The token is removed before any text is cut off within it. */
function concealTexts({ message, details, ...rest }: Envelope, { account }: Sent): Envelope {
	const shown = message === undefined ? {} : { message: account.conceal(message) };
	return { ...rest, ...shown, details: details.map(account.conceal) };
}

/** The most messages on single fields that are shown. */
const MAX_DETAILS = 20;

/** The service's messages on single fields, one a line, without its `message` again. */
function joinDetails(envelope?: Envelope): string {
	const [, ...lines] = uniq(
		[envelope?.message ?? '', ...(envelope?.details ?? [])].map((text) => shortenText(text)),
	);
	return lines.slice(0, MAX_DETAILS).join('\n');
}
