import { expect, it } from 'vitest';
import * as budget from '../../../nodes/FormService/trigger/requestBudget.ts';
import { HOUR_MS, MINUTE_MS } from '../../../nodes/FormService/trigger/requestBudget.ts';

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

const at = (minutes: number) => NOW_MS + minutes * MINUTE_MS;
const schedule = { readAtMs: NOW_MS, dueAtMs: at(6) };

it.each([
	['its requests take up their time', 5, false],
	['its requests have taken up their time', 6, true],
	['n8n polls a few seconds early', 5.95, true],
	['the clock was set back', -1, true],
])('A list is due or not if %s', (_text, minutes, isDue) => {
	expect(budget.isDue(schedule, at(minutes))).toBe(isDue);
});

it.each<[string, number, number | undefined, number, number]>([
	['n8n polls each minute', 7, 6, 1, 9],
	['n8n polls once an hour', 66, 6, 31, 9],
	['n8n has polled meanwhile', 66, 46, 11, 49],
	['n8n polls once a day', 24 * 60, 6, 72, 9],
	['the process has just started', 66, undefined, 1, 69],
	['the list is read before it is due', 3, 2, 1, 9],
	// nobody knows how long the wait was
	['the clock was set back', -9, undefined, 1, -6],
])(
	'Requests that were not sent are made up for, and further ones are waited for, if %s',
	(_text, minutes, lastMinutes, allowance, dueMinutes) => {
		const lastPollAtMs = lastMinutes === undefined ? undefined : at(lastMinutes);
		const given = { intervalMs: 2 * MINUTE_MS, nowMs: at(minutes), lastPollAtMs };
		expect(budget.computeAllowance(schedule, given)).toBe(allowance);
		expect(budget.computeDueAtMs(schedule, 1.5, given)).toBe(at(dueMinutes));
	},
);
