import { afterAll, beforeAll, describe } from 'vitest';
import { workflow } from '../n8n/core.mts';

/**
 * Describes the same behaviour with both of n8n's expression engines: the one in the process itself
 * (n8n 1, and n8n 2 where it is chosen), and the isolated one that n8n 2 uses by default.
 */
export function withBothEngines(name: string, tests: () => void): void {
	describe(`${name} (expressions in the process)`, tests);
	describe(`${name} (isolated expressions)`, () => {
		beforeAll(async () => {
			await workflow.Expression.initExpressionEngine({
				engine: 'vm',
				poolSize: 1,
				maxCodeCacheSize: 1024,
				bridgeTimeout: 5_000,
				bridgeMemoryLimit: 128,
			});
		});
		afterAll(async () => {
			await workflow.Expression.disposeExpressionEngine();
			// disposing alone leaves no engine at all
			workflow.Expression.setExpressionEngine('legacy');
		});
		tests();
	});
}
