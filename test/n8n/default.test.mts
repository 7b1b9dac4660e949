import { it } from 'vitest';
import { expectDelivered, expectHardship, expectNoFaultOfOurs } from './delivery/expectations.mts';
import { byKill, report } from './delivery/figures.mts';
import { deliver, type Plan } from './delivery/run.mts';

const plan: Plan = {
	line: '2.x',
	env: {},
	submissions: 500,
	durationMs: 480_000,
	kills: 7,
	aimed: false,
	atLeastRequests: 15,
	seed: Number(process.env.SEED ?? Date.now() % 1_000_000),
};

it('in n8n’s default mode, loses and repeats nothing that n8n itself has not', async () => {
	const outcome = await deliver(plan);
	await report('default', { ...outcome, findings: byKill(outcome.findings) });
	expectHardship(outcome, plan);
	expectNoFaultOfOurs(outcome);
	expectDelivered(outcome, plan);
});
