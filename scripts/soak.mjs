/**
 * Runs the model-based tests of the trigger for longer than CI does, with new random runs each time:
 *
 *   npm run soak -- --minutes 30
 *
 * A failure prints its seed and path, and the sequence of commands with its replayPath. To replay it:
 *
 *   MODEL_SEED=<seed> MODEL_PATH=<path> MODEL_REPLAY=<replayPath> npx vitest run --project model
 */
import { parseArgs } from 'node:util';
import { runOnNode24 } from './lib/bootstrap.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
	console.error('--minutes must be a number above 0, for example: npm run soak -- --minutes 30');
	process.exit(2);
}

process.env.SOAK_MINUTES = String(minutes);
process.argv.splice(2, Infinity, 'run', '--project', 'model');
await runOnNode24('node_modules/vitest/vitest.mjs');
