import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAccount } from '../../../../nodes/FormService/api/account.ts';
import { findConnectionProblem } from '../../../../nodes/FormService/api/request/http.ts';
import type { ConnectionProblem } from '../../../../nodes/FormService/api/request/http.ts';
import { readReply } from '../../../../nodes/FormService/api/request/reply.ts';
import { decideRetry, explainBroken } from '../../../../nodes/FormService/api/request/trouble.ts';
import type { Trouble } from '../../../../nodes/FormService/api/request/trouble.ts';

const account = createAccount({ accessToken: 'token', baseUrl: 'https://forms.example.com' });
const sent = { url: `${account.baseUrl}/forms`, effect: { kind: 'safe' }, account } as const;

/** The trouble of a reply that is no success. */
function reply(status: number, headers = {}, body = '{'): Trouble {
	const given = { kind: 'reply', status, headers, body: Buffer.from(body) } as const;
	const outcome = readReply(given, sent);
	return 'trouble' in outcome ? outcome.trouble : expect.unreachable();
}
const broken = (problem: ConnectionProblem) => explainBroken({ problem }, { account });

const problems: ConnectionProblem[] = [
	'connectionRefused',
	'unknownHost',
	'unreachable',
	'certificate',
	'encryption',
	'notAllowed',
	'timeout',
	'interrupted',
];
const anyTrouble = fc.oneof(
	fc.integer({ min: 300, max: 599 }).map((status) => reply(status)),
	fc.constantFrom(...problems).map(broken),
);

/** The milliseconds after which a request is sent again; undefined if it is not. */
const decide = (trouble: Trouble, tries = 1, kind: 'safe' | 'once' = 'safe') =>
	decideRetry(kind, trouble, tries, 0);

describe('a retry', () => {
	it('never follows an adding of a response that the service may have taken', () => {
		fc.assert(
			fc.property(anyTrouble, fc.integer({ min: 1, max: 5 }), (trouble, tries) => {
				fc.pre(trouble.mayHaveActed);
				expect(decide(trouble, tries, 'once')).toBeUndefined();
			}),
		);
	});

	it('is certain that the service did not act only after a refusal, or without a connection', () => {
		const acted = (status: number, location?: string) => reply(status, { location }).mayHaveActed;
		expect([200, 302, 303, 500, 501, 502, 504, 522].filter((one) => !acted(one))).toEqual([]);
		expect([400, 401, 404, 422, 429, 307, 308].filter((one) => acted(one))).toEqual([]);
		expect(acted(302, '/login')).toBe(false);
		expect(reply(200, {}, '{"success": false}').mayHaveActed).toBe(false);
		expect(reply(500, {}, '{"success": false}').mayHaveActed).toBe(true);
		const uncertain = problems.filter((problem) => broken(problem).mayHaveActed);
		expect(uncertain).toEqual(['timeout', 'interrupted']);
	});

	it.each([500, 502, 503, 504, 520, 524])(
		'follows status %i 3 times, later each time',
		(status) => {
			const pauses = [1, 2, 3, 4].map((tries) => decide(reply(status), tries));
			expect(pauses).toEqual([500, 1_000, 2_000, undefined]);
		},
	);

	it.each([301, 400, 401, 403, 404, 409, 422])('does not follow status %i', (status) => {
		expect(decide(reply(status))).toBeUndefined();
	});

	it.each(['certificate', 'encryption', 'notAllowed'] as const)(
		'does not follow a problem that lasts: %s',
		(problem) => {
			expect(decide(broken(problem))).toBeUndefined();
		},
	);

	it('adds a response again after a refused connection, or a refusal for the minute', () => {
		expect(decide(broken('connectionRefused'), 1, 'once')).toBe(500);
		expect(decide(reply(429, { 'retry-after': '3' }), 1, 'once')).toBe(0);
	});

	it('follows a timeout once, and a refusal for the minute nine times', () => {
		expect([1, 2].map((tries) => decide(broken('timeout'), tries))).toEqual([500, undefined]);
		const refusal = reply(429, { 'retry-after': '3' });
		expect([1, 9, 10].map((tries) => decide(refusal, tries))).toEqual([0, 0, undefined]);
	});

	it('does not wait for the limit of the day', () => {
		expect(decide(reply(429, { 'retry-after': '7200' }))).toBeUndefined();
	});

	it('pauses as long as the service asks, up to a minute', () => {
		expect(decide(reply(503, { 'retry-after': '7' }))).toBe(7_000);
		expect(decide(reply(503, { 'retry-after': '9999' }))).toBe(60_000);
		expect(decide(reply(503, { 'x-ratelimit-reset': '30' }))).toBe(500);
	});
});

/** As n8n's helpers throw it: the error of the network is the cause of another. */
const caused = (network: object) =>
	new Error('n8n', { cause: Object.assign(new Error('socket'), network) });

describe('the problem of a connection', () => {
	it.each([
		['ECONNREFUSED', 'connect', 'connectionRefused'],
		['ENOTFOUND', 'getaddrinfo', 'unknownHost'],
		['EAI_AGAIN', 'getaddrinfo', 'unknownHost'],
		['EHOSTUNREACH', 'connect', 'unreachable'],
		['ETIMEDOUT', 'connect', 'unreachable'],
		// a connection that was open: the request may have been sent
		['EHOSTUNREACH', 'read', 'interrupted'],
		['ECONNREFUSED', 'write', 'interrupted'],
		['ECONNRESET', undefined, 'interrupted'],
		['ETIMEDOUT', undefined, 'timeout'],
		['ECONNABORTED', undefined, 'timeout'],
		['CERT_HAS_EXPIRED', undefined, 'certificate'],
		['ERR_TLS_CERT_ALTNAME_INVALID', undefined, 'certificate'],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', undefined, 'certificate'],
		['EPROTO', undefined, 'encryption'],
		['ERR_SSL_WRONG_VERSION_NUMBER', undefined, 'encryption'],
		// an unreadable record can follow a request that was sent
		['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', undefined, 'interrupted'],
		['ERR_SSL_TLSV1_ALERT_DECRYPT_ERROR', undefined, 'interrupted'],
	])('with the code %s of the call %s is %s', (code, syscall, problem) => {
		expect(findConnectionProblem(caused({ code, syscall }))).toEqual({ problem, detail: code });
	});

	it('is that of all addresses that were tried', () => {
		const one = (syscall: string) =>
			Object.assign(new Error('socket'), { code: 'ECONNREFUSED', syscall });
		const ofAll = (...syscalls: string[]) => {
			const all = new AggregateError(syscalls.map(one));
			return new Error('n8n', { cause: Object.assign(all, { code: 'ECONNREFUSED' }) });
		};
		expect(findConnectionProblem(ofAll('connect', 'connect')).problem).toBe('connectionRefused');
		expect(findConnectionProblem(ofAll('connect', 'read')).problem).toBe('interrupted');
	});
});
