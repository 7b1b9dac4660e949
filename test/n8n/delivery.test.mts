import { describe, it, vi } from 'vitest';
import type { Finding } from './delivery/betweenWrites.mts';
import { modes } from './delivery/modes.mts';
import { deliver } from './delivery/run.mts';
import { report } from './instance.mts';

// two n8n at a time, beside that of another part, is what two cores can carry
vi.setConfig({ maxConcurrency: 2 });

const chosen = process.env.DELIVERY_MODES?.split(',') ?? modes.map(({ name }) => name);
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

/** Findings of the same kind in one line: a kill can meet many responses at once. */
function byKill(findings: readonly Finding[]): string[] {
	const groups = Map.groupBy(findings, ({ what, kill, proof }) =>
		kill === undefined ? `${what}, unexplained: ${proof}` : `${what} at kill ${kill}: ${proof}`,
	);
	return [...groups].map(
		([group, members]) => `${group} (${members.map(({ uuid }) => uuid).join(', ')})`,
	);
}

describe.concurrent('while the service fails and n8n is killed, the trigger', () => {
	it.for(modes.filter(({ name }) => chosen.includes(name)))(
		'loses and repeats nothing that n8n itself has not: $title',
		async (mode, { expect }) => {
			const outcome = await deliver({ ...mode, seed });
			await report(mode.name, { ...outcome, findings: byKill(outcome.findings) });

			// it was as hard as it was meant to be
			expect(outcome.submitted).toBe(mode.submissions);
			expect(outcome.kills).toBe(mode.kills);
			expect(outcome.seconds * 1000).toBeGreaterThanOrEqual(mode.durationMs);
			expect(outcome.requests).toBeGreaterThanOrEqual(mode.atLeastRequests);
			// one of each three requests fails, and one can be under way when the run ends
			const threes = outcome.requests / 3;
			expect(outcome.failedRequests).toBeGreaterThanOrEqual(Math.floor(threes) - 1);
			expect(outcome.failedRequests).toBeLessThanOrEqual(Math.ceil(threes) + 1);

			// what went wrong is n8n's own: its database shows a kill between its two writes
			const own = outcome.findings.filter(({ kill }) => mode.atomic || kill === undefined);
			expect(own).toEqual([]);
			const lost = outcome.findings.filter(({ what }) => what === 'lost').length;
			expect(outcome.delivered).toBe(mode.submissions - lost);
		},
	);
});
