import { OperationalError, UserError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { createAccount } from '../../../../nodes/FormService/api/account.ts';
import { endpoints, type Endpoint } from '../../../../nodes/FormService/api/endpoints.ts';
import { InputError } from '../../../../nodes/FormService/api/errors.ts';
import { formatTime } from '../../../../nodes/FormService/api/errorTexts.ts';
import { parseReply } from '../../../../nodes/FormService/api/request/callApi.ts';
import {
	createRateLimitFailure,
	createReplyFailure,
} from '../../../../nodes/FormService/api/request/replyFailure.ts';
import { computeRetryDelayMs } from '../../../../nodes/FormService/api/request/callApi.ts';
import { createTransportFailure } from '../../../../nodes/FormService/api/request/sendOnce.ts';
import {
	createRequestError,
	type RequestContext,
} from '../../../../nodes/FormService/api/requestContext.ts';
import {
	describeFailure,
	createFailure,
	type RequestFailure,
} from '../../../../nodes/FormService/api/requestFailure.ts';

const account = createAccount({ accessToken: 'token', baseUrl: 'https://forms.example.com' });
const context = { account, n8n: { getNode: () => ({}) } } as unknown as RequestContext;
const { addResponse: adding, listForms: listing, updateSettings: updating } = endpoints;

/** Returns the failure of a request to this endpoint, from its reply or from what n8n's helper throws. */
type Fail = (endpoint: Endpoint) => RequestFailure;

const failureOf = (parsed: ReturnType<typeof parseReply>) =>
	'requestFailure' in parsed ? parsed.requestFailure : expect.unreachable();

const reply =
	(status: number, headers = {}, text = '{'): Fail =>
	(endpoint) =>
		failureOf(parseReply({ status, headers, text }, { endpoint }));

/** As n8n's helpers throw it: the error of the network is the cause of another. */
const caused = (network: object) =>
	new Error('n8n', { cause: Object.assign(new Error('socket'), network) });

const broken =
	(thrown: unknown): Fail =>
	(endpoint) =>
		failureOf(parseReply(createTransportFailure(thrown), { endpoint }));

const ofStatuses = (statuses: number[], mayHaveActed: boolean, maxAttempts: number) =>
	statuses.map((status) => [`status ${status}`, mayHaveActed, maxAttempts, reply(status)] as const);

const ofCodes = (codes: string[], mayHaveActed: boolean, maxAttempts: number) =>
	codes.map((code) => [code, mayHaveActed, maxAttempts, broken(caused({ code }))] as const);

/** Whether the service may have added a response, and how often a request that reads is sent. */
const failures: Array<readonly [string, boolean, number, Fail]> = [
	...ofStatuses([400, 401, 403, 404, 409, 422], false, 1),
	...ofStatuses([408, 499, 500, 501, 502, 503, 504, 520, 524], true, 4),
	['status 304', true, 1, reply(304)],
	['a redirect', true, 1, reply(302, { location: '/thanks' }, '{"success": true}')],
	['a redirect to a login', false, 1, reply(302, { location: '/en/login' })],
	['a web page', true, 1, reply(200, {}, '<html>')],
	['a reply that is cut off', true, 4, reply(200)],
	['success: false', false, 1, reply(200, {}, '{"success": false}')],
	['status 500 with success: false', true, 4, reply(500, {}, '{"success": false}')],
	['status 503 with Retry-After', false, 1, reply(503, { 'retry-after': '600' })],
	['a rate limit', false, 10, reply(429, { 'retry-after': '3' })],
	['a rate limit of the day', false, 1, reply(429, { 'retry-after': '7200' })],
	...ofCodes(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'], false, 4),
	...ofCodes(['CERT_HAS_EXPIRED', 'ERR_TLS_INVALID_STATE'], false, 1),
	...ofCodes(['UNABLE_TO_VERIFY_LEAF_SIGNATURE'], false, 1),
	...ofCodes(['ETIMEDOUT', 'ECONNABORTED', 'ECONNRESET', 'EHOSTUNREACH'], true, 4),
	...ofCodes(['ERR_SSL_BAD_RECORD', ''], true, 4),
	...ofCodes(['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'], true, 1),
	['an error without a code', true, 4, broken(new Error('CERT of ECONNREFUSED'))],
	['protection by n8n', false, 1, broken(new Error('n8n', { cause: new UserError('No') }))],
	['allowed domains', false, 1, broken(new Error('n8n', { cause: new OperationalError('No') }))],
];

it.each([
	['tokenRejected', '/en/login'],
	['tokenRejected', 'https://forms.example/sign-in/?to=x'],
	['tokenRejected', '/auth/signin#top'],
	['redirected', '/f/login-survey/thanks'],
	['redirected', '/f/signin-sheet'],
	['redirected', '/thanks?from=/login'],
	['redirected', '/blogging'],
])('a redirect is called %s if it leads to %s', (reason, location) => {
	expect(reply(302, { location })(adding).reason).toBe(reason);
});

/** How often a request is sent that always ends so. */
function countAttempts(failure: RequestFailure): number {
	const failures = [failure];
	while (computeRetryDelayMs(failures, 'high', 0) !== undefined) failures.push(failure);
	return failures.length;
}

describe('a request', () => {
	it.each(failures)('that ends in %s may have acted: %s, and is sent %i times', (...row) => {
		const [, mayHaveActed, maxAttempts, fail] = row;
		expect(fail(adding).mayHaveActed).toBe(mayHaveActed);
		expect(countAttempts(fail(adding))).toBe(mayHaveActed ? 1 : maxAttempts);
		for (const endpoint of [listing, updating]) {
			// a confirmation is needed of requests that act alone
			if (fail(endpoint).reason !== fail(adding).reason) continue;
			expect(fail(endpoint).mayHaveActed).toBe(false);
			expect(countAttempts(fail(endpoint))).toBe(maxAttempts);
		}
	});

	it('that may have acted is never sent again, whatever its failure is', () => {
		const failure = createFailure('unavailable', { retryAtMs: 0, mayHaveActed: true });
		expect(computeRetryDelayMs([failure], 'low', 0)).toBeUndefined();
	});

	it('is retried if a connection fails after replies that announce a time to retry', () => {
		const announced = reply(503, { 'retry-after': '5' })(adding);
		const refused = createTransportFailure(Object.assign(new Error(), { code: 'ECONNREFUSED' }));
		expect([announced.reason, refused.reason]).toEqual(['unavailable', 'connectionRefused']);
		const announcedOften = Array<RequestFailure>(9).fill(announced);
		expect(computeRetryDelayMs([...announcedOften, refused], 'low', 0)).toBe(500);
	});

	it.each([
		['twice as long each time', reply(503), [500, 1_000, 2_000, undefined]],
		['in the queue after a refusal', reply(429, { 'retry-after': '3' }), [0, 0]],
	])('waits %s', (_, fail, delays) => {
		const failure = fail(listing);
		const computed = delays.map((_delay, index) =>
			computeRetryDelayMs(Array<RequestFailure>(index + 1).fill(failure), 'high', 0),
		);
		expect(computed).toEqual(delays);
		// up to twice as long at random, so that not all clients return at once
		expect(computeRetryDelayMs([failure], 'high', 1)).toBe(2 * delays[0]!);
	});
});

it.each([
	['minuteLimit', { 'retry-after': '60' }, 61],
	['dayLimit', { 'retry-after': '61' }, 62],
	['minuteLimit', { 'retry-after': '90', 'x-ratelimit-limit': '60' }, 91],
	['minuteLimit', { 'retry-after': '300', 'x-ratelimit-limit': '500' }, 301],
	['minuteLimit', { 'retry-after': '90', 'x-ratelimit-limit': '60, 60;w=60' }, 91],
	['dayLimit', { 'retry-after': '3600', 'x-ratelimit-limit': '60' }, 3_601],
	['dayLimit', { 'retry-after': '30', 'x-ratelimit-limit': '1440' }, 31],
	['minuteLimit', {}, 61],
	['minuteLimit', { 'retry-after': 'soon', 'x-ratelimit-limit': '' }, 61],
])('a status 429 is the %s with the headers %j, for %i s', (reason, headers, seconds) => {
	const failure = createRateLimitFailure(headers, 1_000_000);
	expect(failure).toMatchObject({ reason, retryAtMs: 1_000_000 + seconds * 1_000 });
});

it.each([
	['unavailable', { 'retry-after': '600' }, 601],
	['unavailable', { 'retry-after': ' 0 ' }, 1],
	['unavailable', { 'retry-after': '-5' }, 1],
	['unavailable', { 'retry-after': '1e9' }, 86_401],
	[
		'unavailable',
		{ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT', date: 'Wed, 21 Oct 2026 07:18:00 GMT' },
		601,
	],
	['serverError', { 'retry-after': 'soon' }, undefined],
	['serverError', { 'retry-after': '' }, undefined],
])('a status 503 is %s with the headers %j, for %s s', (reason, headers, seconds) => {
	const failure = createReplyFailure(
		{ status: 503, headers, text: '' },
		undefined,
		{ endpoint: adding },
		1_000,
	);
	const retryAtMs = seconds === undefined ? undefined : 1_000 + seconds * 1_000;
	expect([failure.reason, failure.retryAtMs]).toEqual([reason, retryAtMs]);
});

it('a limit of the day ends after a day at most, at a time that is rounded up to the minute', () => {
	expect(formatTime(Date.UTC(2026, 10, 21, 0, 30, 1))).toContain('00:31');
	expect(formatTime(Date.UTC(2026, 10, 21, 0, 30))).toContain('00:30');
	for (const headers of [{ 'retry-after': '1e12' }, { 'x-ratelimit-limit': '1440' }]) {
		const { retryAtMs = 0 } = reply(429, headers)(listing);
		expect(retryAtMs - Date.now()).toBeGreaterThan(50_000);
		expect(retryAtMs - Date.now()).toBeLessThan(86_410_000);
	}
});

it('an error after which a response may be there has no code that makes n8n replace its message', () => {
	const text = JSON.stringify({ message: 'read ECONNRESET of deletePermission' });
	const timeout = broken(caused({ code: 'ETIMEDOUT' }));
	for (const fail of [reply(502, {}, text), reply(200, {}, text), timeout]) {
		const { message } = createRequestError(context, fail(adding), { endpoint: adding });
		expect(message).toMatch(/\. The response may or may not have been added$/);
		expect(message).not.toMatch(/ECONN|EPERM|ETIMEDOUT/i);
	}
});

it('an error in an input keeps its words, also where n8n would find the code of a system error', () => {
	const message = "'deletePermission' is no field of the form";
	expect(new InputError({} as never, { message }).message).toBe(message);
});

it('n8n stores no more of a failed request than its texts, its status and its cause', () => {
	const text = JSON.stringify({ message: 'No' });
	const error = createRequestError(context, reply(400, {}, text)(listing));
	expect(error.requestFailure.serverMessage).toBe('No');
	expect(JSON.stringify(error)).not.toMatch(/serverMessage|mayHaveActed|requestFailure|"reason"/);
});

it('the code of a broken connection is the innermost one, or else the message', () => {
	const outer = Object.assign(caused({ code: 'ENOTFOUND' }), { code: 'ERR_BAD_REQUEST' });
	expect(createTransportFailure(outer).reason).toBe('unknownHost');
	expect(createTransportFailure(caused({})).networkError).toBe('socket');
	expect(createTransportFailure('odd').networkError).toBe('');
	// as the helpers call a timeout
	const { message } = describeFailure(broken(caused({ code: 'ECONNABORTED' }))(listing), account);
	expect(message).toMatch(/ did not reply in time$/);
});
