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
const NONE = { found: 0, failed: 0 };
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
	it('is done once for all who ask while it is under way, and anew for who comes later', async () => {
		const job = work();
		const early = [cache.get('a', NONE, job.start), cache.get('a', NONE, job.start)];
		job.finish();
		expect(await Promise.all(early)).toEqual(['result 1', 'result 1']);
		const late = cache.get('a', NONE, job.start);
		job.finish();
		expect(await late).toBe('result 2');
	});

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

	it('is kept apart by its key', async () => {
		const [one, other] = [work(), work()];
		const results = [cache.get('a', NONE, one.start), cache.get('b', NONE, other.start)];
		one.finish();
		other.finish();
		await Promise.all(results);
		expect([one.times, other.times]).toEqual([1, 1]);
	});

	it('is never what was under way when it was cleared', async () => {
		const [old, fresh] = [work(), work()];
		const before = cache.get('account list', NONE, old.start);
		cache.clear('account');
		const after = [cache.get('account list', NONE, fresh.start)];
		old.finish();
		await before;
		after.push(cache.get('account list', NONE, fresh.start));
		fresh.finish();
		await Promise.all(after);
		expect([old.times, fresh.times]).toEqual([1, 1]);
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
