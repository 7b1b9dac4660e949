import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
	RequestQueue,
	type RequestResult,
} from '../../../../nodes/FormService/api/request/requestQueue.ts';
import { createFailure } from '../../../../nodes/FormService/api/failures.ts';
import { MINUTE_MS, VirtualTime } from '../../../time.mts';
import * as simulation from './simulation.mts';
import { countMostRefused, LimitedService, outcomeOf, pass } from './simulation.mts';

let time: VirtualTime;

/** Checks a property with each of the drawn values, each in a time of its own. */
async function check<T>(drawn: fc.Arbitrary<T>, numRuns: number, run: (value: T) => Promise<void>) {
	const begin = () => void (time = new VirtualTime());
	await fc.assert(fc.asyncProperty(drawn, run).beforeEach(begin), { numRuns });
}

const sendAll = async (service: LimitedService, asked: simulation.Asked[]) =>
	await time.waitFor(simulation.sendAll(time, service, new RequestQueue(time), asked));

const wayMs = fc.oneof(...[300, 5_000, 14_000].map((max) => fc.integer({ min: 1, max })));
const priority = fc.constantFrom('low' as const, 'low' as const, 'high' as const);

const requests = (spreadMs: number) =>
	fc.array(
		fc.record({ atMs: fc.nat({ max: spreadMs }), thereMs: wayMs, backMs: wayMs, priority }),
		{
			maxLength: 250,
			size: 'max',
		},
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
		const { outcomes, mostOpen } = await sendAll(service, asked);
		expect(outcomes).toEqual(asked.map(() => 'ok'));
		expect(service.refusals).toEqual([]);
		expect(mostOpen).toBeLessThanOrEqual(5);
	});
});

it('never more than 60 requests are sent in any minute, whatever becomes of them', async () => {
	const end = fc.constantFrom('ok', 'lost', 'broken', 'refused');
	const sent = fc.record({ atMs: fc.nat({ max: 5 * MINUTE_MS }), tookMs: wayMs, end, priority });
	await check(fc.array(sent, { maxLength: 400, size: 'max' }), 60, async (all) => {
		const queue = new RequestQueue(time);
		const starts: number[] = [];
		const send = async ({ atMs, tookMs, ...one }: (typeof all)[0]) => {
			await time.sleep(atMs);
			await pass(queue, { priority: one.priority }, async () => {
				if (one.end !== 'refused') starts.push(time.now());
				await time.sleep(tookMs);
				if (one.end === 'lost') throw new Error('nobody knows');
				return createOutcome(one.end);
			});
		};
		await time.waitFor(Promise.all(all.map(send)));
		for (const [index, at] of starts.entries()) {
			expect(starts[index + 60] ?? Infinity).toBeGreaterThan(at + MINUTE_MS);
		}
	});
});

function createOutcome(end: string): RequestResult {
	if (end === 'ok') return { headers: {} };
	const requestFailure =
		end === 'broken'
			? createFailure('connectionBroken', { detail: 'ECONNRESET' })
			: createFailure('minuteLimit', { retryAtMs: time.now() + 1_000 });
	return { headers: {}, requestFailure };
}

it('no place is lost, whatever throws, fails or is given up at any step', async () => {
	const step = fc.record({
		end: fc.constantFrom('ok', 'lost', 'broken', 'refused'),
		giveUpMs: fc.option(fc.nat({ max: 3_000 })),
		priority,
	});
	await check(fc.array(step, { maxLength: 50 }), 100, async (steps) => {
		const queue = new RequestQueue(time);
		const send = async ({ end, giveUpMs, priority: own }: (typeof steps)[0]) => {
			const signal = giveUpMs === null ? undefined : time.timeout(giveUpMs);
			await pass(queue, { priority: own, signal }, async () => {
				await time.sleep(100);
				if (end === 'lost') throw new Error('nobody knows');
				return createOutcome(end);
			});
		};
		await time.waitFor(Promise.all(steps.map(send)));
		await time.waitFor(time.sleep(2 * MINUTE_MS));
		let open = 0;
		const whenFive = Promise.withResolvers<{ headers: object }>();
		const hold = async () => {
			if (++open === 5) whenFive.resolve({ headers: {} });
			return await (whenFive.promise as Promise<{ headers: Record<string, never> }>);
		};
		const five = Array.from({ length: 5 }, async () => outcomeOf(await pass(queue, {}, hold)));
		expect(await time.waitFor(Promise.all(five))).toEqual(Array(5).fill('ok'));
	});
});

it('on an account that others use, each request is answered, few are refused, and none is sent while Retry-After runs', async () => {
	const others = fc.array(fc.nat({ max: 10 * MINUTE_MS }), { maxLength: 150, size: 'max' });
	const drawn = fc.tuple(arrivals, fc.nat({ max: 60 }), others);
	await check(drawn, 100, async ([asked, usedBefore, usedLater]) => {
		const service = new LimitedService(time);
		for (let used = 0; used < usedBefore; used++) service.take();
		await time.waitFor(time.sleep(usedBefore * 500));
		for (const atMs of usedLater) void time.sleep(atMs).then(() => service.take());
		const { outcomes, sentWhileWaiting } = await sendAll(service, asked);
		expect(outcomes).toEqual(asked.map(() => 'ok'));
		// as many as are open at a time
		expect(countMostRefused(service)).toBeLessThanOrEqual(5);
		expect(sentWhileWaiting).toBe(0);
	});
});
