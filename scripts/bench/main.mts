import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../lib/command.mts';
import { root } from '../lib/paths.mts';
import { benchmarksPage, markdownOf, type Table } from './page.mts';

await run('npm', ['run', '--silent', 'build']);

// after the build: they load what it has made
const parts: Record<string, () => Promise<Table>> = {
	looks: async () => await (await import('./looks.mts')).looks(),
	watching: async () => await (await import('./watching.mts')).watching(),
	items: async () => await (await import('./items.mts')).items(),
	start: async () => await (await import('./start.mts')).start(),
};

const chosen = process.argv.slice(2);
const tables: Table[] = [];
for (const [name, part] of Object.entries(parts)) {
	if (chosen.length > 0 && !chosen.includes(name)) continue;
	const table = await part();
	tables.push(table);
	console.log(`\n${markdownOf(table)}`);
}
// the page is that of a whole run
if (chosen.length === 0) {
	await mkdir(join(root, 'docs'), { recursive: true });
	await writeFile(join(root, 'docs', 'benchmarks.md'), await benchmarksPage(tables));
}
process.exit();
