/** Measures the time of a poll, and writes it into docs/benchmarks.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { formatMarkdown, renderTable, replaceSection } from './lib/markdown.mts';
import { root } from './lib/paths.mts';
import { measurePolls } from './lib/pollCost.mts';

/** Most of them measure code that the processor has compiled, as in an n8n that has polled for some minutes. */
const ROUNDS = 25;
const HEAD = ['Responses', 'Body', 'JSON.parse alone', 'Poll', 'State per response'];

const formatMs = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;

const machine = `${cpus().length} processors (${cpus()[0].model.trim()}), Node ${process.versions.node}`;
const measured = `Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}.`;
const rows: string[][] = [];
for (const size of [1_000, 10_000, 100_000]) {
	const { bodyBytes, parseMs, pollMs, stateBytes } = await measurePolls(size, ROUNDS);
	rows.push([
		...[size.toLocaleString('en'), `${(bodyBytes / 1e6).toFixed(1)} MB`],
		...[formatMs(parseMs), formatMs(pollMs), `${stateBytes.toFixed(1)} bytes`],
	]);
}
const path = join(root, 'docs', 'benchmarks.md');
const polls = `${measured}\n\n${renderTable(HEAD, rows)}`;
const page = replaceSection(await readFile(path, 'utf8'), 'polls', polls);
await writeFile(path, await formatMarkdown(page));
console.log(polls);
// the virtual time of the tests keeps timers open
process.exit();
