import { getEventListeners } from 'node:events';
import { countBy } from 'lodash';
import { beforeEach, describe, expect, it } from 'vitest';
import { RequestQueue } from '../../../../nodes/FormService/api/request/requestQueue.ts';
import type { Job, RequestResult } from '../../../../nodes/FormService/api/request/requestQueue.ts';
import { createRateLimitFailure } from '../../../../nodes/FormService/api/request/classify.ts';
import { createFailure, type FailureReason } from '../../../../nodes/FormService/api/failures.ts';
import { DAY_MS, MINUTE_MS, VirtualTime } from '../../../time.mts';
import * as simulation from './simulation.mts';
import { LimitedService, outcomeOf, pass } from './simulation.mts';

let time: VirtualTime;
let queue: RequestQueue;

beforeEach(() => {
	time = new VirtualTime();
	queue = new RequestQueue(time);
});

const ok: RequestResult = { headers: {} };
const shows = (remaining: number, limit = 60): RequestResult => ({
	headers: { 'x-ratelimit-limit': `${limit}`, 'x-ratelimit-remaining': `${remaining}` },
});
const failWith = (reason: FailureReason): RequestResult => ({
	headers: {},
	requestFailure: createFailure(reason),
});
const failed = failWith('connectionBroken');
const refuse = (retryAfterS?: number): RequestResult => ({
	headers: {},
	requestFailure: createRateLimitFailure({ 'retry-after': retryAfterS }, time.now()),
});

const delays = { atMs: 0, thereMs: 20, backMs: 20 };

/** Asks for so many requests at once, which all end so; returns how, and when each was sent. */
async function sendAll(count: number, end: RequestResult, job: Partial<Job> = {}) {
	const sentAt: number[] = [];
	const send = async () => {
		sentAt.push(time.now());
		await time.sleep(100);
		return end;
	};
	const all = Array.from({ length: count }, async () => await pass(queue, job, send));
	const ends = await time.waitFor(Promise.all(all));
	return { ends, outcomes: countBy(ends.map(outcomeOf)), sentAt, sent: sentAt.length };
}

describe('the queue', () => {
	it('sends retries before first tries, triggers and people before items, the oldest first', async () => {
		const order: string[] = [];
		const send = async (name: string, job: Partial<Job> = {}) =>
			await pass(queue, job, async () => {
				order.push(name);
				await time.sleep(100);
				return ok;
			});
		const all = ['1', '2', '3', '4', '5', '6', '7'].map(async (name) => await send(name));
		all.push(send('retry', { isRetry: true }));
		all.push(send('high 1', { priority: 'high' }), send('high 2', { priority: 'high' }));
		all.push(send('high retry', { priority: 'high', isRetry: true }));
		await time.waitFor(Promise.all(all));
		const waited = ['high retry', 'high 1', 'high 2', 'retry', '6', '7'];
		expect(order).toEqual(['1', '2', '3', '4', '5', ...waited]);
	});

	it('drops waiting requests that are canceled, and no other', async () => {
		const controller = new AbortController();
		const { signal } = controller;
		void time.sleep(50).then(() => controller.abort());
		const canceled = sendAll(20, ok, { signal });
		expect((await sendAll(10, ok)).sent).toBe(10);
		expect((await canceled).outcomes).toEqual({ ok: 5, canceled: 15 });
		expect(getEventListeners(signal, 'abort')).toEqual([]);
		expect((await sendAll(1, ok, { signal: AbortSignal.abort() })).outcomes).toEqual({
			canceled: 1,
		});
	});
});

describe('the limit of a minute', () => {
	/** Seconds until each of so many more requests is sent. */
	async function secondsUntil(count: number): Promise<number[]> {
		const from = time.now();
		const { sentAt } = await sendAll(count, ok);
		return sentAt.map((at) => Math.round((at - from) / 1000));
	}

	it('is 60 at first, counted from the end of each request', async () => {
		const { sentAt } = await sendAll(121, ok);
		expect(sentAt[59] - sentAt[0]).toBeLessThan(2_000);
		for (const index of [60, 119, 120]) {
			const afterEndMs = sentAt[index] - sentAt[index - 60] - 100;
			// timers fire up to a millisecond early
			expect(afterEndMs).toBeGreaterThan(MINUTE_MS + 1);
			expect(afterEndMs).toBeLessThan(MINUTE_MS + 100);
		}
	});

	it.each<[string, RequestResult[], number, number]>([
		['what remains of the window, also after the requests of others', [shows(0)], 1, 60],
		['the limit that a reply shows, such as 300', [shows(299, 300)], 200, 4],
		['a smaller one', [shows(29, 30)], 30, 60],
		['60 if a reply shows the limit of the day', [shows(5, 1_440)], 59, 1],
		['nothing if a reply shows a negative number', [shows(-3)], 1, 60],
		['60 if a reply shows half of the pair', [{ headers: { 'x-ratelimit-limit': '5' } }], 59, 1],
		['what a later request finds in a new window', [shows(1), shows(40)], 40, 1],
	])('is %s', async (_what, ends, count, second) => {
		for (const end of ends) await sendAll(1, end);
		expect((await secondsUntil(count)).at(-1)).toBe(second);
	});

	it.each<[string, number | undefined, number]>([
		['Retry-After and a second', 20, 21],
		['a second', 0, 1],
		['a minute if it says nothing', undefined, 61],
	])('holds all requests back after a refusal for %s', async (_what, retryAfterS, second) => {
		await sendAll(1, refuse(retryAfterS));
		// the service does not count what it refuses
		const seconds = await secondsUntil(60);
		expect([seconds[0], seconds[59]]).toEqual([second, second + 1]);
	});

	it.each<[string, number, () => RequestResult[]]>([
		['the longest of several waits', 21, () => [refuse(20), refuse(1)]],
		['the least that remains by replies that were under way', 60, () => [shows(0), shows(1)]],
	])('holds all requests back for %s', async (_what, second, endBoth) => {
		const ends = endBoth();
		const send = async () => {
			await time.sleep(100);
			return ends.shift()!;
		};
		await time.waitFor(Promise.all([pass(queue, {}, send), pass(queue, {}, send)]));
		expect((await secondsUntil(1))[0]).toBe(second);
	});

	it('is kept with other clients of the account, and no request is refused', async () => {
		const service = new LimitedService(time);
		for (let used = 0; used < 56; used++) service.take();
		const asked = [0, 1_000, 1_000, 1_000, 1_000, 1_000].map((atMs) => ({ ...delays, atMs }));
		await time.waitFor(simulation.sendAll(time, service, queue, asked));
		expect(service.refusals).toEqual([]);
	});
});

describe('an outage', () => {
	it.each<[string, () => RequestResult]>([
		['broken connections', () => failed],
		['refusals', () => refuse(1)],
		['rejected credentials', () => failWith('insecure')],
	])('of %s lets items fail at once after 20 in a row', async (_what, end) => {
		const one = end();
		const { ends, sent } = await sendAll(1_000, one);
		expect(sent).toBeLessThan(25);
		const { cause } = one.requestFailure!;
		const lastFailure = expect.objectContaining({ cause, reason: one.requestFailure!.reason });
		const outage = { reason: 'outage', cause, mayHaveActed: false, lastFailure };
		expect(ends.slice(sent)).toEqual(Array(1_000 - sent).fill(outage));
	});

	it('is none after 19, if a success is between, or if the items are the reason', async () => {
		for (const end of [
			...Array<RequestResult>(19).fill(failed),
			ok,
			...Array<RequestResult>(19).fill(failed),
		]) {
			await sendAll(1, end);
		}
		await sendAll(100, failWith('rejected'));
		expect((await sendAll(1, ok)).sent).toBe(1);
	});

	it('lasts a minute for items, and never holds back triggers and people', async () => {
		await sendAll(40, failed);
		await time.waitFor(time.sleep(MINUTE_MS - 2_000));
		expect((await sendAll(10, failed)).sent).toBe(0);
		expect((await sendAll(10, failed, { priority: 'high' })).sent).toBe(10);
		await time.waitFor(time.sleep(2_000));
		expect((await sendAll(10, failed)).sent).toBe(5);
		await time.waitFor(time.sleep(MINUTE_MS));
		await sendAll(1, ok);
		expect((await sendAll(10, ok)).sent).toBe(10);
	});
});

describe('a service that is unavailable', () => {
	/** The service asks to wait for so many seconds, so many times, and is then available. */
	async function sendThrough(times: number, retryAfterS: number, count: number) {
		let replies = 0;
		const sentAtS: number[] = [];
		const startMs = time.now();
		const sendUntilSent = async () => {
			for (;;) {
				const end = await pass(queue, { isRetry: true }, async () => {
					sentAtS.push(Math.round((time.now() - startMs) / 1000));
					await time.sleep(100);
					return ++replies <= times ? unavailableFor(retryAfterS) : ok;
				});
				if (typeof end === 'string' || 'reason' in end || !end.requestFailure) return end;
			}
		};
		const ends = await time.waitFor(Promise.all(Array.from({ length: count }, sendUntilSent)));
		return { outcomes: countBy(ends.map(outcomeOf)), sentAtS };
	}
	const unavailableFor = (seconds: number): RequestResult => ({
		headers: {},
		requestFailure: createFailure('unavailable', { retryAtMs: time.now() + seconds * 1_000 }),
	});

	it('lets items wait as long as it asks, and counts no outage', async () => {
		const { outcomes, sentAtS } = await sendThrough(25, 30, 40);
		expect(outcomes).toEqual({ ok: 40 });
		expect(sentAtS.slice(0, 26)).toEqual(
			[0, 30, 60, 90, 120, 151].flatMap((second) => Array(5).fill(second)).slice(0, 26),
		);
	});

	it('lets 1,000 items fail after five minutes of short waits, with few requests', async () => {
		const { outcomes, sentAtS } = await sendThrough(Infinity, 1, 1_000);
		expect(outcomes).toEqual({ unavailable: 1_000 });
		expect(sentAtS.length).toBeLessThanOrEqual(150);
		expect(sentAtS.at(-1)).toBeGreaterThan(270);
		expect(sentAtS.at(-1)).toBeLessThanOrEqual(300);
	});

	it('lets items fail at once for a minute if it asks for more than five minutes', async () => {
		expect(await sendThrough(5, 600, 1_000)).toMatchObject({ outcomes: { unavailable: 1_000 } });
		expect((await sendAll(5, ok)).outcomes).toEqual({ unavailable: 5 });
		await time.waitFor(time.sleep(MINUTE_MS));
		expect((await sendAll(5, ok)).outcomes).toEqual({ ok: 5 });
	});

	it('holds back no trigger and no person, whose success lets the items go on', async () => {
		await sendAll(1, unavailableFor(200));
		const sentAt = { item: 0, trigger: 0 };
		const send = async (name: keyof typeof sentAt, job: Partial<Job> = {}) =>
			await pass(queue, job, async () => {
				sentAt[name] = time.now();
				return await Promise.resolve(ok);
			});
		const startMs = time.now();
		const sendTrigger = async () => {
			await time.sleep(20_000);
			return await send('trigger', { priority: 'high' });
		};
		await time.waitFor(Promise.all([send('item'), sendTrigger()]));
		expect(sentAt.trigger - startMs).toBe(20_000);
		expect(sentAt.item - sentAt.trigger).toBeLessThan(100);
	});
});

it('the limit of the day fails all that wait at once, with the time of the reset, and sends no more', async () => {
	const service = new LimitedService(time, { perDay: 30 });
	const asked = Array.from({ length: 70 }, (_, index) => ({
		...delays,
		...(index % 2 > 0 && { priority: 'high' as const }),
	}));
	const { outcomes } = await time.waitFor(simulation.sendAll(time, service, queue, asked));
	expect(service.refusals.length).toBeLessThanOrEqual(5);
	expect(countBy(outcomes)).toEqual({ ok: 30, dayLimit: 40 });
	// a machine's clock that is corrected changes nothing
	time.aheadMs = -3 * DAY_MS;
	await time.waitFor(time.sleep(DAY_MS / 2));
	for (const priority of ['low', 'high'] as const) {
		expect((await sendAll(1, ok, { priority })).sent).toBe(0);
	}
	await time.waitFor(time.sleep(DAY_MS / 2 + 2_000));
	expect((await sendAll(1, ok)).sent).toBe(1);
});
