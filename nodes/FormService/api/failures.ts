import { mapValues, upperFirst } from 'lodash';
import { DateTime } from 'luxon';
import { MINUTE_MS } from './clock';
import { truncateText } from './text';

export type ErrorText = { message: string; description: string };

const CHECK_BASE_URL = "Check the 'Base URL' in the Form Service credential.";
const SHARED = 'for all nodes, workflows and tools that use this account.';
const TRY_LATER = 'Try again later. If this persists, contact your Form Service administrator.';

/** Why the next requests are likely to fail, too. Undefined if the failure is about one request. */
export type FailureCause = 'temporary' | 'rateLimit' | 'credential';

type ReasonSpec = { cause?: FailureCause; message: string; advice: string };

/**
 * Why a request can fail, with the facts of the failure in braces. In some places n8n shows only the message. If
 * the service may have acted, a message must not have `{detail}`, because n8n replaces every message that contains
 * the code of a system error.
 */
export const REASONS = {
	blockedByN8n: {
		cause: 'credential',
		message: 'n8n does not allow requests to {origin}',
		advice: "{detail}. Check the allowed domains of the credential and n8n's SSRF protection.",
	},
	insecure: {
		cause: 'credential',
		message: "Couldn't establish a secure connection to {origin}",
		advice: `${CHECK_BASE_URL} If it doesn't use HTTPS, start it with http://. If it uses your own certificate authority, set NODE_EXTRA_CA_CERTS for n8n. ({detail})`,
	},
	timedOut: {
		cause: 'temporary',
		message: '{origin} did not reply in time',
		advice: `${TRY_LATER} To wait longer, raise 'Timeout' in the node's request options.`,
	},
	connectionFailed: {
		cause: 'temporary',
		message: 'The connection to {origin} failed',
		advice: `Form Service may be down. ${CHECK_BASE_URL} ({detail})`,
	},
	pollTimedOut: {
		message: "Form Service didn't reply before n8n's poll timeout",
		advice: 'The next poll tries again.',
	},
	wrongAddress: {
		message: '{baseUrl} is not the address of a Form Service',
		advice: `The reply was {detail}. ${CHECK_BASE_URL} A login page means that the access token was not accepted.`,
	},
	tokenRejected: {
		cause: 'credential',
		message: 'Form Service rejected the access token',
		advice: 'Enter a valid access token in the Form Service credential.',
	},
	accessDenied: {
		message: 'Access denied (status 403)',
		advice:
			"Check that the form or response belongs to the token's workspace. If the account lacks permission, use the credential of another account.",
	},
	notFound: {
		message: '{Noun} not found',
		advice: 'Check the ID. The {noun} may have been deleted, or belong to another workspace.',
	},
	rejected: {
		message: 'Form Service rejected the request (status {status})',
		advice: 'Check the parameters of this node and the values of its items.',
	},
	minuteLimit: {
		cause: 'rateLimit',
		message: "This account's per-minute limit is used up",
		advice: `Form Service limits the requests of a minute ${SHARED} Let other workflows on this account send fewer requests.`,
	},
	dayLimit: {
		message: 'Daily request limit reached. It resets at {retryTime}',
		advice: `Form Service allows 1,440 requests a day ${SHARED} Run this again after that time, or let the workflow send fewer requests.`,
	},
	unavailable: {
		message: 'Form Service is unavailable (status 503). It asks to wait until {retryTime}',
		advice: 'Run this again after that time.',
	},
	serverError: {
		cause: 'temporary',
		message: 'Form Service could not process the request (status {status})',
		advice: TRY_LATER,
	},
	replyTooLarge: {
		message: 'The reply is too large for n8n to handle safely',
		advice:
			'Ask your Form Service administrator to divide the list into pages, or delete responses that are no longer needed.',
	},
	unexpectedReply: {
		message: 'Unexpected reply to {detail}',
		advice: `${CHECK_BASE_URL} If the URL is correct, run "npm run probe" of n8n-nodes-formservice, and report its result and this message as an issue.`,
	},
	pdfMissing: {
		message: 'Form Service has no PDF of this response',
		advice: 'Form Service may still be creating the PDF. Try again later.',
	},
	listIncomplete: {
		message: 'The list stays incomplete: {detail}',
		advice:
			"Nothing was returned. Try again, or ask your Form Service administrator to put more records on each page of the API. In Response: Get Many, a 'Limit' reads fewer pages if 'Sort' is 'As Listed'.",
	},
	fileFailed: {
		message: 'The file could not be downloaded: {detail}',
		advice:
			'Run this again, or open the response in Form Service to check whether the file still exists.',
	},
	outage: {
		message: 'Not sent, because Form Service failed repeatedly',
		advice: 'Run this again in a minute or later. ({detail})',
	},
	canceled: {
		message: 'The request was not sent, because the execution stopped',
		advice: 'The execution was canceled, or another item failed.',
	},
} as const satisfies Record<string, ReasonSpec>;

export type FailureReason = keyof typeof REASONS;

export type RequestFailure = {
	reason: FailureReason;
	cause?: FailureCause;
	/** Whether a second request could add a second response. */
	mayHaveActed: boolean;
	status?: number;
	/** When the service accepts requests again. */
	retryAtMs?: number;
	serverMessage?: string;
	/** What the last ID in the path of the request identifies, such as "form". */
	noun?: string;
	detail?: string;
};

export function createFailure(
	reason: FailureReason,
	facts: Partial<Omit<RequestFailure, 'reason'>> = {},
): RequestFailure {
	const { cause }: ReasonSpec = REASONS[reason];
	return { reason, cause, mayHaveActed: false, ...facts };
}

/** Returns the texts of a failure, without the token, which the service can repeat in a reply. */
export function describeFailure(
	failure: RequestFailure,
	account: { baseUrl: string; origin: string; redact: (text: string) => string },
): ErrorText {
	const { retryAtMs, serverMessage = '' } = failure;
	// remove the token before text is cut, because a cut could leave half of the token
	const clean = (text: unknown) => truncateText(account.redact(String(text)));
	const facts: Record<string, unknown> = {
		...mapValues(failure, clean),
		Noun: upperFirst(failure.noun),
		baseUrl: account.baseUrl,
		origin: account.origin,
		retryTime: retryAtMs === undefined ? undefined : formatTime(retryAtMs),
	};
	const fill = (text: string) =>
		text.replace(/\{(\w+)\}/g, (_braces, name: string) => String(facts[name] ?? 'unknown'));
	const { message, advice } = mapValues(REASONS[failure.reason], fill);
	// n8n replaces a message that quotes the code of a system error, and this warning must not be lost
	const quotes = serverMessage !== '' && !failure.mayHaveActed;
	const quote = quotes ? `: "${clean(serverMessage)}"` : '';
	return { message: message + quote, description: advice };
}

/** Formats a time for the user, rounded up to the minute: "Nov 22, 2026, 00:31 UTC". */
export function formatTime(epochMs: number): string {
	const minuteMs = Math.ceil(epochMs / MINUTE_MS) * MINUTE_MS;
	const time = DateTime.fromMillis(minuteMs, { zone: 'utc', locale: 'en-US' });
	return time.toFormat("LLL d, yyyy, HH:mm 'UTC'");
}
