import { OperationalError, UserError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { createAccount } from '../../../../nodes/FormService/api/account.ts';
import { endpoints } from '../../../../nodes/FormService/api/endpoints.ts';
import { createInputError, formatTime } from '../../../../nodes/FormService/api/errors.ts';
import type { RequestFailure } from '../../../../nodes/FormService/api/errors.ts';
import { parseReply } from '../../../../nodes/FormService/api/request/callApi.ts';
import { toTransportFailure } from '../../../../nodes/FormService/api/request/sendOnce.ts';
import {
	computeRetryDelayMs,
	finalizeFailure,
	createTransportFailure,
} from '../../../../nodes/FormService/api/request/requestFailure.ts';

const account = createAccount({ accessToken: 'token', baseUrl: 'https://forms.example.com' });
const { effect: adding } = endpoints.addResponse;

/** The trouble of a reply that is no success. */
function reply(status: number, headers = {}, text = '{', effect: object = {}): RequestFailure {
	const sent = { effect: { kind: 'safe' as const, ...effect }, account };
	const { trouble } = parseReply({ status, headers, text }, sent);
	return trouble ?? expect.unreachable();
}
const broken = (code: string) =>
	createTransportFailure({ code, isRefusedByN8n: false }, account.origin);

const ofStatuses = (statuses: number[], mayHaveActed: boolean, maxTries: number) =>
	statuses.map((status) => [`status ${status}`, mayHaveActed, maxTries, reply(status)] as const);

/** Whether the service may have acted, and how often a request that is safe is sent. */
const troubles: Array<readonly [string, boolean, number, RequestFailure]> = [
	...ofStatuses([400, 401, 403, 404, 409, 422], false, 1),
	...ofStatuses([408, 499], true, 1),
	...ofStatuses([500, 501, 502, 503, 504, 520, 524], true, 4),
	['status 304', true, 1, reply(304)],
	['a redirect', true, 1, reply(302, { location: '/thanks' }, '{"success": true}')],
	['a redirect to a login', false, 1, reply(302, { location: '/en/login' })],
	['a redirect to a sign-in', false, 1, reply(302, { location: '/sign-in?to=x' })],
	['a web page', true, 1, reply(200, {}, '<html>')],
	['a reply that is cut off', true, 4, reply(200)],
	['success: false', false, 1, reply(200, {}, '{"success": false}')],
	['status 500 with success: false', true, 4, reply(500, {}, '{"success": false}')],
	['a refusal', false, 10, reply(429, { 'retry-after': '3' })],
	['a refusal for the day', false, 1, reply(429, { 'retry-after': '7200' })],
	...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].map(
		(code) => [code, false, 4, broken(code)] as const,
	),
	...['CERT_HAS_EXPIRED', 'ERR_TLS_INVALID_STATE', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'].map(
		(code) => [code, false, 1, broken(code)] as const,
	),
	[
		'protection by n8n',
		false,
		1,
		createTransportFailure({ code: 'No', isRefusedByN8n: true }, 'https://a'),
	],
	...['ETIMEDOUT', 'ECONNABORTED', 'ECONNRESET', 'EHOSTUNREACH', 'ERR_SSL_BAD_RECORD', ''].map(
		(code) => [`the code "${code}"`, true, 4, broken(code)] as const,
	),
	['no encryption', true, 1, broken('EPROTO')],
];

/** How often a request is sent that always ends so. */
function countTries(kind: 'safe' | 'once', trouble: RequestFailure): number {
	let tries = 1;
	while (computeRetryDelayMs(kind, trouble, tries, 0) !== undefined) tries++;
	return tries;
}

describe('a request', () => {
	it.each(troubles)('that ends in %s may have acted: %s, and has %i tries', (...given) => {
		const [, mayHaveActed, maxTries, trouble] = given;
		expect(Boolean(trouble.mayHaveActed)).toBe(mayHaveActed);
		expect(countTries('safe', trouble)).toBe(maxTries);
		expect(countTries('once', trouble)).toBe(mayHaveActed ? 1 : maxTries);
	});

	it.each([
		['twice as long each time', reply(503), [500, 1_000, 2_000, undefined]],
		['in the queue after a refusal', reply(429, { 'retry-after': '3' }), [0, 0]],
	])('waits %s', (_, trouble, pauses) => {
		const decided = pauses.map((_pause, index) =>
			computeRetryDelayMs('safe', trouble, index + 1, 0),
		);
		expect(decided).toEqual(pauses);
		// up to twice as long at random, so that not all clients return at once
		expect(computeRetryDelayMs('safe', trouble, 1, 1)).toBe(2 * pauses[0]!);
	});
});

it('a limit of the day ends after a day at most, at a time that is rounded up to the minute', () => {
	expect(formatTime(Date.UTC(2026, 10, 21, 0, 30, 1))).toContain('00:31');
	expect(formatTime(Date.UTC(2026, 10, 21, 0, 30))).toContain('00:30');
	for (const headers of [{ 'retry-after': '1e12' }, { 'x-ratelimit-limit': '1440' }]) {
		const { failure } = reply(429, headers);
		const inMs = 'resetsAtEpochMs' in failure ? (failure.resetsAtEpochMs ?? 0) - Date.now() : 0;
		expect(inMs).toBeGreaterThan(50_000);
		expect(inMs).toBeLessThan(86_410_000);
	}
});

it('of the messages on fields, 1,000 characters are shown, and not the message itself again', () => {
	const errors = ['Wrong.', 'Too short.', 'x'.repeat(2_000)];
	const { description } = reply(422, {}, JSON.stringify({ message: 'Wrong.', errors }));
	expect(description).toBe(`Too short. ${'x'.repeat(989)}…`);
});

it('an error after which a response may be there has no code that makes n8n replace its message', () => {
	const text = JSON.stringify({ message: 'read ECONNRESET of deletePermission' });
	const uncertain = [
		reply(502, {}, text, adding),
		reply(200, {}, text, adding),
		broken('ETIMEDOUT'),
	];
	for (const trouble of uncertain) {
		const { message } = finalizeFailure(trouble, adding, 1);
		expect(message).toMatch(/\. The response may or may not have been added$/);
		expect(message).not.toMatch(/ECONN|EPERM|ETIMEDOUT/i);
	}
});

it('an error in an input keeps its words, also where n8n would find the code of a system error', () => {
	const message = "'deletePermission' is no field of the form";
	expect(createInputError({} as never, { message }).message).toBe(message);
});

/** As n8n's helpers throw it: the error of the network is the cause of another. */
const caused = (network: object) =>
	new Error('n8n', { cause: Object.assign(new Error('socket'), network) });

it('the code of a broken connection is the innermost one, or else the message', () => {
	const outer = Object.assign(caused({ code: 'ENOTFOUND' }), { code: 'ERR_BAD_REQUEST' });
	expect(toTransportFailure(outer)).toEqual({ code: 'ENOTFOUND', isRefusedByN8n: false });
	expect(toTransportFailure(caused({})).code).toBe('socket');
	expect(toTransportFailure('odd').code).toBe('');
	// as the helpers call a timeout
	expect(broken('ECONNABORTED').message).toMatch(/ did not reply in time$/);
});

it.each([UserError, OperationalError])('n8n itself has refused to send by %o', (One) => {
	const error = new Error('n8n', { cause: new One('No') });
	expect(toTransportFailure(error)).toEqual({ code: 'No', isRefusedByN8n: true });
});
