import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../lib/command.mts';
import { root } from '../lib/paths.mts';
import { items } from './items.mts';
import { benchmarksPage, markdownOf, type Table } from './page.mts';
import { polls } from './polls.mts';
import { start } from './start.mts';
import { watching } from './watching.mts';

const parts: Record<string, () => Promise<Table>> = {
	polls: async () => await polls([1_000, 10_000, 30_000]),
	watching,
	items,
	start,
};

await run('npm', ['run', '--silent', 'build']);
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
