import type { INodeProperties } from 'n8n-workflow';
import { endpoints } from '../../api/endpoints';
import { routingOf } from '../common/routing';
import { fieldGetAll, fieldGetAllProperties } from './getAll';

const showOnlyForFields = { resource: ['field'] };

export const fieldOperations = { getAll: fieldGetAll };

export const fieldProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: showOnlyForFields },
		options: [
			{
				name: 'Get Many',
				value: 'getAll',
				action: 'Get many fields',
				description: 'Get the fields of a form with their UUIDs',
				routing: routingOf(endpoints.listFields),
			},
		],
		default: 'getAll',
	},
	...fieldGetAllProperties,
];
