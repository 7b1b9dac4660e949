import { run } from '../lib/command.mts';
import { check, conclude, runTests, type Tally } from '../lib/tally.mts';

const CHECK = ['scripts/generate.mts', '--check'];

const tally: Tally = { passed: 0, failed: 0 };
const script = async (name: string) => await run('npm', ['run', '--silent', name], { show: true });

// each of the first takes one processor
await Promise.all([
	check(tally, 'Types', async () => await script('typecheck')).then(async () => {
		await check(tally, 'Generated files', async () => await run('node', CHECK, { show: true }));
	}),
	check(tally, 'Lint', async () => await script('lint')).then(async () => {
		await check(tally, 'Format', async () => await script('format:check'));
		await check(tally, 'Build', async () => await script('build'));
	}),
]);
await runTests(tally, ['unit', 'model', 'integration', 'package']);
conclude(tally);
