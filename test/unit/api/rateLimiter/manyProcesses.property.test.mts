import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RateLimiter } from '../../../../nodes/FormService/api/rateLimiter/rateLimiter.ts';
import { RequestQueue } from '../../../../nodes/FormService/api/rateLimiter/requestQueue.ts';
import { decideRetry } from '../../../../nodes/FormService/api/request/retry.ts';
import { LimiterModel } from './limiterModel.mts';

const REQUESTS = 600;
const WINDOW_MS = 60_000;
/** 600 requests at 60 a minute: ten windows, of which the last takes a moment. */
const IDEAL_MS = 9 * WINDOW_MS;

beforeEach(() => {
	vi.useFakeTimers({ now: 1_800_000_000_000 });
});
afterEach(() => {
	vi.useRealTimers();
});

const sleep = async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * So many processes, each with a rate limiter of its own, that work off requests of one account.
 *
 * @param delays of the way there and back, in milliseconds, taken in turn
 */
async function workOff(processes: number, delays: readonly number[]) {
	const model = new LimiterModel();
	const refusals = new Map<string, number>();
	let turn = 0;
	let givenUp = 0;
	const delay = () => delays[turn++ % delays.length];
	const send = async (queue: RequestQueue, process: number) => {
		let rateLimited = 0;
		for (let sent = 1; ; sent++) {
			const ended = await queue.pass({ urgency: 'bulk', isRetry: sent > 1 }, async () => {
				await sleep(delay());
				const window = model.windowAt(Date.now());
				const reply = model.arrive(Date.now());
				if (reply.status === 429) {
					const key = `${process} in ${window}`;
					refusals.set(key, (refusals.get(key) ?? 0) + 1);
				}
				await sleep(delay());
				return reply;
			});
			if (ended.kind !== 'reply') throw new Error(ended.kind);
			if (ended.status !== 429) return;
			rateLimited++;
			const decision = decideRetry('read', ended, { sent, rateLimited }, 0, Date.now());
			if (!decision.again) {
				givenUp++;
				return;
			}
		}
	};
	const start = Date.now();
	const all = Array.from({ length: processes }, (_, process) => {
		const queue = new RequestQueue(new RateLimiter(), { now: () => Date.now(), sleep });
		const own = Math.floor((REQUESTS + process) / processes);
		return Array.from({ length: own }, async () => await send(queue, process));
	});
	const done = Promise.all(all.flat()).then(() => Date.now());
	await vi.runAllTimersAsync();
	return {
		givenUp,
		refused: [...refusals.values()].reduce((sum, one) => sum + one, 0),
		mostInAWindow: Math.max(0, ...refusals.values()),
		took: (await done) - start,
	};
}

const manyDelays = (min: number, max: number) =>
	fc.array(fc.integer({ min, max }), { minLength: 97, maxLength: 97, size: 'max' });

/** Replies after 80 to 320 ms. */
const farAway = manyDelays(40, 160);

/** Of a service in the same network: who is first after a refusal can spend the window at once. */
const nearBy = manyDelays(1, 30);

describe('processes that share an account without knowing of each other', () => {
	it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
		'%i: each is refused once in a window at most, nothing is given up, and little time is lost',
		async (processes) => {
			await fc.assert(
				fc.asyncProperty(farAway, async (delays) => {
					const result = await workOff(processes, delays);
					expect(result.givenUp).toBe(0);
					expect(result.mostInAWindow).toBeLessThanOrEqual(1);
					expect(result.took).toBeLessThan(IDEAL_MS * 1.05);
					if (processes === 1) expect(result.refused).toBe(0);
				}),
				{ numRuns: 5, endOnFailure: true },
			);
		},
		120_000,
	);

	it.each([2, 3, 4, 6, 10])(
		'%i, near a fast service: nothing is given up, and each is refused about once in a window',
		async (processes) => {
			await fc.assert(
				fc.asyncProperty(nearBy, async (delays) => {
					const { givenUp, refused, took } = await workOff(processes, delays);
					expect(givenUp).toBe(0);
					expect(refused).toBeLessThanOrEqual(processes * (REQUESTS / 60));
					expect(took).toBeLessThan(IDEAL_MS * 1.05);
				}),
				{ numRuns: 20, endOnFailure: true },
			);
		},
		120_000,
	);
});
