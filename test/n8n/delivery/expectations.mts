import { expect } from 'vitest';
import type { Outcome, Plan } from './run.mts';

/** The run was as hard as it was meant to be. */
export function expectHardship(outcome: Outcome, plan: Plan): void {
	expect(outcome.submitted).toBe(plan.submissions);
	expect(outcome.kills).toBe(plan.kills);
	expect(outcome.seconds * 1000).toBeGreaterThanOrEqual(plan.durationMs);
	expect(outcome.requests).toBeGreaterThanOrEqual(plan.atLeastRequests);
	// one of each three requests fails, and one can be under way when the run ends
	const threes = outcome.requests / 3;
	expect(outcome.failedRequests).toBeGreaterThanOrEqual(Math.floor(threes) - 1);
	expect(outcome.failedRequests).toBeLessThanOrEqual(Math.ceil(threes) + 1);
}

/** What was submitted is in n8n's executions, and nothing else, but for what n8n itself has lost. */
export function expectDelivered({ delivered, findings }: Outcome, plan: Plan): void {
	const lost = findings.filter(({ what }) => what === 'lost').length;
	expect(delivered).toBe(plan.submissions - lost);
}

/** Nothing was lost or repeated, but for what n8n's database shows to be a kill between its two writes. */
export function expectNoFaultOfOurs({ findings }: Outcome): void {
	expect(findings.filter(({ kill }) => kill === undefined)).toEqual([]);
}
