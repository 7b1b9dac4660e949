import { cpus } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from '../lib/paths.mts';

export type Table = { title: string; text: string; head: string[]; rows: string[][] };

const line = (cells: string[]) => `| ${cells.join(' | ')} |`;

export const markdownOf = ({ title, text, head, rows }: Table): string =>
	[
		`## ${title}`,
		text,
		[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n'),
	].join('\n\n');

/** The page of all tables, with the day and the machine. */
export async function benchmarksPage(tables: Table[]): Promise<string> {
	const [{ model }] = cpus();
	const machine = `${cpus().length} processors (${model.trim()}), Node ${process.versions.node}`;
	const day = new Date().toISOString().slice(0, 10);
	const page = [
		'# Benchmarks',
		`Measured on ${day}, ${machine}, by\n\n\`\`\`sh\nnpm run bench\n\`\`\``,
		'Each figure is a count, or a ratio of two things that were measured in the same run, in turn: times alone depend on the machine. The goals are what we hold ourselves to; where one is missed, the section says what stands in the way.',
		...tables.map(markdownOf),
	].join('\n\n');
	const path = join(root, 'docs', 'benchmarks.md');
	return await format(page, { ...(await resolveConfig(path)), filepath: path });
}
