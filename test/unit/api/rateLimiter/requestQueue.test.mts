import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clock } from '../../../../nodes/FormService/api/clock.ts';
import { RateLimiter } from '../../../../nodes/FormService/api/rateLimiter/rateLimiter.ts';
import {
	queueOf,
	RequestQueue,
} from '../../../../nodes/FormService/api/rateLimiter/requestQueue.ts';
import type { JobEnd } from '../../../../nodes/FormService/api/rateLimiter/requestQueue.ts';
import { pass } from './limiterModel.mts';

beforeEach(() => {
	vi.useFakeTimers({ now: 1_800_000_000_000 });
});
afterEach(() => {
	vi.useRealTimers();
});

const sleep = async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms));
const newQueue = () => new RequestQueue(new RateLimiter(), { now: () => Date.now(), sleep });

async function answered(): Promise<JobEnd> {
	await sleep(100);
	return { kind: 'reply', status: 200, headers: {} };
}

describe('the queue', () => {
	it('does not let through what was given up before it came', async () => {
		let sent = 0;
		const send = async () => {
			sent++;
			return await answered();
		};
		const job = { signal: AbortSignal.abort() };
		expect(await pass(newQueue(), job, send)).toEqual({ kind: 'notSent' });
		expect(sent).toBe(0);
	});

	it('keeps nothing of a request once it is through', async () => {
		const queue = newQueue();
		const { signal } = new AbortController();
		const all = Array.from({ length: 20 }, async () => await pass(queue, { signal }, answered));
		expect(getEventListeners(signal, 'abort').length).toBeGreaterThan(0);
		await vi.runAllTimersAsync();
		await Promise.all(all);
		expect(getEventListeners(signal, 'abort')).toEqual([]);
		expect(queue.waiting).toBe(0);
	});

	it('lets what was sent before go before what was not', async () => {
		const queue = newQueue();
		const order: string[] = [];
		const passing = async (name: string, isRetry: boolean) =>
			await pass(queue, { isRetry }, async () => {
				order.push(name);
				return await answered();
			});
		const all = ['1', '2', '3', '4', 'new'].map(async (name) => await passing(name, false));
		all.push(passing('again', true));
		await vi.runAllTimersAsync();
		await Promise.all(all);
		expect(order.slice(4)).toEqual(['again', 'new']);
	});
});

describe('a service that is down', () => {
	/** Sends so many requests, which all end so. */
	async function sendAll(count: number, end: () => JobEnd, queue = newQueue()) {
		let sent = 0;
		const all = Array.from(
			{ length: count },
			async () =>
				await pass(queue, {}, async () => {
					sent++;
					await sleep(100);
					return end();
				}),
		);
		await vi.runAllTimersAsync();
		return { kinds: (await Promise.all(all)).map(({ kind }) => kind), sent, queue };
	}
	const broken = (): JobEnd => ({ kind: 'broken' });

	it.each([
		['broken connections', broken, 'serviceDown'],
		['status 500', (): JobEnd => ({ kind: 'reply', status: 500, headers: {} }), 'serviceDown'],
		[
			'refusals without end',
			(): JobEnd => ({ kind: 'reply', status: 429, headers: { 'retry-after': '1' } }),
			'onlyRefusals',
		],
	])('costs 1,000 items few requests: %s', async (_what, end, kind) => {
		const { kinds, sent, queue } = await sendAll(1_000, end);
		expect(sent).toBeLessThanOrEqual(27);
		expect(kinds.filter((one) => one === kind)).toHaveLength(1_000 - sent);
		expect(queue.isServiceDown).toBe(true);
	});

	it.each([
		[
			'a certificate, the Timeout of one node, or a canceled execution',
			{ kind: 'broken', isOurs: true },
		],
		['a token that is not accepted', { kind: 'reply', status: 401, headers: {} }],
	] as const)('is not what fails: %s', async (_what, end) => {
		const { kinds, queue } = await sendAll(100, () => end);
		expect(kinds).toEqual(kinds.map(() => end.kind));
		expect(queue.isServiceDown).toBe(false);
	});

	it('is asked by one item at a time, and all go on when it works again', async () => {
		const since = Date.now();
		const end = (): JobEnd =>
			Date.now() - since < 15_000 ? broken() : { kind: 'reply', status: 200, headers: {} };
		const { kinds } = await sendAll(55, end);
		expect(kinds.filter((kind) => kind === 'reply').length).toBeGreaterThan(25);
		expect(kinds).not.toContain('serviceDown');
	});
});

describe('the queues of accounts', () => {
	const { now, sleep: wait } = clock;

	beforeEach(() => {
		Object.assign(clock, { now: () => Date.now(), sleep });
	});
	afterEach(() => {
		Object.assign(clock, { now, sleep: wait });
	});

	const passAt = async (key: string, end: JobEnd) => {
		const passing = pass(queueOf(key), {}, async () => await Promise.resolve(end));
		await vi.advanceTimersByTimeAsync(1);
		await passing;
	};

	it('are kept while a limit of the day can last, and dropped when another account comes later', async () => {
		const first = queueOf('first');
		await passAt('first', { kind: 'reply', status: 429, headers: { 'retry-after': '86400' } });
		await vi.advanceTimersByTimeAsync(86_400_000);
		queueOf('second');
		expect(queueOf('first')).toBe(first);
		await vi.advanceTimersByTimeAsync(2 * 3_600_000);
		queueOf('third');
		expect(queueOf('first')).not.toBe(first);
	});
});
