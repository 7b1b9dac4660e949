import { expect, it } from 'vitest';
import * as budget from '../../../nodes/FormService/trigger/requestBudget.ts';
import { HOUR_MS, MINUTE_MS } from '../../../nodes/FormService/trigger/requestBudget.ts';

const NOW_MS = Date.UTC(2026, 10, 24, 12);

const createClaim = (given: Partial<budget.BudgetClaim> = {}): budget.BudgetClaim => {
	return { accountKey: 'a', requestsPerDay: 720, weight: 1, polledAtMs: NOW_MS, ...given };
};

it.each<[string, Partial<budget.BudgetClaim>, Array<Partial<budget.BudgetClaim>>, number]>([
	['one form', {}, [], 2],
	['ten forms', { weight: 10 }, [], 20],
	['a second trigger', {}, [{ weight: 3 }], 8],
	['a trigger on another account', {}, [{ accountKey: 'b', weight: 3 }], 2],
	['a trigger that is switched off', {}, [{ weight: 3, polledAtMs: NOW_MS - 71 * MINUTE_MS }], 2],
	['a trigger that is polled hourly', {}, [{ weight: 3, polledAtMs: NOW_MS - HOUR_MS }], 8],
	['a trigger with more Requests per Day', {}, [{ requestsPerDay: 1440 }], 2],
])('With %s, a form waits for each of its requests', (_text, given, others, minutes) => {
	const own = createClaim(given);
	const claims = [...others.map(createClaim), own];
	expect(budget.computeBaseIntervalMs(claims, own)).toBe(minutes * MINUTE_MS);
});

it.each([
	[undefined, 1],
	[0, 4],
	[23, 4],
	[24, 1],
	[-1, 1],
])('A form that delivered a response %s hours ago has the weight %i', (hours, weight) => {
	const deliveredAtMs = hours === undefined ? undefined : NOW_MS - hours * HOUR_MS;
	expect(budget.computeWeight(deliveredAtMs, NOW_MS)).toBe(weight);
});

it.each([
	['its requests take up their time', 5, false],
	['its requests have taken up their time', 6, true],
	['n8n polls a few seconds early', 5.95, true],
	['the clock was set back', -1, true],
])('A list is due or not if %s', (_text, minutes, isDue) => {
	const nowMs = NOW_MS + minutes * MINUTE_MS;
	expect(budget.isDue({ atMs: NOW_MS, requests: 3 }, 2 * MINUTE_MS, nowMs)).toBe(isDue);
});

it.each([
	['half of their time', 3, 3.5],
	['a long time', 60, 2],
	// nobody knows how long the wait was
	['a clock that was set back', -1, 2],
])('Requests are waited for after those of before: after %s', (_text, minutes, requests) => {
	const before = { atMs: NOW_MS, requests: 3 };
	const atMs = NOW_MS + minutes * MINUTE_MS;
	expect(budget.addDebt(before, 2, 2 * MINUTE_MS, atMs)).toEqual({ atMs, requests });
});

it.each<[string, number, number | undefined, number]>([
	['n8n polls each minute', 5, 4, 0],
	['n8n polls once an hour', 64, 4, 30],
	['n8n has polled meanwhile', 64, 44, 10],
	['the process has just started', 64, undefined, 0],
	['the list is not due', 3, 0, 0],
])('Requests that were not sent are made up for if %s', (_text, minutes, lastMinutes, unused) => {
	const lastPollAtMs = lastMinutes === undefined ? undefined : NOW_MS + lastMinutes * MINUTE_MS;
	const debt = { atMs: NOW_MS, requests: 2 };
	const nowMs = NOW_MS + minutes * MINUTE_MS;
	const given = budget.computeFormBudget({ debt }, 2 * MINUTE_MS, lastPollAtMs, nowMs);
	expect(given).toEqual({ intervalMs: 2 * MINUTE_MS, unusedRequests: unused, maxRequests: 72 });
});

it('A busy form has four times the requests of others', () => {
	const form = { deliveredAtMs: NOW_MS - MINUTE_MS };
	const given = budget.computeFormBudget(form, 8 * MINUTE_MS, NOW_MS - 10 * MINUTE_MS, NOW_MS);
	expect(given).toEqual({ intervalMs: 2 * MINUTE_MS, unusedRequests: 5, maxRequests: 72 });
});
