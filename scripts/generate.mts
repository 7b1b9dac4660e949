/**
 * Writes every file that is generated from the code: docs/settings.md, the tables in README.md, the output
 * previews and errorTexts.md. `--check` writes nothing and says which files are stale.
 */
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './lib/command.mts';
import { root } from './lib/paths.mts';
import { readmeFile, withTables } from './operationsReference.mts';
import { fileOf, previews, textOf } from './previews.mts';
import { settingsReference, settingsReferenceFile } from './settingsReference.mts';

/** What each generated file holds, by its path. */
async function texts(): Promise<Map<string, string>> {
	const schemas = Object.entries(previews).map(
		([path, schema]) => [fileURLToPath(fileOf(path)), textOf(schema)] as const,
	);
	return new Map([
		[fileURLToPath(settingsReferenceFile), await settingsReference()],
		[fileURLToPath(readmeFile), await withTables(readFileSync(readmeFile, 'utf8'))],
		...schemas,
	]);
}

async function isStale([path, text]: [string, string]): Promise<boolean> {
	return (await readFile(path, 'utf8').catch(() => undefined)) !== text;
}

const stale: string[] = [];
for (const [path, text] of await texts()) {
	if (!(await isStale([path, text]))) continue;
	stale.push(relative(root, path));
	if (process.argv.includes('--check')) continue;
	await mkdir(dirname(path), { recursive: true });
	await writeFile(path, text);
}

if (process.argv.includes('--check')) {
	// errorTexts.md is compared by its own test, which has to run every error for it.
	for (const path of stale) console.error(`${path} is stale. Write it with: npm run generate`);
	process.exitCode = stale.length > 0 ? 1 : 0;
} else {
	for (const path of stale) console.log(`Wrote ${path}`);
	const test = join('test', 'integration', 'faults', 'errorTexts.test.mts');
	await run('vitest', ['run', '--project', 'integration', test, '--update'], { show: true });
}
