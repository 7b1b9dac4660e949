import { createFailure, type RequestFailure } from '../requestFailure';

/** Node's codes before there is a connection, and never from an open one: nothing was sent. */
const UNKNOWN_HOST = /^(ENOTFOUND|EAI_AGAIN)$/;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;

/** Node's code for a server that does not speak TLS, or that ends it. */
const NO_ENCRYPTION = /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/;

const TIMED_OUT = /^(ECONNABORTED|ETIMEDOUT)$/;

/** The errors that n8n throws instead of sending: its protection of private addresses, allowed domains. */
const BLOCKED_BY_N8N = /^(Ssrf\w*|UserError|OperationalError|NodeOperationError)$/;

/** Returns the failure that an error of n8n's HTTP helpers means: no whole reply came. */
export function createTransportFailure(thrown: unknown): RequestFailure {
	const errors = collectCauses(thrown);
	const block = errors.find((error) => BLOCKED_BY_N8N.test(error.constructor.name));
	if (block !== undefined) return createFailure('blockedByN8n', { blockReason: block.message });
	// the last code is the one of the network
	const code = errors.map((error) => error.code).findLast((value) => typeof value === 'string');
	const networkError = code ?? errors.at(-1)?.message ?? '';
	if (code === 'ECONNREFUSED') return createFailure('connectionRefused', { networkError });
	if (code === undefined) {
		return createFailure('connectionBroken', { networkError, mayHaveActed: true });
	}
	if (UNKNOWN_HOST.test(code)) return createFailure('unknownHost', { networkError });
	if (CERTIFICATE.test(code)) return createFailure('untrustedCertificate', { networkError });
	const isTimeout = TIMED_OUT.test(code);
	const reason = NO_ENCRYPTION.test(code)
		? 'noEncryption'
		: isTimeout
			? 'timedOut'
			: 'connectionBroken';
	return createFailure(reason, { networkError, mayHaveActed: true });
}

/** Returns an error and its causes, outermost first. */
function collectCauses(error: unknown): Array<Error & { code?: unknown }> {
	return error instanceof Error ? [error, ...collectCauses(error.cause)] : [];
}
