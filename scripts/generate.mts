/**
 * Writes the generated parts of files: the tables in README.md, examples/README.md and docs/settings.md,
 * errorTexts.md, and the versions of n8n. `--check` writes nothing and names the outdated files.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from './lib/command.mts';
import { formatMarkdown } from './lib/markdown.mts';
import { broughtByN8n, withN8nVersions } from './lib/n8n/install.mts';
import { root } from './lib/paths.mts';
import { updateExamples, updateReadme, updateSettings } from './references.mts';

const files: Record<string, (text: string) => Promise<string> | string> = {
	'README.md': async (text) => await formatMarkdown(withN8nVersions(updateReadme(text))),
	'examples/README.md': async (text) => await formatMarkdown(await updateExamples(text)),
	'docs/settings.md': async (text) => await formatMarkdown(updateSettings(text)),
	'.github/ISSUE_TEMPLATE/bug.yml': withN8nVersions,
	// the tests run the nodes with the classes of the newest n8n
	'package.json': (text) =>
		text.replaceAll(
			/"(n8n-core|n8n-workflow)": "\d[^"]*"/g,
			(_, name: string) => `"${name}": "${broughtByN8n(name)}"`,
		),
};

const { check: isCheck } = parseArgs({ options: { check: { type: 'boolean' } } }).values;
for (const [path, update] of Object.entries(files)) {
	const text = await readFile(join(root, path), 'utf8');
	const updated = await update(text);
	if (updated === text) continue;
	if (isCheck) {
		console.error(`${path} is outdated. Write it with: npm run generate`);
		process.exitCode = 1;
	} else {
		await writeFile(join(root, path), updated);
		console.log(`Wrote ${path}`);
	}
}
if (!isCheck) {
	// only its test can write errorTexts.md, because it has to cause every error
	const test = join('test', 'integration', 'api', 'errorTexts.test.mts');
	await run('vitest', ['run', '--project', 'integration', test, '--update'], { show: true });
}
