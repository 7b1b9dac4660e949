import { createRequire } from 'node:module';
import type { INodePropertyOptions, INodeType } from 'n8n-workflow';
import type * as Settings from '../nodes/FormService/settings/settings.ts';
import type * as Watched from '../nodes/FormService/parameters/triggerEvents.ts';
import { compiledSources } from './lib/compiled.mts';
import { renderTable, replaceSection } from './lib/markdown.mts';
import { exampleFiles, readExample } from './lib/n8n/examples.mts';

const load = createRequire(`${await compiledSources()}/`);

function listOperations(): string[][] {
	const file = './nodes/FormService/FormService.node.js';
	const { FormService } = load(file) as { FormService: new () => INodeType };
	const { properties } = new FormService().description;
	const resource = properties.find(({ name }) => name === 'resource');
	const labels = new Map(
		(resource?.options as INodePropertyOptions[]).map(({ value, name }) => [value, name]),
	);
	return properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options, displayOptions }) => {
			const label = labels.get(displayOptions?.show?.resource?.[0] as string) ?? '';
			const operations = options as INodePropertyOptions[];
			return operations.map(({ name, description = '' }) => [label, name, description]);
		});
}

/** Lists the examples: the title as a link, and the first sentence of the note. */
async function listExamples(): Promise<string[][]> {
	const rows = (await exampleFiles()).map(async (file) => {
		const { nodes } = await readExample(file);
		const note = nodes.find(({ type }) => type.endsWith('.stickyNote'))?.parameters.content;
		const [, title, summary] = /^## (.*)\n(.*)\n/.exec(String(note)) ?? [];
		return [`[${title}](${file})`, summary];
	});
	return await Promise.all(rows);
}

function listEvents(): string[][] {
	const watched = load('./nodes/FormService/parameters/triggerEvents.js') as typeof Watched;
	const events = watched.TRIGGER_EVENTS.map((event) => watched.eventTexts[event]);
	return events.map(({ name, description }) => [name, description]);
}

function listSettings(): string[][] {
	const file = './nodes/FormService/settings/settings.js';
	const { describeAllowedValues, settings } = load(file) as typeof Settings;
	return settings.map((setting) => {
		const { name, displayName, nullable } = setting;
		return [
			`\`${name}\``,
			displayName,
			`${describeAllowedValues(setting)}${nullable ? ', or null' : ''}`,
		];
	});
}

function replaceTable(text: string, name: string, head: string[], rows: string[][]): string {
	return replaceSection(text, name, renderTable(head, rows));
}

export function updateReadme(text: string): string {
	const operations = ['Resource', 'Operation', 'What it does'];
	const updated = replaceTable(text, 'operations', operations, listOperations());
	return replaceTable(updated, 'events', ['**Trigger On**', 'What has happened'], listEvents());
}

export const updateExamples = async (text: string) =>
	replaceTable(text, 'examples', ['Example', 'What it does'], await listExamples());

export const updateSettings = (text: string) =>
	replaceTable(text, 'settings', ['Setting', 'In the editor', 'Values'], listSettings());
