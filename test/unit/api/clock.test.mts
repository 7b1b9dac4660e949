import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clock } from '../../../nodes/FormService/api/clock.ts';

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	vi.useRealTimers();
});

/** Whether a sleep has ended by now. */
function watch(sleep: Promise<void>) {
	const seen = { over: false };
	void sleep.then(() => {
		seen.over = true;
	});
	return seen;
}

describe('the clock', () => {
	it('sleeps as long as it is told', async () => {
		const seen = watch(clock.sleep(1_000));
		await vi.advanceTimersByTimeAsync(999);
		expect(seen.over).toBe(false);
		await vi.advanceTimersByTimeAsync(1);
		expect(seen.over).toBe(true);
	});

	it('wakes at once when the signal aborts, and keeps nothing of it', async () => {
		const controller = new AbortController();
		const seen = watch(clock.sleep(60_000, controller.signal));
		controller.abort();
		await vi.advanceTimersByTimeAsync(0);
		expect(seen.over).toBe(true);
		expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
	});

	it('does not sleep for a signal that has aborted', async () => {
		const seen = watch(clock.sleep(60_000, AbortSignal.abort()));
		await vi.advanceTimersByTimeAsync(0);
		expect(seen.over).toBe(true);
	});
});
