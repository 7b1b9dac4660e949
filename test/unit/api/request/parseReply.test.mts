import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { endpoints, type Endpoint } from '../../../../nodes/FormService/api/endpoints.ts';
import { createFailure, type RequestFailure } from '../../../../nodes/FormService/api/failures.ts';
import {
	computeRetryDelayMs,
	readReply,
} from '../../../../nodes/FormService/api/request/callApi.ts';
import {
	createRateLimitFailure,
	createTransportFailure,
	parseReply,
	type RawReply,
} from '../../../../nodes/FormService/api/request/parseReply.ts';

/* integration/api/errorTexts.test.mts has what else a failure of each kind leads to. */

const { addResponse: adding, updateSettings: updating } = endpoints;
const NOW_MS = 1_000_000;

const utc = (milliseconds: number) => new Date(milliseconds).toUTCString();

const reply = (status: number, text = '{}', headers = {}): RawReply => ({ status, headers, text });

/** As n8n's helpers throw it: the error of the network is the cause of another. */
const broken = (code: string) =>
	createTransportFailure(new Error('n8n', { cause: Object.assign(new Error('socket'), { code }) }));

function failureOf(ended: RawReply | RequestFailure, endpoint: Endpoint): RequestFailure {
	return parseReply(ended, endpoint, NOW_MS).requestFailure ?? expect.unreachable();
}

it.each<[string, RawReply | RequestFailure, boolean]>([
	['status 409', reply(409, '{"success": true}'), false],
	['status 524', reply(524, '{"success": false}'), true],
	['a redirect', reply(302, '', { location: '/en/login?to=x' }), true],
	['ECONNREFUSED', broken('ECONNREFUSED'), false],
	['ENOTFOUND', broken('ENOTFOUND'), false],
	['EAI_AGAIN', broken('EAI_AGAIN'), false],
	['ETIMEDOUT', broken('ETIMEDOUT'), true],
	['CERT_HAS_EXPIRED', broken('CERT_HAS_EXPIRED'), false],
	['EPROTO', broken('EPROTO'), true],
	['an error without a code', broken(''), true],
])('After %s, the service may have added the response: %s', (_what, ended, mayHaveActed) => {
	const failure = failureOf(ended, adding);
	expect(failure.mayHaveActed).toBe(mayHaveActed);
	if (mayHaveActed) expect(computeRetryDelayMs([failure], 'high', 0)).toBeUndefined();
	expect(failureOf(ended, updating).mayHaveActed).toBe(false);
});

it.each([
	['minuteLimit', { 'retry-after': '599' }, 600],
	['dayLimit', { 'retry-after': '600' }, 601],
	['dayLimit', { 'retry-after': '30', 'x-ratelimit-limit': '1440' }, 31],
	['minuteLimit', {}, 61],
	['minuteLimit', { 'retry-after': '1e12' }, 61],
	['minuteLimit', { 'retry-after': 'soon' }, 61],
	['minuteLimit', { 'retry-after': utc(NOW_MS + 30_000) }, 31],
	// a service whose clock is 15 minutes behind
	['minuteLimit', { 'retry-after': utc(130_000), date: utc(100_000) }, 31],
])('A status 429 is the %s with the headers %j, for %i s', (reason, headers, seconds) => {
	const retryAtMs = NOW_MS + seconds * 1_000;
	expect(createRateLimitFailure(headers, NOW_MS)).toMatchObject({ reason, retryAtMs });
});

it('A request waits twice as long before each retry, and each cause has attempts of its own', () => {
	const [broke, refused] = [createFailure('serverError'), createFailure('minuteLimit')];
	const delayAfter = (failures: RequestFailure[], random = 0) =>
		computeRetryDelayMs(failures, 'high', random);
	const delays = [1, 2, 3, 4].map((count) => delayAfter(Array(count).fill(broke)));
	expect(delays).toEqual([500, 1_000, 2_000, undefined]);
	expect(delayAfter([broke], 1)).toBe(1_000);
	expect(delayAfter([...Array<RequestFailure>(9).fill(refused), broke])).toBe(500);
	// a maintenance pauses the queue of items, and not that of triggers and the editor
	const paused = createFailure('unavailable');
	expect([delayAfter([paused]), computeRetryDelayMs([paused], 'low', 0)]).toEqual([undefined, 0]);
});

it('A character that comes in two parts is read as one', async () => {
	const body = Readable.from([...Buffer.from('é')].map((byte) => Buffer.of(byte)));
	const sent = Promise.resolve({ statusCode: 200, headers: {}, body });
	expect(await readReply(sent, 60_000)).toMatchObject({ text: 'é' });
});
