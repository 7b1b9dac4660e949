import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { INodePropertyOptions, INodeType } from 'n8n-workflow';
import { format, resolveConfig } from 'prettier';
import { compiledSources } from './lib/compiled.mts';
import { exampleFiles, readExample } from './lib/n8n/examples.mts';

export const readmeFile = new URL('../README.md', import.meta.url);

const optionsOf = (options: unknown) => options as INodePropertyOptions[];

/** A row for each operation: its resource, its name, and what it does. */
function operationRows(): string[] {
	const load = createRequire(`${compiledSources()}/`);
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
