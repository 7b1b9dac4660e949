import { run } from '../lib/command.mts';
import { check, conclude, runTests, type Tally } from '../lib/tally.mts';

const tally: Tally = { passed: 0, failed: 0 };
const script = async (name: string) => await run('npm', ['run', '--silent', name], { show: true });

await check(tally, 'Lint', async () => await script('lint'));
await check(tally, 'Format', async () => await script('format:check'));
await check(tally, 'Types', async () => await script('typecheck'));
await check(tally, 'Build', async () => await script('build'));
await runTests(tally, ['unit', 'model']);
await runTests(tally, ['integration']);
await runTests(tally, ['package']);
conclude(tally);
