import fc from 'fast-check';
import { countBy, range } from 'lodash';
import { beforeEach, expect, it } from 'vitest';
import { createFailure, type FailureReason } from '../../../../nodes/FormService/api/failures.ts';
import {
	RequestQueue,
	type Priority,
} from '../../../../nodes/FormService/api/request/requestQueue.ts';
import { decide, type Usage } from '../../../service/specification/limiter.mts';
import { DAY_MS, MINUTE_MS, VirtualTime } from '../../../time.mts';

type RequestResult = NonNullable<Parameters<RequestQueue['releaseSlot']>[1]>;

let time: VirtualTime;
let queue: RequestQueue;

function begin(): void {
	time = new VirtualTime();
	queue = new RequestQueue(time);
}
beforeEach(begin);

const ok: RequestResult = { headers: {} };
const failWith = (reason: FailureReason, retryAtMs?: number): RequestResult => ({
	headers: {},
	requestFailure: createFailure(reason, { retryAtMs }),
});

/** Sends a request in its turn. Returns how it ended: "ok", or the reason of its failure. */
async function pass(priority: Priority, send: () => Promise<RequestResult>): Promise<string> {
	const slot = await queue.acquireSlot(priority);
	if ('reason' in slot) return slot.reason;
	const result = await send();
	queue.releaseSlot(slot, result);
	return result.requestFailure?.reason ?? 'ok';
}

/** Sends so many requests that all end in the same way. `sentAtS` has the seconds until each was sent. */
async function sendAll(count: number, end: RequestResult, priority: Priority = 'low') {
	const startMs = time.now();
	const sentAtS: number[] = [];
	const send = async () => {
		sentAtS.push(Math.round((time.now() - startMs) / 1000));
		await time.sleep(100);
		return end;
	};
	const sending = range(count).map(async () => await pass(priority, send));
	const ends = await time.waitFor(Promise.all(sending));
	return { outcomes: countBy(ends), sentAtS, sent: sentAtS.length };
}

const showing = (limit: number) => ({ headers: { 'x-ratelimit-limit': `${limit}` } });

it.each<[string, (nowMs: number) => RequestResult, number, number]>([
	['200 requests in 4 s if a reply shows 300', () => showing(300), 200, 4],
	['60 in a minute if a reply shows the limit of the day', () => showing(1_440), 60, 60],
	['none before the end of a wait', (nowMs) => failWith('minuteLimit', nowMs + 30_000), 1, 30],
])('The limit of a minute allows %s', async (_what, createEnd, count, second) => {
	await sendAll(1, createEnd(time.now()));
	expect((await sendAll(count, ok)).sentAtS.at(-1)).toBe(second);
});

it.each<FailureReason>(['connectionFailed', 'minuteLimit', 'insecure'])(
	'After 20 failures in a row (%s), items fail at once for a minute, but no trigger and no editor',
	async (reason) => {
		const failed = failWith(reason);
		// neither 19 failures and a success nor what is wrong with items is an outage
		for (const end of [...Array<RequestResult>(19).fill(failed), ok]) await sendAll(1, end);
		await sendAll(100, failWith('rejected'));
		const { outcomes, sent } = await sendAll(1_000, failed);
		expect(outcomes).toEqual({ [reason]: sent, outage: 1_000 - sent });
		expect([20, 21, 22, 23, 24]).toContain(sent);
		await time.waitFor(time.sleep(MINUTE_MS - 2_000));
		expect((await sendAll(10, failed)).sent).toBe(0);
		expect((await sendAll(10, failed, 'high')).sent).toBe(10);
		await time.waitFor(time.sleep(2_000));
		expect((await sendAll(10, failed)).sent).toBe(5);
	},
);

it('A maintenance holds back items for five minutes at most, with few requests, and no trigger', async () => {
	// an earlier one has ended
	for (const end of [failWith('unavailable', time.now()), ok]) await sendAll(1, end);
	await time.waitFor(time.sleep(10 * MINUTE_MS));
	const begun = time.now();
	const { sent, outcomes } = await sendAll(1_000, failWith('unavailable', begun + 1_000));
	expect(outcomes).toEqual({ unavailable: 1_000 });
	expect(sent).toBeLessThanOrEqual(150);
	expect(time.now() - begun).toBeGreaterThan(270_000);
	expect((await sendAll(1, ok, 'high')).sentAtS).toEqual([0]);
});

it('The limit of the day fails all requests at once until it resets, whatever the clock and the minute say', async () => {
	const day = failWith('dayLimit', time.now() + DAY_MS);
	// a request that was sent earlier can get its refusal later
	const minute = failWith('minuteLimit', time.now() + MINUTE_MS);
	await Promise.all([day, minute].map(async (end) => await pass('low', async () => end)));
	time.aheadMs = -3 * DAY_MS;
	expect((await sendAll(40, ok)).outcomes).toEqual({ dayLimit: 40 });
	await time.waitFor(time.sleep(DAY_MS - 2_000));
	expect((await sendAll(1, ok, 'high')).sent).toBe(0);
	await time.waitFor(time.sleep(2_000));
	expect((await sendAll(1, ok)).sent).toBe(1);
});

const wayMs = fc.oneof(...[300, 5_000, 14_000].map((max) => fc.integer({ min: 1, max })));
const anyRequests = (spreadMs: number) => {
	const priority = fc.constantFrom('low' as const, 'low' as const, 'high' as const);
	const request = { atMs: fc.nat({ max: spreadMs }), thereMs: wayMs, backMs: wayMs, priority };
	return fc.array(fc.record(request), { maxLength: 250, size: 'max' });
};
// many requests within some seconds, among others over some minutes
const anyLoad = fc.tuple(anyRequests(2_000), anyRequests(6 * MINUTE_MS));
// five requests are open when the first reply shows the account's limit
const anyLimit = fc.oneof(fc.constant(60), fc.integer({ min: 5, max: 300 }));

it('Of all requests of an account, five are open at most, and none is refused', async () => {
	const property = fc.asyncProperty(anyLoad, anyLimit, async (load, limit) => {
		let usage: Usage | undefined;
		let [open, mostOpen] = [0, 0];
		const sending = load.flat().map(async ({ atMs, thereMs, backMs, priority }) => {
			await time.sleep(atMs);
			return await pass(priority, async () => {
				mostOpen = Math.max(mostOpen, ++open);
				await time.sleep(thereMs);
				const { isAllowed, headers, usage: after } = decide(usage, limit, time.now());
				usage = after;
				await time.sleep(backMs);
				open--;
				return isAllowed ? { headers } : failWith('minuteLimit');
			});
		});
		const ends = await time.waitFor(Promise.all(sending));
		expect(ends.filter((end) => end !== 'ok')).toEqual([]);
		expect(mostOpen).toBeLessThanOrEqual(5);
	});
	await fc.assert(property.beforeEach(begin), { numRuns: 80 });
});
