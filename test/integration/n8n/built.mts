import { createRequire } from 'node:module';
import type { IAuthenticate, INodeType, INodeTypes } from 'n8n-workflow';
import { compiledSources } from '../../../scripts/lib/compiled.mts';
import { core } from './core.mts';

const folder = await compiledSources();
const load = createRequire(`${folder}/`);
const loader = new core.CustomDirectoryLoader(folder);
await loader.loadAll();

const credentialType = loader.getCredential('formServiceApi').type;
export const authenticate = credentialType.authenticate as Extract<IAuthenticate, Function>;

/** A compiled file of the package, by the path that it has below dist. */
export function builtFile<T>(path: string): T {
	return load(`./${path}`) as T;
}

/** A node of the built package by its name. */
export const nodeOf = (name: string) => loader.getNode(name).type as INodeType;

// n8n gives a declarative node its `execute` when it loads the node
nodeOf('formService').execute = async function () {
	const context = this as unknown as ConstructorParameters<typeof core.RoutingNode>[0];
	return (await new core.RoutingNode(context, nodeOf('formService')).runNode()) ?? [];
};

/** The type that n8n gives a node of the package. */
export const typeOf = (name: string) => `n8n-nodes-formservice.${name}`;

const findNode = (type: string) => nodeOf(type.replace(typeOf(''), ''));

export const nodeTypes: INodeTypes = {
	getByName: findNode,
	getByNameAndVersion: findNode,
	getKnownTypes: () => ({}),
};
