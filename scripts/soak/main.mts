/**
 * Runs the model-based tests of the trigger for longer than CI does, with new random runs each time, one
 * process for each processor, and prints how many runs each property had:
 *
 *   npm run soak -- --runs 5000
 *   npm run soak -- --minutes 30
 *   npm run soak -- --runs 5000 --only paged
 *
 * A failure prints its seed and path, and the sequence of commands with its replayPath. To replay it:
 *
 *   MODEL_SEED=<seed> MODEL_PATH=<path> MODEL_REPLAY=<replayPath> npx vitest run --project model
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { environment } from '../lib/command.mts';
import { root } from '../lib/paths.mts';

const { values } = parseArgs({
	options: {
		runs: { type: 'string' },
		minutes: { type: 'string' },
		/** A part of the names of the test files. */
		only: { type: 'string' },
	},
});
const { runs, minutes = runs === undefined ? '10' : undefined, only } = values;
const isCount = (text: string | undefined) => text === undefined || Number(text) > 0;
if (!isCount(runs) || !isCount(minutes) || (runs !== undefined && minutes !== undefined)) {
	console.error(
		'Give one number above 0, for example: npm run soak -- --runs 5000, or npm run soak -- --minutes 30',
	);
	process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'soak-'));
const workers = availableParallelism();

/** @returns whether no property failed */
async function work(worker: number): Promise<boolean> {
	const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
	const filter = only === undefined ? [] : [only];
	const args = [vitest, 'run', '--project', 'model', '--no-file-parallelism', ...filter];
	const child = spawn(process.execPath, args, {
		cwd: root,
		stdio: 'inherit',
		env: environment({
			SOAK_RUNS: runs === undefined ? undefined : String(Math.ceil(Number(runs) / workers)),
			SOAK_MINUTES: minutes,
			SOAK_REPORT: join(folder, `${worker}.jsonl`),
		}),
	});
	return await new Promise((resolve) => child.on('close', (code) => resolve(code === 0)));
}

const started = performance.now();
const ended = await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));

const counts = new Map<string, number>();
for (const file of readdirSync(folder)) {
	for (const line of readFileSync(join(folder, file), 'utf8').trim().split('\n')) {
		const { property, runs: count } = JSON.parse(line) as { property: string; runs: number };
		counts.set(property, (counts.get(property) ?? 0) + count);
	}
}
rmSync(folder, { recursive: true });
const took = Math.round((performance.now() - started) / 60_000);
console.log(`\nRuns of each property (${workers} processes, ${took} minutes):\n`);
for (const [property, count] of counts) console.log(`${String(count).padStart(8)}  ${property}`);
process.exit(ended.every(Boolean) ? 0 : 1);
