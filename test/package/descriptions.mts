import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import type {
	ICredentialType,
	INodeProperties,
	INodePropertyOptions,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { root } from '../../scripts/lib/paths.mts';

const require = createRequire(import.meta.url);

type Manifest = { n8n: { nodes: string[]; credentials: string[] } };
const { n8n } = require(join(root, 'package.json')) as Manifest;

/** Instantiates the class of a built file, which has the file's name. */
function instantiate<T>(path: string): { path: string; className: string; instance: T } {
	const className = basename(path).split('.')[0];
	const exported = require(join(root, path)) as Record<string, new () => T>;
	return { path, className, instance: new exported[className]() };
}

export const nodes = n8n.nodes.map((path) => instantiate<INodeType>(path));
export const credentials = n8n.credentials.map((path) => instantiate<ICredentialType>(path));
export const descriptions = nodes.map(({ instance }) => instance.description);

/** A parameter and all that are inside it. */
function listInner(parameter: INodeProperties): INodeProperties[] {
	const inner = (parameter.options ?? []).flatMap((option) => {
		if ('values' in option) return option.values;
		return 'type' in option ? [option] : [];
	});
	return [parameter, ...inner.flatMap(listInner)];
}

/** All parameters of a node, those in collections too. */
export const listParameters = ({ properties }: INodeTypeDescription): INodeProperties[] =>
	properties.flatMap(listInner);

/** The operations of the nodes, each with its resource and the parameters that it shows. */
export const operations = descriptions.flatMap(({ properties }) =>
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
