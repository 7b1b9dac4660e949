import type { Failure } from 'n8n-workflow';
import { bodyOf, redirect, tooMany, type Fault, type FaultName } from '../../service/index.mts';
import type { OperationCase } from './operations.mts';

/** Where an error comes from, as far as its words depend on it. */
export type Place = {
	origin: string;
	baseUrl: string;
	noun: OperationCase['noun'];
	effect: OperationCase['effect'];
};

type Words = { message: string; description: string };

/** What a fault that lasts must lead to. */
export type FaultCase = {
	name: string;
	fault: FaultName | Fault;
	/** How often the request is sent in all. */
	sent: Record<OperationCase['effect'], number>;
	/** Status of the reply that settled it; null where none came. */
	httpCode: string | null;
	cause: Failure['cause'];
	/** What a person reads. */
	words(place: Place): Words;
	/** What a person reads after adding a response, where it cannot be known whether that happened. */
	unsure?(place: Place): Words;
	/** How often Response: Create added the response. */
	added: 0 | 1;
	/** Of the reply, in milliseconds; 30 s otherwise. */
	timeout?: number;
};

const laterAgain = 'Try again later. If it stays so, ask whoever runs the service.';
const checkBaseUrl = 'Check the Base URL in the Form Service credential.';
const lookFirst =
	'It was not sent again, so that no response is added twice. Look at the responses of the form before you run this item again.';

const once = { read: 1, repeatable: 1, once: 1 };
/** The trouble can pass, and the response may have been added. */
const upToFour = { read: 4, repeatable: 4, once: 1 };
/** Refused by the limiter, so that nothing was done. */
const upToThree = { read: 3, repeatable: 3, once: 3 };

const refused = { sent: once, added: 0, cause: 'configuration-invalid' } as const;
const unavailable = { sent: upToFour, cause: 'temporarily-unavailable' } as const;
const unreadable = { sent: once, cause: 'temporarily-unavailable', httpCode: '200' } as const;

const triedFourTimes = `${laterAgain} It was tried 4 times.`;

const couldNotAnswer = (status: number, quoted: string) => ({
	httpCode: String(status),
	words: () => ({
		message: `The service could not answer (status ${status}): "${quoted}"`,
		description: triedFourTimes,
	}),
	unsure: () => ({
		message: `The service could not answer (status ${status}): "${quoted}". The response may have been added or not`,
		description: lookFirst,
	}),
});

const brokenOff = {
	...unavailable,
	httpCode: null,
	words: ({ origin }: Place) => ({
		message: `The connection to ${origin} broke before the whole reply had come`,
		description: triedFourTimes,
	}),
	unsure: ({ origin }: Place) => ({
		message: `The connection to ${origin} ended before the service confirmed the response: it may have been added or not`,
		description: lookFirst,
	}),
};

const silent = {
	...unavailable,
	httpCode: null,
	sent: { read: 2, repeatable: 2, once: 1 },
	timeout: 2_500,
	words: ({ origin }: Place) => ({
		message: `No reply came from ${origin} in time`,
		description: `${laterAgain} The time to wait can be set as Timeout in the node's request options. It was tried 2 times.`,
	}),
	unsure: brokenOff.unsure,
};

const minute = {
	sent: upToThree,
	added: 0,
	httpCode: '429',
	cause: 'rate-limited',
	words: () => ({
		message: 'The account\'s requests for the minute are used up: "Too Many Attempts."',
		description:
			'The service takes 60 requests a minute from all nodes, workflows and tools with this account. Let the others ask less often. It was tried 3 times.',
	}),
} as const;

const whose = ({ noun }: Place) =>
	noun === 'address' ? '' : `check that the ${noun} belongs to the workspace of the token, or `;

const whereIs = ({ noun }: Place) =>
	noun === 'address'
		? checkBaseUrl
		: `Check the ID of the ${noun}. It may have been deleted, or belong to another workspace.`;

/** Every fault of a reply or a connection that the stand-in can show, each lasting. */
export const faultCases: FaultCase[] = [
	{
		name: 'status 400',
		fault: 'badRequest',
		...refused,
		httpCode: '400',
		words: ({ effect }) => ({
			message: 'The service refused the request (status 400): "The request is malformed."',
			description: effect === 'read' ? laterAgain : 'Check the values of this item.',
		}),
	},
	{
		name: 'status 401',
		fault: 'unauthorized',
		...refused,
		cause: 'credential-invalid',
		httpCode: '401',
		words: () => ({
			message: 'The service did not accept the access token: "Unauthenticated."',
			description: 'Open the Form Service credential, enter a valid Access Token and save it.',
		}),
	},
	{
		name: 'status 403',
		fault: 'forbidden',
		...refused,
		httpCode: '403',
		words: (place) => ({
			message:
				'The service does not allow this (status 403): "You have no access to the requested resource."',
			description: `If this is about access, ${whose(place)}use the credential of an account that may do this.`,
		}),
	},
	{
		name: 'status 404',
		fault: 'notFound',
		...refused,
		httpCode: '404',
		words: (place) => ({
			message: `The service knows no such ${place.noun}: "The requested resource was not found."`,
			description: whereIs(place),
		}),
	},
	{
		name: 'status 422 with messages on fields',
		fault: 'unprocessable',
		...refused,
		httpCode: '422',
		words: () => ({
			message: 'The service refused the request (status 422): "The given data was invalid."',
			description:
				'The name setting must be a string.\nThe responses_limit setting must be at least 1.',
		}),
	},
	{ name: 'status 429 of the minute', fault: tooMany(60, 1), ...minute },
	{ name: 'status 429 with Retry-After: 0', fault: tooMany(60, 0), ...minute },
	{
		name: 'status 429 with Retry-After as a date',
		fault: tooMany(60, { dateIn: 2 }, { reset: false }),
		...minute,
	},
	{
		name: 'status 429 of the day',
		fault: 'tooManyDay',
		...minute,
		sent: once,
		cause: 'quota-exhausted',
		words: () => ({
			message: `The account's requests for the day are used up until <time>: "Too Many Attempts."`,
			description:
				'The service takes 1,440 requests a day from all nodes, workflows and tools with this account. Run this again after that time, or let the workflow ask less often.',
		}),
	},
	{
		name: 'status 500',
		fault: 'serverError',
		...unavailable,
		added: 0,
		...couldNotAnswer(500, 'Server Error'),
	},
	{
		name: 'status 502',
		fault: 'badGateway',
		...unavailable,
		added: 0,
		...couldNotAnswer(502, 'Bad Gateway'),
	},
	{
		name: 'status 502 after the service acted',
		fault: 'gatewayAfter',
		...unavailable,
		added: 1,
		...couldNotAnswer(502, 'Bad Gateway'),
	},
	{
		name: 'status 503',
		fault: 'unavailable',
		...unavailable,
		added: 0,
		...couldNotAnswer(503, 'Service Unavailable'),
	},
	{ name: 'a reset before the service acted', fault: 'dropBefore', ...brokenOff, added: 0 },
	{ name: 'a reset after the service acted', fault: 'dropAfter', ...brokenOff, added: 1 },
	{ name: 'a body that is cut', fault: 'cutBody', ...brokenOff, added: 1 },
	{ name: 'no reply, the service not acting', fault: 'silentBefore', ...silent, added: 0 },
	{ name: 'no reply, the service acting', fault: 'silentAfter', ...silent, added: 1 },
	{
		name: 'a web page with 200',
		fault: 'webPage',
		...refused,
		httpCode: '200',
		words: ({ baseUrl }) => ({
			message: `A web page came back from ${baseUrl} in place of data`,
			description: `${checkBaseUrl} A login page means that the Access Token was not recognized.`,
		}),
		unsure: ({ baseUrl }) => ({
			message: `A web page came back from ${baseUrl} in place of data. The response may have been added or not`,
			description: lookFirst,
		}),
	},
	{
		name: 'JSON that ends too early',
		fault: 'malformedJson',
		...unreadable,
		added: 0,
		words: () => ({
			message: 'The service sent a reply that is not whole JSON (status 200)',
			description: laterAgain,
		}),
		unsure: () => ({
			message:
				'The service sent a reply that is not whole JSON (status 200). The response may have been added or not',
			description: lookFirst,
		}),
	},
	{
		name: 'an empty body',
		fault: 'emptyBody',
		...unreadable,
		added: 1,
		words: () => ({
			message: 'The service sent an empty reply (status 200)',
			description: laterAgain,
		}),
		unsure: () => ({
			message:
				'The service sent an empty reply (status 200). The response may have been added or not',
			description: lookFirst,
		}),
	},
	{
		name: 'success: false with 200',
		fault: 'failureWith200',
		...refused,
		httpCode: '200',
		words: ({ effect }) => ({
			message:
				'The service reported that it did not do this: "The request could not be carried out."',
			description: effect === 'read' ? laterAgain : 'Check the values of this item.',
		}),
	},
	{
		name: 'a body of 70 MB',
		fault: bodyOf(70),
		...refused,
		httpCode: '200',
		words: () => ({
			message: 'The reply is larger than n8n can safely take at once',
			description:
				'Ask whoever runs the service to send it in pages, or delete responses that are no longer needed.',
		}),
		unsure: () => ({
			message:
				'The reply is larger than n8n can safely take at once. The response may have been added or not',
			description: lookFirst,
		}),
	},
	{
		name: 'a redirect to a login page',
		fault: 'loginPage',
		...refused,
		cause: 'credential-invalid',
		httpCode: '302',
		words: () => ({
			message: 'The service asks for a login: it did not recognize the access token',
			description: `Enter a valid Access Token in the Form Service credential. ${checkBaseUrl}`,
		}),
	},
	{
		name: 'a redirect to another host',
		fault: redirect('https://elsewhere.example/api/v1/forms', 307),
		...refused,
		httpCode: '307',
		words: ({ origin }) => ({
			message: `The service at ${origin} sends the request to https://elsewhere.example, where the access token does not go`,
			description: `${checkBaseUrl} Use the address that the service really has.`,
		}),
	},
	{
		name: 'a redirect in a circle',
		fault: 'redirectCircle',
		...refused,
		// five redirects are followed where nothing but reading can come of it
		sent: { read: 6, repeatable: 1, once: 1 },
		httpCode: '302',
		words: ({ origin }) => ({
			message: `The service at ${origin} sends the request in a circle or to another page`,
			description: `${checkBaseUrl} Use the address that the service really has.`,
		}),
	},
];
