import { expect, it } from 'vitest';
import { type Decision, decide, type Usage } from './limiter.mts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 21, 8, 0, 10);

/** Whether requests at these times (epoch milliseconds, rising) are taken, and what their replies say. */
function sendAt(times: number[]): Decision[] {
	let usage: Usage | undefined;
	return times.map((now) => {
		const decision = decide(usage, { perMinute: 60, perDay: 1_440 }, now);
		usage = decision.usage;
		return decision;
	});
}

it('takes 60 requests a minute and 1,440 a day, from the first request on', () => {
	const minute = sendAt([...Array<number>(60).fill(START), START + 15_000, START + MINUTE_MS]);
	expect(minute.map(({ isAllowed }) => isAllowed).slice(-3)).toEqual([true, false, true]);
	expect(minute.at(-2)?.headers).toMatchObject({ 'retry-after': '45' });
	const polls = Array.from({ length: 1_440 }, (_, index) => START + index * MINUTE_MS);
	const day = sendAt([...polls, START + DAY_MS - 1, START + DAY_MS]);
	expect(day.map(({ isAllowed }) => isAllowed).slice(-3)).toEqual([true, false, true]);
});
