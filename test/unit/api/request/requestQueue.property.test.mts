import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../../../nodes/FormService/api/request/rateLimiter.ts';
import { RequestQueue } from '../../../../nodes/FormService/api/request/requestQueue.ts';
import * as simulation from './simulation.mts';
import { MINUTE_MS, VirtualTime } from '../../../time.mts';
import { countMostRefused, IDEAL_MS, LimitedService } from './simulation.mts';

let time: VirtualTime;

/** Checks a property with each of the drawn values, each in a time of its own. */
async function check<T>(drawn: fc.Arbitrary<T>, numRuns: number, run: (value: T) => Promise<void>) {
	const begin = () => void (time = new VirtualTime());
	await fc.assert(fc.asyncProperty(drawn, run).beforeEach(begin), { numRuns });
}

const createQueue = () => new RequestQueue(new RateLimiter(), time);

const sendAll = async (service: LimitedService, queue: RequestQueue, asked: simulation.Asked[]) =>
	await time.waitFor(simulation.sendAll(time, service, queue, asked));

const wayMs = fc.oneof(...[300, 5_000, 14_000].map((max) => fc.integer({ min: 1, max })));

const requests = (spreadMs: number) =>
	fc.array(
		fc.record({
			atMs: fc.nat({ max: spreadMs }),
			thereMs: wayMs,
			backMs: wayMs,
			urgency: fc.constantFrom('bulk' as const, 'bulk' as const, 'prompt' as const),
		}),
		{ maxLength: 250, size: 'max' },
	);

/** Many requests within some seconds, among others over some minutes. */
const arrivals = fc
	.tuple(requests(2_000), requests(6 * MINUTE_MS), fc.nat({ max: 4 * MINUTE_MS }))
	.map(([burst, others, startMs]) => [
		...burst.map((one) => ({ ...one, atMs: one.atMs + startMs })),
		...others,
	]);

it('on an account that nobody else uses, no request is refused, and at most five are open', async () => {
	// five are open when the first reply shows the account's limit
	const limit = fc.oneof(fc.constant(60), fc.integer({ min: 5, max: 300 }));
	await check(fc.tuple(arrivals, limit), 100, async ([asked, perMinute]) => {
		const service = new LimitedService(time, { perMinute });
		const { outcomes, mostOpen } = await sendAll(service, createQueue(), asked);
		expect(outcomes).toEqual(asked.map(() => 200));
		expect(service.refusals).toEqual([]);
		expect(mostOpen).toBeLessThanOrEqual(5);
	});
});

describe('on an account that others use', () => {
	it('each request is answered, few are refused, and none is sent while Retry-After runs', async () => {
		const others = fc.array(fc.nat({ max: 10 * MINUTE_MS }), { maxLength: 150, size: 'max' });
		const drawn = fc.tuple(arrivals, fc.nat({ max: 60 }), others);
		await check(drawn, 100, async ([asked, usedBefore, usedLater]) => {
			const service = new LimitedService(time);
			for (let used = 0; used < usedBefore; used++) service.take();
			await time.waitFor(time.sleep(usedBefore * 500));
			for (const atMs of usedLater) void time.sleep(atMs).then(() => service.take());
			const { outcomes, sentWhileWaiting } = await sendAll(service, createQueue(), asked);
			expect(outcomes).toEqual(asked.map(() => 200));
			// as many as are open at a time
			expect(countMostRefused(service)).toBeLessThanOrEqual(5);
			expect(sentWhileWaiting).toBe(0);
		});
	});

	it.each([1, 2, 5, 10])('%i processes give up nothing and lose little time', async (processes) => {
		const delayMs = fc.integer({ min: 40, max: 160 });
		const delays = fc.array(delayMs, { minLength: 97, maxLength: 97, size: 'max' });
		await check(delays, 5, async (delaysMs) => {
			const create = (clock: VirtualTime) => new RequestQueue(new RateLimiter(), clock);
			const worked = await simulation.workOff(create, processes, delaysMs);
			const { givenUp, tookMs, mostRefused } = worked;
			expect(givenUp).toBe(0);
			expect(tookMs).toBeLessThan(IDEAL_MS * 1.05);
			expect(mostRefused).toBeLessThanOrEqual(processes === 1 ? 0 : 4 * processes);
		});
	});
});
