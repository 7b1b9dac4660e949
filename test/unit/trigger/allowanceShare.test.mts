import { describe, expect, it } from 'vitest';
import {
	activeTriggers,
	claim,
	freeAt,
	freshShare,
	requestsLeft,
	settle,
	ticked,
} from '../../../nodes/FormService/trigger/allowanceShare.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../nodes/FormService/trigger/pollSchedule.ts';

const NOW = Date.UTC(2026, 10, 21);

const polled = (key: string, requestsPerDay: number) =>
	({ key, requestsPerDay, occasion: 'tick' }) as const;

describe('The share of a trigger', () => {
	it('is among those that still get their ticks', () => {
		const one = ticked(freshShare, polled('one', 10), NOW);
		const two = ticked(one, polled('two', 10), NOW + 1_000);
		expect(activeTriggers(two, NOW + 1_000)).toBe(2);
		expect(activeTriggers(two, NOW + 3 * MINUTE_MS)).toBe(1);
		expect(activeTriggers(two, NOW + HOUR_MS)).toBe(1);
	});

	it('is among those that get their ticks seldom, until one is late', () => {
		const first = ticked(freshShare, polled('hourly', 10), NOW);
		const hourly = ticked(first, polled('hourly', 10), NOW + HOUR_MS);
		const both = (now: number) => activeTriggers(ticked(hourly, polled('one', 10), now), now);
		expect(both(NOW + 3 * HOUR_MS)).toBe(2);
		expect(both(NOW + 4 * HOUR_MS)).toBe(1);
	});

	it('takes the time that a trigger was off for no time between ticks', () => {
		const first = ticked(freshShare, polled('one', 10), NOW);
		const on = ticked(first, { ...polled('one', 10), occasion: 'publish' }, NOW + 9 * HOUR_MS);
		const now = NOW + 10 * HOUR_MS;
		expect(activeTriggers(ticked(on, polled('two', 10), now), now)).toBe(1);
	});

	it('counts requests that are under way, and those of the last 24 hours', () => {
		const share = claim(claim(ticked(freshShare, polled('one', 10), NOW), 1), 1);
		expect(requestsLeft(share)).toBe(8);
		const settled = settle(share, 1, 3, NOW);
		expect(requestsLeft(settled)).toBe(7);
		expect(requestsLeft(ticked(settled, polled('one', 10), NOW + DAY_MS - 1))).toBe(7);
		expect(requestsLeft(ticked(settled, polled('one', 10), NOW + DAY_MS))).toBe(10);
	});

	it('does not lose a request that was set aside while another look ends', () => {
		const both = claim(claim(ticked(freshShare, polled('one', 10), NOW), 1), 2);
		expect(requestsLeft(settle(both, 1, 0, NOW))).toBe(9);
	});

	it('says when a request will be left again', () => {
		const early = settle(ticked(freshShare, polled('one', 2), NOW), 1, 1, NOW);
		const late = settle(early, 2, 1, NOW + HOUR_MS);
		expect(freeAt(late, 1)).toBe(NOW + DAY_MS);
		expect(freeAt(late, 2)).toBe(NOW + HOUR_MS + DAY_MS);
	});

	it('is of the largest Requests per Day where triggers differ', () => {
		const share = ticked(ticked(freshShare, polled('one', 10), NOW), polled('two', 30), NOW);
		expect(requestsLeft(share)).toBe(30);
	});
});
