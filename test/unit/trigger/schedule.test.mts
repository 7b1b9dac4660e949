import fc from 'fast-check';
import type { Failure } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	afterFailure,
	afterPoll,
	afterShortPoll,
	DAY_MS,
	dueAt,
	freshSchedule,
	HOUR_MS,
	isDue,
	LONGEST_WAIT_MS,
	pollDue,
	MINUTE_MS,
	noRate,
	weightOf,
	WHOLE_AT_LEAST_MS,
	withResponses,
	type Schedule,
} from '../../../nodes/FormService/trigger/schedule.ts';

const NOW = Date.UTC(2026, 10, 21);
/** The spacing of one form for so many requests a day. */
const spacingMs = (requestsPerDay: number) => DAY_MS / requestsPerDay;
const spacing = spacingMs(720);
const unavailable: Failure = { cause: 'temporarily-unavailable' };

/** Failing polls, each at the time when it is due; whether each is reported, and the wait after it. */
function failing(times: number, failure: Failure | undefined = unavailable, reportAtOnce = false) {
	let schedule: Schedule = freshSchedule;
	let now = NOW;
	return Array.from({ length: times }, () => {
		const next = afterFailure(schedule, {
			startedAt: now,
			now,
			spacing,
			failure,
			reportAtOnce,
			reportAgain: true,
		});
		schedule = next.schedule;
		const wait = dueAt(schedule, spacing) - now;
		now += wait;
		return { report: next.report, wait: wait / MINUTE_MS };
	});
}

describe('The spacing of polls', () => {
	it('grows with the pages that a poll takes', () => {
		const schedule = afterPoll(freshSchedule, { startedAt: NOW, pages: 3, spacing });
		expect(dueAt(schedule, spacing)).toBe(NOW + 6 * MINUTE_MS);
	});

	it('takes a tick that comes a little early without polling more often for it', () => {
		const first = afterPoll(freshSchedule, { startedAt: NOW, pages: 1, spacing });
		const early = dueAt(first, spacing) - 900;
		expect(isDue(first, spacing, early)).toBe(true);
		const second = afterPoll(first, { startedAt: early, pages: 1, spacing });
		expect(dueAt(second, spacing)).toBeCloseTo(NOW + 2 * spacing);
	});

	it('is that of the moment: a poll comes earlier when other triggers are switched off', () => {
		const shared = spacingMs(72);
		const first = afterPoll(freshSchedule, { startedAt: NOW, pages: 1, spacing: shared });
		expect(isDue(first, shared, NOW + 2 * MINUTE_MS)).toBe(false);
		expect(isDue(first, spacing, NOW + 2 * MINUTE_MS)).toBe(true);
	});

	it('takes back the debt of a poll before its time as soon as that is less', () => {
		const daily = afterPoll(freshSchedule, { startedAt: NOW, pages: 1, spacing: DAY_MS });
		const early = afterPoll(daily, { startedAt: NOW, pages: 1, spacing: DAY_MS });
		expect(dueAt(early, DAY_MS)).toBe(NOW + 2 * DAY_MS);
		expect(dueAt(early, spacing)).toBe(NOW + 2 * spacing);
	});

	it('never lets in more polls than the budget and one, with ticks at any time', () => {
		const ticks = fc.array(fc.integer({ min: 1, max: 300_000 }), {
			minLength: 500,
			maxLength: 2_000,
		});
		fc.assert(
			fc.property(ticks, fc.integer({ min: 1, max: 3_000 }), (gaps, perDay) => {
				let schedule: Schedule = freshSchedule;
				let now = NOW;
				let polls = 0;
				for (const gap of gaps) {
					now += gap;
					const own = spacingMs(perDay);
					if (now - NOW >= DAY_MS || !isDue(schedule, own, now)) continue;
					polls += 1;
					schedule = afterPoll(schedule, { startedAt: now, pages: 1, spacing: own });
				}
				expect(polls).toBeLessThanOrEqual(perDay + 1);
			}),
		);
	});
});

describe('Short looks at a listing of several pages', () => {
	/** What a look finds: whether it may be short, and the requests that it then takes. */
	const look = fc.record({
		gap: fc.integer({ min: 1, max: 20 * MINUTE_MS }),
		requests: fc.constantFrom<number>(1, 1, 2, 3),
		isDoubtful: fc.constantFrom(false, false, true),
		canBeShort: fc.constantFrom(true, true, true, false),
		fails: fc.constantFrom(false, false, false, true),
	});
	type Look = typeof look extends fc.Arbitrary<infer T> ? T : never;
	const looks = fc.array(look, { minLength: 200, maxLength: 1_500 });

	/** Ticks, with a look on each that is due; gives the requests of each. */
	function poll(ticks: readonly Look[], pages: number, perDay: number) {
		const own = spacingMs(perDay);
		let schedule: Schedule = freshSchedule;
		let now = NOW;
		const sent: Array<{ at: number; requests: number; isWhole: boolean }> = [];
		for (const { gap, requests, isDoubtful, canBeShort, fails } of ticks) {
			now += gap;
			const short = canBeShort ? { isDoubtful } : undefined;
			const due = pollDue(schedule, short, { spacing: own, now });
			if (due === undefined) continue;
			const isShort = due === 'short';
			const failed = { isShort, now, spacing: own, reportAtOnce: false, reportAgain: true };
			const times = { startedAt: now, spacing: own };
			if (fails) {
				const failing = { ...failed, startedAt: now, failure: unavailable };
				schedule = afterFailure(schedule, failing).schedule;
				sent.push({ at: now, requests: 1, isWhole: false });
			} else {
				const after = isShort ? afterShortPoll : afterPoll;
				schedule = after(schedule, { ...times, pages: isShort ? requests : pages });
				sent.push({ at: now, requests: isShort ? requests : pages, isWhole: !isShort });
			}
		}
		return { sent, end: now };
	}

	it('never take more than the allowance, and once the whole listing', () => {
		const settings = [
			fc.integer({ min: 3, max: 100 }),
			fc.integer({ min: 24, max: 3_000 }),
		] as const;
		fc.assert(
			fc.property(looks, ...settings, (ticks, pages, perDay) => {
				const { sent } = poll(ticks, pages, perDay);
				for (const [index, { at: from }] of sent.entries()) {
					const day = sent.slice(index).filter(({ at }) => at < from + DAY_MS);
					const requests = day.reduce((sum, one) => sum + one.requests, 0);
					expect(requests).toBeLessThanOrEqual(perDay + pages + 3);
					if (index > 20) break;
				}
			}),
		);
	});

	it('never keep the whole listing from being read in 12 hours, or as soon as it is paid for', () => {
		fc.assert(
			fc.property(looks, fc.integer({ min: 3, max: 100 }), (ticks, pages) => {
				const well = ticks.map((one) => ({ ...one, fails: false, requests: 1 }));
				const { sent, end } = poll(well, pages, 720);
				const whole = [...sent.filter(({ isWhole }) => isWhole).map(({ at }) => at), end];
				const paidMs = 2 * pages * spacing;
				const longest = Math.max(paidMs, Math.min(2 * paidMs, WHOLE_AT_LEAST_MS));
				for (const [index, at] of whole.slice(1).entries()) {
					// short looks take no more than their half, but for the ticks between which they come
					expect(at - whole[index]).toBeLessThanOrEqual(longest + 2 * 20 * MINUTE_MS);
				}
			}),
		);
	});

	it('come at half the allowance, one request every four minutes, while a whole look is paid off', () => {
		const whole = afterPoll(freshSchedule, { startedAt: NOW, pages: 67, spacing });
		const short = { isDoubtful: false };
		const dueAfter = (schedule: Schedule, minutes: number) =>
			pollDue(schedule, short, { spacing, now: NOW + minutes * MINUTE_MS });
		expect(dueAfter(whole, 3)).toBeUndefined();
		expect(dueAfter(whole, 4)).toBe('short');
		const at = NOW + 4 * MINUTE_MS;
		const after = afterShortPoll(whole, { startedAt: at, pages: 2, spacing });
		expect(dueAfter(after, 11)).toBeUndefined();
		expect(dueAfter(after, 12)).toBe('short');
	});
});

it('A listing that cannot be read whole is told at its third failure, whatever short looks say', () => {
	let schedule = afterPoll(freshSchedule, { startedAt: NOW, pages: 67, spacing });
	const reports = [1, 2, 3].map((day) => {
		const now = NOW + day * DAY_MS;
		const failed = { startedAt: now, now, spacing, failure: unavailable };
		const next = afterFailure(schedule, { ...failed, reportAtOnce: false, reportAgain: true });
		schedule = afterShortPoll(next.schedule, { startedAt: now + HOUR_MS, pages: 1, spacing });
		return next.report;
	});
	expect(reports).toEqual([false, false, true]);
	const whole = afterPoll(schedule, { startedAt: NOW + 4 * DAY_MS, pages: 67, spacing });
	expect(whole.failures + whole.wholeFailures).toBe(0);
});

describe('After failures', () => {
	const failed = {
		startedAt: NOW,
		now: NOW,
		spacing,
		failure: unavailable,
		reportAtOnce: false,
		reportAgain: true,
	};

	it('the wait doubles up to 30 minutes', () => {
		expect(failing(6).map(({ wait }) => wait)).toEqual([4, 8, 16, 30, 30, 30]);
	});

	it('the wait is never shorter than the spacing', () => {
		const large = 3 * HOUR_MS;
		const { schedule } = afterFailure(freshSchedule, { ...failed, spacing: large });
		expect(dueAt(schedule, large)).toBe(NOW + large);
	});

	it('the wait grows with the pages that a poll takes', () => {
		const schedule = { ...freshSchedule, pages: 30 };
		const next = afterFailure(schedule, failed).schedule;
		expect(dueAt(next, spacing)).toBe(NOW + 30 * spacing);
	});

	it('the wait is some seconds however large the budget is', () => {
		const large = spacingMs(1_000_000);
		const next = afterFailure(freshSchedule, { ...failed, spacing: large }).schedule;
		expect(dueAt(next, large)).toBe(NOW + 20_000);
	});

	it('the next poll comes no earlier than it would have', () => {
		const long = afterPoll(freshSchedule, { startedAt: NOW, pages: 720, spacing });
		expect(dueAt(afterFailure(long, failed).schedule, spacing)).toBe(NOW + DAY_MS);
	});

	it('the wait is what the service asks for, up to an hour', () => {
		const asks = (retryAfterMs: number) =>
			failing(1, { cause: 'rate-limited', retryAfterMs })[0].wait;
		expect(asks(10 * MINUTE_MS)).toBe(10);
		expect(asks(DAY_MS)).toBe(60);
		const until: Failure = { cause: 'quota-exhausted', resetsAtEpochMs: NOW + 45 * MINUTE_MS };
		expect(failing(1, until)[0].wait).toBe(45);
	});

	it('a failure does not make the service be asked before the time that it named', () => {
		const named: Failure = { cause: 'quota-exhausted', retryAfterMs: HOUR_MS };
		const first = afterFailure(freshSchedule, { ...failed, failure: named }).schedule;
		const second = afterFailure(first, failed).schedule;
		expect(dueAt(second, spacingMs(86_400))).toBe(NOW + HOUR_MS);
	});

	it('people are told the third time, and again once an hour', () => {
		// polls at 0, 4, 12, 28, 58, 88, 118, 148, 178 and 208 minutes
		const reported = failing(10).flatMap(({ report }, index) => (report ? [index] : []));
		expect(reported).toEqual([2, 5, 7, 9]);
	});

	it('people are told at once when they are waiting for it', () => {
		expect(failing(1, unavailable, true)[0].report).toBe(true);
	});

	it('a poll that goes well ends the trouble', () => {
		const { schedule } = afterFailure(freshSchedule, {
			startedAt: NOW,
			now: NOW,
			spacing,
			failure: unavailable,
			reportAtOnce: true,
			reportAgain: true,
		});
		const startedAt = dueAt(schedule, spacing);
		const well = afterPoll(schedule, { startedAt, pages: 1, spacing });
		expect(well.failures).toBe(0);
		expect(dueAt(well, spacing)).toBe(startedAt + spacing);
		expect(well.reportedAt).toBeUndefined();
	});

	it('waits never get shorter, and never longer than 30 minutes without a reason', () => {
		fc.assert(
			fc.property(
				fc.constantFrom(1, 48, 720, 1_440, 86_400),
				fc.nat({ max: 40 }),
				(perDay, times) => {
					let schedule: Schedule = freshSchedule;
					let last = 0;
					const own = spacingMs(perDay);
					for (let poll = 0; poll < times; poll++) {
						const now = Math.max(dueAt(schedule, own), NOW);
						const given = {
							startedAt: now,
							now,
							spacing: own,
							failure: unavailable,
							reportAtOnce: false,
							reportAgain: true,
						};
						({ schedule } = afterFailure(schedule, given));
						const wait = dueAt(schedule, own) - now;
						expect(wait).toBeGreaterThanOrEqual(last);
						expect(wait).toBeLessThanOrEqual(Math.max(LONGEST_WAIT_MS, own));
						last = wait;
					}
				},
			),
		);
	});
});

describe('How often a form is polled, next to others', () => {
	const busy = Array.from({ length: 300 }, (_, index) => NOW + (index * DAY_MS) / 300);
	const rate = busy.reduce((before, at) => withResponses(before, 1, at), noRate);

	it('goes by the square root of the responses that came of late', () => {
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
