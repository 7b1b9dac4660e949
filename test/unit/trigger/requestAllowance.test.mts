import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { RequestAllowance } from '../../../nodes/FormService/trigger/requestAllowance.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../nodes/FormService/trigger/schedule.ts';

const NOW = Date.UTC(2026, 10, 21);

let allowance: RequestAllowance;
beforeEach(() => {
	allowance = new RequestAllowance();
});

const polled = (
	key: string,
	now = NOW,
	changes: Partial<Parameters<RequestAllowance['polled']>[1]> = {},
) => allowance.polled(key, { requestsPerDay: 720, weight: 1, isScheduled: true, ...changes }, now);

/** Minutes between two requests of a form. */
const minutes = (key: string, now = NOW) => Math.round(allowance.spacing(key, now) / MINUTE_MS);

describe('The share of a form', () => {
	it('is even among the forms that still get their ticks', () => {
		polled('one');
		polled('two', NOW + 1_000);
		expect(minutes('one', NOW + 1_000)).toBe(4);
		polled('two', NOW + 3 * MINUTE_MS);
		expect(minutes('two', NOW + 3 * MINUTE_MS)).toBe(2);
	});

	it('is among those that get their ticks seldom, until one is late', () => {
		polled('hourly');
		polled('hourly', NOW + HOUR_MS);
		const both = (now: number) => {
			polled('one', now);
			return minutes('one', now);
		};
		expect(both(NOW + 3 * HOUR_MS)).toBe(4);
		expect(both(NOW + 4 * HOUR_MS)).toBe(2);
	});

	it('takes the time that a trigger was off for no time between ticks', () => {
		polled('one');
		polled('one', NOW + 9 * HOUR_MS, { isScheduled: false });
		polled('two', NOW + 10 * HOUR_MS);
		expect(minutes('two', NOW + 10 * HOUR_MS)).toBe(2);
	});

	it('is larger for a form with more weight', () => {
		polled('busy', NOW, { weight: 3 });
		for (const key of ['a', 'b', 'c']) polled(key);
		expect(minutes('busy')).toBe(4);
		expect(minutes('a')).toBe(12);
	});

	it('is no more than it needs, and the others have the rest', () => {
		polled('list', NOW, { most: 24 });
		polled('one');
		expect(minutes('list')).toBe(60);
		expect(allowance.spacing('one', NOW)).toBeCloseTo(DAY_MS / (720 - 24));
	});

	it('is never less than a fifth or more than four times the even one, nor more in all', () => {
		const weights = fc.array(fc.double({ min: 1, max: 100, noNaN: true }), {
			minLength: 1,
			maxLength: 40,
		});
		fc.assert(
			fc.property(weights, fc.integer({ min: 1, max: 5_000 }), (all, requestsPerDay) => {
				allowance = new RequestAllowance();
				all.forEach((weight, index) => polled(`form-${index}`, NOW, { weight, requestsPerDay }));
				const even = requestsPerDay / all.length;
				const shares = all.map((_, index) => DAY_MS / allowance.spacing(`form-${index}`, NOW));
				expect(Math.min(...shares)).toBeGreaterThanOrEqual(even / 5 - 1e-6);
				expect(Math.max(...shares)).toBeLessThanOrEqual(even * 4 + 1e-6);
				expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThan(requestsPerDay + 1e-3);
			}),
		);
	});
});

describe('The requests of a day', () => {
	it('count while they are under way, and for 24 hours from then on', () => {
		polled('one', NOW, { requestsPerDay: 10 });
		const request = allowance.reserve(NOW);
		expect(allowance.left(NOW)).toBe(9);
		allowance.settle(request, 3, NOW);
		expect(allowance.left(NOW + DAY_MS - 1)).toBe(7);
		expect(allowance.left(NOW + DAY_MS)).toBe(10);
	});

	it('that were reserved and not sent do not count', () => {
		polled('one', NOW, { requestsPerDay: 10 });
		allowance.settle(allowance.reserve(NOW), 0, NOW);
		expect(allowance.left(NOW)).toBe(10);
	});

	it('are as many as the largest Requests per Day where triggers differ', () => {
		polled('one', NOW, { requestsPerDay: 10 });
		polled('two', NOW, { requestsPerDay: 30 });
		expect(allowance.left(NOW)).toBe(30);
	});

	it('are not those of a trigger that has had no tick for a day', () => {
		polled('gone', NOW, { requestsPerDay: 1_000 });
		polled('one', NOW + DAY_MS, { requestsPerDay: 10 });
		expect(allowance.left(NOW + DAY_MS)).toBe(10);
	});

	it('are kept in part for first polls, and for triggers that poll seldom', () => {
		polled('one');
		expect(allowance.leftFor('one', NOW - MINUTE_MS, NOW)).toBe(712);
		expect(allowance.leftFor('one', NOW - DAY_MS, NOW)).toBe(720);
	});

	it('go first to a form that has waited for longer, while it gets its ticks', () => {
		polled('one', NOW, { requestsPerDay: 50 });
		polled('two', NOW, { requestsPerDay: 50 });
		expect(allowance.wait('two', 30, NOW)).toBe(true);
		expect(allowance.wait('two', 30, NOW + 1_000)).toBe(false);
		allowance.wait('one', 1, NOW + MINUTE_MS);
		expect(allowance.leftFor('one', -Infinity, NOW + MINUTE_MS)).toBe(20);
		expect(allowance.leftFor('two', -Infinity, NOW + MINUTE_MS)).toBe(50);
		expect(allowance.leftFor('one', -Infinity, NOW + HOUR_MS)).toBe(50);
		allowance.wait('two', undefined, NOW + MINUTE_MS);
		expect(allowance.leftFor('one', -Infinity, NOW + MINUTE_MS)).toBe(50);
	});
});
