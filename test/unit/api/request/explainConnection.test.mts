import { describe, expect, it } from 'vitest';
import { problemOf } from '../../../../nodes/FormService/api/request/explainConnection.ts';

/** As n8n gives it: the error of the connection is the cause of another. */
const withCode = (code: string) =>
	new Error('n8n', { cause: Object.assign(new Error('socket'), { code }) });

describe('why no whole reply came', () => {
	it.each([
		['ECONNREFUSED', 'connectionRefused'],
		['EAI_AGAIN', 'unknownHost'],
		['ETIMEDOUT', 'timeout'],
		['ECONNABORTED', 'timeout'],
		['ECONNRESET', 'interrupted'],
		['EPIPE', 'interrupted'],
		['CERT_HAS_EXPIRED', 'certificate'],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate'],
		['EPROTO', 'encryption'],
		['ERR_SSL_WRONG_VERSION_NUMBER', 'encryption'],
		['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'encryption'],
	])('is told by the code %s: %s', (code, problem) => {
		expect(problemOf(withCode(code))).toEqual({ problem, detail: code });
	});

	it.each([
		'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC',
		'ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC',
		'ERR_SSL_TLSV1_ALERT_DECRYPT_ERROR',
	])('is not certain after %s: it can come when a request has been sent', (code) => {
		expect(problemOf(withCode(code)).problem).toBe('interrupted');
	});
});
