import { getEventListeners } from 'node:events';
import { range } from 'lodash';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clock } from '../../../../nodes/FormService/api/clock.ts';
import { RateLimiter } from '../../../../nodes/FormService/api/request/rateLimiter.ts';
import { getQueue, RequestQueue } from '../../../../nodes/FormService/api/request/requestQueue.ts';
import type { Job, JobEnd } from '../../../../nodes/FormService/api/request/requestQueue.ts';
import * as simulation from './simulation.mts';
import { DAY_MS, MINUTE_MS, VirtualTime } from '../../../time.mts';
import { LimitedService, pass } from './simulation.mts';

const reply = (status: number, headers = {}): JobEnd => ({ kind: 'reply', status, headers });
const ok = reply(200);
const failed = reply(500);

let time: VirtualTime;
let queue: RequestQueue;

beforeEach(() => {
	time = new VirtualTime();
	queue = new RequestQueue(new RateLimiter(), time);
});

/** Asks for so many requests at once, which all end so; returns how, and how many were sent. */
async function sendAll(count: number, end: JobEnd, job: Partial<Job> = {}) {
	let sent = 0;
	const send = async () => {
		sent++;
		await time.sleep(100);
		return end;
	};
	const all = Array.from({ length: count }, async () => await pass(queue, job, send));
	return { ends: await time.waitFor(Promise.all(all)), sent };
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
		const all = ['1', '2', '3', '4', '5', '6'].map(async (name) => await send(name));
		all.push(send('retry', { isRetry: true }));
		// four of items are open, so one place is free
		all.push(send('prompt 1', { urgency: 'prompt' }), send('prompt 2', { urgency: 'prompt' }));
		all.push(send('prompt retry', { urgency: 'prompt', isRetry: true }));
		await time.waitFor(Promise.all(all));
		const waited = ['prompt retry', 'prompt 2', 'retry', '5', '6'];
		expect(order).toEqual(['1', '2', '3', '4', 'prompt 1', ...waited]);
	});

	it('sends nothing that was canceled before', async () => {
		const { ends, sent } = await sendAll(1, ok, { signal: AbortSignal.abort() });
		expect([ends, sent]).toEqual([[{ kind: 'notSent' }], 0]);
	});

	it('drops a waiting request that is canceled, and no other', async () => {
		const controller = new AbortController();
		const { signal } = controller;
		void time.sleep(50).then(() => controller.abort());
		const canceled = sendAll(20, ok, { signal });
		expect((await sendAll(10, ok)).sent).toBe(10);
		const { ends, sent } = await canceled;
		expect(sent).toBe(4);
		expect(ends.filter(({ kind }) => kind === 'notSent')).toHaveLength(16);
		expect(getEventListeners(signal, 'abort')).toEqual([]);
		expect(queue.waiting).toBe(0);
	});
});

describe('the circuit breaker', () => {
	it.each<[string, JobEnd, string]>([
		['broken connections', { kind: 'broken' }, 'serviceDown'],
		['status 500', failed, 'serviceDown'],
		['refusals', reply(429, { 'retry-after': '1' }), 'onlyRefusals'],
	])('sends few of 1,000 items after %s', async (_what, end, kind) => {
		const { ends, sent } = await sendAll(1_000, end);
		expect(sent).toBeLessThan(25);
		expect(ends.filter((one) => one.kind === kind)).toHaveLength(1_000 - sent);
		expect(queue.isServiceDown).toBe(true);
	});

	it.each<[string, JobEnd]>([
		['a certificate, a short Timeout or a cancellation', { kind: 'broken', isOurs: true }],
		['a rejected access token', reply(401)],
	])('ignores %s', async (_what, end) => {
		expect((await sendAll(100, end)).sent).toBe(100);
		expect(queue.isServiceDown).toBe(false);
	});

	it('opens after 20 failures in a row, not after 19, and not if a success is between', async () => {
		for (const end of [...Array<JobEnd>(19).fill(failed), ok, ...Array<JobEnd>(19).fill(failed)]) {
			await sendAll(1, end);
		}
		expect(queue.isServiceDown).toBe(false);
		await sendAll(1, failed);
		expect(queue.isServiceDown).toBe(true);
	});

	it('tests a service that is down with one item every 5 minutes, and always with triggers', async () => {
		await sendAll(40, failed);
		expect((await sendAll(10, failed)).sent).toBe(0);
		expect((await sendAll(10, failed, { urgency: 'prompt' })).sent).toBe(10);
		for (let tested = 0; tested < 3; tested++) {
			await time.waitFor(time.sleep(4 * MINUTE_MS));
			expect((await sendAll(10, failed)).sent).toBe(0);
			await time.waitFor(time.sleep(MINUTE_MS));
			expect((await sendAll(10, failed)).sent).toBe(1);
		}
	});

	it('closes with the first success, and opens as late as at first', async () => {
		await sendAll(40, failed);
		await time.waitFor(time.sleep(5 * MINUTE_MS));
		expect((await sendAll(1, ok)).sent).toBe(1);
		expect((await sendAll(10, ok)).sent).toBe(10);
		expect((await sendAll(40, failed)).sent).toBeGreaterThanOrEqual(20);
	});
});

it('The limit of the day fails all that wait at once, with the time of the reset, and sends no more', async () => {
	const service = new LimitedService(time, { perDay: 30 });
	const start = time.now();
	const [delays, urgent] = [{ atMs: 0, thereMs: 20, backMs: 20 }, { urgency: 'prompt' as const }];
	const asked = range(70).map((at) => ({ ...delays, ...(at % 2 && urgent) }));
	const all = simulation.sendAll(time, service, queue, asked);
	const { ends } = await time.waitFor(all);
	expect(service.refusals.length).toBeLessThanOrEqual(5);
	const heldBack = ends.filter((end) => end.kind === 'dayUsedUp');
	expect(heldBack).toHaveLength(40);
	for (const { until } of heldBack) expect(Math.abs(until - start - DAY_MS)).toBeLessThan(2_000);
	await time.waitFor(time.sleep(DAY_MS / 2));
	expect((await sendAll(1, ok)).sent).toBe(0);
});

describe.each([MINUTE_MS, 400 * DAY_MS])('When the clock is set back by %i ms', (byMs) => {
	let offMs = 0;
	beforeEach(() => {
		offMs = 0;
		queue = new RequestQueue(new RateLimiter(), {
			now: () => time.now() - offMs,
			sleep: time.sleep,
		});
	});

	/** Minutes until a request is sent, one being asked for each minute. */
	async function countMinutes() {
		for (let minutes = 0; ; minutes++) {
			if ((await sendAll(1, ok)).sent === 1) return minutes;
			await time.waitFor(time.sleep(MINUTE_MS));
		}
	}

	it('sixty requests are sent in the next minute but one', async () => {
		const service = new LimitedService(time);
		const sixty = Array<simulation.Asked>(60).fill({ atMs: 0, thereMs: 20, backMs: 20 });
		await time.waitFor(simulation.sendAll(time, service, queue, sixty));
		const begun = time.now();
		offMs = byMs;
		const { outcomes } = await time.waitFor(simulation.sendAll(time, service, queue, sixty));
		expect(new Set(outcomes)).toEqual(new Set([200]));
		expect(time.now() - begun).toBeLessThan(2 * MINUTE_MS);
	});

	it('the day ends when the service said', async () => {
		await sendAll(1, reply(429, { 'retry-after': '7200' }));
		offMs = byMs;
		expect(await countMinutes()).toBeCloseTo(120, -1);
	});

	it('the circuit breaker tests the service within five minutes', async () => {
		await sendAll(40, failed);
		offMs = byMs;
		expect(await countMinutes()).toBeLessThan(7);
	});
});

describe('the queues of accounts', () => {
	const machine = { ...clock };
	afterEach(() => void Object.assign(clock, machine));

	it('are kept while a limit of the day can last, and dropped when another account comes later', async () => {
		Object.assign(clock, { now: time.now, sleep: time.sleep });
		queue = getQueue('first');
		await sendAll(1, reply(429, { 'retry-after': '86400' }));
		await time.waitFor(time.sleep(DAY_MS));
		expect(getQueue('second')).not.toBe(queue);
		expect(getQueue('first')).toBe(queue);
		await time.waitFor(time.sleep(2 * 60 * MINUTE_MS));
		getQueue('third');
		expect(getQueue('first')).not.toBe(queue);
	});
});
