import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import {
	parseRefusal,
	parseRetryAfter,
} from '../../../../nodes/FormService/api/rateLimiter/limits.ts';
import type { Headers } from '../../../../nodes/FormService/api/rateLimiter/limits.ts';
import { RateLimiter } from '../../../../nodes/FormService/api/rateLimiter/rateLimiter.ts';

const NOW = Date.parse('Sun, 06 Nov 1994 08:49:00 GMT');

describe('Retry-After', () => {
	it.each([
		// the examples of RFC 9110, sections 5.6.7 and 10.2.3, thirty-seven seconds ahead
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
		['Room 5', undefined],
		['-1', undefined],
		['1e3', undefined],
		['12 seconds', undefined],
		['', undefined],
		[null, undefined],
	])('reads %j as %j seconds', (value, seconds) => {
		expect(parseRetryAfter({ 'retry-after': value }, NOW)).toBe(seconds);
	});

	it('measures a date from the date of the reply, whatever the clock here says', () => {
		const headers = {
			date: 'Fri, 31 Dec 1999 23:59:29 GMT',
			'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT',
		};
		expect(parseRetryAfter(headers, NOW)).toBe(30);
	});
});

describe('a refusal with headers that make no sense', () => {
	const odd = fc.oneof(
		fc.string(),
		fc.nat({ max: 2 ** 53 - 1 }).map(String),
		fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
		fc.array(fc.constantFrom('0', '1', '99999999'), { maxLength: 2 }),
		fc.constantFrom('Fri, 31 Dec 9999 23:59:59 GMT', ' 0 ', '-5', '1e9'),
	);
	const names = ['retry-after', 'x-ratelimit-reset', 'x-ratelimit-limit', 'date'];

	it('is waited for at least a second and at most a day', () => {
		fc.assert(
			fc.property(fc.dictionary(fc.constantFrom(...names), odd), (headers) => {
				const { waitMs = 1_000 } = parseRefusal(headers, NOW);
				expect(waitMs).toBeGreaterThanOrEqual(1_000);
				expect(waitMs).toBeLessThanOrEqual(24 * 3_600_000 + 1_000);
			}),
			{ numRuns: 1_000 },
		);
	});
});

/** The headers that show the allowance (specification, section 8). */
const shows = (remaining: number, limit = 60) => ({
	'x-ratelimit-limit': String(limit),
	'x-ratelimit-remaining': String(remaining),
});

let limiter: RateLimiter;

beforeEach(() => {
	limiter = new RateLimiter();
});

/** A request with its reply. */
function exchange(startedAt: number, endedAt: number, headers: Headers, status = 200) {
	limiter.end(limiter.start(startedAt), { status, headers }, endedAt);
}

/** Sends as many requests as may be sent at once. */
function countSent(now: number): number {
	let sent = 0;
	for (; limiter.decide(now).kind === 'send'; sent++) limiter.start(now);
	return sent;
}

/** Sends as many as may be sent one after another, where each reply shows one less. */
function countSentInTurn(now: number, remaining: number): number {
	let sent = 0;
	while (limiter.decide(now).kind === 'send') exchange(now, now, shows(remaining - ++sent));
	return sent;
}

describe('the rate limiter', () => {
	it("allows the specification's minute before the service has shown a limit", () => {
		expect(countSent(0)).toBe(60);
	});

	it('counts a request while it is open, and for a window after its end', () => {
		limiter.start(0);
		limiter.end(limiter.start(0), undefined, 500);
		expect(countSent(60_524)).toBe(58);
		limiter = new RateLimiter();
		limiter.end(limiter.start(0), undefined, 500);
		expect(countSent(60_525)).toBe(60);
	});

	it('allows no more because a second reply within the minute shows all to be left', () => {
		exchange(0, 100, shows(59));
		exchange(1_000, 1_100, shows(59));
		expect(countSent(1_200)).toBe(58);
	});

	it('allows as many as are shown to remain until the window is over', () => {
		exchange(0, 100, shows(3));
		expect(countSentInTurn(20_000, 3)).toBe(3);
		limiter = new RateLimiter();
		exchange(0, 100, shows(3));
		expect(countSentInTurn(60_125, 60)).toBe(60);
	});

	it('takes a rise of what remains for a new window, unless the reply is a late one', () => {
		exchange(0, 100, shows(3));
		exchange(20_000, 20_100, shows(40));
		expect(countSentInTurn(20_200, 40)).toBe(40);
		limiter = new RateLimiter();
		const early = limiter.start(0);
		exchange(0, 100, shows(10));
		limiter.end(early, { status: 200, headers: shows(11) }, 200);
		expect(countSentInTurn(300, 10)).toBe(10);
	});

	it('follows the limit that the service shows, which is at least one', () => {
		exchange(0, 100, shows(29, 30));
		expect(countSent(200)).toBe(29);
		limiter = new RateLimiter();
		exchange(0, 100, shows(0, 0));
		expect([countSent(200), countSent(60_200)]).toEqual([0, 1]);
	});

	it('does not take the limit of the day for that of the minute', () => {
		exchange(0, 100, shows(30, 1_440));
		expect(countSent(200)).toBe(59);
		limiter = new RateLimiter();
		exchange(0, 100, shows(59));
		exchange(100, 200, shows(20, 2_000));
		expect(countSent(300)).toBe(58);
	});

	it.each(['x-ratelimit-limit', 'x-ratelimit-remaining'])('ignores a lone %s', (name) => {
		exchange(0, 100, { [name]: '5' });
		expect(countSent(200)).toBe(59);
	});
});

describe('a refusal', () => {
	const DATE = 'Sat, 21 Nov 2026 08:00:00 GMT';
	const HOUR_MS = 60 * 60_000;
	const DAY = { kind: 'dayUsedUp' };
	const reset = (value: number) => ({ ...shows(0), date: DATE, 'x-ratelimit-reset': `${value}` });

	it.each<[string, Headers, object]>([
		['Retry-After and a second', { 'retry-after': '20' }, { kind: 'wait', until: 22_000 }],
		['a second', { 'retry-after': '0' }, { kind: 'wait', until: 2_000 }],
		['the minute', { 'retry-after': '60' }, { kind: 'wait', until: 62_000 }],
		['a window where it says nothing', {}, { kind: 'wait', until: 61_025 }],
		[
			'x-ratelimit-reset in epoch seconds',
			reset(Date.parse(DATE) / 1_000 + 30),
			{ kind: 'wait', until: 32_000 },
		],
		[
			'x-ratelimit-reset in epoch milliseconds',
			reset(Date.parse(DATE) + 30_000),
			{ kind: 'wait', until: 32_000 },
		],
		['x-ratelimit-reset in seconds from now', reset(30), { kind: 'wait', until: 32_000 }],
		['more than a minute: the day', { 'retry-after': '61' }, { ...DAY, until: 63_000 }],
		[
			"the day's pair: the day",
			{ ...shows(0, 1_440), 'retry-after': '30' },
			{ ...DAY, until: 32_000, allowed: 1_440 },
		],
		["the day's pair alone: an hour", shows(0, 1_440), { ...DAY, until: 1_000 + HOUR_MS }],
		['an hour of a wait beyond a day', { 'retry-after': '99999999' }, { until: 1_000 + HOUR_MS }],
	])('holds every request back for %s', (_what, headers, expected) => {
		exchange(0, 1_000, headers, 429);
		expect(limiter.decide(1_000)).toMatchObject(expected);
	});

	it('that says nothing lasts until the end of the window, if that is known', () => {
		exchange(0, 100, shows(30));
		exchange(30_000, 30_100, {}, 429);
		expect(limiter.decide(30_100)).toEqual({ kind: 'wait', until: 60_125 });
	});

	it.each([
		['20', '5', 22_000],
		['3600', '120', 3_602_000],
	])('of %s seconds is not shortened by a later one of %s', (first, second, until) => {
		const [one, other] = [limiter.start(0), limiter.start(0)];
		limiter.end(one, { status: 429, headers: { 'retry-after': first } }, 1_000);
		limiter.end(other, { status: 429, headers: { 'retry-after': second } }, 1_000);
		expect(limiter.decide(1_000)).toMatchObject({ until });
	});

	it('takes none of the requests of the next minute, however often it came', () => {
		for (let refused = 0; refused < 70; refused++) exchange(0, 100, { 'retry-after': '5' }, 429);
		expect(countSent(10_000)).toBe(60);
	});

	it('does not count, and the window of earlier replies is over with it', () => {
		exchange(0, 100, shows(0));
		exchange(200, 1_000, { 'retry-after': '5' }, 429);
		expect(limiter.decide(6_999)).toEqual({ kind: 'wait', until: 7_000 });
		expect(limiter.decide(7_000)).toEqual({ kind: 'send' });
	});

	it('is over only at its time, although a late reply shows a new window', () => {
		const late = limiter.start(0);
		exchange(0, 100, { 'retry-after': '5' }, 429);
		limiter.end(late, { status: 200, headers: shows(59) }, 300);
		expect(limiter.decide(400)).toEqual({ kind: 'wait', until: 6_100 });
	});
});
