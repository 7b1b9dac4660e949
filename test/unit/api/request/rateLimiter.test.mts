import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRefusal, parseRetryAfter } from '../../../../nodes/FormService/api/request/limits.ts';
import type { Headers } from '../../../../nodes/FormService/api/request/limits.ts';
import { RateLimiter } from '../../../../nodes/FormService/api/request/rateLimiter.ts';

const DATE = 'Sat, 21 Nov 2026 08:00:00 GMT';
const NOW = Date.parse(DATE);
const HOUR_MS = 60 * 60_000;

describe('Retry-After', () => {
	it.each([
		// the examples of RFC 9110, sections 5.6.7 and 10.2.3, read at 08:49:00
		['Sun, 06 Nov 1994 08:49:37 GMT', 37],
		['Sunday, 06-Nov-94 08:49:37 GMT', 37],
		['Sun Nov  6 08:49:37 1994', 37],
		['Fri, 31 Dec 1993 23:59:59 GMT', 0],
		['120', 120],
		['12.5', 12.5],
		[' 7 ', 7],
		[7, 7],
		[['20', '30'], 20],
		// neither a zone nor one of the three forms
		['1994-11-06T08:49:37', undefined],
		['06/11/1994 10:00', undefined],
		['-1', undefined],
		['1e3', undefined],
		['12 seconds', undefined],
		['', undefined],
		[null, undefined],
	])('reads %j as %j seconds', (value, seconds) => {
		const now = Date.parse('Sun, 06 Nov 1994 08:49:00 GMT');
		expect(parseRetryAfter({ 'retry-after': value }, now)).toBe(seconds);
	});

	it('measures a date from the date of the reply, whatever the clock here says', () => {
		const headers = { date: DATE, 'retry-after': 'Sat, 21 Nov 2026 08:00:30 GMT' };
		expect(parseRetryAfter(headers, NOW + HOUR_MS)).toBe(30);
	});

	it('is at least a second and at most a day, whatever the headers are', () => {
		const value = fc.oneof(
			fc.string(),
			fc.nat({ max: 2 ** 53 - 1 }).map(String),
			fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
			fc.array(fc.constantFrom('0', '1', '99999999'), { maxLength: 2 }),
			fc.constantFrom('Fri, 31 Dec 9999 23:59:59 GMT', ' 0 ', '-5', '1e9'),
		);
		const name = fc.constantFrom('retry-after', 'x-ratelimit-reset', 'x-ratelimit-limit', 'date');
		const property = fc.property(fc.dictionary(name, value), (headers) => {
			const { waitMs = 1_000 } = parseRefusal(headers, NOW);
			expect(waitMs).toBeGreaterThanOrEqual(1_000);
			expect(waitMs).toBeLessThanOrEqual(24 * HOUR_MS + 1_000);
		});
		fc.assert(property, { numRuns: 1_000 });
	});
});

/** The headers that show the allowance (specification, section 8). */
const shows = (remaining: number, limit = 60) => ({
	'x-ratelimit-limit': `${limit}`,
	'x-ratelimit-remaining': `${remaining}`,
});

const reply = (startedAt: number, endedAt: number, headers: Headers = {}, status = 200) => ({
	startedAt,
	endedAt,
	reply: { status, headers },
});
type Exchange = ReturnType<typeof reply>;

const after = (seconds: number) => ({ 'retry-after': `${seconds}` });
const refusal = (endedAt: number, headers: Headers) => reply(0, endedAt, headers, 429);

function createLimiter(exchanges: readonly Exchange[]): RateLimiter {
	const limiter = new RateLimiter();
	const ids = exchanges.map(({ startedAt }) => limiter.start(startedAt));
	for (const [index, one] of exchanges.entries()) limiter.end(ids[index], one.reply, one.endedAt);
	return limiter;
}

const spent = Array.from({ length: 60 }, (_, second) => reply(0, second * 1_000));
const refusedOften = Array.from({ length: 70 }, () => refusal(100, after(5)));
const inTurn = (...remaining: number[]) =>
	remaining.map((left, index) => reply(index * 1_000, index * 1_000 + 100, shows(left)));
const lone = (name: string) => [reply(0, 100, { [`x-ratelimit-${name}`]: '5' })];

it.each<[string, Exchange[], { now: number; sent: number }]>([
	["the specification's limit at first", [], { now: 0, sent: 60 }],
	['less for a minute after a reply', [reply(0, 500)], { now: 60_524, sent: 59 }],
	['all again when that minute is over', [reply(0, 500)], { now: 60_525, sent: 60 }],
	['none in a minute that is used up', spent, { now: 60_024, sent: 0 }],
	['one when the first of the minute no longer counts', spent, { now: 60_025, sent: 1 }],
	['what a reply shows to remain', inTurn(3), { now: 60_124, sent: 3 }],
	['all when that window is over', inTurn(3), { now: 60_125, sent: 60 }],
	['no more because a later reply shows all to be left', inTurn(59, 59), { now: 1_200, sent: 58 }],
	['more if a later request shows more to remain', inTurn(3, 40), { now: 1_200, sent: 40 }],
	[
		'no more if a late reply shows more to remain',
		[reply(0, 100, shows(10)), reply(0, 200, shows(11))],
		{ now: 300, sent: 10 },
	],
	['the limit that a reply shows', [reply(0, 100, shows(29, 30))], { now: 200, sent: 29 }],
	['none while a limit of 0 is shown', [reply(0, 100, shows(0, 0))], { now: 200, sent: 0 }],
	['one a minute with a limit of 0', [reply(0, 100, shows(0, 0))], { now: 60_200, sent: 1 }],
	['no less if the day is shown', [reply(0, 1, shows(30, 1_440))], { now: 2, sent: 59 }],
	[
		'no less if the day of another deployment is shown',
		[...inTurn(59), reply(100, 200, shows(20, 2_000))],
		{ now: 300, sent: 58 },
	],
	['no less after a lone limit', lone('limit'), { now: 200, sent: 59 }],
	['no less after a lone remainder', lone('remaining'), { now: 200, sent: 59 }],
	['all after many refusals', refusedOften, { now: 10_000, sent: 60 }],
])('the rate limiter allows %s', (_what, exchanges, { now, sent }) => {
	const limiter = createLimiter(exchanges);
	let count = 0;
	for (; limiter.decide(now).kind === 'send'; count++) limiter.start(now);
	expect(count).toBe(sent);
});

describe('a refusal', () => {
	const wait = (until: number) => ({ kind: 'wait', until });
	const day = (until: number) => ({ kind: 'dayUsedUp', until });
	const reset = (value: number) => ({ ...shows(0), date: DATE, 'x-ratelimit-reset': `${value}` });

	it.each<[string, Headers, object]>([
		['Retry-After and a second', after(20), wait(22_000)],
		['a second', after(0), wait(2_000)],
		['the minute', after(60), wait(62_000)],
		['a window if it says nothing', {}, wait(61_025)],
		['x-ratelimit-reset in epoch seconds', reset(NOW / 1_000 + 30), wait(32_000)],
		['x-ratelimit-reset in epoch milliseconds', reset(NOW + 30_000), wait(32_000)],
		['x-ratelimit-reset in seconds from now', reset(30), wait(32_000)],
		['more than a minute: the day', after(61), day(63_000)],
		["the day's pair: the day", { ...shows(0, 1_440), ...after(30) }, { allowed: 1_440 }],
		["the day's pair alone: an hour", shows(0, 1_440), day(1_000 + HOUR_MS)],
		['an hour instead of more than a day', after(99_999_999), day(1_000 + HOUR_MS)],
	])('holds every request back for %s', (_what, headers, expected) => {
		const limiter = createLimiter([refusal(1_000, headers)]);
		expect(limiter.decide(1_000)).toMatchObject(expected);
	});

	it.each<[string, Exchange[], object]>([
		[
			'ends with the known window if it says nothing',
			[...inTurn(30), refusal(300, {})],
			wait(60_125),
		],
		[
			'of a limit that is larger than the known one is for the day',
			[...inTurn(59), refusal(300, { ...shows(0, 2_000), ...after(30) })],
			{ ...day(31_300), allowed: 2_000 },
		],
		['ends the window that a reply showed', [...inTurn(0), refusal(300, after(5))], wait(6_300)],
		['outlasts a shorter one', [refusal(300, after(20)), refusal(300, after(5))], wait(21_300)],
		[
			"outlasts a shorter one of the day's limit",
			[refusal(300, after(3_600)), refusal(300, after(120))],
			{ ...day(3_601_300), allowed: undefined },
		],
		[
			'outlasts a late reply that shows a new window',
			[refusal(100, after(5)), reply(0, 300, shows(59))],
			wait(6_100),
		],
	])('%s', (_name, exchanges, expected) => {
		expect(createLimiter(exchanges).decide(400)).toEqual(expected);
	});
});

/** So many requests, a tenth of them in each of ten hours. */
const inTenHours = (count: number, headers: Headers = {}) =>
	Array.from({ length: count }, (_, index) => {
		const at = Math.ceil((10 * (index + 1)) / count) * HOUR_MS;
		return reply(at, at, headers);
	});
const refusedAt = (hour: number, headers: Headers) => ({
	...refusal(hour * HOUR_MS, headers),
	startedAt: hour * HOUR_MS,
});

describe('what is surely left of the day', () => {
	it.each<[string, Exchange[], { hour: number; left?: number }]>([
		['is all of it at first', [], { hour: 0, left: 1_440 }],
		['is less by each request', inTenHours(600), { hour: 10, left: 840 }],
		['is never less than none', inTenHours(2_000), { hour: 10, left: 0 }],
		['counts a request for 24 hours', inTenHours(100), { hour: 24.9, left: 1_340 }],
		['counts no request for longer', inTenHours(100), { hour: 27, left: 1_370 }],
		['counts no refusals', [refusedAt(0, after(5)), refusedAt(1, {})], { hour: 2, left: 1_440 }],
		['is what a reply shows of the day', inTenHours(1, shows(20, 1_440)), { hour: 10, left: 20 }],
		['is not known with another limit a minute', inTenHours(9, shows(99, 100)), { hour: 10 }],
		['is none while the day is used up', [refusedAt(1, after(7_200))], { hour: 2, left: 0 }],
		[
			'is all of it on the day that a refusal has announced',
			[...inTenHours(500), refusedAt(10, after(7_200))],
			{ hour: 12.1, left: 1_440 },
		],
		['outlasts no clock that is set back', inTenHours(100), { hour: -700, left: 1_340 }],
	])('%s', (_what, exchanges, { hour, left }) => {
		const limiter = createLimiter(exchanges);
		expect(limiter.countLeft(hour * HOUR_MS)).toBe(left);
		if (hour < 0) expect(limiter.countLeft((hour + 24) * HOUR_MS)).toBe(1_440);
	});

	it('counts a request whose reply was lost', () => {
		const limiter = new RateLimiter();
		limiter.end(limiter.start(0), undefined, 100);
		expect(limiter.countLeft(200)).toBe(1_439);
	});
});

it.each<[string, string, number, Headers, Headers?]>([
	['dayUsedUp', '1,440 requests in a day', 1_440, {}],
	['dayUsedUp', 'nearly as many', 1_380, {}],
	['dayUsedUp', 'more, counted by two days of the service', 1_500, {}],
	['wait', 'fewer', 1_370, {}],
	['wait', 'as many, if it asks to wait for seconds', 1_440, after(20)],
	['wait', 'as many, where the limit of the day is not known', 1_440, {}, shows(99, 100)],
])('a refusal of the minute is %s after %s', (kind, _what, count, headers, shown = {}) => {
	const last = refusedAt(10, { ...shows(0), ...headers });
	const decision = createLimiter([...inTenHours(count, shown), last]).decide(10 * HOUR_MS + 1);
	expect(decision).toMatchObject({ kind });
	expect(decision).not.toHaveProperty('allowed', 60);
});
