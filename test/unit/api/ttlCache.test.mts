import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clock } from '../../../nodes/FormService/api/clock.ts';
import { TtlCache } from '../../../nodes/FormService/api/ttlCache.ts';

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
const ownNow = clock.now;
let time = 0;
let cache: TtlCache<string>;

beforeEach(() => {
	time = 0;
	clock.now = () => time;
	cache = new TtlCache<string>();
});
afterEach(() => {
	clock.now = ownNow;
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
		time = 100;
		job.finish();
		await first;
		time = 159;
		expect(await cache.get('a', LIFETIMES, job.start)).toBe('result 1');
		time = 160;
		void cache.get('a', LIFETIMES, job.start);
		expect(job.times).toBe(2);
	});

	it('is a failure for a shorter time', async () => {
		const job = work();
		const first = cache.get('a', LIFETIMES, job.start);
		job.fail();
		await expect(first).rejects.toThrow('failure 1');
		time = 9;
		await expect(cache.get('a', LIFETIMES, job.start)).rejects.toThrow('failure 1');
		time = 10;
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
});
