import { it } from 'vitest';
import { expectDelivered, expectHardship, expectNoFaultOfOurs } from './delivery/expectations.mts';
import { byKill, report } from './delivery/figures.mts';
import { deliver, type Plan } from './delivery/run.mts';

const plan: Plan = {
	line: '1.x',
	env: {},
	submissions: 120,
	durationMs: 180_000,
	kills: 3,
	aimed: false,
	atLeastRequests: 6,
	seed: Number(process.env.SEED ?? Date.now() % 1_000_000),
};

it('on n8n 1.x, loses and repeats nothing that n8n itself has not', async () => {
	const outcome = await deliver(plan);
	await report('v1', { ...outcome, findings: byKill(outcome.findings) });
	expectHardship(outcome, plan);
	expectNoFaultOfOurs(outcome);
	expectDelivered(outcome, plan);
});
