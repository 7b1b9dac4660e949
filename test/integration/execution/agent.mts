import type {
	EngineRequest,
	EngineResponse,
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import type { Service } from '../../service/index.mts';
import { workflowNode } from '../../../scripts/lib/n8n/rest.mts';
import { SOURCE_NAME, startWorkflow } from '../harness.mts';
import { workflow as n8n } from '../n8n/core.mts';
import { nodeOf, nodeTypes, typeOf } from '../n8n/built.mts';

/** How an agent has its tools run: by itself (n8n 1), or by n8n's engine (n8n 2). */
export const agents = ['itself', 'the engine'] as const;

export type Agent = (typeof agents)[number];

const TOOL = 'Form Service Tool';

type Tool = { invoke(input: IDataObject): Promise<string> };

const ports = { inputs: ['main', 'ai_tool'], outputs: ['main'], properties: [] };
const description = { ...ports, name: 'agent', version: 1 } as unknown as INodeTypeDescription;

/** The node as n8n offers it to agents: by the name of `<node>Tool`, with an output for tools. */
const node = nodeOf('formService');
const ofTool = { ...node.description, name: 'formServiceTool', inputs: [], outputs: ['ai_tool'] };
const asTool = Object.create(node, { description: { value: ofTool } }) as INodeType;

/**
 * Stands in for the AI: uses the tool once for each of its items, one after another as agents do, with
 * the item as the tool's input.
 */
const standIns: Record<Agent, INodeType> = {
	itself: {
		description,
		async execute(this: IExecuteFunctions) {
			const results: INodeExecutionData[] = [];
			for (const [itemIndex, { json }] of this.getInputData().entries()) {
				const [tool] = (await this.getInputConnectionData('ai_tool', itemIndex)) as Tool[];
				const result = JSON.parse(await tool.invoke(json)) as IDataObject;
				results.push({ json: { result } });
			}
			return [results];
		},
	},
	'the engine': {
		description,
		async execute(this: IExecuteFunctions, done?: EngineResponse) {
			if (done?.actionResponses.length) {
				const results = done.actionResponses.map(({ data: { data } }) => data?.ai_tool[0]);
				return [results.map((items) => ({ json: { result: items?.map(({ json }) => json) } }))];
			}
			const request: EngineRequest = {
				actions: this.getInputData().map(({ json }, itemIndex) => ({
					actionType: 'ExecutionNodeAction',
					nodeName: TOOL,
					input: json,
					type: 'ai_tool',
					id: `call ${itemIndex}`,
					metadata: { itemIndex },
				})),
				metadata: {},
			};
			return request;
		},
	},
};

/** Runs an agent over items, with the node as its tool. Its output has what the tool gave for each item. */
export async function runAgent(
	{ url, token }: Pick<Service, 'url' | 'token'>,
	agent: Agent,
	parameters: INodeParameters,
	items: INodeExecutionData[],
	tool: Partial<INode> = {},
) {
	const types: Record<string, INodeType> = {
		agent: standIns[agent],
		[typeOf('formServiceTool')]: asTool,
	};
	const credentials = { formServiceApi: { id: '1', name: 'Account' } };
	const ofTool = { parameters, credentials, ...tool };
	const workflow = new n8n.Workflow({
		nodes: [
			workflowNode(SOURCE_NAME, 'agent'),
			workflowNode('Agent', 'agent'),
			workflowNode(TOOL, typeOf('formServiceTool'), ofTool),
		],
		connections: {
			[SOURCE_NAME]: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			[TOOL]: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
		active: false,
		nodeTypes: { ...nodeTypes, getByNameAndVersion: (type) => types[type] },
		settings: { executionOrder: 'v1' },
	});
	const account = { accessToken: token, baseUrl: url };
	const node = workflow.getNode('Agent')!;
	const { items: output, error } = await startWorkflow(account, workflow, node, items).done;
	return { outputs: [output.map(({ json }, item) => ({ json, pairedItem: { item } }))], error };
}
