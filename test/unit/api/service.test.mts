import { setImmediate } from 'node:timers/promises';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { clock } from '../../../nodes/FormService/api/clock.ts';
import { TtlCache } from '../../../nodes/FormService/api/service.ts';

it('a cache keeps nothing in memory after its lifetime, although nobody asks again', async ({
	onTestFinished,
}) => {
	v8.setFlagsFromString('--expose-gc');
	const collectGarbage = runInNewContext('gc') as () => void;
	const { timeout } = clock;
	onTestFinished(() => void Object.assign(clock, { timeout }));
	const lifetime = new AbortController();
	clock.timeout = () => lifetime.signal;
	const cache = new TtlCache<number[]>();
	const work = async () => await Promise.resolve([1, 2, 3]);
	const begin = async () => new WeakRef(await cache.get('a', { found: 60, failed: 10 }, work));
	const list = await begin();
	const isThere = async () => {
		await setImmediate();
		collectGarbage();
		return list.deref() !== undefined;
	};
	expect(await isThere()).toBe(true);
	lifetime.abort();
	expect(await isThere()).toBe(false);
});
