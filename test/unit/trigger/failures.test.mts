import type { Failure } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	afterFailure,
	afterSuccess,
	backOffUntil,
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

/** Minutes from a first failed poll to the next one. */
const waitAfter = (failure: Failure) =>
	(backOffUntil(fail(noFailures, NOW, { failure }).failures, spacing) - NOW) / MINUTE_MS;

describe('After failures', () => {
	it('the wait is some seconds however large the allowance is', () => {
		expect(backOffUntil(fail(noFailures, NOW).failures, 86)).toBe(NOW + 20_000);
	});

	it('the wait is what the service asks for, up to an hour', () => {
		const asks = (retryAfterMs: number) => waitAfter({ cause: 'rate-limited', retryAfterMs });
		expect(asks(10 * MINUTE_MS)).toBe(10);
		expect(asks(DAY_MS)).toBe(60);
		const until: Failure = { cause: 'quota-exhausted', resetsAtEpochMs: NOW + 45 * MINUTE_MS };
		expect(waitAfter(until)).toBe(45);
	});

	it('the service is not asked before the time that it named, whatever fails then', () => {
		const named: Failure = { cause: 'quota-exhausted', retryAfterMs: HOUR_MS };
		const first = fail(noFailures, NOW, { failure: named }).failures;
		const second = fail(first, NOW).failures;
		expect(backOffUntil(second, 1_000)).toBe(NOW + HOUR_MS);
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
