import { describe, expect, it } from 'vitest';
import {
	decide,
	freshAllowance,
	lost,
	replied,
	sent,
} from '../../../../nodes/FormService/api/gate/allowance.ts';
import { leftAt, shows } from './showing.mts';

/** After one request that was sent at 0 and answered at 100 with this pair. */
const afterOne = (remaining: number, limit?: number) =>
	replied(sent(freshAllowance, 1, 0), 1, 200, shows(remaining, limit), 100);

describe('the window of the service', () => {
	it('that began with a request which was seen ends a minute after its reply, whatever is shown later', () => {
		const second = replied(sent(afterOne(59), 2, 10_000), 2, 200, shows(59), 10_100);
		expect(leftAt(second, 60_200)).toBe(60);
	});

	it('that a reply shows to be whole but for its own request began with that request', () => {
		const second = replied(sent(afterOne(3), 2, 20_000), 2, 200, shows(59), 20_100);
		expect(leftAt(second, 20_200)).toBe(59);
		expect(leftAt(second, 80_200)).toBe(60);
	});

	it('is not ended by a reply to a request of the one before', () => {
		const both = sent(sent(freshAllowance, 1, 0), 2, 0);
		const first = replied(both, 1, 200, shows(58), 100);
		const next = sent(first, 3, 61_000);
		const late = replied(next, 2, 200, shows(0), 62_000);
		expect(decide(late, 63_000)).toEqual({ kind: 'waitForReply' });
	});

	it('does not count a request that ended before it could begin', () => {
		const both = replied(sent(sent(freshAllowance, 1, 0), 2, 59_000), 1, 200, shows(58), 100);
		expect(leftAt(lost(both, 2, 59_500), 60_200)).toBe(60);
	});

	it('that began while a request was under way has ended a minute after that', () => {
		const both = replied(sent(sent(freshAllowance, 1, 0), 2, 59_000), 1, 200, shows(58), 100);
		expect(leftAt(lost(both, 2, 65_000), 130_000)).toBe(60);
	});
});

describe('the headers of a reply', () => {
	it('give the limit of the next window too', () => {
		expect(leftAt(afterOne(29, 30), 200)).toBe(29);
		expect(leftAt(afterOne(29, 30), 60_200)).toBe(30);
	});

	it('let one request through in each window even if they show a limit of 0', () => {
		expect(leftAt(afterOne(0, 0), 200)).toBe(0);
		expect(leftAt(afterOne(0, 0), 60_200)).toBe(1);
	});

	it('say nothing of the minute while they show the day', () => {
		expect(leftAt(afterOne(30, 1_440), 200)).toBe(59);
	});

	it.each(['x-ratelimit-limit', 'x-ratelimit-remaining'])('count only as a pair: %s', (name) => {
		const state = replied(sent(freshAllowance, 1, 0), 1, 200, { [name]: '5' }, 100);
		expect(leftAt(state, 200)).toBe(59);
	});
});

describe('after a refusal', () => {
	it('all of a new window is left, and the refused request does not count', () => {
		const both = sent(sent(freshAllowance, 1, 0), 2, 0);
		const first = replied(both, 1, 200, shows(0), 100);
		const refused = replied(first, 2, 429, { 'retry-after': '5' }, 1_000);
		expect(decide(refused, 6_999)).toEqual({ kind: 'wait', until: 7_000 });
		expect(leftAt(refused, 7_000)).toBe(60);
	});

	it('of the day, what was known of the minute still holds', () => {
		const first = replied(sent(sent(freshAllowance, 1, 0), 2, 0), 1, 200, shows(9, 10), 100);
		const refused = replied(first, 2, 429, { 'retry-after': '61' }, 200);
		expect(decide(refused, 62_199)).toEqual({ kind: 'dayUsedUp', until: 62_200 });
		expect(leftAt(refused, 62_200)).toBe(10);
	});
});
