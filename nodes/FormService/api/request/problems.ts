import type { Failure } from 'n8n-workflow';
import { CHECK_BASE_URL, timeInWords, TRY_LATER } from '../errors';
import type { Explanation } from '../errors';

/** Without a `cause`, a person has to change something: `configuration-invalid`. */
type Row = { message: string; description: string; cause?: Failure['cause'] };

const MORE_RIGHTS = 'If the account lacks permission, use the credential of another account.';

/** What a person reads when a request brings no success, with `{names}` for values. */
const TABLE = {
	connectionRefused: {
		message: "Couldn't connect to {origin} (connection refused)",
		description: `The service may be down. ${CHECK_BASE_URL}`,
		cause: 'temporarily-unavailable',
	},
	unknownHost: {
		message: "Couldn't find the host name in {origin}",
		description: `${CHECK_BASE_URL} If the URL is correct, n8n's DNS may be failing.`,
		cause: 'temporarily-unavailable',
	},
	unreachable: {
		message: "Couldn't reach {origin} from n8n's network",
		description: `${CHECK_BASE_URL} If the URL is correct, check the network of the machine that runs n8n.`,
		cause: 'temporarily-unavailable',
	},
	certificate: {
		message: 'The certificate of {origin} was not accepted ({detail})',
		description: `${CHECK_BASE_URL} If the certificate comes from your own authority, add the authority to n8n (NODE_EXTRA_CA_CERTS).`,
	},
	encryption: {
		message: "Couldn't establish a secure connection to {origin} ({detail})",
		description: `${CHECK_BASE_URL} The service may use http or a different port.`,
	},
	notAllowed: {
		message: 'n8n does not allow requests to {origin}: {detail}',
		description: "Check the allowed domains of the credential and n8n's SSRF protection.",
	},
	timeout: {
		message: '{origin} did not reply in time',
		description: `${TRY_LATER} To wait longer, set 'Timeout' in the node's request options.`,
		cause: 'temporarily-unavailable',
	},
	interrupted: {
		message: 'The connection to {origin} broke before the whole reply arrived',
		description: TRY_LATER,
		cause: 'temporarily-unavailable',
	},
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
			'The service allows {allowed} requests a minute for all nodes, workflows and tools that use this account. Reduce the requests of the others.',
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
		description: 'Check the ID. The {noun} may have been deleted, or belong to another workspace.',
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
		message: 'The service did not carry out the request{said}',
		description: '{advice}',
	},
	serviceDown: {
		message: 'The service has failed too often in a row; this request was not sent',
		description:
			'The node tests the service from time to time. Run this item again once the service works.',
		cause: 'temporarily-unavailable',
	},
	onlyRefusals: {
		message: "This account's request limit is still used up; this request was not sent",
		description:
			'Other nodes, workflows or tools that use this account send too many requests. Reduce their requests, then run this item again.',
		cause: 'rate-limited',
	},
	unusable: {
		message: 'The service sent {unusable} (status {status})',
		description: TRY_LATER,
		cause: 'temporarily-unavailable',
	},
} as const satisfies Record<string, Row>;

/** Why a request brought no success. */
export type Problem = keyof typeof TABLE;

export const rows: Readonly<Record<Problem, Row>> = TABLE;

/** Values of the `{names}`; `until` and `waitMs` say when the service accepts requests again. */
type Values = Readonly<Record<string, unknown>> & {
	allowed?: number;
	until?: number;
	waitMs?: number;
};

/** The texts of a problem with their values, and its cause. */
export function explained(problem: Problem, values: Values = {}): Explanation {
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

/** A text with `{names}` replaced by their values. A name without a value is left out. */
function filled(text: string, values: Readonly<Record<string, unknown>>): string {
	return text.replace(/\{(\w+)\}/g, (_placeholder, name: string) => String(values[name] ?? ''));
}
