/** Why no whole reply came; what a person reads of them is in `problems`. */
export type ConnectionProblem =
	| 'connectionRefused'
	| 'unknownHost'
	| 'unreachable'
	| 'certificate'
	| 'encryption'
	| 'notAllowed'
	| 'timeout'
	| 'interrupted';

/**
 * Whether a setting of n8n, the node or the server causes a problem. Retrying does not help then, and
 * the problem says nothing about other requests to the service.
 */
export function isSetting(problem: ConnectionProblem): boolean {
	return ['certificate', 'encryption', 'notAllowed'].includes(problem);
}

/** Whether the service may have received the request in spite of the problem. */
export function mayHaveArrived(problem: ConnectionProblem): boolean {
	return ['timeout', 'interrupted'].includes(problem);
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
