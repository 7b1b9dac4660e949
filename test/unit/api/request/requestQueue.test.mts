import fc from 'fast-check';
import { countBy, range } from 'lodash';
import { beforeEach, expect, it } from 'vitest';
import { createFailure, type FailureReason } from '../../../../nodes/FormService/api/failures.ts';
import { createRateLimitFailure } from '../../../../nodes/FormService/api/request/parseReply.ts';
import { RequestQueue } from '../../../../nodes/FormService/api/request/requestQueue.ts';
import { decide, type Usage } from '../../../service/specification/limiter.mts';
import { DAY_MS, MINUTE_MS, VirtualTime } from '../../../time.mts';

type Job = { priority: 'high' | 'low'; signal?: AbortSignal };
type RequestResult = NonNullable<Parameters<RequestQueue['releaseSlot']>[1]>;

let time: VirtualTime;
let queue: RequestQueue;

function begin(): void {
	time = new VirtualTime();
	queue = new RequestQueue(time);
}
beforeEach(begin);

const ok: RequestResult = { headers: {} };
const showLimit = (limit: number): RequestResult => ({
	headers: { 'x-ratelimit-limit': `${limit}` },
});
const failWith = (reason: FailureReason, retryAtMs?: number): RequestResult => ({
	headers: {},
	requestFailure: createFailure(reason, { retryAtMs }),
});
const failed = failWith('connectionFailed');

/** Sends a request in its turn. Returns how it ended: "ok", "lost" if sending threw, or the reason of its failure. */
async function pass(job: Partial<Job>, send: () => Promise<RequestResult>): Promise<string> {
	const slot = await queue.acquireSlot(job.priority ?? 'low', job.signal);
	if ('reason' in slot) return slot.reason;
	const result = await send().catch(() => undefined);
	queue.releaseSlot(slot, result);
	return result === undefined ? 'lost' : (result.requestFailure?.reason ?? 'ok');
}

/** Sends so many requests that all end in the same way. `sentAtS` has the seconds until each was sent. */
async function sendAll(count: number, end: RequestResult, job: Partial<Job> = {}) {
	const startMs = time.now();
	const sentAtS: number[] = [];
	const send = async () => {
		sentAtS.push(Math.round((time.now() - startMs) / 1000));
		await time.sleep(100);
		return end;
	};
	const ends = await time.waitFor(Promise.all(range(count).map(async () => await pass(job, send))));
	return { outcomes: countBy(ends), sentAtS, sent: sentAtS.length };
}

it.each<[string, RequestResult, number, number]>([
	['what a reply shows, such as 300', showLimit(300), 200, 4],
	['60 if a reply shows the limit of the day', showLimit(1_440), 60, 60],
])('The limit of a minute is %s', async (_what, end, count, second) => {
	await sendAll(1, end);
	expect((await sendAll(count, ok)).sentAtS.at(-1)).toBe(second);
});

it.each<FailureReason>(['connectionFailed', 'minuteLimit', 'insecure'])(
	'Items fail at once after 20 failures in a row: %s',
	async (reason) => {
		const { outcomes, sent } = await sendAll(1_000, failWith(reason));
		expect(sent).toBeLessThan(25);
		expect(outcomes).toEqual({ [reason]: sent, outage: 1_000 - sent });
	},
);

it('An outage lasts a minute for items, and never holds back triggers and the editor', async () => {
	// neither 19 failures and a success nor what is wrong with items is an outage
	for (const end of [...Array<RequestResult>(19).fill(failed), ok]) await sendAll(1, end);
	await sendAll(100, failWith('rejected'));
	expect((await sendAll(19, failed)).sent).toBe(19);
	await sendAll(40, failed);
	await time.waitFor(time.sleep(MINUTE_MS - 2_000));
	expect((await sendAll(10, failed)).sent).toBe(0);
	expect((await sendAll(10, failed, { priority: 'high' })).sent).toBe(10);
	await time.waitFor(time.sleep(2_000));
	expect((await sendAll(10, failed)).sent).toBe(5);
});

it('A maintenance holds back items for five minutes at most, with few requests, and no trigger', async () => {
	const begun = time.now();
	const { sent, outcomes } = await sendAll(1_000, failWith('unavailable', begun + 1_000));
	expect(outcomes).toEqual({ unavailable: 1_000 });
	expect(sent).toBeLessThanOrEqual(150);
	expect(time.now() - begun).toBeGreaterThan(270_000);
	expect((await sendAll(1, ok, { priority: 'high' })).sentAtS).toEqual([0]);
});

it('The limit of the day fails all requests at once until it resets, whatever the clock and the minute say', async () => {
	const day = failWith('dayLimit', time.now() + DAY_MS);
	// a request that was sent earlier can get its refusal later
	const minute = failWith('minuteLimit', time.now() + MINUTE_MS);
	await Promise.all([day, minute].map(async (end) => await pass({}, async () => end)));
	time.aheadMs = -3 * DAY_MS;
	expect((await sendAll(40, ok)).outcomes).toEqual({ dayLimit: 40 });
	await time.waitFor(time.sleep(DAY_MS - 2_000));
	expect((await sendAll(1, ok, { priority: 'high' })).sent).toBe(0);
	await time.waitFor(time.sleep(2_000));
	expect((await sendAll(1, ok)).sent).toBe(1);
});

/** The limit of the stand-in for the service in virtual time. */
function limitTo(perMinute: number) {
	let usage: Usage | undefined;
	let refused = 0;
	/** A request of any client of the account arrives. */
	const take = (): RequestResult => {
		const decided = decide(usage, perMinute, time.now());
		const { isAllowed, headers } = decided;
		usage = decided.usage;
		if (isAllowed) return { headers };
		refused++;
		return { headers, requestFailure: createRateLimitFailure(headers, time.now()) };
	};
	return { take, countRefused: () => refused };
}

const wayMs = fc.oneof(...[300, 5_000, 14_000].map((max) => fc.integer({ min: 1, max })));
const priority = fc.constantFrom('low' as const, 'low' as const, 'high' as const);
const anyRequests = (spreadMs: number) => {
	const request = { atMs: fc.nat({ max: spreadMs }), thereMs: wayMs, backMs: wayMs, priority };
	return fc.array(fc.record(request), { maxLength: 250, size: 'max' });
};
const anyLoad = fc.record({
	// many requests within some seconds, among others over some minutes
	burst: anyRequests(2_000),
	spread: anyRequests(6 * MINUTE_MS),
	// five are open when the first reply shows the account's limit
	limit: fc.oneof(fc.constant(60), fc.integer({ min: 5, max: 300 })),
	othersAtMs: fc.array(fc.nat({ max: 10 * MINUTE_MS }), { maxLength: 150, size: 'max' }),
	isShared: fc.boolean(),
});

it('Each request succeeds, five are open at most, and none is refused on an account of its own', async () => {
	const property = fc.asyncProperty(anyLoad, async ({ burst, spread, isShared, ...load }) => {
		const { take, countRefused } = limitTo(isShared ? 60 : load.limit);
		if (isShared) for (const atMs of load.othersAtMs) void time.sleep(atMs).then(take);
		let [open, mostOpen] = [0, 0];
		const send = async ({ atMs, thereMs, backMs, ...job }: (typeof burst)[number]) => {
			await time.sleep(atMs);
			for (let attempt = 1; ; attempt++) {
				const end = await pass(job, async () => {
					mostOpen = Math.max(mostOpen, ++open);
					await time.sleep(thereMs);
					const result = take();
					await time.sleep(backMs);
					open--;
					return result;
				});
				if (end !== 'minuteLimit' || attempt === 10) return end;
			}
		};
		const ends = await time.waitFor(Promise.all([...burst, ...spread].map(send)));
		expect(ends.filter((end) => end !== 'ok')).toEqual([]);
		expect(mostOpen).toBeLessThanOrEqual(5);
		if (!isShared) expect(countRefused()).toBe(0);
	});
	await fc.assert(property.beforeEach(begin), { numRuns: 80 });
});

it('No slot is lost, whatever throws, fails or is canceled, and nothing is sent once it is canceled', async () => {
	const ends: Array<RequestResult | undefined> = [ok, failed, undefined];
	const cancelMs = fc.option(fc.nat({ max: 3_000 }));
	const steps = fc.array(fc.record({ end: fc.constantFrom(...ends), cancelMs }), { maxLength: 50 });
	const property = fc.asyncProperty(steps, async (all) => {
		let sentLate = false;
		const sending = all.map(async (step) => {
			const signal = step.cancelMs === null ? undefined : time.timeout(step.cancelMs);
			const begun = time.now();
			return await pass({ signal }, async () => {
				sentLate ||= time.now() - begun > (step.cancelMs ?? Infinity);
				await time.sleep(100);
				return step.end ?? (await Promise.reject(new Error('lost')));
			});
		});
		await time.waitFor(Promise.all(sending));
		expect(sentLate).toBe(false);
		await time.waitFor(time.sleep(2 * MINUTE_MS));
		expect((await sendAll(5, ok)).sentAtS).toEqual([0, 0, 0, 0, 0]);
	});
	await fc.assert(property.beforeEach(begin), { numRuns: 60 });
});
