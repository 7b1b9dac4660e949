import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { clock } from '../../../nodes/FormService/api/clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How long a sleep of a second lasts. */
async function sleepASecond(signal?: AbortSignal) {
	const begun = Date.now();
	const sleeping = clock.sleep(1_000, signal).then(() => Date.now() - begun);
	await vi.advanceTimersByTimeAsync(2_000);
	return await sleeping;
}

it('the clock sleeps as long as it is told, or until the signal aborts, of which it keeps nothing', async () => {
	expect(await sleepASecond()).toBe(1_000);
	expect(await sleepASecond(AbortSignal.abort())).toBe(0);
	const controller = new AbortController();
	setTimeout(() => controller.abort(), 400);
	expect(await sleepASecond(controller.signal)).toBe(400);
	expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});
