import { setImmediate } from 'node:timers/promises';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clock } from '../../../nodes/FormService/api/clock.ts';
import { TtlCache } from '../../../nodes/FormService/api/service.ts';

const LIFETIMES = { found: 60, failed: 10 };
const { timeout } = clock;
let timers: Array<{ due: number; controller: AbortController }> = [];
let time = 0;

/** Lets time pass until this moment. */
function passUntil(moment: number) {
	time = moment;
	for (const { due, controller } of timers) if (due <= time) controller.abort();
}

beforeEach(() => {
	time = 0;
	timers = [];
	clock.timeout = (ms) => {
		const controller = new AbortController();
		timers.push({ due: time + ms, controller });
		return controller.signal;
	};
});
afterEach(() => {
	clock.timeout = timeout;
});

describe('a cache', () => {
	it('gives a result again until its lifetime is over, which begins with the result', async () => {
		const cache = new TtlCache<string>();
		const first = Promise.withResolvers<string>();
		const work = vi.fn(async () => await first.promise);
		const both = [cache.get('a', LIFETIMES, work), cache.get('a', LIFETIMES, work)];
		passUntil(100);
		first.resolve('result');
		expect(await Promise.all(both)).toEqual(['result', 'result']);
		passUntil(159);
		await cache.get('a', LIFETIMES, work);
		expect(work).toHaveBeenCalledTimes(1);
		passUntil(160);
		await cache.get('a', LIFETIMES, work);
		expect(work).toHaveBeenCalledTimes(2);
	});

	it('gives a failure again for a shorter time', async () => {
		const cache = new TtlCache<string>();
		const work = vi.fn(async () => await Promise.reject<string>(new Error('failure')));
		for (const [moment, times] of [
			[0, 1],
			[9, 1],
			[10, 2],
		]) {
			passUntil(moment);
			await expect(cache.get('a', LIFETIMES, work)).rejects.toThrow('failure');
			expect(work).toHaveBeenCalledTimes(times);
		}
	});

	it('keeps nothing in memory after its lifetime, although nobody asks again', async () => {
		v8.setFlagsFromString('--expose-gc');
		const collectGarbage = runInNewContext('gc') as () => void;
		const cache = new TtlCache<number[]>();
		const begin = async () =>
			new WeakRef(await cache.get('a', LIFETIMES, async () => await Promise.resolve([1, 2, 3])));
		const list = await begin();
		const isThere = async () => {
			await setImmediate();
			collectGarbage();
			return list.deref() !== undefined;
		};
		expect(await isThere()).toBe(true);
		passUntil(60);
		expect(await isThere()).toBe(false);
	});
});
