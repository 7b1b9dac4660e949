import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { INodePropertyOptions, INodeType } from 'n8n-workflow';
import { format, resolveConfig } from 'prettier';
import type * as Settings from '../nodes/FormService/api/settings/settings.ts';
import { compiledSources } from './lib/compiled.mts';
import { exampleFiles, readExample } from './lib/n8n/examples.mts';

const load = createRequire(`${compiledSources()}/`);

export const readmeFile = new URL('../README.md', import.meta.url);

const optionsOf = (options: unknown) => options as INodePropertyOptions[];

/** A row for each operation: its resource, its name, and what it does. */
function operationRows(): string[] {
	const { FormService } = load('./nodes/FormService/FormService.node.js') as {
		FormService: new () => INodeType;
	};
	const { properties } = new FormService().description;
	const resources = optionsOf(properties.find(({ name }) => name === 'resource')?.options);
	return properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options, displayOptions }) => {
			const shownFor = displayOptions?.show?.resource?.[0];
			const resource = resources.find(({ value }) => value === shownFor)?.name;
			return optionsOf(options).map(
				({ name, description }) => `| ${resource} | ${name} | ${description} |`,
			);
		});
}

/** A row for each example: its title with a link, and the first sentence of its note. */
async function exampleRows(): Promise<string[]> {
	return await Promise.all(
		(await exampleFiles()).map(async (file) => {
			const { nodes } = await readExample(file);
			const note = nodes.find(({ type }) => type.endsWith('.stickyNote'))?.parameters.content;
			const [, title, what] = /^## (.*)\n(.*)\n/.exec(String(note)) ?? [];
			return `| [${title}](examples/${file}) | ${what} |`;
		}),
	);
}

function withTable(readme: string, name: string, head: string[], rows: string[]): string {
	const columns = `| ${head.join(' | ')} |\n|${' --- |'.repeat(head.length)}`;
	const section = `<!-- ${name} -->\n\n${columns}\n${rows.join('\n')}\n\n<!-- /${name} -->`;
	return readme.replace(new RegExp(`<!-- ${name} -->.*<!-- /${name} -->`, 's'), section);
}

/** README.md with the tables that the built node and the examples give. */
export async function withTables(readme: string): Promise<string> {
	const head = ['Resource', 'Operation', 'What it does'];
	const withOperations = withTable(readme, 'operations', head, operationRows());
	const examples = ['Example', 'What it does'];
	const text = withTable(withOperations, 'examples', examples, await exampleRows());
	const style = await resolveConfig(fileURLToPath(readmeFile));
	return await format(text, { ...style, parser: 'markdown' });
}

const { boundOf, settings } = load(
	'./nodes/FormService/api/settings/settings.js',
) as typeof Settings;

export const settingsReferenceFile = new URL('../docs/settings.md', import.meta.url);

/** docs/settings.md, from the settings that the node knows. */
export async function settingsReference(): Promise<string> {
	const rows = settings.map((setting) => {
		const { name, displayName, description, nullable } = setting;
		const takes = `${boundOf(setting)}${nullable ? ', or null' : ''}`;
		return `| \`${name}\` | ${displayName} | ${takes} | ${description} |`;
	});
	const page = [
		'# Settings of a form',
		`Setting: Update changes any of these ${settings.length} settings. All others stay as they are.`,
		'As fields, add settings by their name in the editor. An added field that is left empty changes nothing; to set settings to null, choose them in _Settings to Clear_. As JSON, use the service\'s names: `{"is_closed": true, "closed_message": null}`. An expression that returns null clears the setting; one that returns undefined leaves the setting as it is. Invalid values are refused before anything is sent, and names are trimmed. Items for the same form are sent one after the other, in the order of the input.',
		'## Many forms from a sheet',
		'**Map Automatically** matches the fields of each input item to settings, by their names in the editor or in the API. One node handles a sheet with a row for each form: its ID and columns for some settings. Case, whitespace and punctuation make no difference: `seo_title`, "SEO: Title" and "seo title" are the same setting. An empty cell leaves the setting as it is. A sheet cannot clear a setting; use **Using Fields Below** or **Using JSON** for that. If all cells of a row are empty, the item has the `status` skipped. Switches take true and false, yes and no, on and off, 1 and 0.',
		'Columns called "name" and "description" usually identify the form, so they change the form only with _Rename Forms_ and _Update Descriptions_. Other columns are ignored, and each item lists them as `ignored`. Errors are: a column that misspells a setting by one letter, two columns with a value for the same setting, and an item with no column for a setting. If rows are invalid, nothing is sent, and the error lists all of them.',
		'The option **Preview** updates nothing. Each item shows `changes` as `{setting: {from, to}}`, and under `unknown` the settings whose current value the service does not show. A preview costs one request per run.',
		'The option **Skip Unchanged** sends only changed settings and skips forms that are up to date; their items have the `status` skipped. Settings that the service does not show are always sent. The comparison costs one more request per run: if ten of 150 forms differ, the run takes 11 requests, and another run takes one. Changes that others make during the run are missed.',
		'Each item has a `status` (updated, skipped or preview) and the `changes` that were sent.',
		'## All settings',
		[
			'| Setting | In the editor | Values | Description |',
			'| --- | --- | --- | --- |',
			...rows,
		].join('\n'),
		'Generated by `npm run generate` from nodes/FormService/api/settings/settings.ts.',
	];
	return await format(page.join('\n\n'), { parser: 'markdown' });
}
