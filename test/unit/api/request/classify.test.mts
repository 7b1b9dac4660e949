import { OperationalError, UserError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { endpoints, type Endpoint } from '../../../../nodes/FormService/api/endpoints.ts';
import type { RequestFailure } from '../../../../nodes/FormService/api/failures.ts';
import { computeRetryDelayMs } from '../../../../nodes/FormService/api/request/callApi.ts';
import {
	createRateLimitFailure,
	createTransportFailure,
	parseReply,
	type Reply,
} from '../../../../nodes/FormService/api/request/classify.ts';

const { addResponse: adding, listForms: listing, updateSettings: updating } = endpoints;
const NOW_MS = 1_000_000;
const DATE = 'Wed, 21 Oct 2026 07:18:00 GMT';

const parse = (reply: Reply | RequestFailure, endpoint: Endpoint = adding) =>
	parseReply(reply, { endpoint }, NOW_MS);

const failureOf = (reply: Reply | RequestFailure, endpoint: Endpoint = adding) => {
	const parsed = parse(reply, endpoint);
	return 'requestFailure' in parsed ? parsed.requestFailure : expect.unreachable();
};

const reply = (status: number, text = '{}', headers = {}): Reply => ({ status, headers, text });

/** As n8n's helpers throw it: the error of the network is the cause of another. */
const broken = (code: string) =>
	createTransportFailure(new Error('n8n', { cause: Object.assign(new Error('socket'), { code }) }));

/** How often a request is sent that always ends so. */
function countAttempts(failure: RequestFailure): number {
	const failures = [failure];
	while (computeRetryDelayMs(failures, 'high', 0) !== undefined) failures.push(failure);
	return failures.length;
}

const FAILURE = '{"success": false, "message": "No."}';

describe('A request that adds a response', () => {
	const rejections: Array<[string, Reply | RequestFailure]> = [
		...[400, 401, 403, 404, 409, 422, 429].map((code): [string, Reply] => [
			`status ${code}`,
			reply(code, '{"success": true}'),
		]),
		['success: false', reply(200, FAILURE)],
		['status 503 with Retry-After', reply(503, '', { 'retry-after': '5' })],
		['a redirect to a login', reply(302, '', { location: '/en/login?to=x' })],
		...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'CERT_HAS_EXPIRED'].map(
			(code): [string, RequestFailure] => [code, broken(code)],
		),
	];
	it.each(rejections)('is rejected after %s', (_what, ended) => {
		expect(failureOf(ended).mayHaveActed).toBe(false);
	});

	const uncertain: Array<[string, Reply | RequestFailure, number]> = [
		...[408, 500, 502, 503, 524].map((code): [string, Reply, number] => [
			`status ${code}`,
			reply(code, FAILURE),
			4,
		]),
		['errors with status 200', reply(200, '{"errors": {"name": ["Too long."]}}'), 1],
		['a web page', reply(200, '<html>'), 1],
		['a redirect', reply(302, '', { location: '/f/login-survey' }), 1],
		['a reply that ends too early', reply(200, '{"succ'), 4],
		['a reply that is too long', { status: 200, headers: {} }, 1],
		...['ETIMEDOUT', 'ECONNRESET', ''].map((code): [string, RequestFailure, number] => [
			`the error "${code}"`,
			broken(code),
			4,
		]),
		['EPROTO', broken('EPROTO'), 1],
	];
	it.each(uncertain)(
		'is never sent again after %s, and a reading may be',
		(_what, ended, times) => {
			expect(failureOf(ended).mayHaveActed).toBe(true);
			expect(countAttempts(failureOf(ended))).toBe(1);
			expect(failureOf(ended, updating).mayHaveActed).toBe(false);
			expect(countAttempts(failureOf(ended, updating))).toBe(times);
		},
	);
});

describe('A failure', () => {
	it('quotes the message and the errors, with the titles of fields instead of their UUIDs', () => {
		const uuid = '9b1f2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d';
		const text = `The data.${uuid} is required.`;
		const body = { message: `${text} (and 1 more error)`, errors: { a: [text], b: ['Too long'] } };
		const target = { endpoint: adding, fields: [{ uuid, title: 'Email' }] };
		const parsed = parseReply(reply(422, JSON.stringify(body)), target, NOW_MS);
		expect(parsed).toMatchObject({
			requestFailure: { serverMessage: 'The "Email" is required. Too long.' },
		});
	});

	it('by n8n itself is told from one of the network', () => {
		for (const cause of [new UserError('No'), new OperationalError('No')]) {
			const failure = createTransportFailure(new Error('n8n', { cause }));
			expect(failure).toMatchObject({ reason: 'blockedByN8n', detail: 'No' });
		}
		expect(createTransportFailure(new Error('socket')).detail).toBe('socket');
	});

	it.each([
		['minuteLimit', { 'retry-after': '60' }, 61],
		['minuteLimit', { 'retry-after': '599' }, 600],
		['dayLimit', { 'retry-after': '600' }, 601],
		['dayLimit', { 'retry-after': '30', 'x-ratelimit-limit': '1440' }, 31],
		['minuteLimit', {}, 61],
		['dayLimit', { 'retry-after': '1e12' }, 86_401],
		['minuteLimit', { 'retry-after': 'soon' }, 61],
		['minuteLimit', { 'retry-after': '-5' }, 1],
		['dayLimit', { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT', date: DATE }, 601],
	])('with status 429 is the %s with the headers %j, for %i s', (reason, headers, seconds) => {
		const retryAtMs = NOW_MS + seconds * 1_000;
		expect(createRateLimitFailure(headers, NOW_MS)).toMatchObject({ reason, retryAtMs });
	});

	it('is followed by a wait that doubles, or by the queue after a limit', () => {
		const delaysOf = (failure: RequestFailure, random = 0) =>
			[1, 2, 3, 4].map((count) =>
				computeRetryDelayMs(Array<RequestFailure>(count).fill(failure), 'high', random),
			);
		expect(delaysOf(failureOf(reply(500), listing))).toEqual([500, 1_000, 2_000, undefined]);
		expect(delaysOf(failureOf(reply(500), listing), 1)[0]).toBe(1_000);
		expect(delaysOf(failureOf(reply(429)))).toEqual([0, 0, 0, 0]);
	});
});
