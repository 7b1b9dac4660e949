import { createRequire } from 'node:module';
import lodash from 'lodash';
import type { INodeType, INodeTypes } from 'n8n-workflow';
import { compiledSources } from '../../../scripts/lib/compiled.mts';
import { core, workflow } from './core.mts';

const folder = await compiledSources();
const load = createRequire(`${folder}/`);
const loader = new core.CustomDirectoryLoader(folder);
await loader.loadAll();

export const credentialType = loader.getCredential('formServiceApi').type;

/** A compiled file of the package, by the path that it has below dist. */
export function builtFile<T>(path: string): T {
	return load(`./${path}`) as T;
}

/** n8n gives a declarative node its `execute` when it loads the node. */
function asN8nRunsIt(node: INodeType): INodeType {
	if (node.execute || node.poll || !node.description.requestDefaults) return node;
	node.execute = async function () {
		const context = this as unknown as ConstructorParameters<typeof core.RoutingNode>[0];
		return (await new core.RoutingNode(context, node).runNode()) ?? [];
	};
	return node;
}

const nodes = lodash.mapValues(loader.nodeTypes, ({ type }) => asN8nRunsIt(type as INodeType));

/** A node of the built package by its name. */
export const nodeOf = (name: string): INodeType => nodes[name];

/** The type that n8n gives a node of the package. */
export const typeOf = (name: string) => `n8n-nodes-formservice.${name}`;

const findNode = (type: string) => nodeOf(type.replace(typeOf(''), ''));

export const nodeTypes: INodeTypes = {
	getByName: findNode,
	getByNameAndVersion: (type, version) =>
		workflow.NodeHelpers.getVersionedNodeType(findNode(type), version),
	getKnownTypes: () => ({}),
};
