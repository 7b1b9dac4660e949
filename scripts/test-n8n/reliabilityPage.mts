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

Results of trying the package in real n8n processes while the service failed and n8n was killed. Written by

\`\`\`sh
npm run test:n8n -- --write
\`\`\`

**Delivery runs.** A run submits responses through the form's page at random times, while n8n polls every 10 seconds (the stand-in's limits are raised for that; after failures the trigger skips polls). One in three API requests fails, but no more than two in a row: the trigger asks a failing service less and less, and a run of some minutes would see few checks. The way it fails is drawn from the stand-in's fault table, without the daily limit, each way once before any repeats: statuses from 400 to 503, refusals, broken connections, web pages, cut and empty bodies, redirects, and for every round of these one of the five faults that hold the trigger up for as long as a minute, such as no reply at all. One in ten good replies comes 3 seconds late. n8n is killed with SIGKILL at random times after its first poll, and started again. In durable mode, every other kill is aimed at a check that is under way, when n8n has the most to lose. A response counts as delivered if it is in an execution that n8n has recorded, whatever became of that execution. The counts come from n8n's own database.

**Findings** are responses that were lost, repeated, or delivered without being submitted. In its default mode, n8n saves the trigger's state first and the execution second, so a kill in between can lose or repeat what a poll found. The test reads n8n's database before each kill (3 seconds before, or before the check that the kill is aimed at) and after it. A loss is n8n's own only if the state lacked the response before the kill and has it after, and no execution has it. A repetition is n8n's own only if no execution had the response before the kill and one has it after, but the state does not. Such a finding names the kill and what was seen. Any other finding fails the test; in durable mode, every finding does. In default mode, a kill aimed at a check often hits that gap: single kills have lost what one poll had found, up to 100 responses. Use durable mode where that matters.`;

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
