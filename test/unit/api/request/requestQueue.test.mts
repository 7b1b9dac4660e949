import fc from 'fast-check';
import { countBy, range } from 'lodash';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFailure, type FailureReason } from '../../../../nodes/FormService/api/failures.ts';
import { createRateLimitFailure } from '../../../../nodes/FormService/api/request/classify.ts';
import { RequestQueue } from '../../../../nodes/FormService/api/request/requestQueue.ts';
import type { Job, RequestResult } from '../../../../nodes/FormService/api/request/requestQueue.ts';
import { decide, type Limits, type Usage } from '../../../service/specification/limiter.mts';
import { DAY_MS, MINUTE_MS, VirtualTime } from '../../../time.mts';

let time: VirtualTime;
let queue: RequestQueue;

function begin(): void {
	time = new VirtualTime();
	queue = new RequestQueue(time);
}
beforeEach(begin);

const ok: RequestResult = { headers: {} };
const showRemaining = (remaining: number, limit = 60): RequestResult => ({
	headers: { 'x-ratelimit-limit': `${limit}`, 'x-ratelimit-remaining': `${remaining}` },
});
const failWith = (reason: FailureReason): RequestResult => ({
	headers: {},
	requestFailure: createFailure(reason),
});
const failed = failWith('connectionBroken');

/** Sends a request in its turn. Returns how it ended: "ok", "lost" if sending threw, or the reason of its failure. */
async function pass(job: Partial<Job>, send: () => Promise<RequestResult>): Promise<string> {
	const slot = await queue.acquireSlot({ priority: 'low', isRetry: false, ...job });
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

it('Retries go before first attempts, and requests of triggers and the editor before those of items', async () => {
	const order: string[] = [];
	const send = async (name: string, job: Partial<Job> = {}) =>
		await pass(job, async () => {
			order.push(name);
			await time.sleep(100);
			return ok;
		});
	const all = ['1', '2', '3', '4', '5', '6', '7'].map(async (name) => await send(name));
	all.push(send('retry', { isRetry: true }), send('high', { priority: 'high' }));
	all.push(send('high retry', { priority: 'high', isRetry: true }));
	await time.waitFor(Promise.all(all));
	expect(order).toEqual(['1', '2', '3', '4', '5', 'high retry', 'high', 'retry', '6', '7']);
});

it.each<[string, RequestResult[], number, number]>([
	['what remains of the window, also after the requests of others', [showRemaining(0)], 1, 60],
	['the limit that a reply shows, such as 300', [showRemaining(299, 300)], 200, 4],
	['60 if a reply shows the limit of the day', [showRemaining(5, 1_440)], 59, 1],
	['60 if a reply shows half of the pair', [{ headers: { 'x-ratelimit-limit': '5' } }], 59, 1],
	['what a later request finds in a new window', [showRemaining(1), showRemaining(40)], 40, 1],
])('The limit of a minute is %s', async (_what, ends, count, second) => {
	for (const end of ends) await sendAll(1, end);
	expect((await sendAll(count, ok)).sentAtS.at(-1)).toBe(second);
});

it('A request counts toward the limit until a minute after its end', async () => {
	const slow = pass({}, async () => {
		await time.sleep(50_000);
		return ok;
	});
	await sendAll(59, ok);
	const { sentAtS } = await sendAll(60, ok);
	await slow;
	expect(sentAtS.at(-2)).toBeLessThan(65);
	expect(sentAtS.at(-1)).toBeGreaterThan(105);
});

describe('An outage', () => {
	it.each<FailureReason>(['connectionBroken', 'minuteLimit', 'insecure'])(
		'lets items fail at once after 20 failures in a row: %s',
		async (reason) => {
			const { outcomes, sent } = await sendAll(1_000, failWith(reason));
			expect(sent).toBeLessThan(25);
			expect(outcomes).toEqual({ [reason]: sent, outage: 1_000 - sent });
		},
	);

	it('does not begin after 19 failures and a success, or because of the items', async () => {
		for (const end of [...Array<RequestResult>(19).fill(failed), ok]) await sendAll(1, end);
		await sendAll(19, failed);
		await sendAll(100, failWith('rejected'));
		expect((await sendAll(1, ok)).sent).toBe(1);
	});

	it('lasts a minute for items, and never holds back triggers and the editor', async () => {
		await sendAll(40, failed);
		await time.waitFor(time.sleep(MINUTE_MS - 2_000));
		expect((await sendAll(10, failed)).sent).toBe(0);
		expect((await sendAll(10, failed, { priority: 'high' })).sent).toBe(10);
		await time.waitFor(time.sleep(2_000));
		expect((await sendAll(10, failed)).sent).toBe(5);
	});
});

describe('A service in maintenance', () => {
	const unavailableFor = (seconds: number): RequestResult => ({
		headers: {},
		requestFailure: createFailure('unavailable', { retryAtMs: time.now() + seconds * 1_000 }),
	});

	/** The service asks to wait for so many seconds, so many times. Items are sent until they succeed or fail. */
	async function sendThrough(times: number, retryAfterS: number, count: number) {
		let sent = 0;
		const sendUntilEnd = async () => {
			for (;;) {
				const sentBefore = sent;
				const end = await pass({ isRetry: true }, async () => {
					await time.sleep(100);
					return ++sent <= times ? unavailableFor(retryAfterS) : ok;
				});
				// it failed without a request
				if (end === 'ok' || sent === sentBefore) return end;
			}
		};
		const startMs = time.now();
		const ends = await time.waitFor(Promise.all(range(count).map(sendUntilEnd)));
		return { outcomes: countBy(ends), sent, tookS: (time.now() - startMs) / 1_000 };
	}

	it('lets items wait as long as it asks, and counts no outage', async () => {
		const { outcomes, tookS } = await sendThrough(25, 30, 40);
		expect(outcomes).toEqual({ ok: 40 });
		expect(tookS).toBeGreaterThan(150);
		expect(tookS).toBeLessThan(155);
	});

	it('lets 1,000 items fail after five minutes of short waits, with few requests', async () => {
		const { outcomes, sent, tookS } = await sendThrough(Infinity, 1, 1_000);
		expect(outcomes).toEqual({ unavailable: 1_000 });
		expect(sent).toBeLessThanOrEqual(150);
		expect(tookS).toBeGreaterThan(270);
	});

	it('lets items fail at once for a minute if it asks for more than five minutes', async () => {
		await sendThrough(5, 600, 1_000);
		expect((await sendAll(5, ok)).outcomes).toEqual({ unavailable: 5 });
		await time.waitFor(time.sleep(MINUTE_MS));
		expect((await sendAll(5, ok)).outcomes).toEqual({ ok: 5 });
	});

	it('holds back no trigger, whose success lets the items go on', async () => {
		await sendAll(1, unavailableFor(200));
		const startMs = time.now();
		const sentAtS: number[] = [];
		const send = async (job: Partial<Job>) =>
			await pass(job, async () => {
				sentAtS.push(Math.round((time.now() - startMs) / 1000));
				return await Promise.resolve(ok);
			});
		const sendLater = time.sleep(20_000).then(async () => await send({ priority: 'high' }));
		await time.waitFor(Promise.all([send({}), sendLater]));
		expect(sentAtS).toEqual([20, 20]);
	});
});

/** The limits of the stand-in for the service in virtual time. */
class LimitedService {
	private usage?: Usage;
	private readonly limits: Limits;
	refused = 0;

	constructor(limits: Partial<Limits> = {}) {
		this.limits = { perMinute: 60, perDay: 1_440, ...limits };
	}

	/** A request of any client of the account arrives. */
	take(): RequestResult {
		const { isAllowed, usage, headers } = decide(this.usage, this.limits, time.now());
		this.usage = usage;
		if (isAllowed) return { headers };
		this.refused++;
		return { headers, requestFailure: createRateLimitFailure(headers, time.now()) };
	}
}

type Request = { atMs: number; thereMs: number; backMs: number; priority: Job['priority'] };

/** Sends requests, and again while they are refused for the minute. */
async function sendRequests(service: LimitedService, requests: readonly Request[]) {
	let [open, mostOpen] = [0, 0];
	const send = async ({ atMs, thereMs, backMs, priority }: Request) => {
		await time.sleep(atMs);
		for (let attempt = 1; ; attempt++) {
			const end = await pass({ priority, isRetry: attempt > 1 }, async () => {
				mostOpen = Math.max(mostOpen, ++open);
				await time.sleep(thereMs);
				const result = service.take();
				await time.sleep(backMs);
				open--;
				return result;
			});
			if (end !== 'minuteLimit' || attempt === 10) return end;
		}
	};
	const outcomes = await time.waitFor(Promise.all(requests.map(send)));
	return { outcomes: countBy(outcomes), mostOpen };
}

it('The limit of the day fails all waiting requests at once, until it resets', async () => {
	const service = new LimitedService({ perDay: 30 });
	const requests = range(70).map((index) => {
		return { atMs: 0, thereMs: 20, backMs: 20, priority: index % 2 ? 'high' : 'low' } as const;
	});
	const { outcomes } = await sendRequests(service, requests);
	expect(service.refused).toBeLessThanOrEqual(5);
	expect(outcomes).toEqual({ ok: 30, dayLimit: 40 });
	// a machine's clock that is corrected changes nothing
	time.aheadMs = -3 * DAY_MS;
	await time.waitFor(time.sleep(DAY_MS / 2));
	expect((await sendAll(1, ok, { priority: 'high' })).sent).toBe(0);
	await time.waitFor(time.sleep(DAY_MS / 2 + 2_000));
	expect((await sendAll(1, ok)).sent).toBe(1);
});

const wayMs = fc.oneof(...[300, 5_000, 14_000].map((max) => fc.integer({ min: 1, max })));
const priority = fc.constantFrom('low' as const, 'low' as const, 'high' as const);
const anyRequests = (spreadMs: number) => {
	const request = { atMs: fc.nat({ max: spreadMs }), thereMs: wayMs, backMs: wayMs, priority };
	return fc.array(fc.record(request), { maxLength: 250, size: 'max' });
};
/** Many requests within some seconds, among others over some minutes. */
const arrivals = fc
	.tuple(anyRequests(2_000), anyRequests(6 * MINUTE_MS))
	.map(([burst, others]) => [...burst, ...others]);

it('On an account that nobody else uses, no request is refused, and at most five are open', async () => {
	// five are open when the first reply shows the account's limit
	const limit = fc.oneof(fc.constant(60), fc.integer({ min: 5, max: 300 }));
	const property = fc.asyncProperty(arrivals, limit, async (requests, perMinute) => {
		const service = new LimitedService({ perMinute });
		const { outcomes, mostOpen } = await sendRequests(service, requests);
		expect(outcomes).toEqual(requests.length === 0 ? {} : { ok: requests.length });
		expect(service.refused).toBe(0);
		expect(mostOpen).toBeLessThanOrEqual(5);
	});
	await fc.assert(property.beforeEach(begin), { numRuns: 60 });
});

it('On an account that others use, each request succeeds, and few are refused', async () => {
	const others = fc.array(fc.nat({ max: 10 * MINUTE_MS }), { maxLength: 150, size: 'max' });
	const property = fc.asyncProperty(arrivals, others, async (requests, takenAtMs) => {
		const service = new LimitedService();
		for (const atMs of takenAtMs) void time.sleep(atMs).then(() => service.take());
		const { outcomes } = await sendRequests(service, requests);
		expect(outcomes).toEqual(requests.length === 0 ? {} : { ok: requests.length });
	});
	await fc.assert(property.beforeEach(begin), { numRuns: 60 });
});

it('No slot is lost, whatever throws, fails or is canceled at any step', async () => {
	const ends: Array<RequestResult | undefined> = [ok, failed, undefined];
	const step = fc.record({
		end: fc.constantFrom(...ends),
		cancelMs: fc.option(fc.nat({ max: 3_000 })),
	});
	const steps = fc.array(step, { maxLength: 50 });
	const property = fc.asyncProperty(steps, async (all) => {
		const sending = all.map(async ({ end, cancelMs }) => {
			const signal = cancelMs === null ? undefined : time.timeout(cancelMs);
			return await pass({ signal }, async () => {
				await time.sleep(100);
				return end ?? (await Promise.reject(new Error('lost')));
			});
		});
		await time.waitFor(Promise.all(sending));
		await time.waitFor(time.sleep(2 * MINUTE_MS));
		expect((await sendAll(5, ok)).sentAtS).toEqual([0, 0, 0, 0, 0]);
	});
	await fc.assert(property.beforeEach(begin), { numRuns: 60 });
});
