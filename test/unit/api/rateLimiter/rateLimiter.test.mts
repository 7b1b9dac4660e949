import { beforeEach, describe, expect, it } from 'vitest';
import { RateLimiter } from '../../../../nodes/FormService/api/rateLimiter/rateLimiter.ts';
import type { Headers } from '../../../../nodes/FormService/api/rateLimiter/limits.ts';

/** The headers of a reply that show the allowance (specification, section 8). */
const shows = (remaining: number, limit = 60) => ({
	'x-ratelimit-limit': String(limit),
	'x-ratelimit-remaining': String(remaining),
});

let limiter: RateLimiter;

beforeEach(() => {
	limiter = new RateLimiter();
});

/** A request with its reply. */
function exchange(left: number, ended: number, headers: Headers, status = 200) {
	limiter.replied(limiter.leave(left), status, headers, ended);
}

/** How many requests can leave at that time; they leave. */
function leftAt(now: number): number {
	let left = 0;
	for (; limiter.decide(now).kind === 'send'; left++) limiter.leave(now);
	return left;
}

/** The same one after another, where others have used the account: each reply shows one less. */
function leftInTurn(now: number, remaining: number): number {
	let left = 0;
	while (limiter.decide(now).kind === 'send') exchange(now, now, shows(remaining - ++left));
	return left;
}

describe('the requests that an account has left', () => {
	it('are the minute of the specification before the service has shown anything', () => {
		expect(leftAt(0)).toBe(60);
	});

	it('are all of them again a window after what was sent has ended', () => {
		limiter.lost(limiter.leave(0), 500);
		expect(leftAt(60_525)).toBe(60);
	});

	it('are fewer by what is open, and by what ended within a window', () => {
		limiter.leave(0);
		limiter.lost(limiter.leave(0), 500);
		expect(leftAt(60_524)).toBe(58);
	});

	it('are not told by a window that begins: the reply to its first request does', () => {
		for (let sent = 0; sent < 60; sent++) exchange(0, 500, shows(59 - sent));
		expect(limiter.decide(1_000)).toEqual({ kind: 'wait', until: 60_525 });
		exchange(60_525, 60_600, shows(59));
		expect(leftAt(60_700)).toBe(59);
	});

	it('are fewer by what was open when a new window began: it may count there', () => {
		const late = limiter.leave(59_900);
		exchange(60_100, 60_200, shows(59));
		limiter.lost(late, 60_300);
		expect(leftAt(60_400)).toBe(58);
	});

	it('are not more because a second reply within the minute shows all to be left', () => {
		exchange(0, 100, shows(59));
		exchange(1_000, 1_100, shows(59));
		expect(leftAt(1_200)).toBe(58);
	});

	it('are as many as are shown to remain, where others use the account', () => {
		exchange(0, 100, shows(3));
		expect(leftInTurn(20_000, 3)).toBe(3);
	});

	it('are more when more is shown to remain than before: that is a new window', () => {
		exchange(0, 100, shows(3));
		exchange(20_000, 20_100, shows(40));
		expect(leftInTurn(20_200, 40)).toBe(40);
	});

	it('are not more by a late reply to an early request', () => {
		const early = limiter.leave(0);
		exchange(0, 100, shows(10));
		limiter.replied(early, 200, shows(11), 200);
		expect(leftInTurn(300, 10)).toBe(10);
	});

	it('are unknown from what remained once that window is over', () => {
		exchange(0, 100, shows(3));
		expect(leftInTurn(60_125, 60)).toBe(60);
	});

	it('follow the limit that the service shows', () => {
		exchange(0, 100, shows(29, 30));
		expect(leftAt(200)).toBe(29);
	});

	it('are one in each window even if the limit shown is 0', () => {
		exchange(0, 100, shows(0, 0));
		expect(leftAt(200)).toBe(0);
		expect(leftAt(60_200)).toBe(1);
	});

	it('are not told by the limit of the day', () => {
		exchange(0, 100, shows(30, 1_440));
		expect(leftAt(200)).toBe(59);
	});

	it('are not told by the limit of the day where a deployment has another one', () => {
		exchange(0, 100, shows(59));
		exchange(100, 200, shows(20, 2_000));
		expect(leftAt(300)).toBe(58);
	});

	it.each(['x-ratelimit-limit', 'x-ratelimit-remaining'])('are told only by a pair: %s', (name) => {
		exchange(0, 100, { [name]: '5' });
		expect(leftAt(200)).toBe(59);
	});
});

describe('a refusal', () => {
	const refusedWith = (headers: Headers) => {
		exchange(0, 1_000, headers, 429);
		return limiter.decide(1_000);
	};
	const DAY = { kind: 'dayUsedUp' };
	const HOUR = 60 * 60_000;

	it.each([
		['20', 22_000],
		['0', 2_000],
		['12.5', 14_500],
		['60', 62_000],
		[['20', '30'], 22_000],
	])('holds everything back for Retry-After (%j) and a second', (given, until) => {
		expect(refusedWith({ 'retry-after': given })).toEqual({ kind: 'wait', until });
	});

	it('holds everything back for a window when it does not say how long', () => {
		expect(refusedWith({})).toEqual({ kind: 'wait', until: 61_000 });
	});

	it('that does not say how long lasts until the end of the window, where that is known', () => {
		exchange(0, 100, shows(30));
		exchange(30_000, 30_100, {}, 429);
		expect(limiter.decide(30_100)).toEqual({ kind: 'wait', until: 60_125 });
	});

	const DATE = 'Sat, 21 Nov 2026 08:00:00 GMT';
	it.each([
		['epoch seconds', Date.parse(DATE) / 1_000 + 30],
		['epoch milliseconds', Date.parse(DATE) + 30_000],
	])('without Retry-After lasts until x-ratelimit-reset, in %s', (_unit, reset) => {
		const headers = { ...shows(0), date: DATE, 'x-ratelimit-reset': String(reset) };
		expect(refusedWith(headers)).toEqual({ kind: 'wait', until: 32_000 });
	});

	it('means the day when Retry-After is over a minute', () => {
		expect(refusedWith({ 'retry-after': '61' })).toMatchObject({ ...DAY, until: 63_000 });
	});

	it('means the day when the pair is the day’s, and tells its limit', () => {
		const headers = { ...shows(0, 1_440), 'retry-after': '30' };
		expect(refusedWith(headers)).toEqual({ ...DAY, until: 32_000, allowed: 1_440 });
	});

	it('means the day for an hour when it does not say how long', () => {
		expect(refusedWith(shows(0, 1_440))).toMatchObject({ ...DAY, until: 1_000 + HOUR });
	});

	it('means the day for an hour when it asks for more than a day', () => {
		expect(refusedWith({ 'retry-after': '99999999999' })).toMatchObject({
			...DAY,
			until: 1_000 + HOUR,
		});
	});

	it.each([
		['20', '5', { kind: 'wait', until: 22_000 }],
		['3600', '120', { ...DAY, until: 3_602_000 }],
	])('is not shortened by a later one (%s, %s)', (first, second, expected) => {
		const both = [limiter.leave(0), limiter.leave(0)];
		limiter.replied(both[0], 429, { 'retry-after': first }, 1_000);
		limiter.replied(both[1], 429, { 'retry-after': second }, 1_000);
		expect(limiter.decide(1_000)).toMatchObject(expected);
	});

	it('does not count, and what was sent before it is of a window that is over then', () => {
		exchange(0, 100, shows(0));
		exchange(200, 1_000, { 'retry-after': '5' }, 429);
		expect(limiter.decide(6_999)).toEqual({ kind: 'wait', until: 7_000 });
		expect(leftInTurn(7_000, 60)).toBe(60);
	});

	it('is over only at its time, though a late reply shows a new window', () => {
		const late = limiter.leave(0);
		exchange(0, 100, { 'retry-after': '5' }, 429);
		limiter.replied(late, 200, shows(59), 300);
		expect(limiter.decide(400)).toEqual({ kind: 'wait', until: 6_100 });
	});

	it('of the day is asked again by one request from time to time, and is over when that is taken', () => {
		exchange(0, 1_000, { 'retry-after': '80000' }, 429);
		const later = 3 * HOUR;
		expect(limiter.decide(HOUR)).toMatchObject(DAY);
		expect(limiter.decide(later)).toEqual({ kind: 'send' });
		const probe = limiter.leave(later);
		expect(limiter.decide(later)).toMatchObject({ ...DAY, until: 80_002_000 });
		limiter.replied(probe, 200, shows(59), later + 100);
		expect(limiter.decide(later + 200)).toEqual({ kind: 'send' });
	});

	it('of the day is not over by a late reply to what left before', () => {
		const early = limiter.leave(0);
		exchange(0, 1_000, { 'retry-after': '80000' }, 429);
		limiter.replied(early, 200, shows(59), 2_000);
		expect(limiter.decide(3_000)).toMatchObject(DAY);
	});
});

describe('where others use the account at the same time', () => {
	it('few are sent at once of what is left, and one alone of the last', () => {
		exchange(0, 100, shows(40));
		exchange(200, 300, shows(20));
		expect(leftAt(400)).toBe(1);
	});

	it('a window is begun with one request', () => {
		exchange(0, 100, shows(40));
		exchange(200, 300, shows(20));
		expect(leftAt(70_000)).toBe(1);
	});

	it('all are sent at once again when ten replies in a row show no trace of them', () => {
		exchange(0, 100, shows(40));
		for (let sent = 0; sent < 10; sent++) exchange(70_000, 70_100, shows(59 - sent));
		expect(leftAt(70_200)).toBe(50);
	});
});
