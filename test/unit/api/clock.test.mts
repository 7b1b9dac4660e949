import { getEventListeners, once } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { clock } from '../../../nodes/FormService/api/clock.ts';

it('The clock sleeps until its time or the signal, of which it keeps nothing', async () => {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
	const controller = new AbortController();
	setTimeout(() => controller.abort(), 400);
	const ends: number[] = [];
	for (const signal of [undefined, AbortSignal.abort(), controller.signal])
		void clock.sleep(1_000, signal).then(() => ends.push(Date.now()));
	const begun = Date.now();
	await vi.advanceTimersByTimeAsync(2_000);
	expect(ends.map((end) => end - begun)).toEqual([0, 400, 1_000]);
	expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
	await once(clock.timeout(1, new AbortController().signal), 'abort');
});
