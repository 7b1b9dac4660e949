import { range, times } from 'lodash';
import { describe, expect, it } from 'vitest';
import * as budget from '../../../nodes/FormService/trigger/budget.ts';
import type { Bucket, Demand } from '../../../nodes/FormService/trigger/budget.ts';

const { DAY_MS, EMPTY_BUCKET, HOUR_MS, MINUTE_MS } = budget;
const NOW = Date.UTC(2026, 10, 21, 12) + 0.375;
const after = (minutes: number) => NOW + minutes * MINUTE_MS;

const active = { requestsPerDay: 720, polledAtMs: NOW, intervalMs: MINUTE_MS };
const form: Demand = { ...active, weight: 1, maxPerDay: Infinity };
const busy = { ...form, weight: 4 };
const modest = { ...form, maxPerDay: 120 };
const long = { ...modest, weight: 4 };

/** Minutes between two requests of each list of an account. */
function listMinutes(demands: readonly Demand[]): number[] {
	const perWeight = budget.computeRequestsPerWeight(demands, NOW);
	return demands.map((one) => budget.computeSpacingMs(one, perWeight) / MINUTE_MS);
}

describe('720 requests a day', () => {
	it.each<[string, Demand[], number[]]>([
		['give one form a request every 2 minutes', [form], [2]],
		['give ten forms one every 20 minutes each', times(10, () => form), times(10, () => 20)],
		['give a busy form four times as many', [busy, form], [2.5, 10]],
		['give others what a list does not need', [modest, form, form], [12, 4.8, 4.8]],
		['give others what a long list does not need', [long, form, form], [12, 4.8, 4.8]],
		['give lists what they need, if all need less', [modest, modest], [12, 12]],
		['limit no list that needs more than its share', [modest, busy, busy], [18, 4.5, 4.5]],
		['count the highest Requests per Day', [form, { ...form, requestsPerDay: 1_440 }], [2, 2]],
	])('%s', (_rule, demands, minutes) => {
		expect(listMinutes(demands)).toEqual(minutes.map((one) => expect.closeTo(one, 9)));
	});

	it.each<[string, number, number, boolean]>([
		['every minute, 3 minutes ago', 1, 2.9, true],
		['every minute, and not for 3 minutes', 1, 3, false],
		['every hour, 2.5 hours ago', 60, 149, true],
		['every hour, and not for 2.5 hours', 60, 150, false],
		['for the first time, since it was just switched on', 0, 2, true],
		['before the clock was set back', 1, -1_440, true],
	])('are shared with a trigger that polled %s: %s', (_rule, interval, minutesAgo, isShared) => {
		const polled = { intervalMs: interval * MINUTE_MS, polledAtMs: after(-minutesAgo) };
		expect(listMinutes([form, { ...form, ...polled }])[0]).toBe(isShared ? 4 : 2);
	});

	it('are planned with the same work for each of 2,000 lists as of 500', () => {
		let reads = 0;
		const get = (target: Demand, key: keyof Demand) => (reads++, target[key]);
		const countReads = (count: number) => {
			reads = 0;
			listMinutes(times(count, (index) => new Proxy(index % 3 ? form : modest, { get })));
			return reads / count;
		};
		expect(countReads(500)).toBeLessThan(20);
		expect(countReads(2_000)).toBeCloseTo(countReads(500), 1);
	});
});

describe('At a request every 2 minutes, a reading', () => {
	const spacingMs = 2 * MINUTE_MS;
	const read = (requests: number, minutes: number, before = EMPTY_BUCKET) =>
		budget.addRequests(before, requests, spacingMs, after(minutes));
	const isDue = (bucket: Bucket, minutes: number) =>
		budget.isEmpty(bucket, spacingMs, after(minutes));

	it.each<[string, Bucket, number]>([
		['of 1 page is followed after 2 minutes', read(1, 0), 2],
		['of 67 pages is followed after 134 minutes', read(67, 0), 134],
		['adds to what has not leaked out yet', read(1, 2, read(3, 0)), 8],
		['adds to nothing after a long time', read(1, 900, read(67, 0)), 902],
		['can come 5 seconds early, but not the next', read(1, 2 - 5 / 60, read(1, 0)), 4],
	])('%s', (_rule, bucket, minute) => {
		expect([minute - 0.1, minute - 0.08].map((one) => isDue(bucket, one))).toEqual([false, true]);
	});

	it('is due at once if it is the first, and counts nothing if it has sent nothing', () => {
		expect(isDue(EMPTY_BUCKET, 0)).toBe(true);
		expect(read(0, 1)).toBe(EMPTY_BUCKET);
	});

	it('waits no longer if the list has fewer requests later, and not as long if it has more', () => {
		const listDue = (bucket: Bucket, minutes: number) =>
			[133, 134, 233, 234].map((one) => budget.isEmpty(bucket, minutes * MINUTE_MS, after(one)));
		expect(listDue(read(67, 0), 100)).toEqual([false, true, true, true]);
		expect(listDue(read(67, 0), 1)).toEqual([true, true, true, true]);
		const next = budget.addRequests(read(67, 0), 1, 100 * MINUTE_MS, NOW);
		expect(listDue(next, 100)).toEqual([false, false, false, true]);
	});

	it.each([1, 1_440, 43_200])('is due if the clock is set back by %i minutes', (minutes) => {
		expect(isDue(read(67, 0), -minutes)).toBe(true);
		expect(isDue(read(1, -minutes, read(67, 0)), 2 * 68 - minutes)).toBe(true);
	});

	it.each<[string, number, number, boolean]>([
		['not after 3 minutes', 67, 3, false],
		['after 4 minutes', 67, 4, true],
		['after 4 minutes although few requests are left', 73, 4, true],
		['not after 4 minutes if none is left', 74, 4, false],
	])('of the newest page comes between whole ones %s (%i pages)', (_rule, pages, minutes, due) => {
		expect(budget.isNewestDue(read(pages, 0), read(1, 0), spacingMs, after(minutes))).toBe(due);
	});

	it('of the newest page comes in its turn, however few requests the form has', () => {
		const spacing = 300 * MINUTE_MS;
		const whole = budget.addRequests(EMPTY_BUCKET, 1, spacing, NOW);
		const isDue = (minutes: number) =>
			budget.isNewestDue(whole, read(1, -900), spacing, after(minutes));
		expect([isDue(299), isDue(300)]).toEqual([false, true]);
	});

	it.each<[string, 'whole' | 'newest', number, number]>([
		['a whole list leaves two to the newest page', 'whole', 0, 70],
		['the newest pages can take all', 'newest', 0, 72],
		['a list goes on with what has leaked out', 'whole', 40.5, 29],
		['a list has at least one', 'whole', 100, 1],
	])('has 72 requests at most, a tenth of a day: %s', (_rule, scope, level, most) => {
		expect(budget.computeMaxRequests(read(level, 0), scope, spacingMs, NOW)).toBe(most);
	});
});

it.each<[string, number, number[]]>([
	['4, 8, 16, then 30 minutes, with a request every 2 minutes', 2, [0, 4, 8, 16, 30, 30]],
	['30 minutes, with a request every 20 minutes', 20, [0, 30, 30, 30, 30, 30]],
	['20, 40, 80 seconds and so on, with many requests', 0.01, [0, 1 / 3, 2 / 3, 4 / 3, 8 / 3, 30]],
])('After failures in a row, a list waits %s', (_rule, minutes, expected) => {
	const compute = (failures: number) => budget.computeBackOffMs(failures, minutes * MINUTE_MS);
	expect([0, 1, 2, 3, 4, 2_000].map((one) => compute(one) / MINUTE_MS)).toEqual(expected);
	expect(budget.MAX_FAILING_PER_DAY).toBe((24 * 60) / 30);
});

it.each<[string, number, number, number, number]>([
	['1 without responses', 0, 30, 30, 1],
	['1 with ten a day', 10, 30, 30, 1],
	['2 with 40 a day', 40, 30, 30, 2],
	['3 with 90 a day', 90, 30, 30, 3],
	['4 at most', 5_000, 30, 30, 4],
	['3 after two days of 160', 160, 2, 2, 3.2],
	['1 ten days after many have come', 160, 30, 40, 1],
	['the same if the clock is set back', 90, 30, 0, 3],
])('A form has a weight of %s', (_rule, perDay, days, nowDay, weight) => {
	const rate = range(24 * days).reduce(
		(before, hour) => budget.addResponses(before, perDay / 24, NOW + hour * HOUR_MS),
		budget.NO_RATE,
	);
	expect(budget.computeWeight(rate, NOW + nowDay * DAY_MS)).toBeCloseTo(weight, 1);
});
