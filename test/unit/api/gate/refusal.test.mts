import { describe, expect, it } from 'vitest';
import {
	decide,
	freshAllowance,
	replied,
	sent,
} from '../../../../nodes/FormService/api/gate/allowance.ts';
import { shows } from './shows.mts';

describe('a refusal of the service', () => {
	const refusedWith = (headers: Record<string, unknown>) =>
		decide(replied(sent(freshAllowance, 1, 0), 1, 429, headers, 1_000), 1_000);
	const twice = (first: Record<string, string>, second: Record<string, string>) => {
		const both = sent(sent(freshAllowance, 1, 0), 2, 0);
		return decide(replied(replied(both, 1, 429, first, 1_000), 2, 429, second, 1_000), 1_000);
	};

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
