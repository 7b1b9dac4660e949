import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Decision, decide, type Limits, type Usage } from './limiter.mts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 21, 8, 0, 10);
const spec: Limits = { perMinute: 60, perDay: 1440 };

/** Sends requests at these times (epoch milliseconds, rising) and gives what was decided on each. */
function run(times: number[], limits: Limits): Decision[] {
	let usage: Usage = {};
	return times.map((now) => {
		const decision = decide(usage, limits, now);
		usage = decision.usage;
		return decision;
	});
}

const same = (count: number, at: number) => Array.from({ length: count }, () => at);
const pairOf = ({ headers }: Decision) =>
	`${headers['x-ratelimit-remaining']} of ${headers['x-ratelimit-limit']}`;

describe('the minute', () => {
	it('takes 60 requests, shows what is left, and refuses the next with the time of the reset', () => {
		const decisions = run([...same(60, START), START + 15_000], spec);
		expect(decisions.slice(0, 60).map(pairOf)).toEqual(
			Array.from({ length: 60 }, (_, index) => `${59 - index} of 60`),
		);
		expect(decisions.at(-1)).toMatchObject({
			refusedBy: 'minute',
			headers: {
				'x-ratelimit-limit': '60',
				'x-ratelimit-remaining': '0',
				'retry-after': '45',
				'x-ratelimit-reset': String((START + MINUTE) / 1000),
			},
		});
	});

	it('starts with the first request after the last one ended, not on a grid', () => {
		const late = START + 2.5 * MINUTE;
		const times = [START, ...same(60, late), late + MINUTE - 1, late + MINUTE];
		const decisions = run(times, spec).slice(61);
		expect(decisions.map(({ allowed }) => allowed)).toEqual([false, true]);
	});

	it('can tell a wait of 0 seconds while the window is open', () => {
		const refused = run([...same(60, START + 900), START + MINUTE + 400], spec).at(-1)!;
		expect(refused).toMatchObject({ allowed: false, headers: { 'retry-after': '0' } });
	});
});

describe('the day', () => {
	it('is shown as soon as less is left of it than of the minute', () => {
		// One request a minute, the default of a polling trigger, is the whole day's allowance.
		const polls = Array.from({ length: 1440 }, (_, index) => START + index * MINUTE);
		const shown = run(polls, spec).map(pairOf);
		expect([shown[1380], shown[1381], shown[1439]]).toEqual([
			'59 of 60',
			'58 of 1440',
			'0 of 1440',
		]);
	});

	it('starts with the first request and not at midnight, and refuses with its own limit', () => {
		const spent = same(60, START).flatMap((_, index) => same(24, START + index * MINUTE));
		const later = [START + 2 * 3_600_000, START + DAY - 1, START + DAY];
		const [refused, ...last] = run([...spent, ...later], spec).slice(1440);
		expect(refused).toMatchObject({
			refusedBy: 'day',
			headers: { 'x-ratelimit-limit': '1440', 'retry-after': String(22 * 3600) },
		});
		expect(last.map(({ allowed }) => allowed)).toEqual([false, true]);
	});

	it('refuses where both limits are used up', () => {
		const decisions = run(same(3, START), { perMinute: 2, perDay: 2 });
		expect(decisions.at(-1)).toMatchObject({ refusedBy: 'day' });
	});
});

/** Rising times with pauses from nothing to beyond a day, and limits small enough to be met. */
const traffic = fc.record({
	times: fc
		.array(
			fc.oneof(
				fc.integer({ min: 0, max: 2000 }),
				fc.integer({ min: 0, max: 2 * MINUTE }),
				fc.integer({ min: 0, max: 2 * DAY }),
			),
			{ maxLength: 120 },
		)
		.map((pauses) => {
			let now = START;
			return pauses.map((pause) => (now += pause));
		}),
	perMinute: fc.integer({ min: 1, max: 6 }),
	perDay: fc.integer({ min: 1, max: 20 }),
});

describe('always', () => {
	it.each([
		['minute', MINUTE],
		['day', DAY],
	] as const)('no window of a %s takes more than its limit', (name, length) => {
		fc.assert(
			fc.property(traffic, ({ times, ...limits }) => {
				const decisions = run(times, limits);
				const allowed = times.filter((_, index) => decisions[index]!.allowed);
				// Windows as a person would draw them on paper: each begins with the first request outside the last.
				let start = -Infinity;
				let count = 0;
				for (const time of allowed) {
					if (time >= start + length) [start, count] = [time, 0];
					count++;
					expect(count).toBeLessThanOrEqual(name === 'minute' ? limits.perMinute : limits.perDay);
				}
			}),
		);
	});

	it('a refusal is not counted', () => {
		fc.assert(
			fc.property(traffic, ({ times, ...limits }) => {
				const decisions = run(times, limits);
				const taken = times.filter((_, index) => decisions[index]!.allowed);
				const alone = run(taken, limits);
				expect(alone).toEqual(decisions.filter(({ allowed }) => allowed));
			}),
		);
	});

	it('whoever waits one second more than Retry-After is not refused by the same window', () => {
		fc.assert(
			fc.property(traffic, ({ times, ...limits }) => {
				let usage: Usage = {};
				for (const now of times) {
					const refused = decide(usage, limits, now);
					usage = refused.usage;
					if (refused.allowed) continue;
					const later = now + (Number(refused.headers['retry-after']) + 1) * 1000;
					const next = decide(usage, limits, later);
					expect(next.refusedBy).not.toBe(refused.refusedBy);
				}
			}),
		);
	});

	it('what is left falls by one with each request, and rises only when a window begins', () => {
		fc.assert(
			fc.property(traffic, ({ times, perMinute }) => {
				const decisions = run(times, { perMinute, perDay: 10_000 });
				decisions.slice(1).forEach((decision, index) => {
					const before = decisions[index]!;
					const began = decision.usage.minute?.start !== before.usage.minute?.start;
					const left = Number(decision.headers['x-ratelimit-remaining']);
					const expected = began
						? perMinute - 1
						: Math.max(0, Number(before.headers['x-ratelimit-remaining']) - 1);
					expect(left).toBe(expected);
				});
			}),
		);
	});
});
