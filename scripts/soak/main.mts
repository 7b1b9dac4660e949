/**
 * Runs the tests of the trigger's model with more runs of each property than `npm test` does:
 *
 *   npm run soak -- --runs 5000
 *   npm run soak -- --runs 5000 story -t durable
 *
 * Further arguments go to vitest. A failure prints its seed and path; to replay it:
 *
 *   MODEL_SEED=<seed> MODEL_PATH=<path> npx vitest run --project model
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { environment } from '../lib/command.mts';
import { root } from '../lib/paths.mts';

const [option, runs, ...rest] = process.argv.slice(2);
if (option !== '--runs' || !(Number(runs) > 0)) {
	console.error('Give the number of runs, for example: npm run soak -- --runs 5000');
	process.exit(2);
}
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const args = [vitest, 'run', '--project', 'model', '--testTimeout', '86400000', ...rest];
const env = environment({ MODEL_RUNS: runs });
process.exit(spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env }).status ?? 1);
