import { expect, it } from 'vitest';
import { expectHardship } from './delivery/expectations.mts';
import { byKill, report } from './delivery/figures.mts';
import { deliver, type Plan } from './delivery/run.mts';

const plan: Plan = {
	line: '2.x',
	env: {
		N8N_SCHEDULER_ENABLED: 'true',
		N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
		N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	},
	submissions: 500,
	durationMs: 480_000,
	kills: 7,
	aimed: true,
	atLeastRequests: 15,
	seed: Number(process.env.SEED ?? Date.now() % 1_000_000),
};

it('in n8n’s durable mode, loses and repeats nothing', async () => {
	const outcome = await deliver(plan);
	await report('durable', { ...outcome, findings: byKill(outcome.findings) });
	expectHardship(outcome, plan);
	expect(outcome.findings).toEqual([]);
	expect(outcome.delivered).toBe(plan.submissions);
});
