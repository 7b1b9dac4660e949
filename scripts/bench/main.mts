/** Measures what the trigger costs its users, and writes docs/benchmarks.md. */
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { run } from '../lib/command.mts';
import { formatMarkdown, renderTable } from '../lib/markdown.mts';
import { root } from '../lib/paths.mts';

/** A section of the page. */
export type Section = { title: string; text: string; head: string[]; rows: string[][] };

await run('npm', ['run', '--silent', 'build']);
// these load what the build has made
const { measurePolls } = await import('./poll.mts');
const { measureDelays } = await import('./delays.mts');

const [{ model }] = cpus();
const machine = `${cpus().length} processors (${model.trim()}), Node ${process.versions.node}`;
const day = new Date().toISOString().slice(0, 10);
const sections = [await measurePolls(), await measureDelays()].map(
	({ title, text, head, rows }) => `## ${title}\n\n${text}\n\n${renderTable(head, rows)}`,
);
const introduction = `# Benchmarks\n\nWritten by \`npm run bench\` on ${day}: ${machine}. Times depend on the machine.`;
const page = await formatMarkdown([introduction, ...sections].join('\n\n'));
await writeFile(join(root, 'docs', 'benchmarks.md'), page);
console.log(page);
// the virtual time of the tests keeps timers open
process.exit();
