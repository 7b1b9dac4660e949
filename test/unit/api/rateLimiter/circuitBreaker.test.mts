import { beforeEach, describe, expect, it } from 'vitest';
import { CircuitBreaker } from '../../../../nodes/FormService/api/rateLimiter/circuitBreaker.ts';

let breaker: CircuitBreaker;

beforeEach(() => {
	breaker = new CircuitBreaker(20);
});

const fail = (times: number, now = 0) => {
	for (let failed = 0; failed < times; failed++) breaker.failed(now);
};

describe('the circuit breaker', () => {
	it('is closed while failures are few, or not in a row, and by one success', () => {
		fail(19);
		breaker.succeeded();
		fail(19);
		expect([breaker.isOpen, breaker.pause(0)]).toEqual([false, undefined]);
		fail(30);
		breaker.succeeded();
		expect([breaker.isOpen, breaker.pause(0)]).toEqual([false, undefined]);
	});

	it('opens after as many failures in a row, and does not count what was under way then', () => {
		fail(23);
		expect(breaker.isOpen).toBe(true);
		expect(breaker.pause(9_999)).toEqual({ kind: 'wait', until: 10_000 });
		expect(breaker.pause(10_000)).toBeUndefined();
	});

	it('asks half as often each time, at least every 5 minutes, and lets items fail after 3 times', () => {
		fail(20);
		const kinds: string[] = [];
		for (const now of [10_000, 30_000, 70_000]) {
			fail(1, now);
			kinds.push(breaker.pause(now)!.kind);
		}
		expect(kinds).toEqual(['wait', 'wait', 'open']);
		expect(breaker.pause(150_000)).toBeUndefined();
		let now = 150_000;
		for (let asked = 0; asked < 20; asked++) fail(1, (now += 300_000));
		expect(breaker.pause(now + 300_000)).toBeUndefined();
	});
});
