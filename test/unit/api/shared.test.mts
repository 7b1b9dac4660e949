import { describe, expect, it } from 'vitest';
import { Remembered, Shared } from '../../../nodes/FormService/api/shared.ts';

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

describe('shared work', () => {
	it('is done once for all who ask while it is under way, and anew for who comes later', async () => {
		const shared = new Shared<string>();
		const job = work();
		const early = [shared.join('a', job.start), shared.join('a', job.start)];
		job.finish();
		expect(await Promise.all(early)).toEqual(['result 1', 'result 1']);
		const late = shared.join('a', job.start);
		job.finish();
		expect(await late).toBe('result 2');
	});

	it('is not joined any more once it is closed', async () => {
		const shared = new Shared<string>();
		const [old, fresh] = [work(), work()];
		const before = shared.join('account list', old.start);
		shared.close('account');
		const after = [shared.join('account list', fresh.start)];
		old.finish();
		await before;
		after.push(shared.join('account list', fresh.start));
		fresh.finish();
		await Promise.all(after);
		expect([old.times, fresh.times]).toEqual([1, 1]);
	});
});

describe('what is remembered', () => {
	const forgetful = () => {
		const clock = { now: 0 };
		return {
			clock,
			remembered: new Remembered<string>({ found: 60, failed: 10 }, () => clock.now),
		};
	};

	it('is given again until its time is over, which begins when it is found', async () => {
		const { clock, remembered } = forgetful();
		const job = work();
		const first = remembered.recall('a', job.start);
		clock.now = 100;
		job.finish();
		await first;
		clock.now = 159;
		expect(await remembered.recall('a', job.start)).toBe('result 1');
		clock.now = 160;
		void remembered.recall('a', job.start);
		expect(job.times).toBe(2);
	});

	it('is a failure for a shorter time', async () => {
		const { clock, remembered } = forgetful();
		const job = work();
		const first = remembered.recall('a', job.start);
		job.fail();
		await expect(first).rejects.toThrow('failure 1');
		clock.now = 9;
		await expect(remembered.recall('a', job.start)).rejects.toThrow('failure 1');
		clock.now = 10;
		const next = remembered.recall('a', job.start);
		job.finish();
		expect(await next).toBe('result 2');
	});

	it('is kept apart by its key', async () => {
		const { remembered } = forgetful();
		const [one, other] = [work(), work()];
		const results = [remembered.recall('a', one.start), remembered.recall('b', other.start)];
		one.finish();
		other.finish();
		await Promise.all(results);
		expect([one.times, other.times]).toEqual([1, 1]);
	});
});
