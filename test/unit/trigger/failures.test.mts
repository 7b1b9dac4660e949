import fc from 'fast-check';
import type { Failure } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	afterFailure,
	afterSuccess,
	backOffUntil,
	LONGEST_BACK_OFF_MS,
} from '../../../nodes/FormService/trigger/failures.ts';
import { noFailures, type Failures } from '../../../nodes/FormService/trigger/memory.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../nodes/FormService/trigger/schedule.ts';

const NOW = Date.UTC(2026, 10, 21);
const spacing = 2 * MINUTE_MS;
const unavailable: Failure = { cause: 'temporarily-unavailable' };

const fail = (
	before: Failures,
	now: number,
	more: Partial<Parameters<typeof afterFailure>[1]> = {},
) =>
	afterFailure(before, {
		isWhole: true,
		startedAt: now,
		now,
		failure: unavailable,
		report: 'hourly',
		...more,
	});

/** Polls that fail, each when the back-off is over: whether each is reported, and the minutes until the next. */
function failing(times: number, failure: Failure = unavailable) {
	let failures = noFailures;
	let now = NOW;
	return Array.from({ length: times }, () => {
		const next = fail(failures, now, { failure });
		failures = next.failures;
		const wait = backOffUntil(failures, spacing) - now;
		now += wait;
		return { isReported: next.isReported, wait: wait / MINUTE_MS };
	});
}

describe('After failures', () => {
	it('the wait doubles up to 30 minutes', () => {
		expect(failing(6).map(({ wait }) => wait)).toEqual([4, 8, 16, 30, 30, 30]);
	});

	it('the wait is some seconds however large the allowance is', () => {
		expect(backOffUntil(fail(noFailures, NOW).failures, 86)).toBe(NOW + 20_000);
	});

	it('the wait is what the service asks for, up to an hour', () => {
		const asks = (retryAfterMs: number) =>
			failing(1, { cause: 'rate-limited', retryAfterMs })[0].wait;
		expect(asks(10 * MINUTE_MS)).toBe(10);
		expect(asks(DAY_MS)).toBe(60);
		const until: Failure = { cause: 'quota-exhausted', resetsAtEpochMs: NOW + 45 * MINUTE_MS };
		expect(failing(1, until)[0].wait).toBe(45);
	});

	it('the service is not asked before the time that it named, whatever fails then', () => {
		const named: Failure = { cause: 'quota-exhausted', retryAfterMs: HOUR_MS };
		const first = fail(noFailures, NOW, { failure: named }).failures;
		const second = fail(first, NOW).failures;
		expect(backOffUntil(second, 1_000)).toBe(NOW + HOUR_MS);
	});

	it('people are told the third time, and again once an hour', () => {
		// polls at 0, 4, 12, 28, 58, 88, 118, 148, 178 and 208 minutes
		const reported = failing(10).flatMap(({ isReported }, index) => (isReported ? [index] : []));
		expect(reported).toEqual([2, 5, 7, 9]);
	});

	it('people are told at once when they are waiting for the result', () => {
		expect(fail(noFailures, NOW, { report: 'atOnce' }).isReported).toBe(true);
	});

	it('a good poll ends the back-off, and only what the service asked to wait remains', () => {
		let failures = fail(noFailures, NOW, {
			failure: { cause: 'rate-limited', retryAfterMs: MINUTE_MS },
		}).failures;
		for (let times = 0; times < 5; times++) failures = fail(failures, NOW).failures;
		const well = afterSuccess(failures, true);
		expect(well).toMatchObject({ count: 0, wholeCount: 0, reportedAt: undefined });
		expect(backOffUntil(well, spacing)).toBe(NOW + MINUTE_MS);
	});

	it('waits never get shorter, and never longer than 30 minutes without a reason', () => {
		fc.assert(
			fc.property(fc.integer({ min: 86, max: DAY_MS }), fc.nat({ max: 40 }), (own, times) => {
				let failures = noFailures;
				let last = 0;
				for (let poll = 0; poll < times; poll++) {
					failures = fail(failures, NOW).failures;
					const wait = backOffUntil(failures, own) - NOW;
					expect(wait).toBeGreaterThanOrEqual(last);
					expect(wait).toBeLessThanOrEqual(LONGEST_BACK_OFF_MS);
					last = wait;
				}
			}),
		);
	});
});

it('A listing that cannot be read whole is reported at its third failure, whatever short readings say', () => {
	let failures = noFailures;
	const reports = [1, 2, 3].map((day) => {
		const next = fail(failures, NOW + day * DAY_MS);
		failures = afterSuccess(next.failures, false);
		return next.isReported;
	});
	expect(reports).toEqual([false, false, true]);
	expect(afterSuccess(failures, true).wholeCount).toBe(0);
});
