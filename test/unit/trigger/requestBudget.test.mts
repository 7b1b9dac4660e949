import { expect, it } from 'vitest';
import * as budget from '../../../nodes/FormService/trigger/schedule.ts';
import { HOUR_MS, MINUTE_MS } from '../../../nodes/FormService/trigger/schedule.ts';

const NOW_MS = Date.UTC(2026, 10, 24, 12);

const createClaim = (given: Partial<budget.BudgetClaim> = {}): budget.BudgetClaim => {
	return { accountKey: 'a', requestsPerDay: 720, lists: 1, polledAtMs: NOW_MS, ...given };
};

it.each<[string, Partial<budget.BudgetClaim>, Array<Partial<budget.BudgetClaim>>, number]>([
	['one form', {}, [], 2],
	['ten forms', { lists: 10 }, [], 20],
	['a second trigger', {}, [{ lists: 3 }], 8],
	['a trigger on another account', {}, [{ accountKey: 'b', lists: 3 }], 2],
	['a trigger that is switched off', {}, [{ lists: 3, polledAtMs: NOW_MS - 71 * MINUTE_MS }], 2],
	['a trigger that is polled hourly', {}, [{ lists: 3, polledAtMs: NOW_MS - HOUR_MS }], 8],
	['a trigger with more Requests per Day', {}, [{ requestsPerDay: 1440 }], 2],
])('With %s, a form waits for each of its requests', (_text, given, others, minutes) => {
	const own = createClaim(given);
	const claims = [...others.map(createClaim), own];
	expect(budget.computeIntervalMs(claims, own)).toBe(minutes * MINUTE_MS);
});

it.each([
	['its requests take up their time', 5, false],
	['its requests have taken up their time', 6, true],
	['n8n polls a few seconds early', 5.95, true],
	['the clock was set back', -1, true],
])('A list is due or not if %s', (_text, minutes, isDue) => {
	const lastReading = { atMs: NOW_MS, requests: 3 };
	const nowMs = NOW_MS + minutes * MINUTE_MS;
	expect(budget.isDue(lastReading, 2 * MINUTE_MS, nowMs)).toBe(isDue);
});
