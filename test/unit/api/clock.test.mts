import { getEventListeners, once } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { clock } from '../../../nodes/FormService/api/clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function sleepASecond(signal?: AbortSignal) {
	const begun = Date.now();
	const sleeping = clock.sleep(1_000, signal).then(() => Date.now() - begun);
	await vi.advanceTimersByTimeAsync(2_000);
	return await sleeping;
}

it('The clock sleeps as long as it is told, or until the signal aborts, of which it keeps nothing', async () => {
	expect(await sleepASecond()).toBe(1_000);
	expect(await sleepASecond(AbortSignal.abort())).toBe(0);
	const controller = new AbortController();
	setTimeout(() => controller.abort(), 400);
	expect(await sleepASecond(controller.signal)).toBe(400);
	expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
	expect(clock.timeout(60_000, controller.signal).aborted).toBe(true);
	await once(clock.timeout(1, new AbortController().signal), 'abort');
});
