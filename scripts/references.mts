import { createRequire } from 'node:module';
import type { INodePropertyOptions, INodeType } from 'n8n-workflow';
import type * as Settings from '../nodes/FormService/api/settings/settings.ts';
import type * as Watched from '../nodes/FormService/parameters/watched.ts';
import { compiledSources } from './lib/compiled.mts';
import { renderTable } from './lib/markdown.mts';
import { exampleFiles, readExample } from './lib/n8n/examples.mts';

const load = createRequire(`${await compiledSources()}/`);

/** A table between two comments of a document: its head, and its rows. */
type Table = { head: string[]; rows: string[][] };

/** The operations of the node: resource, name, and what each does. */
function listOperations(): Table {
	const { FormService } = load('./nodes/FormService/FormService.node.js') as {
		FormService: new () => INodeType;
	};
	const { properties } = new FormService().description;
	const resource = properties.find(({ name }) => name === 'resource');
	const resources = (resource?.options ?? []) as INodePropertyOptions[];
	const rows = properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options, displayOptions }) => {
			const [shown] = displayOptions?.show?.resource ?? [];
			const label = resources.find(({ value }) => value === shown)?.name ?? '';
			return (options as INodePropertyOptions[]).map(({ name, description }) => [
				label,
				name,
				description ?? '',
			]);
		});
	return { head: ['Resource', 'Operation', 'What it does'], rows };
}

/** The examples: the title as a link, and the first sentence of the note. */
async function listExamples(): Promise<Table> {
	const rows = (await exampleFiles()).map(async (file) => {
		const { nodes } = await readExample(file);
		const note = nodes.find(({ type }) => type.endsWith('.stickyNote'))?.parameters.content;
		const [, title, what] = /^## (.*)\n(.*)\n/.exec(String(note)) ?? [];
		return [`[${title}](${file})`, what];
	});
	return { head: ['Example', 'What it does'], rows: await Promise.all(rows) };
}

/** The events of the trigger. */
function listEvents(): Table {
	const { EVENTS, eventTable } = load(
		'./nodes/FormService/parameters/watched.js',
	) as typeof Watched;
	const rows = EVENTS.map((event) => [eventTable[event].name, eventTable[event].description]);
	return { head: ['**Trigger On**', 'What has happened'], rows };
}

/** The settings that the node knows. */
function listSettings(): Table {
	const { describeBound, settings } = load(
		'./nodes/FormService/api/settings/settings.js',
	) as typeof Settings;
	const rows = settings.map((setting) => {
		const { name, displayName, nullable } = setting;
		const values = `${describeBound(setting)}${nullable ? ', or null' : ''}`;
		return [`\`${name}\``, displayName, values];
	});
	return { head: ['Setting', 'In the editor', 'Values'], rows };
}

function replaceTable(text: string, name: string, { head, rows }: Table): string {
	const section = `<!-- ${name} -->\n\n${renderTable(head, rows)}\n\n<!-- /${name} -->`;
	const comments = new RegExp(`<!-- ${name} -->.*<!-- /${name} -->`, 's');
	if (!comments.test(text)) throw new Error(`There is no place for the table of ${name}.`);
	return text.replace(comments, () => section);
}

/** README.md with its tables of operations and events. */
export const updateReadme = (text: string) =>
	replaceTable(replaceTable(text, 'events', listEvents()), 'operations', listOperations());

/** examples/README.md with its table of examples. */
export const updateExamples = async (text: string) =>
	replaceTable(text, 'examples', await listExamples());

/** docs/settings.md with its table of settings. */
export const updateSettings = (text: string) => replaceTable(text, 'settings', listSettings());
