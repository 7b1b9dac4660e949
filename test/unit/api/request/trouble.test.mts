import fc from 'fast-check';
import { range } from 'lodash';
import { describe, expect, it } from 'vitest';
import { formatTime } from '../../../../nodes/FormService/api/errors.ts';
import { createAccount } from '../../../../nodes/FormService/api/account.ts';
import { clock } from '../../../../nodes/FormService/api/clock.ts';
import { endpoints } from '../../../../nodes/FormService/api/endpoints.ts';
import type { Endpoint } from '../../../../nodes/FormService/api/endpoints.ts';
import { findConnectionProblem } from '../../../../nodes/FormService/api/request/http.ts';
import type { ConnectionProblem } from '../../../../nodes/FormService/api/request/http.ts';
import { readReply } from '../../../../nodes/FormService/api/request/reply.ts';
import {
	decideRetry,
	explainBroken,
	explainHeldBack,
} from '../../../../nodes/FormService/api/request/trouble.ts';
import type { Trouble } from '../../../../nodes/FormService/api/request/trouble.ts';

const account = createAccount({ accessToken: 'token', baseUrl: 'https://forms.example.com' });
const sent = { url: `${account.baseUrl}/forms`, effect: { kind: 'safe' }, account } as const;

/** The trouble of a reply that is no success. */
function reply(status: number, headers = {}, body = '{', noun?: string): Trouble {
	const given = { kind: 'reply', status, headers, body: Buffer.from(body) } as const;
	const outcome = readReply(given, { ...sent, effect: { kind: 'safe', noun } });
	return 'trouble' in outcome ? outcome.trouble : expect.unreachable();
}
const broken = (problem: ConnectionProblem) => explainBroken({ problem }, { account });

const ofStatuses = (statuses: number[], mayHaveActed: boolean, maxTries: number) =>
	statuses.map((status) => [`status ${status}`, mayHaveActed, maxTries, reply(status)] as const);

/** Whether the service may have acted, and how often a request that is safe is sent. */
const troubles: Array<readonly [string, boolean, number, Trouble]> = [
	...ofStatuses([400, 401, 403, 404, 409, 422, 307, 308], false, 1),
	...ofStatuses([500, 502, 503, 504, 520, 524], true, 4),
	['status 501', true, 1, reply(501)],
	['status 304', true, 1, reply(304)],
	['a text', true, 1, reply(200, {}, 'Hello')],
	['a redirect', true, 1, reply(303, { location: '/forms' })],
	['a redirect to another page', true, 1, reply(302, { location: '/thanks' })],
	['a redirect to a login', false, 1, reply(302, { location: '/login' })],
	['a reply that is cut off', true, 4, reply(200)],
	['success: false', false, 1, reply(200, {}, '{"success": false}')],
	['status 500 with success: false', true, 4, reply(500, {}, '{"success": false}')],
	['status 500 with success: true', true, 4, reply(500, {}, '{"success": true}')],
	['a refusal', false, 10, reply(429, { 'retry-after': '3' })],
	['a refusal for the day', false, 1, reply(429, { 'retry-after': '7200' })],
	['a refused connection', false, 4, broken('connectionRefused')],
	['an unknown host', false, 4, broken('unknownHost')],
	['an unreachable host', false, 4, broken('unreachable')],
	['a certificate', false, 1, broken('certificate')],
	['no encryption', false, 1, broken('encryption')],
	['protection by n8n', false, 1, broken('notAllowed')],
	['a timeout', true, 2, broken('timeout')],
	['an interrupted reply', true, 4, broken('interrupted')],
];

/** How often a request is sent that always ends so. */
function countTries(kind: 'safe' | 'once', trouble: Trouble): number {
	let tries = 1;
	while (decideRetry(kind, trouble, tries, 0) !== undefined) tries++;
	return tries;
}

it('The time at which a limit ends is rounded up to the minute', () => {
	expect(formatTime(Date.UTC(2026, 10, 21, 0, 30, 1))).toContain('00:31');
	expect(formatTime(Date.UTC(2026, 10, 21, 0, 30))).toContain('00:30');
});

describe('a request', () => {
	it.each(troubles)('that ends in %s may have acted: %s, and has %i tries', (...given) => {
		const [, mayHaveActed, maxTries, trouble] = given;
		expect(trouble.mayHaveActed).toBe(mayHaveActed);
		expect(countTries('safe', trouble)).toBe(maxTries);
		expect(countTries('once', trouble)).toBe(mayHaveActed ? 1 : maxTries);
	});

	it.each([
		['twice as long each time', reply(503), [500, 1_000, 2_000, undefined]],
		['as long as the service asks', reply(503, { 'retry-after': '7' }), [7_000]],
		['up to a minute', reply(503, { 'retry-after': '9999' }), [60_000]],
		['as long as usual before a reset', reply(503, { 'x-ratelimit-reset': '30' }), [500]],
		['in the rate limiter after a refusal', reply(429, { 'retry-after': '3' }), [0, 0]],
	])('waits %s', (_, trouble, pauses) => {
		const decided = pauses.map((_pause, index) => decideRetry('safe', trouble, index + 1, 0));
		expect(decided).toEqual(pauses);
	});

	it('waits up to twice as long at random, so that not all clients return at once', () => {
		expect(decideRetry('safe', reply(503), 1, 1)).toBe(1_000);
	});
});

const HTML = { 'content-type': 'text/html' };

it.each<[number, object, RegExp]>([
	[405, HTML, /returned a web page instead of data \(status 405\)$/],
	[410, HTML, /returned a web page instead of data \(status 410\)$/],
	// of a proxy before the service
	[403, HTML, /^Access denied \(status 403\)$/],
	[413, HTML, /^Form Service rejected the request \(status 413\)$/],
	...[301, 302, 303, 307, 308].map((code): [number, object, RegExp] => [
		code,
		{ location: '/thanks?id=1' },
		/redirects to https:\S+\.com\/thanks$/,
	]),
])('What is said of a status %i with %j is %s', (status, headers, shown) => {
	expect(reply(status, headers, 'Sorry').message).toMatch(shown);
});

it('Of the messages on fields, the first 20 are shown, and none twice', () => {
	const errors = range(25).map((index) => `Wrong ${index}`);
	const { description } = reply(422, {}, JSON.stringify({ message: 'Wrong 0', errors }));
	expect(description.split('\n')).toEqual(errors.slice(1, 21));
});

it('A reply without content confirms a change, but no response that was added', () => {
	const nothing = { kind: 'reply', status: 204, headers: {}, body: Buffer.of() } as const;
	const readAs = ({ effect }: Endpoint) => readReply(nothing, { ...sent, effect });
	expect(readAs(endpoints.updateSettings)).toMatchObject({ value: {} });
	expect(readAs(endpoints.addResponse)).toMatchObject({ trouble: { mayHaveActed: true } });
});

it('A timeout is said to be an option only where there is one', () => {
	const { description } = explainBroken({ problem: 'timeout' }, { account, transport: {} });
	expect(description).toContain("set 'Timeout' in the node's request options");
	expect(broken('timeout').description).not.toContain('Timeout');
});

it.each([
	['form', 404, 'The form was not found.', 'Form not found'],
	['form', 404, 'Form does not exist', 'Form not found: "Form does not exist"'],
	['response', 404, 'Not Found', 'Response not found'],
	['response', 404, 'The requested response could not be found', 'Response not found'],
	['response', 404, 'The PDF was not found.', 'Response not found: "The PDF was not found."'],
	['form', 403, 'Access denied!', 'Access denied (status 403)'],
	['form', 404, '禁止', 'Form not found: "禁止"'],
])('What is said of a %s with %i and "%s" is: %s', (noun, status, message, shown) => {
	expect(reply(status, {}, JSON.stringify({ success: false, message }), noun).message).toBe(shown);
});

it('A request that is held back because of the day says when the day ends', () => {
	const until = clock.now() + 8 * 3_600_000;
	const { message, failure } = explainHeldBack({ kind: 'dayUsedUp', until, allowed: 1_440 });
	expect(message).toContain(formatTime(until));
	expect(failure).toMatchObject({ resetsAtEpochMs: expect.closeTo(until, -3) });
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

const headers = fc.dictionary(
	fc.constantFrom('content-type', 'location', 'retry-after', 'date', 'x-ratelimit-limit'),
	fc.oneof(
		fc.string({ unit: 'binary-ascii' }),
		fc.constantFrom('text/html', '//', 'http://[', '/forms', '-5', '100000'),
	),
);
/** Objects with the names of the service at every level. */
const named = fc.object({
	key: fc.constantFrom(
		...'success message errors error detail data status uuid id __proto__'.split(' '),
	),
	maxDepth: 4,
});
const json = fc.oneof(fc.jsonValue({ maxDepth: 5 }), named).map((value) => JSON.stringify(value));
const body = fc.oneof(
	json,
	fc.tuple(json, fc.nat(80)).map(([text, end]) => text.slice(0, end)),
	fc.string(),
);

it('Any reply is a success or a trouble that a person can read, and says what its status means', () => {
	const drawn = fc.tuple(fc.integer({ min: 200, max: 999 }), headers, body, fc.boolean());
	const property = fc.property(drawn, ([status, given, text, isOnce]) => {
		const reply = { kind: 'reply', status, headers: given, body: Buffer.from(text) } as const;
		const outcome = readReply(reply, {
			...sent,
			...(isOnce && { effect: endpoints.addResponse.effect }),
		});
		if ('value' in outcome) return status < 300;
		const { message, description, failure, mayHaveActed } = outcome.trouble;
		expect(message).toMatch(/^["A-Z1h].{5}/s);
		expect(message.length + description.length).toBeLessThan(8_000);
		expect(message + description).not.toMatch(/Cannot read|is not a function|undefined|\[object/);
		if (status < 400 || status === 429) return true;
		const [passes, login] = ['temporarily-unavailable', 'credential-invalid'];
		const cause = status >= 500 ? passes : status === 401 ? login : 'configuration-invalid';
		expect([failure.cause, mayHaveActed]).toEqual([cause, status >= 500]);
		return true;
	});
	fc.assert(property, { numRuns: 1_000 });
});
