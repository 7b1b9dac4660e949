import type { Failure } from 'n8n-workflow';
import type { Explanation } from '../../errors';
import type { ConnectionProblem } from '../connectionProblem';
import type { Outcome } from '../exchange';
import { mayHaveBeenTaken } from '../retry';
import { CHECK_BASE_URL, LOOK_FIRST, tried, TRY_LATER } from './words';
import type { Circumstances } from './words';

/** Explains a request that brought no whole reply. */
export function explainBroken(
	{ problem, detail }: Outcome & { kind: 'broken' },
	circumstances: Circumstances,
): Explanation {
	const { endpoint, origin } = circumstances;
	if (endpoint.effect === 'once' && mayHaveBeenTaken({ kind: 'broken', problem })) {
		return {
			message: `The connection to ${origin} ended before the service confirmed the response: it may have been added or not`,
			description: LOOK_FIRST,
			mayHaveActed: true,
			failure: { cause: 'temporarily-unavailable' },
		};
	}
	const { message, description, cause } = TEXTS[problem](origin, detail ?? problem);
	return { message, description: description + tried(circumstances), failure: { cause } };
}

type Text = { message: string; description: string; cause: Failure['cause'] };

const TEXTS: Record<ConnectionProblem, (origin: string, detail: string) => Text> = {
	refused: (origin) => ({
		message: `Nothing accepts connections at ${origin}`,
		description: `The service may be down. ${CHECK_BASE_URL}`,
		cause: 'temporarily-unavailable',
	}),
	unknownHost: (origin) => ({
		message: `The host name in ${origin} could not be found`,
		description: `${CHECK_BASE_URL} If it is right, the name service that n8n uses may be down.`,
		cause: 'temporarily-unavailable',
	}),
	unreachable: (origin) => ({
		message: `${origin} cannot be reached from n8n's network`,
		description: `${CHECK_BASE_URL} If it is right, look at the network of n8n's machine.`,
		cause: 'temporarily-unavailable',
	}),
	certificate: (origin, detail) => ({
		message: `The certificate of ${origin} was not accepted (${detail})`,
		description: `${CHECK_BASE_URL} For a certificate of your own, add its authority to n8n (NODE_EXTRA_CA_CERTS).`,
		cause: 'configuration-invalid',
	}),
	encryption: (origin, detail) => ({
		message: `No encrypted connection to ${origin} came about (${detail})`,
		description: `${CHECK_BASE_URL} Perhaps the service is to be asked with http, or at another port.`,
		cause: 'configuration-invalid',
	}),
	notAllowed: (origin, detail) => ({
		message: `n8n does not allow requests to ${origin}: ${detail}`,
		description: 'The allowed domains of the credential or the settings of n8n decide this.',
		cause: 'configuration-invalid',
	}),
	timeout: (origin) => ({
		message: `No reply came from ${origin} in time`,
		description: `${TRY_LATER} The time to wait can be set as Timeout in the node's request options.`,
		cause: 'temporarily-unavailable',
	}),
	interrupted: (origin) => ({
		message: `The connection to ${origin} broke before the whole reply had come`,
		description: TRY_LATER,
		cause: 'temporarily-unavailable',
	}),
};
