import type { INodeProperties } from 'n8n-workflow';
import { endpoints } from '../../api/endpoints';
import { routingOf } from '../common/routing';
import { workspaceGet, workspaceGetProperties } from './get';

const showOnlyForWorkspaces = { resource: ['workspace'] };

export const workspaceOperations = { get: workspaceGet };

export const workspaceProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: showOnlyForWorkspaces },
		options: [
			{
				name: 'Get',
				value: 'get',
				action: 'Get the workspace',
				description: 'Get the workspace with its defaults, owner and members',
				routing: routingOf(endpoints.getWorkspace),
			},
		],
		default: 'get',
	},
	...workspaceGetProperties,
];
