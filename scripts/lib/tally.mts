import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.mts';
import { localCache } from './paths.mts';

/** What has been checked so far. */
export type Tally = { passed: number; failed: number };

/** Does a step and counts it as one check. */
export async function check(tally: Tally, title: string, work: () => Promise<unknown>) {
	console.log(`\n── ${title}`);
	const start = Date.now();
	try {
		await work();
		tally.passed += 1;
		console.log(`✓ ${title} (${Math.round((Date.now() - start) / 1000)} s)`);
	} catch (error) {
		tally.failed += 1;
		console.log(`✗ ${title}: ${(error as Error).message}`);
	}
}

/** Arguments of vitest, and variables for the tests. */
type Selection = { args?: string[]; env?: Record<string, string> };

type Report = { numPassedTests: number; numFailedTests: number };

/**
 * Runs vitest's projects and counts each of their tests. Whatever keeps tests from being counted (a file that
 * cannot be loaded, an error outside a test, no tests at all) counts as one failure.
 */
export async function runTests(
	tally: Tally,
	projects: string[],
	{ args = [], env }: Selection = {},
): Promise<void> {
	console.log(`\n── Tests: ${projects.join(', ')}`);
	const name = `tests-${projects.join('-')}-${process.pid}.json`;
	const file = join(localCache, name);
	const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
	const selected = projects.flatMap((project) => ['--project', project]);
	const failure = await run('vitest', ['run', ...args, ...selected, ...reporters], {
		show: true,
		env,
	}).then(
		() => undefined,
		(error: Error) => error.message,
	);
	const report = await readFile(file, 'utf8').then(
		(text) => JSON.parse(text) as Report,
		() => ({ numPassedTests: 0, numFailedTests: 0 }),
	);
	await rm(file, { force: true });
	tally.passed += report.numPassedTests;
	tally.failed += report.numFailedTests;
	if (report.numFailedTests > 0 || (failure === undefined && report.numPassedTests > 0)) return;
	tally.failed += 1;
	console.log(`✗ ${failure ?? `no tests in ${projects.join(', ')}`}`);
}

/** Prints the sum as the last line and sets the exit code. */
export function conclude({ passed, failed }: Tally): void {
	console.log(`\n${passed} passed, ${failed} failed`);
	process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}
