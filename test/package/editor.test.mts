import { globSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { inspect } from 'node:util';
import type { ESLint } from 'eslint';
import type {
	ICredentialType,
	INodeProperties,
	INodePropertyOptions,
	INodeType,
} from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { root, temporaryFolder } from '../../scripts/lib/paths.mts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const require = createRequire(import.meta.url);

type Manifest = { n8n: { nodes: string[]; credentials: string[] } };
const { n8n } = require(join(root, 'package.json')) as Manifest;

/** Instantiates the class of a built file, which has the file's name. */
function instantiate<T>(path: string): { path: string; className: string; instance: T } {
	const className = basename(path).split('.')[0];
	const exported = require(join(root, path)) as Record<string, new () => T>;
	return { path, className, instance: new exported[className]() };
}

const nodes = n8n.nodes.map((path) => instantiate<INodeType>(path));
const credentials = n8n.credentials.map((path) => instantiate<ICredentialType>(path));
const descriptions = nodes.map(({ instance }) => instance.description);

function listInner(parameter: INodeProperties): INodeProperties[] {
	const inner = (parameter.options ?? []).flatMap((option) => {
		if ('values' in option) return option.values;
		return 'type' in option ? [option] : [];
	});
	return [parameter, ...inner.flatMap(listInner)];
}

/** The operations of the nodes, each with its resource and the parameters that it shows. */
const operations = descriptions.flatMap(({ properties }) =>
	properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options, displayOptions }) => {
			const resource = String(displayOptions?.show?.resource?.[0]);
			return (options as INodePropertyOptions[]).map((option) => {
				const shown = properties.filter(
					({ displayOptions: { show } = {} }) =>
						show?.resource?.includes(resource) && (show.operation?.includes(option.value) ?? true),
				);
				return { resource, option, shown: shown.map(({ name }) => name) };
			});
		}),
);

const toLiteral = (value: unknown) =>
	inspect(JSON.parse(JSON.stringify(value)), {
		...{ depth: null, maxArrayLength: null, maxStringLength: null, compact: false },
	});

/** The built nodes and credentials as sources that consist of literals: lint rules do not see spread lists. */
const sources = [
	...nodes.map(({ path, className, instance: { description } }) => {
		const members = { 'description: INodeTypeDescription': description };
		return { path, text: toClass(className, 'INodeType', members) };
	}),
	...credentials.map(({ path, className, instance }) => {
		const { name, displayName, documentationUrl, properties } = instance;
		const named = { name, displayName, documentationUrl };
		const members = { ...named, 'properties: INodeProperties[]': properties };
		return { path, text: toClass(className, 'ICredentialType', members) };
	}),
];

function toClass(className: string, type: string, members: Record<string, unknown>): string {
	const lines = Object.entries(members).map(([name, value]) => `${name} = ${toLiteral(value)};\n`);
	return `export class ${className} implements ${type} {\n${lines.join('')}}\n`;
}

describe('the parameters of the nodes and the credential', () => {
	it('follow all rules of eslint-plugin-n8n-nodes-base', async () => {
		await using cleanup = new AsyncDisposableStack();
		const folder = await temporaryFolder('literals', cleanup);
		for (const { path, text } of sources) {
			const file = join(folder, path.replace('dist/', '').replace(/\.js$/, '.ts'));
			await mkdir(dirname(file), { recursive: true });
			await writeFile(file, text);
		}
		// the plugin's rules take every file for a node when they are themselves under test
		process.env.NODE_ENV = 'production';
		const { ESLint: Linter } = (await import('eslint')) as { ESLint: typeof ESLint };
		const config = join(root, 'eslint.nodes-base.config.mjs');
		const results = await new Linter({ cwd: folder, overrideConfigFile: config }).lintFiles(['.']);
		expect(results).toHaveLength(sources.length);
		expect(results.flatMap(({ messages }) => messages)).toEqual([]);
	});

	it.each(operations)('of $resource: $option.name follow n8n’s guidelines', (operation) => {
		const { resource, option, shown } = operation;
		expect(option.action).toMatch(/^[A-Z][a-z]+( [a-z]+| PDF)+$/);
		expect(option.action).not.toMatch(/ (an?|the) /);
		const isList = option.value === 'getAll';
		expect([shown.includes('returnAll'), shown.includes('limit')]).toEqual([isList, isList]);
		const preview = read(`nodes/FormService/__schema__/v1.0.0/${resource}/${option.value}.json`);
		const { properties } = JSON.parse(preview) as { properties: object };
		if (Object.keys(properties).length > 10) expect(shown).toContain('simplify');
	});

	it('are called in texts what the editor calls them', () => {
		const parameters = [
			...descriptions.flatMap(({ properties }) => properties.flatMap(listInner)),
			...credentials.flatMap(({ instance }) => instance.properties),
		];
		const options = parameters.flatMap(({ options = [], modes = [] }) => [...options, ...modes]);
		const labels = [...parameters, ...options].map((one) =>
			'displayName' in one ? one.displayName : one.name,
		);
		const ofN8n = ['Fetch Test Event', 'Poll Times', 'Timeout', 'On Error'];
		const known = new Set<unknown>([...labels, ...ofN8n]);
		const texts = globSync(['nodes/**/*.ts', 'credentials/*.ts'], { cwd: root }).map(read);
		// a name in single quotes within a sentence
		const NAME = /(?<=\w )'([A-Z][\w():-]*(?: [\w():-]+)*)'(?=[ .,)])/g;
		const quoted = texts.flatMap((text) => [...text.matchAll(NAME)].map(([, name]) => name));
		expect(quoted.length).toBeGreaterThan(10);
		expect(quoted.filter((name) => !known.has(name))).toEqual([]);
	});
});
