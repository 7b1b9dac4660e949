import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RateLimiter } from '../../../../nodes/FormService/api/rateLimiter/rateLimiter.ts';
import { RequestQueue } from '../../../../nodes/FormService/api/rateLimiter/requestQueue.ts';
import type {
	HeldBack,
	JobEnd,
} from '../../../../nodes/FormService/api/rateLimiter/requestQueue.ts';
import { LimiterModel, pass } from './limiterModel.mts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

beforeEach(() => {
	vi.useFakeTimers({ now: 1_800_000_000_000 });
});
afterEach(() => {
	vi.useRealTimers();
});

const sleep = async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Corrections of the machine's clock: when, and by how much, in milliseconds. */
type Jump = { at: number; by: number };

const jumps = (by: fc.Arbitrary<number>, latest: number) =>
	fc.array(fc.record({ at: fc.integer({ min: 0, max: latest }), by }), {
		minLength: 1,
		maxLength: 4,
	});
const back = fc.oneof(
	fc.integer({ min: -MINUTE, max: -1 }),
	fc.integer({ min: -400 * DAY, max: -MINUTE }),
);
const ahead = fc.oneof(
	fc.integer({ min: 1, max: MINUTE }),
	fc.integer({ min: MINUTE, max: 400 * DAY }),
);

/** A queue on a machine whose clock is corrected. Timers keep to real time, as on a machine. */
function queueWith(given: readonly Jump[]) {
	vi.clearAllTimers();
	let shift = 0;
	for (const { at, by } of given) setTimeout(() => (shift += by), at);
	const now = () => Date.now() + shift;
	return { queue: new RequestQueue(new RateLimiter(), { now, sleep }), now };
}

/** Passes one request, and lets real time go on until it has ended. */
async function passAlone(queue: RequestQueue, end: JobEnd): Promise<JobEnd | HeldBack> {
	const passing = pass(queue, {}, async () => {
		await sleep(50);
		return end;
	});
	const ended = { is: false };
	void passing.then(() => (ended.is = true));
	await vi.advanceTimersByTimeAsync(0);
	while (!ended.is) await vi.advanceTimersToNextTimerAsync();
	return await passing;
}

const ok: JobEnd = { kind: 'reply', status: 200, headers: {} };

describe('the minute, on a machine whose clock is corrected', () => {
	async function sendAll(count: number, given: readonly Jump[]) {
		const model = new LimiterModel();
		const { queue } = queueWith(given);
		const start = Date.now();
		let last = start;
		const all = Array.from({ length: count }, async () => {
			for (let sent = 1; ; sent++) {
				const end = await pass(queue, { isRetry: sent > 1 }, async () => {
					await sleep(20);
					return model.arrive(Date.now());
				});
				last = Date.now();
				if (end.kind !== 'reply' || end.status !== 429 || sent > 20) return end;
			}
		});
		await vi.runAllTimersAsync();
		const statuses = (await Promise.all(all)).map((end) =>
			end.kind === 'reply' ? end.status : end.kind,
		);
		return { statuses, refused: model.refusalsByWindow.size, took: last - start };
	}

	it('is never exceeded by a clock that goes back, which costs a window at most each time', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 200 }),
				jumps(back, 4 * MINUTE),
				async (count, given) => {
					const { statuses, refused, took } = await sendAll(count, given);
					expect(statuses).toEqual(statuses.map(() => 200));
					expect(refused).toBe(0);
					const windows = Math.ceil(count / 60) - 1 + given.length;
					expect(took).toBeLessThanOrEqual(windows * (MINUTE + 100) + 5_000);
				},
			),
			{ numRuns: 60 },
		);
	}, 120_000);

	it('holds no request up where a clock goes ahead, and each is answered in the end', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 200 }),
				jumps(ahead, 4 * MINUTE),
				async (count, given) => {
					const { statuses, took } = await sendAll(count, given);
					expect(statuses).toEqual(statuses.map(() => 200));
					const windows = Math.ceil(count / 60) - 1 + given.length;
					expect(took).toBeLessThanOrEqual(windows * (MINUTE + 2_000) + 5_000);
				},
			),
			{ numRuns: 60 },
		);
	}, 120_000);
});

describe("the day's block, on a machine whose clock is corrected", () => {
	const refusal = (seconds: number): JobEnd => ({
		kind: 'reply',
		status: 429,
		headers: { 'retry-after': String(seconds) },
	});

	it('ends when the service said, however far the clock goes back, and says when that is', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 61, max: 7_000 }),
				jumps(back, HOUR),
				async (seconds, given) => {
					const { queue, now } = queueWith(given);
					await passAlone(queue, refusal(seconds));
					const end = Date.now() + seconds * 1_000;
					for (;;) {
						const result = await passAlone(queue, ok);
						if (result.kind !== 'dayUsedUp') break;
						// measured from one request to the next, here a minute apart
						const left = result.until - now();
						expect(Math.abs(left - (end - Date.now()))).toBeLessThan(given.length * MINUTE + 5_000);
						await vi.advanceTimersByTimeAsync(MINUTE);
					}
					expect(Date.now() - end).toBeLessThan((given.length + 1) * MINUTE + 5_000);
				},
			),
			{ numRuns: 60 },
		);
	}, 120_000);

	it('ends on time after the machine has slept', async () => {
		const { queue } = queueWith([{ at: 1_000, by: 8 * HOUR }]);
		await passAlone(queue, refusal(7 * 3_600));
		expect((await passAlone(queue, ok)).kind).toBe('dayUsedUp');
		await vi.advanceTimersByTimeAsync(2_000);
		expect((await passAlone(queue, ok)).kind).toBe('reply');
	});
});

describe('the circuit breaker, on a machine whose clock is corrected', () => {
	it('asks again within five minutes of each correction, however far the clock goes back', async () => {
		await fc.assert(
			fc.asyncProperty(
				jumps(back, HOUR),
				fc.integer({ min: 20, max: 27 }),
				async (given, times) => {
					const { queue } = queueWith(given);
					for (let failed = 0; failed < times; failed++) {
						await passAlone(queue, { kind: 'reply', status: 500, headers: {} });
					}
					const failedAt = Date.now();
					while ((await passAlone(queue, ok)).kind !== 'reply') {
						await vi.advanceTimersByTimeAsync(MINUTE);
					}
					// here it is asked once a minute whether an item may test the service
					const most = (given.length + 1) * 5 * MINUTE + MINUTE;
					expect(Date.now() - failedAt).toBeLessThan(most + 5_000);
					expect(queue.isServiceDown).toBe(false);
				},
			),
			{ numRuns: 40 },
		);
	}, 120_000);
});
