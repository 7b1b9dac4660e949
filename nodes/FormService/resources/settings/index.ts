import type { INodeProperties } from 'n8n-workflow';
import { endpoints } from '../../api/endpoints';
import { routingOf } from '../common/routing';
import { settingsUpdate, settingsUpdateProperties } from './update';

const showOnlyForSettings = { resource: ['settings'] };

export const settingsOperations = { update: settingsUpdate };

export const settingsProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: showOnlyForSettings },
		options: [
			{
				name: 'Update',
				value: 'update',
				action: 'Update settings of a form',
				description: 'Update settings of a form, such as its name or whether it is closed',
				routing: routingOf(endpoints.updateSettings),
			},
		],
		default: 'update',
	},
	...settingsUpdateProperties,
];
