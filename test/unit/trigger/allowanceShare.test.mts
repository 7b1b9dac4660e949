import { describe, expect, it } from 'vitest';
import {
	activeTriggers,
	claim,
	freeAt,
	freshShare,
	isWaiting,
	requestsLeft,
	requestsLeftFor,
	setWaiting,
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
		const share = claim(claim(ticked(freshShare, polled('one', 10), NOW), 1, 0), 1, 1);
		expect(requestsLeft(share)).toBe(8);
		const settled = settle(share, 1, 3, NOW);
		expect(requestsLeft(settled)).toBe(7);
		expect(requestsLeft(ticked(settled, polled('one', 10), NOW + DAY_MS - 1))).toBe(7);
		expect(requestsLeft(ticked(settled, polled('one', 10), NOW + DAY_MS))).toBe(10);
	});

	it('does not lose a request that was set aside while another look ends', () => {
		const both = claim(claim(ticked(freshShare, polled('one', 10), NOW), 1, 0), 2, 0);
		expect(requestsLeft(settle(both, 1, 0, NOW))).toBe(9);
	});

	it('says when a request will be left again', () => {
		const early = settle(ticked(freshShare, polled('one', 2), NOW), 1, 1, NOW);
		const late = settle(early, 2, 1, NOW + HOUR_MS);
		expect(freeAt(late, 1, NOW + HOUR_MS)).toBe(NOW + DAY_MS);
		expect(freeAt(late, 2, NOW + HOUR_MS)).toBe(NOW + HOUR_MS + DAY_MS);
	});

	it('leaves something for first looks, and for those of triggers with few ticks', () => {
		const share = ticked(freshShare, polled('one', 720), NOW);
		expect(requestsLeftFor(share, { key: 'one', isRare: false }, NOW)).toBe(712);
		expect(requestsLeftFor(share, { key: 'one', isRare: true }, NOW)).toBe(720);
	});

	it('leaves one that has waited for longer what it waits for, while it gets its ticks', () => {
		const two = ticked(ticked(freshShare, polled('one', 50), NOW), polled('two', 50), NOW);
		const first = setWaiting(two, 'two', 30, NOW);
		const both = setWaiting(first, 'one', 1, NOW + MINUTE_MS);
		const leftOf = (key: string, now: number) => requestsLeftFor(both, { key, isRare: true }, now);
		expect(leftOf('one', NOW + MINUTE_MS)).toBe(20);
		expect(leftOf('two', NOW + MINUTE_MS)).toBe(50);
		expect(leftOf('one', NOW + HOUR_MS)).toBe(50);
		expect(isWaiting(both, 'two')).toBe(true);
		expect(isWaiting(setWaiting(both, 'two', undefined, NOW), 'two')).toBe(false);
	});

	it('is of the largest Requests per Day where triggers differ', () => {
		const share = ticked(ticked(freshShare, polled('one', 10), NOW), polled('two', 30), NOW);
		expect(requestsLeft(share)).toBe(30);
	});
});
