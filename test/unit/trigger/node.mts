import type { INode } from 'n8n-workflow';

export const node: INode = {
	id: 'node-1',
	name: 'Trigger',
	type: 'n8n-nodes-formservice.formServiceTrigger',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
