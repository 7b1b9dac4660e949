import type { Failure } from 'n8n-workflow';
import { CHECK_BASE_URL, TRY_LATER } from '../errors';
import type { Explanation } from '../errors';

/**
 * Why no whole reply came. All but `timeout` and `interrupted` are certain that the service did not
 * take the request; `notAllowed` is n8n's own protection.
 */
export type ConnectionProblem =
	| 'connectionRefused'
	| 'unknownHost'
	| 'unreachable'
	| 'certificate'
	| 'encryption'
	| 'notAllowed'
	| 'timeout'
	| 'interrupted';

const CODES: Readonly<Record<string, ConnectionProblem>> = {
	ECONNREFUSED: 'connectionRefused',
	ENOTFOUND: 'unknownHost',
	EAI_AGAIN: 'unknownHost',
	EHOSTUNREACH: 'unreachable',
	ENETUNREACH: 'unreachable',
	EADDRNOTAVAIL: 'unreachable',
	ECONNABORTED: 'timeout',
	ETIMEDOUT: 'timeout',
};

/** Codes of Node's TLS: the certificate was seen, and no request was sent over the connection. */
const CERTIFICATE =
	/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|CRL_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE/;

/**
 * Codes of OpenSSL: no encrypted connection came about, as with a server that speaks http only. A
 * record that cannot be read can come later, after a request has been sent.
 */
const ENCRYPTION = /^(EPROTO$|ERR_SSL_(?!.*(RECORD|DECRYPT)))/;

/** The errors that n8n throws instead of sending: its protection of private addresses, allowed domains. */
const STOPPED_BY_N8N = /^(Ssrf\w*|UserError|OperationalError|NodeOperationError)$/;

/** Reads why a request has no reply from the error and from what caused it. */
export function problemOf(error: unknown): { problem: ConnectionProblem; detail?: string } {
	const chain = causesOf(error);
	const stopped = chain.find((one) => STOPPED_BY_N8N.test(one.constructor.name));
	if (stopped !== undefined) return { problem: 'notAllowed', detail: stopped.message };
	const code = chain.map((one) => (one as { code?: unknown }).code).findLast(isText);
	if (code === undefined) return { problem: 'interrupted', detail: chain.at(-1)?.message };
	return { problem: CODES[code] ?? tlsProblemOf(code) ?? 'interrupted', detail: code };
}

function tlsProblemOf(code: string): ConnectionProblem | undefined {
	if (ENCRYPTION.test(code)) return 'encryption';
	return CERTIFICATE.test(code) ? 'certificate' : undefined;
}

/** An error and what caused it, outermost first. */
function causesOf(error: unknown): Error[] {
	return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

function isText(value: unknown): value is string {
	return typeof value === 'string';
}

type Text = { message: string; description: string; cause?: Failure['cause'] };

const TEXTS: Record<ConnectionProblem, (origin: string, detail: string) => Text> = {
	connectionRefused: (origin) => ({
		message: `Couldn't connect to ${origin} (connection refused)`,
		description: `The service may be down. ${CHECK_BASE_URL}`,
	}),
	unknownHost: (origin) => ({
		message: `Couldn't find the host name in ${origin}`,
		description: `${CHECK_BASE_URL} If it is right, n8n's DNS may be failing.`,
	}),
	unreachable: (origin) => ({
		message: `Couldn't reach ${origin} from n8n's network`,
		description: `${CHECK_BASE_URL} If it is right, check the network of the machine that runs n8n.`,
	}),
	certificate: (origin, detail) => ({
		message: `The certificate of ${origin} was not accepted (${detail})`,
		description: `${CHECK_BASE_URL} For a certificate of your own, add its authority to n8n (NODE_EXTRA_CA_CERTS).`,
		cause: 'configuration-invalid',
	}),
	encryption: (origin, detail) => ({
		message: `Couldn't establish a secure connection to ${origin} (${detail})`,
		description: `${CHECK_BASE_URL} The service may use http or a different port.`,
		cause: 'configuration-invalid',
	}),
	notAllowed: (origin, detail) => ({
		message: `n8n does not allow requests to ${origin}: ${detail}`,
		description: "Check the allowed domains of the credential and n8n's SSRF protection.",
		cause: 'configuration-invalid',
	}),
	timeout: (origin) => ({
		message: `${origin} did not reply in time`,
		description: `${TRY_LATER} To wait longer, set 'Timeout' in the node's request options.`,
	}),
	interrupted: (origin) => ({
		message: `The connection to ${origin} broke before the whole reply arrived`,
		description: TRY_LATER,
	}),
};

/**
 * Explains a request that brought no whole reply.
 *
 * @param origin scheme, host and port of the service
 */
export function explainConnection(
	{ problem, detail }: { problem: ConnectionProblem; detail?: string },
	origin: string,
): Explanation {
	const { cause = 'temporarily-unavailable', ...text } = TEXTS[problem](origin, detail ?? problem);
	return { ...text, failure: { cause } };
}
