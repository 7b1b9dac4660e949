import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import lodash from 'lodash';
import { modes } from '../../test/n8n/delivery/modes.mts';
import { formatMarkdown, renderTable } from '../lib/markdown.mts';

type Figures = Record<string, unknown>;

const INTRODUCTION = `# Reliability

Results of tests in real n8n processes, while the stand-in for Form Service fails and n8n is killed, written by \`npm run test:n8n -- --write\`.

## Delivery

Each run submits responses through the form's page at random times. n8n polls every 10 seconds, so the stand-in's rate limits are raised. One in three requests for responses or fields fails in one of many ways, but no more than two in a row. n8n is killed with SIGKILL at random times and restarted. In durable mode, every other kill falls in a poll. A response counts as delivered if an execution in n8n's database contains it.

**Findings** are responses that were lost or repeated. In durable mode, every finding fails the test. In default mode, a kill between n8n's two writes can lose or repeat the responses of a poll. The test reads n8n's database after each kill, and fails on any other finding: one of the two writes has to be there, and the other one missing. Use durable mode if you cannot lose a poll of up to 100 responses.`;

const QUEUE = `## Queue mode

Each submitted response leads to an update, which the service must receive once. \`Polls\` counts requests for responses, \`Poll times\` how often n8n called the trigger, and \`Workers\` the executions of each of two workers. \`Refused\` updates exceeded the minute's limit, because processes share no count, and were sent again.`;

const nameColumn = (name: string) => lodash.upperFirst(lodash.lowerCase(name));

function renderValue(value: unknown): string {
	if (Array.isArray(value)) return value.join('<br>');
	if (typeof value !== 'object' || value === null) return String(value);
	const counts = Object.entries(value).map(([name, count]) => `${count} ${name}`);
	return counts.join(', ') || 'none';
}

/** Renders a table with a row for each run. */
function renderRuns(runs: ReadonlyArray<{ title: string; figures: Figures }>): string {
	const head = ['Run', ...Object.keys(runs[0].figures).map(nameColumn)];
	return renderTable(
		head,
		runs.map(({ title, figures }) => [title, ...Object.values(figures).map(renderValue)]),
	);
}

/**
 * Renders the page of figures as Markdown.
 *
 * @param folder the folder with the figures of the tests, one JSON file for each part
 */
export async function reliabilityPage(folder: string): Promise<string> {
	const readRun = async (name: string, title: string) => {
		const figures = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as Figures;
		return { title, figures };
	};
	const runs = await Promise.all(modes.map(({ name, title }) => readRun(name, title)));
	const queue = renderRuns([await readRun('queue', 'Queue')]);
	return await formatMarkdown([INTRODUCTION, renderRuns(runs), QUEUE, queue].join('\n\n'));
}
