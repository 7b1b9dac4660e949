import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run, step } from './command.mts';
import { localCache } from './paths.mts';

export type Tally = { passed: number; failed: number };

/** Runs a step and counts it as one check. */
export async function check(tally: Tally, title: string, work: () => Promise<unknown>) {
	try {
		await step(title, work);
		tally.passed += 1;
	} catch (error) {
		tally.failed += 1;
		console.log((error as Error).message);
	}
}

/** Runs vitest's projects and counts each test, and one failure if tests cannot be counted. */
export async function runTests(
	tally: Tally,
	projects: string[],
	{ args = [], env }: { args?: string[]; env?: Record<string, string> } = {},
): Promise<void> {
	const file = join(localCache, `tests-${projects.join('-')}-${process.pid}.json`);
	const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
	const selected = projects.flatMap((project) => ['--project', project]);
	let failure: string | undefined;
	let report = { numPassedTests: 0, numFailedTests: 0 };
	try {
		await run('vitest', ['run', ...args, ...selected, ...reporters], { show: true, env });
	} catch (error) {
		failure = (error as Error).message;
	}
	if (existsSync(file)) report = JSON.parse(await readFile(file, 'utf8')) as typeof report;
	await rm(file, { force: true });
	tally.passed += report.numPassedTests;
	tally.failed += report.numFailedTests;
	if (report.numFailedTests > 0 || (failure === undefined && report.numPassedTests > 0)) return;
	tally.failed += 1;
	console.log(`✗ ${failure ?? `no tests in ${projects.join(', ')}`}`);
}

/** Prints the counts as the last line, and sets the exit code. */
export function conclude({ passed, failed }: Tally): void {
	console.log(`\n${passed} passed, ${failed} failed`);
	process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}
