import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { VERSION_PATH } from '../api/account';
import { createToolDescription, addToolParameters } from '../execution/forModel';
import type { Operation } from '../execution/operation';
import { responseCreate } from './response/create';
import { responseGet } from './response/get';
import { responseGetAll } from './response/getAll';
import { responseGetPdf } from './response/getPdf';
import { createPreSend } from '../execution/routing';
import { settingsUpdate } from './setting/update';
import { fieldGetAll, formGet, formGetAll, workspaceGet } from './workspace/workspace';

/** What the node can do: its resources and the operations of each, in the editor's order. */
const resources = [
	{ name: 'Field', value: 'field', operations: [fieldGetAll] },
	{ name: 'Form', value: 'form', operations: [formGet, formGetAll] },
	{
		name: 'Response',
		value: 'response',
		operations: [responseCreate, responseGet, responseGetAll, responseGetPdf],
	},
	{ name: 'Setting', value: 'settings', operations: [settingsUpdate] },
	{ name: 'Workspace', value: 'workspace', operations: [workspaceGet] },
];

const operations = resources.flatMap(({ value: resource, operations: own }) =>
	own.map((operation) => ({ resource, ...operation })),
);

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
	...operations.map((operation) => showWithOperation(operation, createToolDescription(operation))),
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources.map(({ name, value }) => ({ name, value })),
		default: 'response',
	},
	...resources.map(({ value, operations: own }) => {
		const options = own.map(withRouting);
		const first = options.find((option) => option.value === 'getAll') ?? options[0];
		const displayOptions = { show: { resource: [value] } };
		return { ...operationChoice, displayOptions, options, default: first.value };
	}),
	...operations.flatMap((operation) =>
		operation.properties
			.flatMap(addToolParameters)
			.map((property) => showWithOperation(operation, property)),
	),
];

/**
 * The option of an operation with its routing: n8n composes the request from this method and path, and
 * `createPreSend` adds the IDs and the body.
 *
 * @see https://docs.n8n.io/integrations/creating-nodes/build/reference/node-base-files/declarative-style-parameters/
 */
function withRouting(operation: Operation): INodePropertyOptions {
	const { method, url } = operation.endpoint;
	const send = { paginate: true, preSend: [createPreSend(operation)] };
	return { ...operation.option, routing: { request: { method, url }, send } };
}

function showWithOperation(
	{ resource, option }: { resource: string; option: Operation['option'] },
	property: INodeProperties,
): INodeProperties {
	const { show, ...rest } = property.displayOptions ?? {};
	const displayOptions = {
		...rest,
		show: { resource: [resource], operation: [option.value], ...show },
	};
	return { ...property, displayOptions };
}

/**
 * Texts for the canvas by resource and operation: with a form, such as "Get responses", and alone, where the
 * text must differ from the node's name, such as "Get PDF: response".
 */
const texts = Object.fromEntries(
	operations.map(({ resource, option: { name, value, action } }) => {
		const short = action.replace(/many |form (?=settings)/, '');
		return [`${resource} ${value}`, [short, short === action ? `${name}: ${resource}` : short]];
	}),
);

/**
 * The text below the node's name on the canvas, such as "Contact: Create response", form first as in the
 * trigger. The parameters are copied because n8n's own object of them doesn't read nested values in all of
 * its expression engines.
 */
export const subtitle = `={{ (({ resource, operation, formId }, [short, alone] = (${JSON.stringify(texts)})[resource + " " + operation] ?? []) =>
	formId?.cachedResultName ? formId.cachedResultName + ": " + short : alone
)(JSON.parse(JSON.stringify($parameter))) }}`;

const versionAtEnd = `/\\/*(${VERSION_PATH.replaceAll('/', '\\/')})?\\/*$/`;

/**
 * The base URL and headers of every request, as n8n's routing takes them. n8n checks the allowed domains of
 * the credential by this URL. An expression cannot call `normalizeBaseUrl` of api/account, so a test compares
 * both. The expression never throws, because n8n would then stop before the item is checked.
 */
export const requestDefaults = {
	baseURL: `={{ (typeof $credentials.baseUrl === "string" ? $credentials.baseUrl : "").trim().replace(${versionAtEnd}, "") + "${VERSION_PATH}" }}`,
	headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
};
