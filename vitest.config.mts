import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

// n8n-workflow ships an ESM and a CommonJS build, and n8n-core requires the latter: one copy for all,
// or `instanceof NodeApiError` is false for the very errors under test.
const alias = [
	{ find: /^n8n-workflow$/, replacement: createRequire(import.meta.url).resolve('n8n-workflow') },
];

const project = (name: string, include: string[], testTimeout: number) => ({
	resolve: { alias },
	test: { name, include, testTimeout, pool: 'forks' as const },
});

export default defineConfig({
	test: {
		// most integration tests wait for replies and pauses, so that even two cores carry two at a time
		maxWorkers: 2,
		projects: [
			project('unit', ['test/unit/**/*.test.mts', 'test/service/**/*.test.mts'], 20_000),
			project('model', ['test/model/**/*.test.mts'], 600_000),
			project('integration', ['test/integration/**/*.test.mts'], 120_000),
			project('package', ['test/package/**/*.test.mts'], 120_000),
			project('n8n', ['test/n8n/**/*.test.mts'], 1_800_000),
		],
	},
});
