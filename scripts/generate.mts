/**
 * Writes what is generated: docs/settings.md, the tables in README.md, the output previews, errorTexts.md, and
 * the versions of n8n wherever they are named. `--check` writes nothing and says which files are stale.
 */
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './lib/command.mts';
import { broughtByN8n, isLocked, lines, withN8nVersions } from './lib/n8n/install.mts';
import { root } from './lib/paths.mts';
import { fileOf, previews, textOf } from './previews.mts';
import { readmeFile, settingsReference, settingsReferenceFile, withTables } from './references.mts';

/** What each generated file holds, by its path. */
async function texts(): Promise<Map<string, string>> {
	const schemas = Object.entries(previews).map(
		([path, schema]) => [fileURLToPath(fileOf(path)), textOf(schema)] as const,
	);
	const manifest = join(root, 'package.json');
	const issueForm = join(root, '.github', 'ISSUE_TEMPLATE', 'bug.yml');
	const readme = await withTables(readFileSync(readmeFile, 'utf8'));
	return new Map([
		[fileURLToPath(settingsReferenceFile), await settingsReference()],
		[fileURLToPath(readmeFile), withN8nVersions(readme)],
		[issueForm, withN8nVersions(readFileSync(issueForm, 'utf8'))],
		[manifest, withN8nClasses(readFileSync(manifest, 'utf8'))],
		...schemas,
	]);
}

/** package.json with the classes of the newest n8n as what the tests run the nodes on. */
const withN8nClasses = (text: string) =>
	text.replaceAll(
		/"(n8n-core|n8n-workflow)": "\d[^"]*"/g,
		(_, name: string) => `"${name}": "${broughtByN8n(name)}"`,
	);

async function isStale([path, text]: [string, string]): Promise<boolean> {
	return (await readFile(path, 'utf8').catch(() => undefined)) !== text;
}

for (const line of lines) {
	if (!isLocked(line)) throw new Error(`scripts/n8n/${line} is not locked. Run: npm run lock`);
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
