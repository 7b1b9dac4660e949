import { describe, expect, it } from 'vitest';
import {
	decide,
	freshAllowance,
	lost,
	replied,
	sent,
} from '../../../../nodes/FormService/api/gate/allowance.ts';
import { leftAt, shows } from './showing.mts';

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
