import type { INode, INodeParameters } from 'n8n-workflow';
import { type WorkflowFile, workflowNode } from '../../../scripts/lib/n8n/rest.mts';
import type { Credential } from '../instance.mts';

export const MCP_PATH = 'form-service-tools';

const byModel = (name: string, description: string, type = 'string') =>
	`={{ $fromAI('${name}', '${description}', '${type}') }}`;

const form = { __rl: true, mode: 'id', value: byModel('form', 'The ID of the form') };

/** The operations that a model is given as tools, by the node's name, with what it decides itself. */
const tools: Record<string, INodeParameters> = {
	'Find Responses': { resource: 'response', operation: 'getAll', formId: form, limit: 5 },
	'Add Response': {
		resource: 'response',
		operation: 'create',
		formId: form,
		inputMode: 'json',
		answersJson: byModel('answers', 'The answers by the UUID of the field', 'json'),
	},
	'Update Form': {
		resource: 'settings',
		operation: 'update',
		formId: form,
		inputMode: 'json',
		settingsJson: byModel('settings', 'The settings to update', 'json'),
	},
};

const toolNodes = (credential: Credential): INode[] =>
	Object.entries(tools).map(([name, parameters], index) =>
		workflowNode(name, 'n8n-nodes-formservice.formServiceTool', {
			position: [index * 200, 300],
			credentials: { formServiceApi: credential },
			parameters,
		}),
	);

const toolsOf = (node: string): WorkflowFile['connections'] =>
	Object.fromEntries(
		Object.keys(tools).map((name) => [name, { ai_tool: [[{ node, type: 'ai_tool', index: 0 }]] }]),
	);

const settings = { executionOrder: 'v1' };

/** An AI Agent with a chat model and the tools, started by hand. */
export const agentWorkflow = (credential: Credential, model: Credential): WorkflowFile => ({
	name: 'Agent',
	nodes: [
		workflowNode('Start', 'n8n-nodes-base.manualTrigger'),
		workflowNode('AI Agent', '@n8n/n8n-nodes-langchain.agent', {
			typeVersion: 2,
			parameters: { promptType: 'define', text: 'Do what the script says', options: {} },
		}),
		workflowNode('Chat Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', {
			typeVersion: 1.2,
			credentials: { openAiApi: model },
			parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
		}),
		...toolNodes(credential),
	],
	connections: {
		Start: { main: [[{ node: 'AI Agent', type: 'main', index: 0 }]] },
		'Chat Model': {
			ai_languageModel: [[{ node: 'AI Agent', type: 'ai_languageModel', index: 0 }]],
		},
		...toolsOf('AI Agent'),
	},
	settings,
});

/** n8n's MCP Server Trigger, which serves the tools to MCP clients. */
export const mcpWorkflow = (credential: Credential): WorkflowFile => ({
	name: 'MCP Server',
	nodes: [
		workflowNode('MCP Server', '@n8n/n8n-nodes-langchain.mcpTrigger', {
			typeVersion: 2,
			webhookId: MCP_PATH,
			parameters: { authentication: 'none', path: MCP_PATH },
		}),
		...toolNodes(credential),
	],
	connections: toolsOf('MCP Server'),
	settings,
});
