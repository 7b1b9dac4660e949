import type { WorkflowFile } from '../../../scripts/lib/n8n/rest.mts';

export const WEBHOOK = 'update-descriptions';

/** Takes `{texts: [...]}` by webhook and gives the form each text as its description, one after the other. */
export const updateWorkflow = (
	credential: { id: string; name: string },
	formId: string,
): WorkflowFile => ({
	name: 'Updates',
	nodes: [
		{
			id: 'webhook',
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			position: [0, 0],
			webhookId: WEBHOOK,
			parameters: { httpMethod: 'POST', path: WEBHOOK, responseMode: 'onReceived', options: {} },
		},
		{
			id: 'split',
			name: 'Split Out',
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			position: [240, 0],
			parameters: { fieldToSplitOut: 'body.texts', options: { destinationFieldName: 'text' } },
		},
		{
			id: 'update',
			name: 'Update Settings',
			type: 'n8n-nodes-formservice.formService',
			typeVersion: 1,
			position: [480, 0],
			credentials: { formServiceApi: credential },
			parameters: {
				resource: 'settings',
				operation: 'update',
				formId: { __rl: true, mode: 'id', value: formId },
				inputMode: 'fields',
				settings: { description: '={{ $json.text }}' },
			},
		},
	],
	connections: {
		Webhook: { main: [[{ node: 'Split Out', type: 'main', index: 0 }]] },
		'Split Out': { main: [[{ node: 'Update Settings', type: 'main', index: 0 }]] },
	},
	settings: { executionOrder: 'v1' },
});
