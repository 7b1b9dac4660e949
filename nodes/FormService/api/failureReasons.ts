import { upperFirst } from 'lodash';
import {
	ASK_FOR_LARGER_PAGES,
	CHECK_BASE_URL,
	CHECK_REPLY,
	formatTime,
	truncateText,
	TRY_LATER,
} from './errorTexts';
import type { FailureFacts, RequiredFacts, ReasonSpec } from './failureFacts';

/*
 * Why a request can fail, and what each reason means to n8n and to the user.
 *
 * A user must understand the message without the advice, because n8n shows only the message in some places. A
 * message must not contain the code of a system error, such as `ECONNRESET`. When n8n wraps an error, for
 * example for the tool of an agent, n8n replaces a message that contains such a code.
 */

const SHARED = 'for all nodes, workflows and tools that use this account.';

const LIST_MAY_BE_INCOMPLETE = 'Nothing was returned, because the list may be incomplete.';

const CHECK_FILE =
	'Run this again, or open the response in Form Service to check whether the file still exists.';

const fileNotFetched = {
	message: ({ host, status }: RequiredFacts<'host'>) =>
		`The file at ${host} could not be fetched${status === undefined ? '' : ` (status ${status})`}`,
	advice: ({ networkError }: FailureFacts) =>
		CHECK_FILE + (networkError ? ` (${networkError})` : ''),
};

export const REASONS = {
	// no reply
	blockedByN8n: {
		// n8n blocks every request of the credential, because all requests go to the same host
		cause: 'credential-invalid',
		message: ({ origin }) => `n8n does not allow requests to ${origin}`,
		advice: ({ blockReason }: RequiredFacts<'blockReason'>) =>
			`${blockReason}. Check the allowed domains of the credential and n8n's SSRF protection.`,
	},
	connectionRefused: {
		cause: 'temporarily-unavailable',
		message: ({ origin }) => `Couldn't connect to ${origin} (connection refused)`,
		advice: `Form Service may be down. ${CHECK_BASE_URL}`,
	},
	unknownHost: {
		cause: 'temporarily-unavailable',
		message: ({ origin }) => `Couldn't connect to ${origin} (unknown host)`,
		advice: `Form Service may be down. ${CHECK_BASE_URL}`,
	},
	untrustedCertificate: {
		cause: 'credential-invalid',
		message: ({ origin }) =>
			`Couldn't establish a secure connection to ${origin} (its certificate is not trusted)`,
		advice: ({ networkError }: RequiredFacts<'networkError'>) =>
			`${CHECK_BASE_URL} If its certificate comes from your own authority, add the authority to n8n (NODE_EXTRA_CA_CERTS). (${networkError})`,
	},
	noEncryption: {
		cause: 'credential-invalid',
		message: ({ origin }) =>
			`Couldn't establish a secure connection to ${origin} (it may have no https)`,
		advice: ({ networkError }: RequiredFacts<'networkError'>) =>
			`${CHECK_BASE_URL} If it has no https, write http:// in front of it. (${networkError})`,
	},
	timedOut: {
		cause: 'temporarily-unavailable',
		message: ({ origin }) => `${origin} did not reply in time`,
		advice: `${TRY_LATER} In Form Service nodes, 'Timeout' in the request options waits longer.`,
	},
	connectionBroken: {
		cause: 'temporarily-unavailable',
		message: ({ origin }) => `The connection to ${origin} broke before the whole reply arrived`,
		advice: ({ networkError }: RequiredFacts<'networkError'>) => `${TRY_LATER} (${networkError})`,
	},
	pollTimedOut: {
		cause: 'temporarily-unavailable',
		message: "Form Service didn't reply before n8n's poll timeout",
		advice: 'The next poll tries again.',
	},

	// the reply is not from the API
	wrongAddress: {
		cause: 'configuration-invalid',
		message: ({ baseUrl }) => `${baseUrl} is not the address of a Form Service`,
		advice: CHECK_BASE_URL,
	},
	redirected: {
		cause: 'configuration-invalid',
		message: ({ baseUrl, location }) => `${baseUrl} redirects to ${truncateText(location ?? '')}`,
		advice: `Redirects are not followed. ${CHECK_BASE_URL}`,
	},
	webPage: {
		cause: 'configuration-invalid',
		message: ({ baseUrl, status }: RequiredFacts<'status'>) =>
			`${baseUrl} returned a web page instead of data (status ${status})`,
		advice: `${CHECK_BASE_URL} A login page means that the access token was not accepted.`,
	},

	// the service did not act
	tokenRejected: {
		cause: 'credential-invalid',
		message: 'Form Service rejected the access token',
		advice: 'Enter a valid access token in the Form Service credential.',
	},
	accessDenied: {
		cause: 'configuration-invalid',
		message: 'Access denied (status 403)',
		advice({ noun }) {
			const check = noun ? `Check that the ${noun} belongs to the token's workspace. ` : '';
			return `${check}If the account lacks permission, use the credential of another account.`;
		},
	},
	notFound: {
		cause: 'configuration-invalid',
		message: ({ noun }) => `${upperFirst(noun)} not found`,
		advice: ({ noun }) =>
			`Check the ID. The ${noun} may have been deleted, or belong to another workspace.`,
	},
	rejected: {
		cause: 'configuration-invalid',
		message({ status }: RequiredFacts<'status'>) {
			// with status 200, the body says that the request failed
			return `Form Service rejected the request${status >= 400 ? ` (status ${status})` : ''}`;
		},
		advice: 'Check the parameters of this node and the values of its items.',
	},
	minuteLimit: {
		cause: 'rate-limited',
		message: "This account's per-minute limit is used up",
		advice: ({ limit }: RequiredFacts<'limit'>) =>
			`Form Service allows ${limit} requests a minute ${SHARED} Let other workflows on this account send fewer requests.`,
	},
	dayLimit: {
		cause: 'quota-exhausted',
		message: ({ retryAtMs }: RequiredFacts<'retryAtMs'>) =>
			`Daily request limit reached. It resets at ${formatTime(retryAtMs)}`,
		advice: `Form Service allows 1,440 requests a day ${SHARED} Run this again after that time, or let the workflow send fewer requests.`,
	},

	unavailable: {
		cause: 'temporarily-unavailable',
		message: ({ retryAtMs }: RequiredFacts<'retryAtMs'>) =>
			`Form Service is unavailable (status 503). It asks to wait until ${formatTime(retryAtMs)}`,
		advice: 'Run this again after that time.',
	},

	// the service failed, or the reply is unusable
	serverError: {
		cause: 'temporarily-unavailable',
		message: ({ status }: RequiredFacts<'status'>) =>
			`Form Service returned an error (status ${status})`,
		advice: TRY_LATER,
	},
	serverTimedOut: {
		cause: 'temporarily-unavailable',
		message: ({ status }: RequiredFacts<'status'>) => `Form Service timed out (status ${status})`,
		advice: TRY_LATER,
	},
	incompleteReply: {
		cause: 'temporarily-unavailable',
		message: 'Form Service sent an empty or incomplete reply',
		advice: TRY_LATER,
	},
	unconfirmed: {
		cause: 'configuration-invalid',
		message: 'Form Service sent a reply that does not say whether the request succeeded',
		advice: TRY_LATER,
	},
	contradictory: {
		cause: 'configuration-invalid',
		message: ({ status }: RequiredFacts<'status'>) =>
			`Form Service sent a reply that contradicts itself (status ${status})`,
		advice: TRY_LATER,
	},
	replyTooLarge: {
		cause: 'configuration-invalid',
		message: 'The reply is too large for n8n to handle safely',
		advice:
			'Ask your Form Service administrator for smaller pages, or delete responses that are no longer needed.',
	},
	unexpectedReply: {
		cause: 'configuration-invalid',
		message: ({ expected, shape }: RequiredFacts<'expected' | 'shape'>) =>
			`Unexpected reply instead of ${expected}: ${shape}`,
		advice: CHECK_REPLY,
	},
	responseIdMissing: {
		cause: 'configuration-invalid',
		message: 'Form Service sent a response without a UUID',
		advice: CHECK_REPLY,
	},
	pdfMissing: {
		cause: 'temporarily-unavailable',
		message: 'Form Service has no PDF of this response',
		advice: 'Form Service may still be creating the PDF. Try again later.',
	},

	// lists
	pagesLoop: {
		cause: 'configuration-invalid',
		message: 'The pages of the list form a loop',
		advice: CHECK_REPLY,
	},
	pagesRepeat: {
		cause: 'configuration-invalid',
		message: 'The pages of the list repeat the same records',
		advice: `${LIST_MAY_BE_INCOMPLETE} Form Service may ignore which page is requested. ${CHECK_REPLY}`,
	},
	tooManyPages: {
		cause: 'configuration-invalid',
		message: ({ limit }: RequiredFacts<'limit'>) => `The list has more than ${limit} pages`,
		advice: `${ASK_FOR_LARGER_PAGES} In Response: Get Many, a 'Limit' reads fewer pages if 'Sort' is 'As Listed'.`,
	},
	nextPageUnknown: {
		cause: 'configuration-invalid',
		message: ({ evidence }: RequiredFacts<'evidence'>) =>
			`There are more pages, but the reply has no usable link to the next one (${truncateText(evidence)})`,
		advice: `${LIST_MAY_BE_INCOMPLETE} ${CHECK_REPLY}`,
	},
	listIncomplete: {
		cause: 'configuration-invalid',
		message: ({ evidence, passes }: RequiredFacts<'evidence' | 'passes'>) =>
			`The list stays incomplete: ${passes} readings found ${evidence}`,
		advice: `Nothing was returned. Form Service may list records of equal times in another order on each page. Try again. ${ASK_FOR_LARGER_PAGES}`,
	},
	listShrinks: {
		cause: 'configuration-invalid',
		message: ({ passes }: RequiredFacts<'passes'>) =>
			`Records were deleted during each of ${passes} readings of the list`,
		advice: 'Nothing was returned, because the list may be incomplete. Try again later.',
	},
	pageExpired: {
		cause: 'configuration-invalid',
		message: ({ status }: RequiredFacts<'status'>) =>
			`The position in the list has expired or is no longer valid (status ${status})`,
		advice: 'Run this again to read the list from its first page.',
	},
	listTooLong: {
		// not `temporarily-unavailable`, because the service replies, and other lists may still be readable
		cause: 'configuration-invalid',
		message: ({ expected }: RequiredFacts<'expected'>) =>
			`Couldn't read all ${expected} before n8n's poll timeout`,
		advice: ASK_FOR_LARGER_PAGES,
	},

	// files of responses
	tooManyFiles: {
		cause: 'configuration-invalid',
		message: ({ limit }: RequiredFacts<'limit'>) =>
			`Only the first ${limit} files of a response are downloaded`,
		advice: CHECK_FILE,
	},
	filesTooLarge: {
		cause: 'configuration-invalid',
		message: ({ limit }: RequiredFacts<'limit'>) =>
			`The files of this response exceed ${limit} MB in total`,
		advice: CHECK_FILE,
	},
	filesTimedOut: {
		cause: 'temporarily-unavailable',
		message: 'The files of this response could not be downloaded in time',
		advice: CHECK_FILE,
	},
	notAFile: {
		cause: 'configuration-invalid',
		message: 'The link to the file returned a web page or JSON',
		advice: CHECK_FILE,
	},
	linkNotFollowed: {
		cause: 'configuration-invalid',
		message: ({ linkProblem }: RequiredFacts<'linkProblem'>) =>
			`The link to the file was not followed: ${linkProblem}`,
		advice: CHECK_FILE,
	},
	linkLoop: {
		cause: 'configuration-invalid',
		message: 'The link to the file redirects in a loop',
		advice: CHECK_FILE,
	},
	fileUnavailable: { cause: 'temporarily-unavailable', ...fileNotFetched },
	fileRefused: { cause: 'configuration-invalid', ...fileNotFetched },

	// not sent
	outage: {
		cause: 'temporarily-unavailable',
		message: ({ lastMessage }) =>
			`Not sent, because Form Service failed repeatedly. The last failure was: ${lastMessage}`,
		advice: 'Run this again in a minute or later.',
	},
	canceled: {
		message: 'The request was not sent, because the execution stopped',
		advice: 'The execution was canceled, or another item failed.',
	},
	queueTimedOut: {
		cause: 'rate-limited',
		message: 'The request was not sent, because the requests of this minute are used up',
		advice: `Other requests wait, too. Form Service limits the requests of each minute ${SHARED}`,
	},
} as const satisfies Record<string, ReasonSpec>;

/** The reason why a request failed: a key of `REASONS`. */
export type FailureReason = keyof typeof REASONS;
