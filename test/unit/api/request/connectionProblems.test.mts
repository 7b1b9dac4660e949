import { describe, expect, it } from 'vitest';
import { problemOf } from '../../../../nodes/FormService/api/request/connectionProblems.ts';

/** As n8n's helpers throw it: the error of the network is the cause of another. */
const caused = (network: object) =>
	new Error('n8n', { cause: Object.assign(new Error('socket'), network) });

describe('why no whole reply came', () => {
	it.each([
		['ECONNREFUSED', 'connect', 'connectionRefused'],
		['ENOTFOUND', 'getaddrinfo', 'unknownHost'],
		['EAI_AGAIN', 'getaddrinfo', 'unknownHost'],
		['EHOSTUNREACH', 'connect', 'unreachable'],
		['ENETUNREACH', 'connect', 'unreachable'],
		['EADDRNOTAVAIL', 'connect', 'unreachable'],
		['ETIMEDOUT', 'connect', 'unreachable'],
	])('is read from the code %s of connecting (%s): %s', (code, syscall, problem) => {
		expect(problemOf(caused({ code, syscall }))).toEqual({ problem, detail: code });
	});

	it.each(['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', 'EPIPE'])(
		'is an interruption where %s ends a connection that was open: a request may have been sent',
		(code) => {
			for (const syscall of ['read', 'write', undefined]) {
				expect(problemOf(caused({ code, syscall })).problem).toBe('interrupted');
			}
		},
	);

	it('is read from the errors of all addresses that were tried', () => {
		const one = (syscall: string) =>
			Object.assign(new Error('socket'), { code: 'ECONNREFUSED', syscall });
		const ofAll = (...syscalls: string[]) => {
			const all = new AggregateError(syscalls.map(one));
			return new Error('n8n', { cause: Object.assign(all, { code: 'ECONNREFUSED' }) });
		};
		expect(problemOf(ofAll('connect', 'connect')).problem).toBe('connectionRefused');
		expect(problemOf(ofAll('connect', 'read')).problem).toBe('interrupted');
	});

	it.each([
		['ETIMEDOUT', 'timeout'],
		['ECONNABORTED', 'timeout'],
		['CERT_HAS_EXPIRED', 'certificate'],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate'],
		['EPROTO', 'encryption'],
		['ERR_SSL_WRONG_VERSION_NUMBER', 'encryption'],
		['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'encryption'],
	])('is read from the code %s: %s', (code, problem) => {
		expect(problemOf(caused({ code }))).toEqual({ problem, detail: code });
	});

	it.each([
		'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC',
		'ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC',
		'ERR_SSL_TLSV1_ALERT_DECRYPT_ERROR',
	])('is an interruption after %s, which can come once a request has been sent', (code) => {
		expect(problemOf(caused({ code })).problem).toBe('interrupted');
	});
});
