/**
 * Measures what the package costs its users, and writes docs/benchmarks.md:
 *
 *   npm run bench              all parts
 *   npm run bench -- poll      one part; the others stay as the page has them
 */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { run } from '../lib/command.mts';
import { root } from '../lib/paths.mts';

/** A section of the page. */
export type Table = { title: string; text: string; head: string[]; rows: string[][] };

const INTRODUCTION = `# Benchmarks

\`npm run bench\` measures all sections; \`npm run bench -- <part>\` measures the one whose last line names the part. Times depend on the machine.

`;

// each part loads what the build has made, so the build comes first
const parts: Record<string, () => Promise<Table>> = {
	poll: async () => await (await import('./poll.mts')).measurePolls(),
	matching: async () => await (await import('./matching.mts')).measureMatching(),
	delays: async () => await (await import('./delays.mts')).measureDelays(),
	processes: async () => await (await import('./processes.mts')).measureProcesses(),
	n8n: async () => await (await import('./realN8n.mts')).measureInN8n(),
};

const namePart = (part: string) => `Part \`${part}\``;

function renderSection(part: string, { title, text, head, rows }: Table): string {
	const [{ model }] = cpus();
	const machine = `${cpus().length} processors (${model.trim()}), Node ${process.versions.node}`;
	const day = new Date().toISOString().slice(0, 10);
	const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
	return `## ${title}\n\n${text}\n\n${lines.join('\n')}\n\n${namePart(part)}, ${day}, ${machine}.\n\n`;
}

const chosen = process.argv.slice(2);
const unknown = chosen.filter((part) => !(part in parts));
if (unknown.length > 0) {
	console.error(`There is no part "${unknown[0]}", only ${Object.keys(parts).join(', ')}.`);
	process.exit(1);
}
await run('npm', ['run', '--silent', 'build']);
const path = join(root, 'docs', 'benchmarks.md');
const earlier = (await readFile(path, 'utf8')).split(/^(?=## )/m);
let page = INTRODUCTION;
for (const [part, measure] of Object.entries(parts)) {
	if (chosen.length > 0 && !chosen.includes(part)) {
		page += earlier.find((section) => section.includes(namePart(part))) ?? '';
		continue;
	}
	const section = renderSection(part, await measure());
	console.log(`\n${section.trim()}`);
	page += section;
}
await writeFile(path, await format(page, { ...(await resolveConfig(path)), filepath: path }));
process.exit();
