import { createRequire } from 'node:module';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { inspect } from 'node:util';
import type {
	ICredentialType,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { root } from '../../scripts/lib/paths.mts';

const require = createRequire(import.meta.url);

/** The only class that a built file exports, made. */
function made<T>(path: string): T {
	const [Class] = Object.values(require(join(root, path)) as Record<string, new () => T>);
	return new Class();
}

type Manifest = { n8n: { nodes: string[]; credentials: string[] } };
const { n8n } = require(join(root, 'package.json')) as Manifest;

const nodes = n8n.nodes.map((path) => ({ path, ...made<INodeType>(path) }));
const credentials = n8n.credentials.map((path) => ({ path, ...made<ICredentialType>(path) }));

/** What the built nodes say of themselves to n8n. */
export const descriptions: INodeTypeDescription[] = nodes.map(({ description }) => description);

/** A value as a literal of TypeScript, without its functions. */
const literal = (value: unknown) =>
	inspect(JSON.parse(JSON.stringify(value)), {
		depth: null,
		maxArrayLength: null,
		maxStringLength: null,
		compact: false,
	});

const sourceOf = (path: string) => path.replace('dist/', '').replace(/\.js$/, '.ts');
const classOf = (path: string) => basename(path).split('.')[0];

/**
 * Writes the built nodes and credentials as source files that consist of literals, as the rules of linters
 * expect them: a rule sees neither what is spread into a list nor what stands in another file.
 * @returns the folder, to be removed by the caller
 */
export function writeLiterals(): string {
	const folder = mkdtempSync(join(tmpdir(), 'literals-'));
	const write = (path: string, text: string) => {
		mkdirSync(join(folder, dirname(path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	};
	for (const { path, description } of nodes) {
		write(
			sourceOf(path),
			`export class ${classOf(path)} implements INodeType {
	description: INodeTypeDescription = ${literal(description)};
}\n`,
		);
	}
	for (const { path, name, displayName, documentationUrl, properties } of credentials) {
		write(
			sourceOf(path),
			`export class ${classOf(path)} implements ICredentialType {
	name = ${literal(name)};
	displayName = ${literal(displayName)};
	documentationUrl = ${literal(documentationUrl)};
	properties: INodeProperties[] = ${literal(properties)};
}\n`,
		);
	}
	return folder;
}

export const removeFolder = (folder: string) => rmSync(folder, { recursive: true });

const isCollection = (
	option: INodePropertyOptions | INodeProperties | INodePropertyCollection,
): option is INodePropertyCollection => 'values' in option;
const isParameter = (
	option: INodePropertyOptions | INodeProperties | INodePropertyCollection,
): option is INodeProperties => 'type' in option;

/** A parameter and all that are inside it. */
function withInner(parameter: INodeProperties): INodeProperties[] {
	const inner = (parameter.options ?? []).flatMap((option) => {
		if (isCollection(option)) return option.values;
		return isParameter(option) ? [option] : [];
	});
	return [parameter, ...inner.flatMap(withInner)];
}

/** All parameters of a node, those in collections too. */
export const parametersOf = ({ properties }: INodeTypeDescription): INodeProperties[] =>
	properties.flatMap(withInner);

/** The names of all parameters of the nodes and of the credential, as the editor shows them. */
export const parameterNames: ReadonlySet<string> = new Set(
	[...descriptions.flatMap(parametersOf), ...credentials.flatMap(({ properties }) => properties)]
		.filter(({ type }) => type !== 'notice')
		.map(({ displayName }) => displayName),
);

export type Operation = { resource: string; option: INodePropertyOptions };

/** The operations of a node with the resource that each is shown for. */
export const operationsOf = ({ properties }: INodeTypeDescription): Operation[] =>
	properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options, displayOptions }) =>
			(options as INodePropertyOptions[]).map((option) => ({
				resource: String(displayOptions?.show?.resource?.[0]),
				option,
			})),
		);

/** The parameters that an operation shows, without what other parameters decide. */
export const shownFor = (
	{ properties }: INodeTypeDescription,
	{ resource, option }: Operation,
): INodeProperties[] =>
	properties.filter(
		({ displayOptions }) =>
			displayOptions?.show?.resource?.includes(resource) &&
			(displayOptions.show.operation?.includes(option.value) ?? true),
	);
