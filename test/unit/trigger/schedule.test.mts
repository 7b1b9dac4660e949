import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	afterReading,
	DAY_MS,
	dueAt,
	freshSchedule,
	isDue,
	MINUTE_MS,
	noRate,
	weightOf,
	wholeDueAt,
	withResponses,
	type Pace,
	type Schedule,
} from '../../../nodes/FormService/trigger/schedule.ts';

const NOW = Date.UTC(2026, 10, 21);

/** One form for so many requests a day. */
const paceOf = (requestsPerDay: number, more: Partial<Pace> = {}): Pace => ({
	spacing: DAY_MS / requestsPerDay,
	isShort: false,
	isUrgent: false,
	...more,
});
const pace = paceOf(720);

/** After a whole reading, good or not, of a listing that can only be read so. */
const afterWhole = (before: Schedule, startedAt: number, requests: number, own = pace) =>
	afterReading(before, { startedAt, requests, isWhole: true }, own, false);

describe('The spacing of polls', () => {
	it('uses a scheduled run that comes a little early without polling more often for it', () => {
		const first = afterWhole(freshSchedule, NOW, 1);
		const early = dueAt(first, pace) - 900;
		expect(isDue(dueAt(first, pace), early)).toBe(true);
		const second = afterWhole(first, early, 1);
		expect(dueAt(second, pace)).toBeCloseTo(NOW + 2 * pace.spacing);
	});

	it('is that of the moment: a poll comes earlier when other triggers are switched off', () => {
		const shared = paceOf(72);
		const first = afterWhole(freshSchedule, NOW, 1, shared);
		expect(isDue(dueAt(first, shared), NOW + 2 * MINUTE_MS)).toBe(false);
		expect(isDue(dueAt(first, pace), NOW + 2 * MINUTE_MS)).toBe(true);
	});

	it('adds what a poll before its time had not waited for', () => {
		const daily = paceOf(1);
		const early = afterWhole(afterWhole(freshSchedule, NOW, 1, daily), NOW, 1, daily);
		expect(dueAt(early, daily)).toBe(NOW + 2 * DAY_MS);
		expect(dueAt(early, pace)).toBe(NOW + 2 * pace.spacing);
	});
});

describe('Short polls of a listing of several pages', () => {
	it('come at half the share, one request every four minutes', () => {
		const short = { ...pace, isShort: true };
		const minutes = (count: number) => NOW + count * MINUTE_MS;
		const sent = { startedAt: NOW, requests: 67, isWhole: true };
		const whole = afterReading(freshSchedule, sent, pace, true);
		expect(dueAt(whole, short)).toBe(minutes(4));
		const part = { startedAt: minutes(4), requests: 2, isWhole: false };
		expect(dueAt(afterReading(whole, part, short, true), short)).toBe(minutes(12));
	});

	it('never take more than the allowance and one whole listing, whatever is read', () => {
		const reading = fc.record({
			gap: fc.integer({ min: 1, max: 20 * MINUTE_MS }),
			requests: fc.constantFrom<number>(1, 1, 2, 3),
			isUrgent: fc.boolean(),
			canBeShort: fc.constantFrom(true, true, true, false),
		});
		const readings = fc.array(reading, { minLength: 200, maxLength: 1_500 });
		const settings = [
			fc.integer({ min: 3, max: 100 }),
			fc.integer({ min: 24, max: 3_000 }),
		] as const;
		fc.assert(
			fc.property(readings, ...settings, (all, pages, perDay) => {
				let schedule: Schedule = freshSchedule;
				let isShort = false;
				let now = NOW;
				const sent: Array<{ at: number; requests: number }> = [];
				for (const { gap, requests, isUrgent, canBeShort } of all) {
					now += gap;
					const own = paceOf(perDay, { isShort, isUrgent });
					const isWhole = isDue(wholeDueAt(schedule, own), now);
					if (!isWhole && !(isShort && isDue(dueAt(schedule, own), now))) continue;
					const count = isWhole ? pages : requests;
					const one = { startedAt: now, requests: count, isWhole };
					schedule = afterReading(schedule, one, own, canBeShort);
					isShort = canBeShort;
					sent.push({ at: now, requests: count });
				}
				for (const [index, { at: from }] of sent.slice(0, 20).entries()) {
					const day = sent.slice(index).filter(({ at }) => at < from + DAY_MS);
					const requests = day.reduce((sum, one) => sum + one.requests, 0);
					expect(requests).toBeLessThanOrEqual(1.1 * perDay + 2 * pages + 3);
				}
			}),
		);
	});
});

describe('How often a form is polled beside others', () => {
	const busy = Array.from({ length: 300 }, (_, index) => NOW + (index * DAY_MS) / 300);
	const rate = busy.reduce((before, at) => withResponses(before, 1, at), noRate);

	it('follows the square root of the responses that came lately', () => {
		const half = { ...rate, count: rate.count / 4 };
		const [often, less] = [weightOf(rate, NOW + DAY_MS), weightOf(half, NOW + DAY_MS)];
		expect(often / less).toBeGreaterThan(1.9);
		expect(often / less).toBeLessThan(2);
	});

	it('is forgotten with time', () => {
		expect(weightOf(rate, NOW + 30 * DAY_MS)).toBeCloseTo(1, 2);
		expect(weightOf(noRate, NOW)).toBe(1);
	});
});
