/**
 * Why no whole reply came. All but `timeout` and `interrupted` are certain that the service did not
 * take the request; `notAllowed` is n8n's own protection.
 */
export type ConnectionProblem =
	| 'refused'
	| 'unknownHost'
	| 'unreachable'
	| 'certificate'
	| 'encryption'
	| 'notAllowed'
	| 'timeout'
	| 'interrupted';

const CODES: Readonly<Record<string, ConnectionProblem>> = {
	ECONNREFUSED: 'refused',
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

/** The errors that n8n throws in place of sending: its protection of private addresses, allowed domains. */
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
