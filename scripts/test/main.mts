import { run } from '../lib/command.mts';
import { compiledSources } from '../lib/compiled.mts';
import { check, conclude, runTests, type Tally } from '../lib/tally.mts';

const tally: Tally = { passed: 0, failed: 0 };
const runScript = async (...args: string[]) => await run('npm', ['run', '--silent', ...args]);

// beside the tests, which often wait and so leave processor time
await Promise.all([
	// the tests of the package read what is built; the build checks the types of the nodes
	check(tally, 'Build', async () => await runScript('build')).then(async () => {
		// once, before three workers need it at the same time
		await compiledSources();
		await runTests(tally, ['unit', 'model', 'integration', 'package']);
	}),
	check(tally, 'Lint', async () => await runScript('lint')).then(async () => {
		await check(tally, 'Format', async () => await runScript('format:check'));
		await check(tally, 'Types', async () => await run('tsc', ['-p', 'tsconfig.test.json']));
		await check(tally, 'Generated files', async () => await runScript('generate', '--', '--check'));
	}),
]);
conclude(tally);
