import type { INodeProperties } from 'n8n-workflow';
import { endpoints } from '../../api/endpoints';
import { routingOf } from '../common/routing';
import { formGet, formGetProperties } from './get';
import { formGetAll, formGetAllProperties } from './getAll';

const showOnlyForForms = { resource: ['form'] };

export const formOperations = { get: formGet, getAll: formGetAll };

export const formProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: showOnlyForForms },
		options: [
			{
				name: 'Get',
				value: 'get',
				action: 'Get a form',
				description: 'Get one form with its fields',
				routing: routingOf(endpoints.listForms),
			},
			{
				name: 'Get Many',
				value: 'getAll',
				action: 'Get many forms',
				description: 'Get many forms with their fields',
				routing: routingOf(endpoints.listForms),
			},
		],
		default: 'getAll',
	},
	...formGetProperties,
	...formGetAllProperties,
];
