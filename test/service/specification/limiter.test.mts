import { expect, it } from 'vitest';
import { type Decision, decide, type Usage } from './limiter.mts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 21, 8, 0, 10);

/** Sends requests at these times (epoch milliseconds, rising); returns each decision. */
function sendAt(times: number[]): Decision[] {
	let usage: Usage | undefined;
	return times.map((now) => {
		const decision = decide(usage, { perMinute: 60, perDay: 1_440 }, now);
		usage = decision.usage;
		return decision;
	});
}

it('takes 60 requests a minute, from the first request on, and counts no refusal', () => {
	const times = [...Array<number>(60).fill(START), START + 15_000, START + MINUTE_MS];
	const [first, ...others] = sendAt(times);
	expect(first.headers).toEqual({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59' });
	const refusal = { 'x-ratelimit-remaining': '0', 'retry-after': '45' };
	expect(others.at(-2)).toMatchObject({ isAllowed: false, headers: refusal });
	expect(others.at(-1)?.usage).toMatchObject({ minute: { used: 1 }, day: { used: 61 } });
});

it('takes 1,440 requests a day, and shows the day once less is left of it than of the minute', () => {
	const polls = Array.from({ length: 1_440 }, (_, index) => START + index * MINUTE_MS);
	const decisions = sendAt([...polls, START + DAY_MS - 1, START + DAY_MS]);
	const limits = decisions.map(({ headers }) => headers['x-ratelimit-limit']);
	expect([1_380, 1_381, 1_440].map((index) => limits[index])).toEqual(['60', '1440', '1440']);
	expect(decisions.slice(-2).map(({ isAllowed }) => isAllowed)).toEqual([false, true]);
});
