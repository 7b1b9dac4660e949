import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { createToolDescriptionProperty } from '../execution/tool';
import type { Operation } from '../execution/operation';
import { createPagination } from '../execution/routing';
import { fieldGetAll, formGet, formGetAll } from './forms';
import { responseCreate } from './response/create';
import { responseGet, responseGetAll } from './response/find';
import { responseGetPdf } from './response/getPdf';
import { settingsUpdate } from './setting/update';
import { workspaceGet } from './workspace';

/** The resources of the node and their operations, in the editor's order. */
const resources = [
	{ name: 'Field', value: 'field', operations: [fieldGetAll] },
	{ name: 'Form', value: 'form', operations: [formGet, formGetAll] },
	{
		name: 'Response',
		value: 'response',
		operations: [responseCreate, responseGet, responseGetAll, responseGetPdf],
	},
	{ name: 'Setting', value: 'setting', operations: [settingsUpdate] },
	{ name: 'Workspace', value: 'workspace', operations: [workspaceGet] },
];

const operations = resources.flatMap(({ value: resource, operations: resourceOperations }) =>
	resourceOperations.map((operation) => ({ resource, ...operation })),
);

const operationProperty: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	options: [],
	default: '',
};

/** The parameters of the node. n8n shows a parameter only for its resource and operation. */
export const nodeProperties: INodeProperties[] = [
	...operations.map((operation) =>
		showWithOperation(operation, createToolDescriptionProperty(operation)),
	),
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources.map(({ name, value }) => ({ name, value })),
		default: 'response',
	},
	...resources.map(({ value, operations: resourceOperations }) => {
		const options = resourceOperations.map(createRoutedOption);
		const first = options.find((option) => option.value === 'getAll') ?? options[0];
		const displayOptions = { show: { resource: [value] } };
		return { ...operationProperty, displayOptions, options, default: first.value };
	}),
	...operations.flatMap((operation) =>
		operation.properties.map((property) => showWithOperation(operation, property)),
	),
];

/**
 * Creates the option of an operation. n8n composes the request options, and the operation the URL and the body.
 * A parameter must not have its own `routing`, because its changes to the URL or the body are ignored.
 *
 * @see
 * https://docs.n8n.io/integrations/creating-nodes/build/reference/node-base-files/declarative-style-parameters/
 */
function createRoutedOption(operation: Operation): INodePropertyOptions {
	const { method, url } = operation.endpoint;
	const operations = { pagination: createPagination(operation) };
	const routing = { request: { method, url }, send: { paginate: true }, operations };
	return { ...operation.option, routing };
}

function showWithOperation(
	{ resource, option }: { resource: string; option: Operation['option'] },
	property: INodeProperties,
): INodeProperties {
	const { show, ...otherOptions } = property.displayOptions ?? {};
	const displayOptions = {
		...otherOptions,
		show: { resource: [resource], operation: [option.value], ...show },
	};
	return { ...property, displayOptions };
}

/** The text below the node's name on the canvas, such as "create: response". */
export const nodeSubtitle = '={{ $parameter["operation"] + ": " + $parameter["resource"] }}';
