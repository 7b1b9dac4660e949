import lodash from 'lodash';
import { describe, it, vi } from 'vitest';
import { modes } from './delivery/modes.mts';
import { deliver } from './delivery/run.mts';

// beside an n8n of another part, two cores cannot start more
vi.setConfig({ maxConcurrency: 3 });

const chosen = process.env.DELIVERY_MODES?.split(',') ?? modes.map(({ name }) => name);

describe.concurrent('while the service fails and n8n is killed, the trigger', () => {
	it.for(modes.filter(({ name }) => chosen.includes(name)))(
		'loses and repeats nothing that n8n itself has not: $title',
		async (mode, { expect }) => {
			const outcome = await deliver(mode);
			const findings = lodash.countBy(outcome.findings, ({ what, kill }) =>
				kill === undefined ? `${what}, unexplained` : `${what} by n8n at kill ${kill}`,
			);
			console.log(mode.name, { ...outcome, findings });

			// the run was as hard as it was meant to be
			expect(outcome).toMatchObject({ submitted: mode.submissions, kills: mode.kills });
			expect(outcome.requests).toBeGreaterThanOrEqual(mode.minRequests);
			expect(outcome.failedRequests).toBeGreaterThanOrEqual(Math.floor(outcome.requests / 3) - 1);

			// a kill can cost the responses of one poll, which are at most 100
			const lost = outcome.findings.filter(({ what }) => what === 'lost');
			for (const [, one] of Map.groupBy(lost, ({ kill }) => kill)) {
				expect(one.length).toBeLessThanOrEqual(100);
			}
			const own = outcome.findings.filter(({ kill }) => mode.isAtomic || kill === undefined);
			expect(own).toEqual([]);
		},
	);
});
