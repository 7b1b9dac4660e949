import type { INodeProperties } from 'n8n-workflow';
import type { Operations } from '../routing/operation';
import { fieldOperations, fieldProperties } from './field';
import { formOperations, formProperties } from './form';
import { responseOperations, responseProperties } from './response';
import { settingsOperations, settingsProperties } from './settings';
import { workspaceOperations, workspaceProperties } from './workspace';

/** What each operation does, by the values of the Resource and Operation parameters. */
export const operations: Operations = {
	field: fieldOperations,
	form: formOperations,
	response: responseOperations,
	settings: settingsOperations,
	workspace: workspaceOperations,
};

/** The parameters of all operations, each shown only for its own. */
export const resourceProperties: INodeProperties[] = [
	...fieldProperties,
	...formProperties,
	...responseProperties,
	...settingsProperties,
	...workspaceProperties,
];
