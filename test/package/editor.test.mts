import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { inspect } from 'node:util';
import type { ESLint } from 'eslint';
import type { ICredentialType, INodeType } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { root, temporaryFolder } from '../../scripts/lib/paths.mts';

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

it('the parameters of the nodes and the credential follow all rules of eslint-plugin-n8n-nodes-base', async () => {
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
