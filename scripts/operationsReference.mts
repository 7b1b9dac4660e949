/**
 * Writes README.md's table of operations from the built node. Run it after a change:
 * npm run build && node scripts/operationsReference.mts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { INodePropertyOptions, INodeType } from 'n8n-workflow';
import { format } from 'prettier';

export const readmeFile = new URL('../README.md', import.meta.url);

const require = createRequire(import.meta.url);
const built = '../dist/nodes/FormService/FormService.node.js';

const optionsOf = (options: unknown) => options as INodePropertyOptions[];

/** A row for each operation: its resource, its name, and what it does. */
function rows(): string[] {
	const { FormService } = require(built) as { FormService: new () => INodeType };
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

/** README.md with the table that the node as it is built gives. */
export async function withOperations(readme: string): Promise<string> {
	const table = ['| Resource | Operation | What it does |', '| --- | --- | --- |', ...rows()];
	const section = `<!-- operations -->\n\n${table.join('\n')}\n\n<!-- /operations -->`;
	const text = readme.replace(/<!-- operations -->.*<!-- \/operations -->/s, section);
	return await format(text, { parser: 'markdown' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	writeFileSync(readmeFile, await withOperations(readFileSync(readmeFile, 'utf8')));
}
