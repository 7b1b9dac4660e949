import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { inspect } from 'node:util';
import type { ESLint } from 'eslint';
import { pick } from 'lodash';
import type { ICredentialType, INodeType } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { root, temporaryFolder } from '../../scripts/lib/paths.mts';

const require = createRequire(import.meta.url);

type Manifest = { n8n: { nodes: string[]; credentials: string[] } };
const { n8n } = require(join(root, 'package.json')) as Manifest;

const toLiteral = (value: unknown) =>
	inspect(JSON.parse(JSON.stringify(value)), {
		...{ depth: null, maxArrayLength: null, maxStringLength: null, compact: false },
	});

/** The class of a built file as a source that consists of literals: lint rules do not see spread lists. */
function toSource<T>(path: string, type: string, listMembers: (instance: T) => object) {
	const className = basename(path).split('.')[0];
	const exported = require(join(root, path)) as Record<string, new () => T>;
	const members = Object.entries(listMembers(new exported[className]()));
	const lines = members.map(([name, value]) => `${name} = ${toLiteral(value)};\n`);
	return { path, text: `export class ${className} implements ${type} {\n${lines.join('')}}\n` };
}

const sources = [
	...n8n.nodes.map((path) =>
		toSource<INodeType>(path, 'INodeType', ({ description }) => ({
			'description: INodeTypeDescription': description,
		})),
	),
	...n8n.credentials.map((path) =>
		toSource<ICredentialType>(path, 'ICredentialType', (type) => ({
			...pick(type, ['name', 'displayName', 'documentationUrl']),
			'properties: INodeProperties[]': type.properties,
		})),
	),
];

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
