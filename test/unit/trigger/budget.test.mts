import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { Budget } from '../../../nodes/FormService/trigger/budget.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../nodes/FormService/trigger/schedule.ts';

const NOW = Date.UTC(2026, 10, 21);

let budget: Budget;
beforeEach(() => {
	budget = new Budget();
});

const tick = (key: string, now = NOW, changes: Partial<Parameters<Budget['tick']>[1]> = {}) =>
	budget.tick(key, { requestsPerDay: 720, weight: 1, isTick: true, ...changes }, now);

/** A poll that sends so many requests and ends at once. */
const spend = (requests: number, now = NOW) => budget.reserve().release(requests, now);

/** Minutes between two requests of a form. */
const minutes = (key: string, now = NOW) => Math.round(budget.spacing(key, now) / MINUTE_MS);

describe('The share of a form', () => {
	it('is even among the forms that still get their ticks', () => {
		tick('one');
		tick('two', NOW + 1_000);
		expect(minutes('one', NOW + 1_000)).toBe(4);
		tick('two', NOW + 3 * MINUTE_MS);
		expect(minutes('two', NOW + 3 * MINUTE_MS)).toBe(2);
	});

	it('is among those that get their ticks seldom, until one is late', () => {
		tick('hourly');
		tick('hourly', NOW + HOUR_MS);
		const both = (now: number) => {
			tick('one', now);
			return minutes('one', now);
		};
		expect(both(NOW + 3 * HOUR_MS)).toBe(4);
		expect(both(NOW + 4 * HOUR_MS)).toBe(2);
	});

	it('takes the time that a trigger was off for no time between ticks', () => {
		tick('one');
		tick('one', NOW + 9 * HOUR_MS, { isTick: false });
		tick('two', NOW + 10 * HOUR_MS);
		expect(minutes('two', NOW + 10 * HOUR_MS)).toBe(2);
	});

	it('is larger for a form with more weight', () => {
		tick('busy', NOW, { weight: 3 });
		for (const key of ['a', 'b', 'c']) tick(key);
		expect(minutes('busy')).toBe(4);
		expect(minutes('a')).toBe(12);
	});

	it('is no more than it needs, and the others have the rest', () => {
		tick('list', NOW, { most: 24 });
		tick('one');
		expect(minutes('list')).toBe(60);
		expect(budget.spacing('one', NOW)).toBeCloseTo(DAY_MS / (720 - 24));
	});

	it('is never less than a quarter or more than four times the even one, nor more in all', () => {
		const weights = fc.array(fc.double({ min: 1, max: 100, noNaN: true }), {
			minLength: 1,
			maxLength: 40,
		});
		fc.assert(
			fc.property(weights, fc.integer({ min: 1, max: 5_000 }), (all, requestsPerDay) => {
				budget = new Budget();
				all.forEach((weight, index) => tick(`form-${index}`, NOW, { weight, requestsPerDay }));
				const even = requestsPerDay / all.length;
				const shares = all.map((_, index) => DAY_MS / budget.spacing(`form-${index}`, NOW));
				expect(Math.min(...shares)).toBeGreaterThanOrEqual(even / 4 - 1e-6);
				expect(Math.max(...shares)).toBeLessThanOrEqual(even * 4 + 1e-6);
				expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(requestsPerDay, 3);
			}),
		);
	});
});

describe('The requests of a day', () => {
	it('count while they are under way, and for 24 hours from then on', () => {
		tick('one', NOW, { requestsPerDay: 10 });
		const poll = budget.reserve();
		poll.hold(2, NOW);
		expect(budget.left(NOW)).toBe(8);
		poll.release(3, NOW);
		expect(budget.left(NOW)).toBe(7);
		expect(budget.left(NOW + DAY_MS - 1)).toBe(7);
		expect(budget.left(NOW + DAY_MS)).toBe(10);
	});

	it('that were set aside and not sent do not count', () => {
		tick('one', NOW, { requestsPerDay: 10 });
		const poll = budget.reserve();
		poll.hold(2, NOW);
		poll.release(1, NOW);
		expect(budget.left(NOW)).toBe(9);
	});

	it('are left again after a day', () => {
		tick('one', NOW, { requestsPerDay: 2 });
		spend(1);
		spend(1, NOW + HOUR_MS);
		expect(budget.freeAt(1, NOW + HOUR_MS)).toBe(NOW + DAY_MS);
		expect(budget.freeAt(2, NOW + HOUR_MS)).toBe(NOW + HOUR_MS + DAY_MS);
	});

	it('are as many as the largest Requests per Day where triggers differ', () => {
		tick('one', NOW, { requestsPerDay: 10 });
		tick('two', NOW, { requestsPerDay: 30 });
		expect(budget.left(NOW)).toBe(30);
	});

	it('are not those of a trigger that has had no tick for a day', () => {
		tick('gone', NOW, { requestsPerDay: 1_000 });
		tick('one', NOW + DAY_MS, { requestsPerDay: 10 });
		expect(budget.left(NOW + DAY_MS)).toBe(10);
	});

	it('are kept in part for first polls, and for triggers that poll seldom', () => {
		tick('one');
		expect(budget.leftFor('one', NOW - MINUTE_MS, NOW)).toBe(712);
		expect(budget.leftFor('one', NOW - DAY_MS, NOW)).toBe(720);
	});

	it('go first to a form that has waited for longer, while it gets its ticks', () => {
		tick('one', NOW, { requestsPerDay: 50 });
		tick('two', NOW, { requestsPerDay: 50 });
		expect(budget.wait('two', 30, NOW)).toBe(true);
		expect(budget.wait('two', 30, NOW + 1_000)).toBe(false);
		budget.wait('one', 1, NOW + MINUTE_MS);
		expect(budget.leftFor('one', -Infinity, NOW + MINUTE_MS)).toBe(20);
		expect(budget.leftFor('two', -Infinity, NOW + MINUTE_MS)).toBe(50);
		expect(budget.leftFor('one', -Infinity, NOW + HOUR_MS)).toBe(50);
		budget.wait('two', undefined, NOW + MINUTE_MS);
		expect(budget.leftFor('one', -Infinity, NOW + MINUTE_MS)).toBe(50);
	});
});
