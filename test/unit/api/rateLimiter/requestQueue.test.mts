import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clock } from '../../../../nodes/FormService/api/clock.ts';
import { RateLimiter } from '../../../../nodes/FormService/api/rateLimiter/rateLimiter.ts';
import {
	getQueue,
	RequestQueue,
} from '../../../../nodes/FormService/api/rateLimiter/requestQueue.ts';
import type { Job, JobEnd } from '../../../../nodes/FormService/api/rateLimiter/requestQueue.ts';
import { pass } from './limiterModel.mts';

beforeEach(() => {
	vi.useFakeTimers({ now: 1_800_000_000_000 });
});
afterEach(() => {
	vi.useRealTimers();
});

const sleep = async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms));
const createQueue = () => new RequestQueue(new RateLimiter(), { now: () => Date.now(), sleep });

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
		expect(await pass(createQueue(), job, send)).toEqual({ kind: 'notSent' });
		expect(sent).toBe(0);
	});

	it('keeps nothing of a request once it is through', async () => {
		const queue = createQueue();
		const { signal } = new AbortController();
		const all = Array.from({ length: 20 }, async () => await pass(queue, { signal }, answered));
		expect(getEventListeners(signal, 'abort').length).toBeGreaterThan(0);
		await vi.runAllTimersAsync();
		await Promise.all(all);
		expect(getEventListeners(signal, 'abort')).toEqual([]);
		expect(queue.waiting).toBe(0);
	});

	it('lets retries go before first tries', async () => {
		const queue = createQueue();
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

const ok: JobEnd = { kind: 'reply', status: 200, headers: {} };
const broken: JobEnd = { kind: 'broken' };
const failed: JobEnd = { kind: 'reply', status: 500, headers: {} };
const refused: JobEnd = { kind: 'reply', status: 429, headers: { 'retry-after': '1' } };

describe('the circuit breaker', () => {
	/** Sends so many items at once, which all end so. */
	async function sendAll(queue: RequestQueue, count: number, end: JobEnd, job: Partial<Job> = {}) {
		let sent = 0;
		const all = Array.from({ length: count }, async () => {
			return await pass(queue, job, async () => {
				sent++;
				await sleep(100);
				return end;
			});
		});
		await vi.runAllTimersAsync();
		return { kinds: (await Promise.all(all)).map(({ kind }) => kind), sent };
	}

	it.each([
		['broken connections', broken, 'serviceDown'],
		['status 500', failed, 'serviceDown'],
		['refusals', refused, 'onlyRefusals'],
	])('sends few of 1,000 items after %s', async (_what, end, kind) => {
		const queue = createQueue();
		const { kinds, sent } = await sendAll(queue, 1_000, end);
		expect(sent).toBeLessThan(25);
		expect(kinds.filter((one) => one === kind)).toHaveLength(1_000 - sent);
		expect(queue.isServiceDown).toBe(true);
	});

	it.each<[string, JobEnd]>([
		['a certificate, a short Timeout or a cancellation', { kind: 'broken', isOurs: true }],
		['a rejected access token', { kind: 'reply', status: 401, headers: {} }],
	])('ignores %s', async (_what, end) => {
		const queue = createQueue();
		const { kinds } = await sendAll(queue, 100, end);
		expect(kinds).toEqual(kinds.map(() => end.kind));
		expect(queue.isServiceDown).toBe(false);
	});

	it('opens after 20 failures in a row, not after 19, and not if a success is between', async () => {
		const queue = createQueue();
		for (const end of [...Array<JobEnd>(19).fill(failed), ok, ...Array<JobEnd>(19).fill(failed)]) {
			await sendAll(queue, 1, end);
		}
		expect(queue.isServiceDown).toBe(false);
		await sendAll(queue, 1, failed);
		expect(queue.isServiceDown).toBe(true);
	});

	it('tests a service that is down with one item every 5 minutes, and always with triggers', async () => {
		const queue = createQueue();
		await sendAll(queue, 40, failed);
		expect((await sendAll(queue, 10, failed)).sent).toBe(0);
		expect((await sendAll(queue, 10, failed, { urgency: 'prompt' })).sent).toBe(10);
		for (let tested = 0; tested < 3; tested++) {
			await vi.advanceTimersByTimeAsync(4 * 60_000);
			expect((await sendAll(queue, 10, failed)).sent).toBe(0);
			await vi.advanceTimersByTimeAsync(60_000);
			expect((await sendAll(queue, 10, failed)).sent).toBe(1);
		}
	});

	it('closes with the first success, and opens as late as at first', async () => {
		const queue = createQueue();
		await sendAll(queue, 40, failed);
		await vi.advanceTimersByTimeAsync(5 * 60_000);
		expect((await sendAll(queue, 1, ok)).sent).toBe(1);
		expect((await sendAll(queue, 10, ok)).sent).toBe(10);
		expect((await sendAll(queue, 40, failed)).sent).toBeGreaterThanOrEqual(20);
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
		const passing = pass(getQueue(key), {}, async () => await Promise.resolve(end));
		await vi.advanceTimersByTimeAsync(1);
		await passing;
	};

	it('are kept while a limit of the day can last, and dropped when another account comes later', async () => {
		const first = getQueue('first');
		await passAt('first', { kind: 'reply', status: 429, headers: { 'retry-after': '86400' } });
		await vi.advanceTimersByTimeAsync(86_400_000);
		getQueue('second');
		expect(getQueue('first')).toBe(first);
		await vi.advanceTimersByTimeAsync(2 * 3_600_000);
		getQueue('third');
		expect(getQueue('first')).not.toBe(first);
	});
});
