import { run } from '../lib/command.mts';
import { check, conclude, runTests, type Tally } from '../lib/tally.mts';

const tally: Tally = { passed: 0, failed: 0 };
const runScript = async (...args: string[]) =>
	await run('npm', ['run', '--silent', ...args], { show: true });

// each of the two takes one processor
await Promise.all([
	// the build checks the types of the nodes
	check(tally, 'Build', async () => await runScript('build')).then(async () => {
		const args = ['-p', 'tsconfig.test.json'];
		await check(tally, 'Types', async () => await run('tsc', args, { show: true }));
		await check(tally, 'Generated files', async () => await runScript('generate', '--', '--check'));
	}),
	check(tally, 'Lint', async () => await runScript('lint')).then(async () => {
		await check(tally, 'Format', async () => await runScript('format:check'));
	}),
]);
await runTests(tally, ['unit', 'model', 'integration', 'package']);
conclude(tally);
