import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Decision, decide, type Usage } from './limiter.mts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 21, 8, 0, 10);

/** Sends requests at these times (epoch milliseconds, rising); returns each decision. */
function sendAt(times: number[], limits = { perMinute: 60, perDay: 1_440 }): Decision[] {
	let usage: Usage = {};
	return times.map((now) => {
		const decision = decide(usage, limits, now);
		usage = decision.usage;
		return decision;
	});
}

const repeat = (count: number, at: number) => Array<number>(count).fill(at);

describe('the limits (section 8)', () => {
	it('take 60 requests a minute, from the first request on, and say when to go on', () => {
		const times = [...repeat(60, START), START + 15_000, START + MINUTE_MS];
		const [first, ...others] = sendAt(times);
		expect(first.headers).toEqual({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59' });
		expect(others.at(-2)).toMatchObject({ allowed: false, headers: { 'retry-after': '45' } });
		expect(others.at(-1)?.allowed).toBe(true);
	});

	it('take 1,440 requests a day, and show the day once less is left of it than of the minute', () => {
		const polls = Array.from({ length: 1_440 }, (_, index) => START + index * MINUTE_MS);
		const decisions = sendAt([...polls, START + DAY_MS - 1]);
		const shown = [1_380, 1_381, 1_440].map((index) => decisions[index].headers);
		expect(shown.map((headers) => headers['x-ratelimit-limit'])).toEqual(['60', '1440', '1440']);
		expect(decisions.at(-1)).toMatchObject({ allowed: false, refusedBy: 'day' });
	});

	it('never take more than a limit in a window, and never count a refusal', () => {
		const pauses = [2_000, 2 * MINUTE_MS, 2 * DAY_MS].map((max) => fc.integer({ min: 0, max }));
		const traffic = fc.array(fc.oneof(...pauses), { maxLength: 120 }).map((list) => {
			let now = START;
			return list.map((pause) => (now += pause));
		});
		const limit = fc.integer({ min: 1, max: 12 });
		fc.assert(
			fc.property(traffic, limit, limit, (times, perMinute, perDay) => {
				const decisions = sendAt(times, { perMinute, perDay });
				const taken = times.filter((_, index) => decisions[index].allowed);
				const alone = sendAt(taken, { perMinute, perDay });
				expect(alone).toEqual(decisions.filter(({ allowed }) => allowed));
				for (const [max, length] of [
					[perMinute, MINUTE_MS],
					[perDay, DAY_MS],
				]) {
					// a request and the one that comes `max` later cannot be in one window
					let start = -Infinity;
					let count = 0;
					for (const time of taken) {
						if (time >= start + length) [start, count] = [time, 0];
						expect(++count).toBeLessThanOrEqual(max);
					}
				}
			}),
		);
	});
});
