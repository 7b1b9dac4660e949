import type { INodeProperties } from 'n8n-workflow';
import { endpoints } from '../../api/endpoints';
import { routingOf } from '../common/routing';
import { responseCreate, responseCreateProperties } from './create';
import { responseGet, responseGetProperties } from './get';
import { responseGetAll, responseGetAllProperties } from './getAll';
import { responseGetPdf, responseGetPdfProperties } from './getPdf';

const showOnlyForResponses = { resource: ['response'] };

export const responseOperations = {
	create: responseCreate,
	get: responseGet,
	getAll: responseGetAll,
	getPdf: responseGetPdf,
};

export const responseProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: showOnlyForResponses },
		options: [
			{
				name: 'Create',
				value: 'create',
				action: 'Create a response',
				description: 'Add a response to a form',
				routing: routingOf(endpoints.addResponse),
			},
			{
				name: 'Get',
				value: 'get',
				action: 'Get a response',
				description: 'Get one response out of the list of its form',
				routing: routingOf(endpoints.listResponses),
			},
			{
				name: 'Get Many',
				value: 'getAll',
				action: 'Get many responses',
				description: 'Get many responses of a form',
				routing: routingOf(endpoints.listResponses),
			},
			{
				name: 'Get PDF',
				value: 'getPdf',
				action: 'Get a response as a PDF',
				description: 'Get a PDF summary of a response, as a link or a file',
				routing: routingOf(endpoints.getPdf),
			},
		],
		default: 'getAll',
	},
	...responseCreateProperties,
	...responseGetProperties,
	...responseGetAllProperties,
	...responseGetPdfProperties,
];
