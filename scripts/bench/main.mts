import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../lib/command.mts';
import { root } from '../lib/paths.mts';
import { benchmarksPage, markdownOf, type Table } from './page.mts';

await run('npm', ['run', '--silent', 'build']);

// after the build: they load what it has made
const parts: Record<string, () => Promise<Table>> = {
	polls: async () => await (await import('./polls.mts')).polls(),
	memory: async () => await (await import('./memory.mts')).memory(),
	pages: async () => await (await import('./pages.mts')).pages(),
	delays: async () => await (await import('./delays.mts')).delays(),
	watching: async () => await (await import('./watching.mts')).watching(),
	state: async () => await (await import('./state.mts')).state(),
	items: async () => await (await import('./items.mts')).items(),
	processes: async () => await (await import('./processes.mts')).processes(),
	editor: async () => await (await import('./editor.mts')).editor(),
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
