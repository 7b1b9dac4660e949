import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import type { ICredentialType, INodeType, INodeTypes } from 'n8n-workflow';
import { compiledSources } from '../../../scripts/lib/compiled.mts';
import { core, workflow } from './core.mts';
import { HttpTime } from '../../time.mts';

const root = new URL('../../../', import.meta.url);
const load = createRequire(`${compiledSources()}/`);

type Manifest = { name: string; n8n: { nodes: string[]; credentials: string[] } };

const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as Manifest;

const loaded = new Map<string, INodeType>();

/** The time of the built package, and of the services in its tests. */
export const time = new HttpTime();
const { now, sleep, timeout } = time;
const { clock } = builtFile<{ clock: object }>('nodes/FormService/api/clock.js');
Object.assign(clock, { now, sleep, timeout });

export const credentialTypes = new Map(
	manifest.n8n.credentials
		.map((path) => instantiate<ICredentialType>(path))
		.map((type) => [type.name, type]),
);

/** A compiled file of the package, by the path that it has below dist. */
export function builtFile<T>(path: string): T {
	return load(`./${path}`) as T;
}

/** n8n loads a class by the name of its file. */
function instantiate<T>(path: string): T {
	const exported = builtFile<Record<string, new () => T>>(path.replace(/^dist\//, ''));
	return new exported[basename(path).split('.')[0]]();
}

/** n8n gives a declarative node its request options, and its `execute`, when it loads the node. */
function asN8nRunsIt(node: INodeType): INodeType {
	core.DirectoryLoader.applyDeclarativeNodeOptionParameters(node);
	if (node.execute || node.poll || !node.description.requestDefaults) return node;
	node.execute = async function () {
		const context = this as unknown as ConstructorParameters<typeof core.RoutingNode>[0];
		return (await new core.RoutingNode(context, node).runNode()) ?? [];
	};
	return node;
}

export function typeOf(name: string): string {
	return `${manifest.name}.${name}`;
}

/** A node of the built package by the type that n8n gives it: `<package>.<node>`. */
export function nodeOf(type: string): INodeType {
	const path = manifest.n8n.nodes.find((file) => typeOf(nameIn(file)) === type);
	if (path === undefined) throw new Error(`The package has no node ${type}`);
	const node = loaded.get(type) ?? asN8nRunsIt(instantiate<INodeType>(path));
	loaded.set(type, node);
	return node;
}

/** By n8n's rule, Example.node.ts holds the node `example`. */
function nameIn(path: string): string {
	return basename(path)
		.replace(/^./, (letter) => letter.toLowerCase())
		.split('.')[0];
}

export const nodeTypes: INodeTypes = {
	getByName: nodeOf,
	getByNameAndVersion: (type, version) =>
		workflow.NodeHelpers.getVersionedNodeType(nodeOf(type), version),
	getKnownTypes: () => ({}),
};
