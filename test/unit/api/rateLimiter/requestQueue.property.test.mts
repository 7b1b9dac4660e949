import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { RateLimiter } from '../../../../nodes/FormService/api/rateLimiter/rateLimiter.ts';
import { RequestQueue } from '../../../../nodes/FormService/api/rateLimiter/requestQueue.ts';
import { DAY_MS, MINUTE_MS, VirtualTime } from '../../../time.mts';
import * as simulation from './simulation.mts';
import { countMostRefused, IDEAL_MS, LimitedService } from './simulation.mts';

let time: VirtualTime;
let start: number;

/** Each run of a property has its own time. */
function beginTime(): void {
	time = new VirtualTime();
	start = time.now();
}
beforeEach(beginTime);

/** Checks a property with each of the drawn values. */
async function check<T>(drawn: fc.Arbitrary<T>, numRuns: number, run: (value: T) => Promise<void>) {
	await fc.assert(fc.asyncProperty(drawn, run).beforeEach(beginTime), { numRuns });
}

type Correction = { atMs: number; byMs: number };

/** A queue on a machine whose clock is corrected. Timers keep to real time, as on a machine. */
function createQueue(corrections: readonly Correction[] = []) {
	let offMs = 0;
	for (const { atMs, byMs } of corrections) void time.sleep(atMs).then(() => (offMs += byMs));
	const now = () => time.now() + offMs;
	return Object.assign(new RequestQueue(new RateLimiter(), { now, sleep: time.sleep }), { now });
}

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

const atOnce = (count: number, wayMs: number) =>
	Array.from({ length: count }, () => ({ atMs: 0, thereMs: wayMs, backMs: wayMs }));

function drawCorrections(sign: -1 | 1, latestMs: number) {
	const sizes = [MINUTE_MS, 400 * DAY_MS].map((max) => fc.integer({ min: 1, max }));
	const byMs = fc.oneof(...sizes).map((ms) => sign * ms);
	const correction = fc.record({ atMs: fc.nat({ max: latestMs }), byMs });
	return fc.array(correction, { maxLength: 4 });
}

describe('on an account that nobody else uses', () => {
	it('no request is refused, and at most five are open', async () => {
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

	it.each([
		['back costs a minute at most, and sixty requests a minute are sent', -1 as const, 100, 0],
		['ahead costs a minute and as many refusals as are open at most', 1 as const, 2_000, 5],
	])('each time the clock is set %s', async (_what, sign, marginMs, maxRefused) => {
		const count = fc.integer({ min: 1, max: 400 });
		const corrections = drawCorrections(sign, 4 * MINUTE_MS);
		const drawn = fc.tuple(count, fc.integer({ min: 1, max: 40 }), corrections);
		await check(drawn, 60, async ([sent, delayMs, corrected]) => {
			const service = new LimitedService(time);
			const asked = atOnce(sent, delayMs);
			const { outcomes } = await sendAll(service, createQueue(corrected), asked);
			expect(outcomes).toEqual(asked.map(() => 200));
			expect(service.refusals.length).toBeLessThanOrEqual(maxRefused * corrected.length);
			const windows = Math.ceil(sent / 60);
			// four at a time, and each window starts when its first request arrives
			const repliesMs = (2 * windows + 15) * 2 * delayMs;
			const waits = windows - 1 + corrected.length;
			const maxMs = waits * (MINUTE_MS + marginMs) + 2_000 + repliesMs;
			expect(time.now() - start).toBeLessThanOrEqual(maxMs);
		});
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
			const { givenUp, tookMs, mostRefused } = await simulation.workOff(
				(clock) => new RequestQueue(new RateLimiter(), clock),
				processes,
				delaysMs,
			);
			expect(givenUp).toBe(0);
			expect(tookMs).toBeLessThan(IDEAL_MS * 1.05);
			expect(mostRefused).toBeLessThanOrEqual(processes === 1 ? 0 : 4 * processes);
		});
	});
});

/** Passes one request, which ends so. */
async function passOne(queue: RequestQueue, status: number, headers = {}) {
	const passing = simulation.pass(queue, {}, async () => {
		await time.sleep(50);
		return { kind: 'reply', status, headers };
	});
	return await time.waitFor(passing);
}

describe("the day's limit", () => {
	it('fails all that wait at once, with the time of the reset, and sends no more', async () => {
		const drawn = fc.tuple(fc.nat({ max: 30 }), fc.integer({ min: 40, max: 100 }));
		await check(drawn, 60, async ([left, count]) => {
			const service = new LimitedService(time, { perDay: left });
			const queue = createQueue();
			const { ends } = await sendAll(service, queue, atOnce(count, 20));
			expect(service.refusals.length).toBeLessThanOrEqual(5);
			const heldBack = ends.filter((end) => end.kind === 'dayUsedUp');
			expect(heldBack).toHaveLength(count - left);
			for (const { until } of heldBack) {
				expect(Math.abs(until - start - DAY_MS)).toBeLessThan(2_000);
			}
			await time.waitFor(time.sleep(DAY_MS / 2));
			expect((await passOne(queue, 200)).kind).toBe('dayUsedUp');
		});
	});

	it('ends when the service said, however far the clock is set back, and says when that is', async () => {
		const drawn = fc.tuple(
			fc.integer({ min: 61, max: 7_000 }),
			drawCorrections(-1, 60 * MINUTE_MS),
		);
		await check(drawn, 60, async ([seconds, corrections]) => {
			const queue = createQueue(corrections);
			await passOne(queue, 429, { 'retry-after': `${seconds}` });
			const end = time.now() + seconds * 1_000;
			for (;;) {
				const result = await passOne(queue, 200);
				if (result.kind !== 'dayUsedUp') break;
				const error = Math.abs(result.until - queue.now() - (end - time.now()));
				// a correction is noticed with the next request, here a minute later
				expect(error).toBeLessThan(corrections.length * MINUTE_MS + 5_000);
				expect(time.now() - end).toBeLessThan(corrections.length * MINUTE_MS + 5_000);
				await time.waitFor(time.sleep(MINUTE_MS));
			}
		});
	});
});

describe('the circuit breaker', () => {
	it('tests the service within five minutes of each time the clock is set back', async () => {
		await check(drawCorrections(-1, 60 * MINUTE_MS), 40, async (corrections) => {
			const queue = createQueue(corrections);
			for (let failed = 0; failed < 20; failed++) await passOne(queue, 500);
			const failedAt = time.now();
			const maxMs = (corrections.length + 1) * 5 * MINUTE_MS + 5_000;
			while ((await passOne(queue, 200)).kind !== 'reply') {
				expect(time.now() - failedAt).toBeLessThan(maxMs);
				await time.waitFor(time.sleep(MINUTE_MS));
			}
			expect(queue.isServiceDown).toBe(false);
		});
	});
});
