import { it, vi } from 'vitest';
import { modes } from './delivery/modes.mts';
import { deliver } from './delivery/run.mts';

// beside an n8n of another part, two cores cannot start more
vi.setConfig({ maxConcurrency: 3 });

const chosen = process.env.DELIVERY_MODES?.split(',') ?? modes.map(({ name }) => name);

it.concurrent.for(modes.filter(({ name }) => chosen.includes(name)))(
	'While the service fails and n8n is killed, the trigger loses and repeats nothing that n8n itself has not: $title',
	async (mode, { expect }) => {
		const outcome = await deliver(mode);
		console.log(mode.title, outcome);
		// the run was as hard as it was meant to be
		expect(outcome).toMatchObject({ submitted: mode.submissions, kills: mode.kills });
		expect(outcome.requests).toBeGreaterThanOrEqual(mode.minRequests);
		const own = outcome.findings.filter(({ isByN8n }) => mode.isAtomic || !isByN8n);
		expect(own).toEqual([]);
	},
);
