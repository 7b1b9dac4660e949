import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { createToolDescription } from '../execution/tool';
import type { Operation } from '../execution/operation';
import { createPreSend } from '../execution/routing';
import { fieldGetAll } from './field/getAll';
import { formGet } from './form/get';
import { formGetAll } from './form/getAll';
import { responseCreate } from './response/create';
import { responseGet } from './response/get';
import { responseGetAll } from './response/getAll';
import { responseGetPdf } from './response/getPdf';
import { settingsUpdate } from './setting/update';
import { workspaceGet } from './workspace/get';

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
	...operations.map((operation) => showWithOperation(operation, createToolDescription(operation))),
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
 * Creates the option of an operation. n8n composes the request from the method and the path. Next, n8n calls
 * the `preSend` of the operation, which adds the IDs. A parameter can add a query with `routing.request.qs`,
 * and headers with `routing.request.headers`. A parameter must not have its own `preSend`, because the node
 * ignores changes to the request that are made after the `preSend` of the operation.
 *
 * @see
 * https://docs.n8n.io/integrations/creating-nodes/build/reference/node-base-files/declarative-style-parameters/
 */
function createRoutedOption(operation: Operation): INodePropertyOptions {
	const { method, url } = operation.endpoint;
	const send = { paginate: true, preSend: [createPreSend(operation)] };
	return { ...operation.option, routing: { request: { method, url }, send } };
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
