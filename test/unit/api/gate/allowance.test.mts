import { describe, expect, it } from 'vitest';
import {
	decide,
	freshAllowance,
	lost,
	replied,
	sent,
} from '../../../../nodes/FormService/api/gate/allowance.ts';
import type { Allowance } from '../../../../nodes/FormService/api/gate/window.ts';
import { shows } from './shows.mts';

/** How many requests could leave at that time, one after another. */
function leftAt(allowance: Allowance, now: number): number {
	let left = 0;
	for (let state = allowance; decide(state, now).kind === 'send'; left++) {
		state = sent(state, 1_000 + left, now);
	}
	return left;
}

describe('the allowance of an account', () => {
	it('is the minute of the specification before the service has shown anything', () => {
		expect(leftAt(freshAllowance, 0)).toBe(60);
	});

	it('counts a request that is open when the window ends in the next one as well', () => {
		const first = replied(sent(freshAllowance, 1, 0), 1, 200, shows(59), 100);
		const withOpen = sent(first, 2, 59_000);
		expect(leftAt(withOpen, 60_200)).toBe(59);
	});

	it('counts a request that ended just after the window could have ended in the next one as well', () => {
		const both = sent(sent(freshAllowance, 1, 0), 2, 59_000);
		const first = replied(both, 1, 200, shows(58), 3_000);
		const second = lost(first, 2, 61_000);
		expect(leftAt(second, 63_100)).toBe(59);
	});

	it('forgets a request that ended a window ago', () => {
		const second = lost(sent(freshAllowance, 1, 0), 1, 500);
		expect(leftAt(second, 130_000)).toBe(60);
	});

	it('takes a rise of what is left for a new window', () => {
		const first = replied(sent(freshAllowance, 1, 0), 1, 200, shows(3), 100);
		expect(leftAt(first, 20_000)).toBe(3);
		const second = replied(sent(first, 2, 20_000), 2, 200, shows(40), 20_100);
		expect(leftAt(second, 20_200)).toBe(40);
	});

	it('takes a later reply that shows no less for a new window, which can last longer', () => {
		const first = replied(sent(freshAllowance, 1, 0), 1, 200, shows(1), 100);
		const second = replied(sent(first, 2, 20_000), 2, 200, shows(1), 20_100);
		const third = replied(sent(second, 3, 20_200), 3, 200, shows(0), 20_300);
		expect(decide(third, 20_400)).toEqual({ kind: 'wait', until: 80_125 });
	});

	it('does not take a late reply to an early request for a new window', () => {
		const both = sent(sent(freshAllowance, 1, 0), 2, 0);
		const later = replied(both, 2, 200, shows(10), 100);
		expect(leftAt(replied(later, 1, 200, shows(11), 200), 300)).toBe(10);
	});

	it('does not believe in a new window before the one whose start it saw can have ended', () => {
		const first = replied(sent(freshAllowance, 1, 0), 1, 200, shows(59), 100);
		const second = replied(sent(first, 2, 1_000), 2, 200, shows(59), 1_100);
		expect(leftAt(second, 1_200)).toBe(58);
	});

	it('waits a whole window after the last request where the service shows no headers', () => {
		let state = freshAllowance;
		for (let id = 1; id <= 60; id++) state = replied(sent(state, id, 0), id, 200, {}, 500);
		expect(decide(state, 1_000)).toEqual({ kind: 'wait', until: 60_525 });
		expect(leftAt(state, 60_525)).toBe(60);
	});

	it('keeps its own count while the headers show the limit of the day', () => {
		let state = freshAllowance;
		for (let id = 1; id <= 60; id++) {
			state = replied(sent(state, id, 0), id, 200, shows(59 - id + 1, 1_440), 500);
		}
		expect(decide(state, 1_000).kind).toBe('wait');
	});
});

describe('a refusal', () => {
	const refusedWith = (headers: Record<string, string>) =>
		decide(replied(sent(freshAllowance, 1, 0), 1, 429, headers, 1_000), 1_000);

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
});
