import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// n8n-workflow ships an ESM and a CommonJS build, and n8n-core requires the latter: one copy for all,
// or `instanceof NodeApiError` is false for the very errors under test.
const alias = [
	{ find: /^n8n-workflow$/, replacement: createRequire(import.meta.url).resolve('n8n-workflow') },
];

const project = (
	name: string,
	include: string[],
	testTimeout: number,
	own: { isolate?: boolean } = {},
) => ({
	resolve: { alias },
	test: { name, include, testTimeout, hookTimeout: testTimeout, pool: 'forks' as const, ...own },
});

export default defineConfig({
	test: {
		// more than processors: many tests wait for moments in which nothing happens
		maxWorkers: Math.ceil(1.5 * availableParallelism()),
		projects: [
			project('unit', ['test/unit/**/*.test.mts'], 60_000, {
				isolate: false,
			}),
			project('model', ['test/model/**/*.test.mts'], 600_000, { isolate: false }),
			// n8n's classes take a second to load
			project('integration', ['test/integration/**/*.test.mts'], 120_000, { isolate: false }),
			project('package', ['test/package/**/*.test.mts'], 120_000),
			project('n8n', ['test/n8n/**/*.test.mts'], 1_800_000),
		],
	},
});
