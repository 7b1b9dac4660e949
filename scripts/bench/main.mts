/** Measures what the trigger costs its users, and writes docs/benchmarks.md. */
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { run } from '../lib/command.mts';
import { formatMarkdown, renderTable } from '../lib/markdown.mts';
import { root } from '../lib/paths.mts';

await run('npm', ['run', '--silent', 'build']);
// loads what the build has made
const { measurePolls, ROUNDS } = await import('./poll.mts');

const HEAD = 'Responses,Body,JSON.parse alone,Poll,With Response Updated,Memory,State per response';
const [{ model }] = cpus();
const machine = `${cpus().length} processors (${model.trim()}), Node ${process.versions.node}`;
const day = new Date().toISOString().slice(0, 10);
const text = `# Benchmarks

Written by \`npm run bench\` on ${day}: ${machine}. Times depend on the machine.

## A poll of the trigger

The built trigger polls a form on n8n’s own classes. The responses come on one page, and each poll finds a new one. Processor times include n8n’s and are medians of ${ROUNDS} polls. The memory is what the first poll adds to the process. The state is what n8n saves.

${renderTable(HEAD.split(','), await measurePolls())}`;
const page = await formatMarkdown(text);
await writeFile(join(root, 'docs', 'benchmarks.md'), page);
console.log(page);
// the virtual time of the tests keeps timers open
process.exit();
