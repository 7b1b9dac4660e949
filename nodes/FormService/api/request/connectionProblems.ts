import type { Failure } from 'n8n-workflow';
import { CHECK_BASE_URL, filled, TRY_LATER } from '../errors';
import type { Explanation } from '../errors';

/** What it means that no whole reply came, and what a person reads. */
type Row = {
	/** The service may have received the request. */
	mayHaveArrived?: true;
	/**
	 * A setting of n8n, the node or the server causes it. Retrying does not help, and it says nothing
	 * about other requests to the service.
	 */
	isSetting?: true;
	/** `{origin}` is the service's scheme, host and port, `{detail}` the code of the error. */
	message: string;
	description: string;
};

const TABLE = {
	connectionRefused: {
		message: "Couldn't connect to {origin} (connection refused)",
		description: `The service may be down. ${CHECK_BASE_URL}`,
	},
	unknownHost: {
		message: "Couldn't find the host name in {origin}",
		description: `${CHECK_BASE_URL} If it is right, n8n's DNS may be failing.`,
	},
	unreachable: {
		message: "Couldn't reach {origin} from n8n's network",
		description: `${CHECK_BASE_URL} If it is right, check the network of the machine that runs n8n.`,
	},
	certificate: {
		isSetting: true,
		message: 'The certificate of {origin} was not accepted ({detail})',
		description: `${CHECK_BASE_URL} For a certificate of your own, add its authority to n8n (NODE_EXTRA_CA_CERTS).`,
	},
	encryption: {
		isSetting: true,
		message: "Couldn't establish a secure connection to {origin} ({detail})",
		description: `${CHECK_BASE_URL} The service may use http or a different port.`,
	},
	notAllowed: {
		isSetting: true,
		message: 'n8n does not allow requests to {origin}: {detail}',
		description: "Check the allowed domains of the credential and n8n's SSRF protection.",
	},
	timeout: {
		mayHaveArrived: true,
		message: '{origin} did not reply in time',
		description: `${TRY_LATER} To wait longer, set 'Timeout' in the node's request options.`,
	},
	interrupted: {
		mayHaveArrived: true,
		message: 'The connection to {origin} broke before the whole reply arrived',
		description: TRY_LATER,
	},
} as const satisfies Record<string, Row>;

/** Why no whole reply came. */
export type ConnectionProblem = keyof typeof TABLE;

export const connectionProblems: Readonly<Record<ConnectionProblem, Row>> = TABLE;

/**
 * Explains a request that brought no whole reply.
 *
 * @param origin scheme, host and port of the service
 */
export function explainConnection(
	{ problem, detail = problem }: { problem: ConnectionProblem; detail?: string },
	origin: string,
): Explanation {
	const { message, description, isSetting } = connectionProblems[problem];
	const cause: Failure['cause'] = isSetting ? 'configuration-invalid' : 'temporarily-unavailable';
	return { message: filled(message, { origin, detail }), description, failure: { cause } };
}

/** Reads why a request got no whole reply from the error and its causes. */
export function problemOf(error: unknown): { problem: ConnectionProblem; detail?: string } {
	const chain = causesOf(error);
	const stopped = chain.find((one) => STOPPED_BY_N8N.test(one.constructor.name));
	if (stopped !== undefined) return { problem: 'notAllowed', detail: stopped.message };
	const code = chain.map(({ code }) => code).findLast((one) => typeof one === 'string');
	if (code === undefined) return { problem: 'interrupted', detail: chain.at(-1)?.message };
	return { problem: problemWith(code, chain.some(isOfConnecting)), detail: code };
}

function problemWith(code: string, isConnecting: boolean): ConnectionProblem {
	if (isConnecting) return CONNECTING[code] ?? 'unreachable';
	if (TIMEOUT.test(code)) return 'timeout';
	if (ENCRYPTION.test(code)) return 'encryption';
	return CERTIFICATE.test(code) ? 'certificate' : 'interrupted';
}

/** Codes of errors before a connection was established. All others are `unreachable`. */
const CONNECTING: Readonly<Record<string, ConnectionProblem>> = {
	ECONNREFUSED: 'connectionRefused',
	ENOTFOUND: 'unknownHost',
	EAI_AGAIN: 'unknownHost',
};

const TIMEOUT = /^(ECONNABORTED|ETIMEDOUT)$/;

/** Codes of Node's TLS: the certificate was seen, and no request was sent over the connection. */
const CERTIFICATE =
	/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|CRL_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE/;

/**
 * Codes of OpenSSL: no secure connection was established, as with a server that supports http only. An
 * unreadable record can also follow a request that was sent.
 */
const ENCRYPTION = /^(EPROTO$|ERR_SSL_(?!.*(RECORD|DECRYPT)))/;

/** The errors that n8n throws instead of sending: its protection of private addresses, allowed domains. */
const STOPPED_BY_N8N = /^(Ssrf\w*|UserError|OperationalError|NodeOperationError)$/;

/** What Node's network errors have. Of several addresses that were tried, `errors` has one error each. */
type NetworkError = Error & { code?: unknown; syscall?: unknown; errors?: unknown };

/** Whether no connection came about. The same codes can also come from a connection that was open. */
function isOfConnecting({ syscall, errors }: NetworkError): boolean {
	if (Array.isArray(errors) && errors.length > 0) {
		return errors.every((one) => one instanceof Error && isOfConnecting(one));
	}
	return syscall === 'connect' || syscall === 'getaddrinfo';
}

/** An error and its causes, outermost first. */
function causesOf(error: unknown): NetworkError[] {
	return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}
