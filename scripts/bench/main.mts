import { run } from '../lib/command.mts';
import { sectionOf, type Table, writePage } from './page.mts';

await run('npm', ['run', '--silent', 'build']);

// after the build: they load what it has made
const parts: Record<string, () => Promise<Table>> = {
	polls: async () => await (await import('./polls.mts')).polls(),
	memory: async () => await (await import('./memory.mts')).memory(),
	pages: async () => await (await import('./pages.mts')).pages(),
	delays: async () => await (await import('./delays.mts')).delays(),
	watching: async () => await (await import('./watching.mts')).watching(),
	n8n: async () => await (await import('./realN8n.mts')).realN8n(),
	state: async () => await (await import('./polls.mts')).state(),
	items: async () => await (await import('./items.mts')).items(),
	processes: async () => await (await import('./processes.mts')).processes(),
	editor: async () => await (await import('./editor.mts')).editor(),
	path: async () => await (await import('./path.mts')).path(),
	start: async () => await (await import('./start.mts')).start(),
};

const chosen = process.argv.slice(2);
const measured = new Map<string, string>();
for (const [name, part] of Object.entries(parts)) {
	if (chosen.length > 0 && !chosen.includes(name)) continue;
	const section = sectionOf(name, await part());
	measured.set(name, section);
	console.log(`\n${section.trim()}`);
}
await writePage(Object.keys(parts), measured);
process.exit();
