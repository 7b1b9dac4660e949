import { upperFirst } from 'lodash';
import type { Failure } from 'n8n-workflow';
import type { Account } from '../account';
import { clock } from '../clock';
import type { Effect } from '../endpoints';
import { readContent, unwrap } from '../envelope';
import type { Content, Envelope } from '../envelope';
import { CHECK_BASE_URL, shortened, TRY_LATER } from '../errors';
import {
	LONGEST_MINUTE_S,
	parseRefusal,
	parseRetryAfter,
	REQUESTS_PER_MINUTE,
	TOO_MANY_REQUESTS,
} from '../rateLimiter/limits';
import type { Headers } from '../rateLimiter/limits';
import { readBoolean } from '../readers';
import { isRecord } from '../records';
import { isRedirect, leadsToLogin, parseUrl } from '../url';
import type { Reply } from './http';
import { explainDayUsedUp, MAX_TRIES } from './trouble';
import type { Trouble } from './trouble';

/** The most bytes of a reply that are read: well over 100,000 responses, and what n8n's memory can hold. */
export const MAX_REPLY_BYTES = 128 * 1024 * 1024;

const NO_CONTENT = 204;

/** The only 5xx status (RFC 9110, section 15.6.2) that another try cannot change. */
const NOT_IMPLEMENTED = 501;

/**
 * A refused request waits for a new window. Where other clients of the account reply sooner, it can be
 * too late several times in a row, but hardly this often.
 */
const MAX_REFUSALS = 10;

/** The longest pause that a service can ask for with `Retry-After` on a 5xx status. */
const LONGEST_PAUSE_S = 60;

/** What a reply is to, which its trouble depends on. */
type Sent = {
	/** The URL that was requested. */
	url: string;
	effect: Effect;
	account: Pick<Account, 'baseUrl' | 'conceal'>;
	/** The account's limit, if a reply has shown it. */
	perMinute?: number;
};

/** The value of a success, or the trouble. */
type Outcome = { value: unknown; headers: Headers } | { trouble: Trouble };

/** Reads a reply to a request. */
export function readReply(reply: Reply, sent: Sent): Outcome {
	const { status, headers, body, isTooLarge } = reply;
	const content = readContent(headers, body);
	const isSuccess = status >= 200 && status < 300;
	if (status === NO_CONTENT && content.kind === 'empty') return { value: {}, headers };
	const envelope = content.kind === 'json' ? concealTexts(unwrap(content.value), sent) : undefined;
	if (isSuccess && !isTooLarge && content.kind === 'json' && !envelope?.failed) {
		return { value: content.value, headers };
	}
	const said = envelope?.message === undefined ? '' : `: "${shortened(envelope.message)}"`;
	if (status === TOO_MANY_REQUESTS) return { trouble: explainRefusal(headers, said, sent) };
	const text = findText({ ...reply, content, envelope, said }, sent);
	const { message, description, cause = 'configuration-invalid' } = text;
	const canPass =
		(status >= 500 && status !== NOT_IMPLEMENTED) ||
		(isSuccess && !isTooLarge && isIncomplete(content, body));
	const retryAfterS = parseRetryAfter(headers, clock.now()) ?? 0;
	const trouble: Trouble = {
		...{ message, description, httpCode: String(status), failure: { cause } },
		maxTries: canPass ? MAX_TRIES : 1,
		mayHaveActed: mayHaveActed(reply, envelope?.failed === true),
		retryAfterMs: Math.min(retryAfterS, LONGEST_PAUSE_S) * 1000,
	};
	return { trouble };
}

/** Whether the body of a success was cut off, or never came. */
function isIncomplete({ kind }: Content, body: Buffer): boolean {
	if (kind === 'empty') return true;
	return kind === 'unreadable' && /^\s*[[{]/.test(body.toString('latin1', 0, 64));
}

/**
 * The service did not act after a 4xx status, and after a redirect that keeps the method (307, 308; RFC
 * 9110, section 15.4) or leads to a login. Other redirects are what many services send after they have
 * acted.
 */
function mayHaveActed({ status, headers }: Reply, saysFailed: boolean): boolean {
	// a service that breaks down (5xx) can have acted before, even if the body says otherwise
	if (status >= 500) return true;
	if (status >= 400 || saysFailed) return false;
	return status < 300 || !(status === 307 || status === 308 || leadsToLogin(headers.location));
}

function explainRefusal(headers: Headers, said: string, { perMinute }: Sent): Trouble {
	const { limit, allowed, waitMs } = parseRefusal(headers, clock.now(), perMinute);
	const retryAfterMs = waitMs ?? LONGEST_MINUTE_S * 1000;
	if (limit === 'day') return explainDayUsedUp(clock.now() + retryAfterMs, allowed, said);
	const count = (allowed ?? REQUESTS_PER_MINUTE).toLocaleString('en-US');
	return {
		message: `This account's per-minute limit is used up${said}`,
		description: `Form Service allows ${count} requests a minute for all nodes, workflows and tools that use this account. Reduce the requests of the others.`,
		httpCode: String(TOO_MANY_REQUESTS),
		failure: { cause: 'rate-limited', retryAfterMs },
		maxTries: MAX_REFUSALS,
		mayHaveActed: false,
	};
}

/** What a person reads. Without a cause, a person has to change something. */
type Text = { message: string; description: string; cause?: Failure['cause'] };

type Failed = Reply & {
	content: Content;
	envelope?: Envelope;
	/** The service's own message as the end of a sentence (specification, section 7). */
	said: string;
};

const MORE_RIGHTS = 'If the account lacks permission, use the credential of another account.';

function findText(reply: Failed, { url, effect, account: { baseUrl } }: Sent): Text {
	const { status, headers, content, envelope, said } = reply;
	const { noun, ifRejected, ifClosed } = effect;
	const isWebPage = content.kind === 'webPage';
	if (reply.isTooLarge) {
		return {
			message: 'The reply is too large for n8n to handle safely',
			description:
				'Ask your Form Service administrator for smaller pages, or delete responses that are no longer needed.',
		};
	}
	if (status >= 500) {
		return {
			message: `Form Service returned an error (status ${status})${said}`,
			description: TRY_LATER,
			cause: 'temporarily-unavailable',
		};
	}
	if (status === 401) {
		return {
			message: `Form Service rejected the access token${said}`,
			description: 'Open the Form Service credential, enter a valid access token and save it.',
			cause: 'credential-invalid',
		};
	}
	// a web page with another status, such as 403 or 413, can come from a proxy before the service
	if (isWebPage && [404, 405, 410].includes(status)) {
		return {
			message: `${baseUrl} returned a web page instead of data (status ${status})`,
			description: CHECK_BASE_URL,
		};
	}
	if (status === 403 && ifClosed !== undefined && saysClosed(envelope)) {
		return { message: `The form is closed${said}`, description: ifClosed };
	}
	if (status === 403) {
		const check = `Check that the ${noun} belongs to the token's workspace. `;
		return {
			message: `Access denied (status 403)${said}`,
			description: (noun === undefined ? '' : check) + MORE_RIGHTS,
		};
	}
	if (status === 404 && noun === undefined) {
		return { message: `This is not a Form Service address${said}`, description: CHECK_BASE_URL };
	}
	if (status === 404) {
		return {
			message: `${upperFirst(noun)} not found${said}`,
			description: `Check the ID. The ${noun} may have been deleted, or belong to another workspace.`,
		};
	}
	if (status >= 400) {
		// JSON with a message comes from the service itself: the Base URL is right
		const otherwise = content.kind === 'json' ? "Check the node's parameters." : CHECK_BASE_URL;
		return {
			message: `Form Service rejected the request (status ${status})${said}`,
			description: joinDetails(envelope) || (ifRejected ?? otherwise),
		};
	}
	if (isRedirect(status)) return explainRedirect(headers, url, baseUrl);
	if (isWebPage) {
		return {
			message: `${baseUrl} returned a web page instead of data`,
			description: `${CHECK_BASE_URL} A login page means that the access token was not accepted.`,
		};
	}
	if (envelope?.failed) {
		return {
			message: `Form Service couldn't complete the request${said}`,
			description: joinDetails(envelope) || (ifRejected ?? TRY_LATER),
		};
	}
	return {
		message: `Form Service sent ${UNUSABLE[content.kind]} (status ${status})`,
		description: TRY_LATER,
		cause: 'temporarily-unavailable',
	};
}

const UNUSABLE: Record<Content['kind'], string> = {
	webPage: 'a web page',
	empty: 'an empty reply',
	unreadable: 'an incomplete or invalid JSON reply',
	tooDeep: 'a reply that is nested too deeply to be read',
	json: 'a reply that does not say whether the request succeeded',
};

/** No redirect of the API is followed: the error names the address that Form Service has itself. */
function explainRedirect({ location }: Headers, url: string, baseUrl: string): Text {
	if (leadsToLogin(location)) {
		return {
			message: 'Form Service requires a login: it rejected the access token',
			description:
				"Enter a valid access token in the Form Service credential, and check its 'Base URL'.",
			cause: 'credential-invalid',
		};
	}
	const target = typeof location === 'string' ? parseUrl(location, url) : undefined;
	if (target === undefined) {
		return {
			message: `${baseUrl} redirects without saying where`,
			description: CHECK_BASE_URL,
		};
	}
	const { origin, pathname, href } = target;
	const requested = new URL(url).pathname.slice(new URL(baseUrl).pathname.length);
	const isSamePath = pathname.endsWith(requested) && href !== url;
	const address = origin + (isSamePath ? pathname.slice(0, -requested.length) : '');
	return {
		message: `${baseUrl} redirects to ${shortened(origin + pathname)}`,
		description: isSamePath
			? `Enter ${address} as the 'Base URL' in the Form Service credential.`
			: `${CHECK_BASE_URL} Redirects are not followed.`,
	};
}

/** Words for a closed form, which the specification does not give; `is_closed` is a form's setting. */
const CLOSED = /\bclosed\b|\bno (longer|more)\b.*\b(accept|response|submission)/i;

function saysClosed({ message = '', data }: Partial<Envelope> = {}): boolean {
	return CLOSED.test(message) || (isRecord(data) && readBoolean(data.is_closed) === true);
}

/** The token is removed before any text is cut off within it. */
function concealTexts({ message, details, ...rest }: Envelope, { account }: Sent): Envelope {
	const shown = message === undefined ? {} : { message: account.conceal(message) };
	return { ...rest, ...shown, details: details.map(account.conceal) };
}

/** The most messages on single fields that are shown. */
const MAX_DETAILS = 20;

/** The service's messages on single fields, one a line, without its `message` again. */
function joinDetails(envelope: Envelope | undefined): string {
	const said = shortened(envelope?.message ?? '');
	const details = envelope?.details.map((text) => shortened(text)) ?? [];
	const lines = details.filter((line) => line !== '' && line !== said);
	return lines.slice(0, MAX_DETAILS).join('\n');
}
