import { describe, expect, it } from 'vitest';
import {
	decide,
	freshAllowance,
	replied,
	sent,
} from '../../../../nodes/FormService/api/gate/allowance.ts';
import { shows } from './showing.mts';

describe('a refusal', () => {
	const refusedWith = (headers: Record<string, unknown>) =>
		decide(replied(sent(freshAllowance, 1, 0), 1, 429, headers, 1_000), 1_000);
	const twice = (first: Record<string, string>, second: Record<string, string>) => {
		const both = sent(sent(freshAllowance, 1, 0), 2, 0);
		return decide(replied(replied(both, 1, 429, first, 1_000), 2, 429, second, 1_000), 1_000);
	};

	it('holds everything back for Retry-After and a second', () => {
		expect(refusedWith({ 'retry-after': '20' })).toEqual({ kind: 'wait', until: 22_000 });
	});

	it('holds everything back for a second when Retry-After is 0', () => {
		expect(refusedWith({ 'retry-after': '0' })).toEqual({ kind: 'wait', until: 2_000 });
	});

	it('holds everything back for a window when it does not say how long', () => {
		expect(refusedWith({})).toEqual({ kind: 'wait', until: 61_000 });
	});

	it('reads Retry-After as a date against the date of the reply', () => {
		const headers = {
			date: 'Sat, 21 Nov 2026 08:00:00 GMT',
			'retry-after': 'Sat, 21 Nov 2026 08:00:30 GMT',
		};
		expect(refusedWith(headers)).toEqual({ kind: 'wait', until: 32_000 });
	});

	const DATE = 'Sat, 21 Nov 2026 08:00:00 GMT';
	it.each([
		['seconds', Date.parse(DATE) / 1_000 + 30],
		['milliseconds', Date.parse(DATE) + 30_000],
	])('without Retry-After lasts until x-ratelimit-reset, in epoch %s', (_unit, reset) => {
		const headers = { ...shows(0), date: DATE, 'x-ratelimit-reset': String(reset) };
		expect(refusedWith(headers)).toEqual({ kind: 'wait', until: 32_000 });
	});

	it('means the day when Retry-After is over a minute', () => {
		expect(refusedWith({ 'retry-after': '61' })).toEqual({ kind: 'dayUsedUp', until: 63_000 });
	});

	it('means the day when the pair is the day’s', () => {
		expect(refusedWith({ ...shows(0, 1_440), 'retry-after': '30' })).toEqual({
			kind: 'dayUsedUp',
			until: 32_000,
		});
	});

	it('means the day for an hour when the pair is the day’s and it does not say how long', () => {
		const until = 1_000 + 60 * 60_000;
		expect(refusedWith(shows(0, 1_440))).toEqual({ kind: 'dayUsedUp', until });
	});

	it('never lasts longer than a day', () => {
		const until = 1_000 + 24 * 60 * 60_000 + 1_000;
		expect(refusedWith({ 'retry-after': '999999999' })).toEqual({ kind: 'dayUsedUp', until });
	});

	it('means the minute when Retry-After is a minute', () => {
		expect(refusedWith({ 'retry-after': '60' })).toEqual({ kind: 'wait', until: 62_000 });
	});

	it.each([
		['20', '5', { kind: 'wait', until: 22_000 }],
		['3600', '120', { kind: 'dayUsedUp', until: 3_602_000 }],
	])('is not shortened by a later one (%s, %s)', (first, second, expected) => {
		expect(twice({ 'retry-after': first }, { 'retry-after': second })).toEqual(expected);
	});

	it('that does not say how long lasts until the end of the window, where that is known', () => {
		const first = replied(sent(freshAllowance, 1, 0), 1, 200, shows(30), 100);
		const refused = replied(sent(first, 2, 30_000), 2, 429, {}, 30_100);
		expect(decide(refused, 30_100)).toEqual({ kind: 'wait', until: 60_125 });
	});

	it('reads a date against this clock where the reply has none, and a date that is over as now', () => {
		const at = (ms: number) => ({ 'retry-after': new Date(ms).toUTCString() });
		expect(refusedWith(at(31_000))).toEqual({ kind: 'wait', until: 32_000 });
		expect(refusedWith(at(0))).toEqual({ kind: 'wait', until: 2_000 });
	});

	it('reads the first of repeated headers', () => {
		expect(refusedWith({ 'retry-after': ['20', '30'] })).toEqual({ kind: 'wait', until: 22_000 });
	});
});
