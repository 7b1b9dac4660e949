import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from '../lib/paths.mts';

export type Table = { title: string; text: string; head: string[]; rows: string[][] };

const INTRODUCTION = `# Benchmarks

\`npm run bench\` measures all sections. \`npm run bench -- <part>\` measures one section; the last line of each section names its part.

Times depend on the machine, so most figures are counts, or ratios of two measurements that were taken in turn in the same run. A section compares with what else does the same job, where something does.

`;

const line = (cells: string[]) => `| ${cells.join(' | ')} |`;

export const markdownOf = ({ title, text, head, rows }: Table): string =>
	[
		`## ${title}`,
		text,
		[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n'),
	].join('\n\n');

/** The section of a part, with the day, the machine and the command. */
export function sectionOf(part: string, table: Table): string {
	const [{ model }] = cpus();
	const machine = `${cpus().length} processors (${model.trim()}), Node ${process.versions.node}`;
	const day = new Date().toISOString().slice(0, 10);
	return `${markdownOf(table)}\n\nMeasured on ${day}, ${machine}, by ${commandOf(part)}.\n\n`;
}

const commandOf = (part: string) => `\`npm run bench -- ${part}\``;

/**
 * Writes the sections that were measured; those of other parts stay as the page has them.
 *
 * @param parts all there are, in their order
 */
export async function writePage(
	parts: string[],
	measured: ReadonlyMap<string, string>,
): Promise<void> {
	const path = join(root, 'docs', 'benchmarks.md');
	const earlier = (await readFile(path, 'utf8')).split(/^(?=## )/m);
	const page = [
		INTRODUCTION,
		...parts.map(
			(part) =>
				measured.get(part) ?? earlier.find((section) => section.includes(commandOf(part))) ?? '',
		),
	].join('');
	await writeFile(path, await format(page, { ...(await resolveConfig(path)), filepath: path }));
}
