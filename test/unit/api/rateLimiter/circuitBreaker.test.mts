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
	it('is closed while failures are few, or not in a row', () => {
		fail(19);
		breaker.succeeded();
		fail(19);
		expect([breaker.isOpen, breaker.pause(0)]).toEqual([false, undefined]);
	});

	it('opens after as many failures in a row as it is told, and has items wait to ask again', () => {
		fail(20);
		expect(breaker.isOpen).toBe(true);
		expect(breaker.pause(9_999)).toEqual({ kind: 'wait', until: 10_000 });
		expect(breaker.pause(10_000)).toBeUndefined();
	});

	it('does not count what was under way when it opened as an answer to its question', () => {
		fail(23);
		expect(breaker.pause(0)).toEqual({ kind: 'wait', until: 10_000 });
	});

	it('asks half as often each time, and after three times in vain lets items fail at once', () => {
		fail(20);
		const kinds: string[] = [];
		for (const now of [10_000, 30_000, 70_000]) {
			fail(1, now);
			kinds.push(breaker.pause(now)!.kind);
		}
		expect(kinds).toEqual(['wait', 'wait', 'open']);
		expect(breaker.pause(150_000)).toBeUndefined();
	});

	it('asks at least every five minutes', () => {
		fail(20);
		let now = 0;
		for (let asked = 0; asked < 20; asked++) fail(1, (now += 300_000));
		expect(breaker.pause(now + 300_000)).toBeUndefined();
	});

	it('is closed by one success', () => {
		fail(30);
		breaker.succeeded();
		expect([breaker.isOpen, breaker.pause(0)]).toEqual([false, undefined]);
	});
});
