import { setImmediate } from 'node:timers/promises';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clock } from '../../../nodes/FormService/api/clock.ts';
import { TtlCache } from '../../../nodes/FormService/api/service.ts';

/** Work that counts how often it is done, and ends when it is told to. */
function work() {
	const ends: Array<PromiseWithResolvers<string>> = [];
	return {
		get times() {
			return ends.length;
		},
		start: async () => {
			ends.push(Promise.withResolvers<string>());
			return await ends.at(-1)!.promise;
		},
		finish: () => ends.at(-1)!.resolve(`result ${ends.length}`),
		fail: () => ends.at(-1)!.reject(new Error(`failure ${ends.length}`)),
	};
}

const LIFETIMES = { found: 60, failed: 10 };
const ownTimeout = clock.timeout;
/** The timers that are set, and when each of them is due. */
let timers: Array<{ due: number; controller: AbortController }> = [];
let time = 0;
let cache: TtlCache<string>;

/** Lets time pass until this moment. */
function passUntil(moment: number) {
	time = moment;
	const due = timers.filter((timer) => timer.due <= time);
	timers = timers.filter((timer) => timer.due > time);
	for (const { controller } of due) controller.abort();
}

beforeEach(() => {
	time = 0;
	timers = [];
	clock.timeout = (ms) => {
		const controller = new AbortController();
		timers.push({ due: time + ms, controller });
		return controller.signal;
	};
	cache = new TtlCache<string>();
});
afterEach(() => {
	clock.timeout = ownTimeout;
});

describe('what a cache gives', () => {
	it('is given again until its time is over, which begins when it is found', async () => {
		const job = work();
		const first = cache.get('a', LIFETIMES, job.start);
		passUntil(100);
		job.finish();
		await first;
		passUntil(159);
		expect(await cache.get('a', LIFETIMES, job.start)).toBe('result 1');
		passUntil(160);
		void cache.get('a', LIFETIMES, job.start);
		expect(job.times).toBe(2);
	});

	it('is a failure for a shorter time', async () => {
		const job = work();
		const first = cache.get('a', LIFETIMES, job.start);
		job.fail();
		await expect(first).rejects.toThrow('failure 1');
		passUntil(9);
		await expect(cache.get('a', LIFETIMES, job.start)).rejects.toThrow('failure 1');
		passUntil(10);
		const next = cache.get('a', LIFETIMES, job.start);
		job.finish();
		expect(await next).toBe('result 2');
	});

	it('stays in memory no longer than its lifetime, although nobody asks again', async () => {
		v8.setFlagsFromString('--expose-gc');
		const collectGarbage = runInNewContext('gc') as () => void;
		const lists = new TtlCache<number[]>();
		const begin = async () =>
			new WeakRef(await lists.get('a', LIFETIMES, async () => await Promise.resolve([1, 2, 3])));
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
