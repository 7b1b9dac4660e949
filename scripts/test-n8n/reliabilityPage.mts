import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { modes } from '../../test/n8n/delivery/modes.mts';
import { root } from '../lib/paths.mts';

type Figures = Record<string, unknown>;

const TITLES: Record<string, string> = {
	...Object.fromEntries(modes.map(({ name, title }) => [name, title])),
	'queue: trigger': 'Queue mode: the trigger',
	'queue: updates': 'Queue mode: updates by four workers',
};

const INTRODUCTION = `# Reliability

What came out when the package was tried in real n8n processes, while the service failed and n8n was killed. Written by

\`\`\`sh
npm run test:n8n -- --write
\`\`\`

**Delivery runs.** Responses are submitted through the form's page at random times, and n8n ticks every 10 seconds (the stand-in's limits are raised for that; after failures the trigger skips ticks). Of each three requests to the API one fails, at random, so that no more than two fail in a row: the trigger asks a failing service less and less, and a run of some minutes would see few looks. How a request fails is drawn at random from the stand-in's fault table, without the day's limit, each way once before any comes again: statuses from 400 to 503, refusals, broken connections, web pages, cut and empty bodies, redirects; and one of the five ways that hold the trigger up for up to a minute, such as no reply at all, to all the others. One in ten good replies comes 3 seconds late. n8n is killed with SIGKILL at random times, from the first tick after the activation on, and started again; in durable mode every other kill is aimed at a look that is under way, when n8n has the most to lose. A response counts as delivered when it stands in an execution that n8n has recorded, whatever became of that execution. The counts come from n8n's own database.

**Findings** are responses that were lost, repeated, or delivered without having been submitted. In its default mode n8n saves the trigger's state and the execution one by one, so a kill between these two writes can lose or repeat what was just found. n8n's database is read a moment before each kill (3 seconds, or before the look that the kill is aimed at) and as the kill left it. A loss is n8n's own only if the state did not have the response before the kill, has it after the kill, and no execution has it; a repetition only if no execution had it before, one has it after, and the state does not. Such a finding names the kill and says what was seen. Any other finding fails the test, and in durable mode every one does. Aimed at a look, a kill in the default mode often hits that gap: single kills have lost what one poll had found, up to 100 responses. Use the durable mode where that matters.`;

const words = (name: string) => {
	const text = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
	return text.charAt(0).toUpperCase() + text.slice(1);
};

function valueText(value: unknown): string {
	if (Array.isArray(value)) {
		if (value.length === 0) return 'none';
		return value.every((entry) => typeof entry === 'object')
			? value.map((entry) => JSON.stringify(entry)).join('<br>')
			: value.join(typeof value[0] === 'number' ? ' and ' : '<br>');
	}
	if (typeof value === 'object' && value !== null) {
		return Object.entries(value)
			.map(([name, count]) => `${count} ${name}`)
			.join(', ');
	}
	return String(value);
}

function section(part: string, figures: Figures): string {
	const rows = Object.entries(figures).map(
		([name, value]) => `| ${words(name)} | ${valueText(value)} |`,
	);
	return `## ${TITLES[part] ?? part}\n\n| | |\n| --- | --- |\n${rows.join('\n')}`;
}

/**
 * The page of figures, as Markdown.
 * @param folder where the tests have left them, one JSON file for each part
 */
export async function reliabilityPage(folder: string): Promise<string> {
	const files = new Set((await readdir(folder)).map((file) => basename(file, '.json')));
	const sections = [];
	for (const part of Object.keys(TITLES).filter((name) => files.has(name))) {
		const figures = JSON.parse(await readFile(join(folder, `${part}.json`), 'utf8')) as Figures;
		sections.push(section(part, figures));
	}
	const page = [INTRODUCTION, ...sections].join('\n\n');
	const path = join(root, 'docs', 'reliability.md');
	return await format(page, { ...(await resolveConfig(path)), filepath: path });
}
