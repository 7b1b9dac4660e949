import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import lodash from 'lodash';
import { modes } from '../../test/n8n/delivery/modes.mts';
import { formatMarkdown, renderTable, replaceSection } from '../lib/markdown.mts';
import { root } from '../lib/paths.mts';

const DELIVERY_FIGURES = ['submitted', 'failedRequests', 'kills', 'delivered', 'findings'];
const QUEUE_FIGURES = ['submitted', 'seconds', 'polls', 'updates', 'refused'];

type Run = { title: string; figures: Record<string, unknown> };

const nameColumn = (name: string) => lodash.upperFirst(lodash.lowerCase(name));

function renderValue(value: unknown): string {
	if (typeof value !== 'object' || value === null) return String(value);
	const counts = Object.entries(value).map(([name, count]) => `${count} ${name}`);
	return counts.join(', ') || 'none';
}

/** Renders a table with a row for each run. */
function renderRuns(names: string[], runs: Run[]): string {
	const rows = runs.map(({ title, figures }) => [
		title,
		...names.map((name) => renderValue(figures[name])),
	]);
	return renderTable(['Run', ...names.map(nameColumn)], rows);
}

/**
 * Writes the figures of the tests into docs/benchmarks.md.
 *
 * @param folder the folder with a JSON file for each part of the tests
 */
export async function writeFigures(folder: string): Promise<void> {
	const readRun = async (name: string, title: string): Promise<Run> => {
		const text = await readFile(join(folder, `${name}.json`), 'utf8');
		return { title, figures: JSON.parse(text) as Run['figures'] };
	};
	const runs = await Promise.all(modes.map(({ name, title }) => readRun(name, title)));
	const queue = [await readRun('queue', 'Queue mode')];
	const path = join(root, 'docs', 'benchmarks.md');
	let page = await readFile(path, 'utf8');
	page = replaceSection(page, 'delivery', renderRuns(DELIVERY_FIGURES, runs));
	page = replaceSection(page, 'queue', renderRuns(QUEUE_FIGURES, queue));
	await writeFile(path, await formatMarkdown(page));
}
