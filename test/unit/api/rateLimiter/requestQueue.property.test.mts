import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RateLimiter } from '../../../../nodes/FormService/api/rateLimiter/rateLimiter.ts';
import { RequestQueue } from '../../../../nodes/FormService/api/rateLimiter/requestQueue.ts';
import type { Job } from '../../../../nodes/FormService/api/rateLimiter/requestQueue.ts';
import { LimiterModel, pass } from './limiterModel.mts';

/** When a request is asked for, and how long it takes to the service and back, in milliseconds. */
type Asked = { at: number; there: number; back: number };

const MINUTE = 60_000;

beforeEach(() => {
	vi.useFakeTimers({ now: 1_800_000_000_000 });
});
afterEach(() => {
	vi.useRealTimers();
});

const sleep = async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms));

const virtualQueue = () => new RequestQueue(new RateLimiter(), { now: () => Date.now(), sleep });

/** Sends through the queue to the model, and again as long as the package would. */
async function sendAll(queue: RequestQueue, model: LimiterModel, asked: readonly Asked[]) {
	const watch = { openNow: 0, mostOpen: 0, sentWhileWaiting: 0 };
	let waitUntil = -Infinity;
	const one = async ({ at, there, back }: Asked) => {
		await sleep(at);
		for (let sent = 1; ; sent++) {
			const ended = await pass(queue, { isRetry: sent > 1 }, async () => {
				if (Date.now() < waitUntil) watch.sentWhileWaiting++;
				watch.mostOpen = Math.max(watch.mostOpen, ++watch.openNow);
				await sleep(there);
				const reply = model.arrive(Date.now());
				await sleep(back);
				watch.openNow--;
				if (reply.status === 429) {
					waitUntil = Date.now() + Number(reply.headers['retry-after']) * 1000;
				}
				return reply;
			});
			if (ended.kind !== 'reply' || ended.status !== 429 || sent === 10) return ended;
		}
	};
	const results = Promise.all(asked.map(one));
	await vi.runAllTimersAsync();
	return { results: await results, ...watch };
}

const delays = fc.oneof(
	fc.integer({ min: 1, max: 300 }),
	fc.integer({ min: 1, max: 5_000 }),
	fc.integer({ min: 1, max: 14_000 }),
);

const request = (latest: number) =>
	fc.record({ at: fc.integer({ min: 0, max: latest }), there: delays, back: delays });

const bursts = fc
	.array(
		fc.record({
			at: fc.integer({ min: 0, max: 4 * MINUTE }),
			requests: fc.array(request(2_000), { minLength: 1, maxLength: 130, size: 'max' }),
		}),
		{ minLength: 1, maxLength: 4 },
	)
	.map((list) =>
		list.flatMap(({ at, requests }) => requests.map((one) => ({ ...one, at: one.at + at }))),
	);

const steady = fc
	.record({
		gap: fc.integer({ min: 200, max: 1_500 }),
		requests: fc.array(request(300), { minLength: 60, maxLength: 300, size: 'max' }),
	})
	.map(({ gap, requests }) => requests.map((one, index) => ({ ...one, at: one.at + index * gap })));

const arrivals = fc.oneof(bursts, steady);

describe('the queue, alone on an account, from a fresh window on', () => {
	it('is never refused, whatever the arrivals, delays and orders, and keeps 5 open at most', async () => {
		await fc.assert(
			fc.asyncProperty(arrivals, async (asked) => {
				const model = new LimiterModel();
				const { results, mostOpen } = await sendAll(virtualQueue(), model, asked);
				expect(results.map((one) => (one.kind === 'reply' ? one.status : one.kind))).toEqual(
					asked.map(() => 200),
				);
				expect([...model.refusalsByWindow]).toEqual([]);
				expect(mostOpen).toBeLessThanOrEqual(5);
			}),
			{ numRuns: 150 },
		);
	}, 300_000);

	it('finishes N requests at once within ceil(N/60)-1 windows plus 2 s, reply delays aside', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 400 }),
				fc.integer({ min: 1, max: 40 }),
				async (count, delay) => {
					const start = Date.now();
					const asked = Array.from({ length: count }, () => ({ at: 0, there: delay, back: delay }));
					await sendAll(virtualQueue(), new LimiterModel(), asked);
					const windows = Math.ceil(count / 60);
					// each window starts when its first request arrives, and is spent 5 requests at a time
					const replyDelays = windows * 2 * delay * 2 + 12 * 2 * delay;
					expect(Date.now() - start).toBeLessThanOrEqual(
						(windows - 1) * MINUTE + 2_000 + replyDelays,
					);
				},
			),
			{ numRuns: 60 },
		);
	}, 300_000);

	it('keeps the limit that the service shows, where a deployment has another one', async () => {
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 6, max: 300 }), bursts, async (perMinute, asked) => {
				const model = new LimiterModel(perMinute);
				const { results } = await sendAll(virtualQueue(), model, asked);
				expect(results.every((one) => one.kind === 'reply' && one.status === 200)).toBe(true);
				const refusals = [...model.refusalsByWindow.values()];
				// before the first reply it cannot know of a tighter limit
				expect(refusals.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(5);
			}),
			{ numRuns: 60 },
		);
	}, 300_000);
});

describe('the queue, when it starts within a window or others use the account', () => {
	const scenario = fc.record({
		asked: arrivals,
		before: fc.integer({ min: 0, max: 60 }),
		others: fc.array(fc.integer({ min: 0, max: 10 * MINUTE }), { maxLength: 150, size: 'max' }),
	});

	const run = async ({
		asked,
		before,
		others,
	}: typeof scenario extends fc.Arbitrary<infer T> ? T : never) => {
		const model = new LimiterModel();
		for (let used = 0; used < before; used++) model.takenByOthers(Date.now());
		await vi.advanceTimersByTimeAsync(before * 500);
		const start = Date.now();
		for (const at of others) setTimeout(() => model.takenByOthers(start + at), at);
		return { model, ...(await sendAll(virtualQueue(), model, asked)) };
	};

	it('gets an answer for every request, few refusals, and sends nothing while Retry-After runs', async () => {
		await fc.assert(
			fc.asyncProperty(scenario, async (given) => {
				const { model, results, sentWhileWaiting } = await run(given);
				expect(results.every((one) => one.kind === 'reply' && one.status === 200)).toBe(true);
				// as many as were open at one moment
				expect(Math.max(0, ...model.refusalsByWindow.values())).toBeLessThanOrEqual(5);
				expect(sentWhileWaiting).toBe(0);
			}),
			{ numRuns: 150 },
		);
	}, 300_000);

	it('needs no refusal to see what others have used before it', async () => {
		const model = new LimiterModel();
		for (let used = 0; used < 30; used++) model.takenByOthers(Date.now());
		const asked = Array.from({ length: 90 }, () => ({ at: 1_000, there: 20, back: 20 }));
		const { results } = await sendAll(virtualQueue(), model, asked);
		expect(results).toHaveLength(90);
		expect([...model.refusalsByWindow]).toEqual([]);
	});
});

describe('the queue at the limit of the day', () => {
	it('fails everything that waits at once, with the time of the reset, and sends no more', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 0, max: 30 }),
				fc.integer({ min: 10, max: 100 }),
				async (left, count) => {
					const queue = virtualQueue();
					const model = new LimiterModel(60, left);
					const start = Date.now();
					const asked = Array.from({ length: count }, () => ({ at: 0, there: 20, back: 20 }));
					const { results } = await sendAll(queue, model, asked);
					const heldBack = results.filter((one) => one.kind === 'dayUsedUp');
					if (count > left + 5) expect(heldBack.length).toBeGreaterThan(0);
					for (const { until } of heldBack) {
						expect(until - start).toBeGreaterThan(86_000_000);
						expect(until - start).toBeLessThan(86_500_000);
					}
					expect(model.arrivals).toBeLessThanOrEqual(left + 5);
					const sentBefore = model.arrivals;
					const later = await sendAll(queue, model, [{ at: 3_600_000, there: 1, back: 1 }]);
					if (count > left) {
						expect(later.results[0].kind).toBe('dayUsedUp');
						expect(model.arrivals).toBe(sentBefore);
					}
				},
			),
			{ numRuns: 60 },
		);
	}, 300_000);
});

describe('the queue and who waits', () => {
	const passing = async (queue: RequestQueue, job: Partial<Job>, name: string, order: string[]) =>
		await pass(queue, job, async () => {
			order.push(name);
			await sleep(100);
			return { kind: 'reply', status: 200, headers: {} };
		});

	it('lets a trigger or a person wait for at most one bulk request in front', async () => {
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 0, max: 200 }), async (bulk) => {
				const queue = virtualQueue();
				const order: string[] = [];
				const all = Array.from({ length: bulk }, () => passing(queue, {}, 'bulk', order));
				await vi.advanceTimersByTimeAsync(50);
				const before = order.length;
				all.push(passing(queue, { urgency: 'prompt' }, 'prompt', order));
				await vi.runAllTimersAsync();
				await Promise.all(all);
				expect(order.indexOf('prompt') - before).toBeLessThanOrEqual(1);
			}),
			{ numRuns: 30 },
		);
	}, 120_000);

	it('serves first those that came first', async () => {
		const queue = virtualQueue();
		const order: string[] = [];
		const names = Array.from({ length: 130 }, (_, index) => String(index));
		const all = names.map((name) => passing(queue, {}, name, order));
		await vi.runAllTimersAsync();
		await Promise.all(all);
		expect(order).toEqual(names);
	});
});
