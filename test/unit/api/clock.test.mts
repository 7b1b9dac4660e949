import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { clock, pauseIfDue } from '../../../nodes/FormService/api/clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
	vi.useRealTimers();
	vi.restoreAllMocks();
});

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

it('loops let others work every 15 ms, also if several of them run at once', async () => {
	vi.useRealTimers();
	let nowMs = 0;
	vi.spyOn(clock, 'now').mockImplementation(() => nowMs);
	const pieces: number[] = [];
	const watchTurn = (beforeMs: number) => {
		pieces.push(nowMs - beforeMs);
		turn = setImmediate(watchTurn, nowMs);
	};
	let turn = setImmediate(watchTurn, nowMs);
	const loop = async () => {
		for (let entry = 0; entry < 40; entry++) {
			await pauseIfDue();
			nowMs += 1;
		}
	};
	await Promise.all(Array.from({ length: 30 }, loop));
	clearImmediate(turn);
	expect(nowMs).toBe(1_200);
	expect(Math.max(...pieces)).toBe(15);
});
