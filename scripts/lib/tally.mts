import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.mts';
import { root } from './paths.mts';

/** What has been checked so far. */
export type Tally = { passed: number; failed: number };

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Does a step and counts it as one check. */
export async function check(
	tally: Tally,
	title: string,
	work: () => Promise<unknown>,
): Promise<void> {
	console.log(`\n── ${title}`);
	const start = Date.now();
	try {
		await work();
		tally.passed += 1;
		console.log(`✓ ${title} (${Math.round((Date.now() - start) / 1000)} s)`);
	} catch (error) {
		tally.failed += 1;
		console.log(`✗ ${title}: ${messageOf(error)}`);
	}
}

/** Files and options for vitest, and variables for the tests. */
type Selection = { files?: string[]; options?: string[]; env?: Record<string, string> };

type Report = { numPassedTests: number; numFailedTests: number; numTotalTests: number };

/**
 * Runs vitest's projects and counts each of their tests. What keeps tests from being counted (a file that
 * cannot be loaded, an error outside a test, no tests at all) counts as one failure.
 */
export async function runTests(
	tally: Tally,
	projects: string[],
	{ files = [], options = [], env }: Selection = {},
): Promise<void> {
	console.log(`\n── Tests: ${projects.join(', ')}`);
	const report = join(
		root,
		'node_modules',
		'.cache',
		`tests-${projects.join('-')}-${process.pid}.json`,
	);
	let error: unknown;
	try {
		const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
		const selected = projects.flatMap((project) => ['--project', project]);
		await run('vitest', ['run', ...files, ...selected, ...options, ...reporters], {
			show: true,
			env,
		});
	} catch (reason) {
		error = reason;
	}
	const counts = await readFile(report, 'utf8').then(
		(text) => JSON.parse(text) as Report,
		() => ({ numPassedTests: 0, numFailedTests: 0, numTotalTests: 0 }),
	);
	await rm(report, { force: true });
	tally.passed += counts.numPassedTests;
	tally.failed += counts.numFailedTests;
	if (counts.numFailedTests === 0 && (error || counts.numPassedTests === 0)) {
		tally.failed += 1;
		console.log(`✗ ${error ? messageOf(error) : `no tests in ${projects.join(', ')}`}`);
	}
}

/** Prints the sum as the last line and sets the exit code. */
export function conclude({ passed, failed }: Tally): void {
	console.log(`\n${passed} passed, ${failed} failed`);
	process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}
