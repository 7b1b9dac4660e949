import type { INodeProperties } from 'n8n-workflow';
import { toolDescriptionInput, withToolParameters } from './forModel';
import type { Operation } from './operation';
import { fieldGetAll } from './field/getAll';
import { formGet } from './form/get';
import { formGetAll } from './form/getAll';
import { responseCreate } from './response/create';
import { responseGet } from './response/get';
import { responseGetAll } from './response/getAll';
import { responseGetPdf } from './response/getPdf';
import { settingsUpdate } from './settings/update';
import { workspaceGet } from './workspace/get';

/** What the node can do: its resources and the operations of each, in the editor's order. */
const resources = [
	{ name: 'Field', value: 'field', operations: [fieldGetAll], first: fieldGetAll },
	{ name: 'Form', value: 'form', operations: [formGet, formGetAll], first: formGetAll },
	{
		name: 'Response',
		value: 'response',
		operations: [responseCreate, responseGet, responseGetAll, responseGetPdf],
		first: responseGetAll,
	},
	{ name: 'Setting', value: 'settings', operations: [settingsUpdate], first: settingsUpdate },
	{ name: 'Workspace', value: 'workspace', operations: [workspaceGet], first: workspaceGet },
];

const operationChoice: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	options: [],
	default: '',
};

/** The parameters of the node, each shown only for its resource and operation. */
export const properties: INodeProperties[] = [
	...resources.flatMap(({ value, operations }) =>
		operations.flatMap((operation) =>
			toolDescriptionsOf(operation).map((one) => shownFor(value, operation.option.value, one)),
		),
	),
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources.map(({ name, value }) => ({ name, value })),
		default: 'response',
	},
	...resources.map(({ value, operations, first }) => ({
		...operationChoice,
		displayOptions: { show: { resource: [value] } },
		options: operations.map(({ option }) => option),
		default: first.option.value,
	})),
	...resources.flatMap(({ value, operations }) =>
		operations.flatMap((operation) =>
			operation.properties
				.flatMap(withToolParameters)
				.map((property) => shownFor(value, operation.option.value, property)),
		),
	),
];

function toolDescriptionsOf({ toolDescription }: Operation): INodeProperties[] {
	const texts =
		typeof toolDescription === 'string' ? [{ text: toolDescription, show: {} }] : toolDescription;
	const { displayOptions } = toolDescriptionInput;
	return texts.map(({ text, show }) => ({
		...toolDescriptionInput,
		default: text,
		displayOptions: { show: { ...displayOptions?.show, ...show } },
	}));
}

/** The actions by resource and operation, such as "Create response". */
const actions = Object.fromEntries(
	resources.flatMap(({ value, operations }) =>
		operations.map(({ option }) => [`${value} ${option.value}`, option.action]),
	),
);

/**
 * What the canvas shows below the name of the node, such as "Create response: Contact". The parameters are
 * copied because n8n's own object of them doesn't read nested values in all of its expression engines.
 */
export const subtitle = `={{ (({ resource, operation, formId }) =>
	(${JSON.stringify(actions)})[resource + " " + operation] +
	(formId?.cachedResultName ? ": " + formId.cachedResultName : "")
)(JSON.parse(JSON.stringify($parameter))) }}`;

function shownFor(resource: string, operation: string, property: INodeProperties): INodeProperties {
	const { show, ...rest } = property.displayOptions ?? {};
	const displayOptions = {
		...rest,
		show: { resource: [resource], operation: [operation], ...show },
	};
	return { ...property, displayOptions };
}
