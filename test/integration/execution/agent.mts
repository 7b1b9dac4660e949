import type {
	EngineRequest,
	EngineResponse,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { workflowNode } from '../../../scripts/lib/n8n/rest.mts';
import { SOURCE_NAME, startWorkflow } from '../harness.mts';
import { workflow as n8n } from '../n8n/core.mts';
import { nodeOf, nodeTypes, typeOf } from '../n8n/built.mts';
import type { Start } from '../resources/runs.mts';

const TOOL = 'Form Service Tool';

type Tool = { invoke(input: IDataObject): Promise<string> };

const ports = { inputs: ['main', 'ai_tool'], outputs: ['main'], properties: [] };
const description = { ...ports, name: 'agent', version: 1 } as unknown as INodeTypeDescription;

/** The node as n8n offers it to agents: by the name of `<node>Tool`, with an output for tools. */
const node = nodeOf('formService');
const ofTool = { ...node.description, name: 'formServiceTool', inputs: [], outputs: ['ai_tool'] };
const asTool = Object.create(node, { description: { value: ofTool } }) as INodeType;

/*
 * Stand-ins for an agent with its AI. Each uses the tool once for each of its items, one after another as agents do,
 * with the item as the tool's input.
 */

/** An agent of n8n 1 runs its tools by itself. */
async function executeTools(this: IExecuteFunctions) {
	const results: INodeExecutionData[] = [];
	for (const [itemIndex, { json }] of this.getInputData().entries()) {
		const [tool] = (await this.getInputConnectionData('ai_tool', itemIndex)) as Tool[];
		const result = JSON.parse(await tool.invoke(json)) as IDataObject;
		results.push({ json: { result } });
	}
	return [results];
}

/** An agent of n8n 2 asks n8n's engine to run its tools. */
async function requestTools(this: IExecuteFunctions, done?: EngineResponse) {
	if (done?.actionResponses.length) {
		const results = done.actionResponses.map(({ data: { data } }) => data?.ai_tool[0]);
		return [results.map((items) => ({ json: { result: items?.map(({ json }) => json) } }))];
	}
	const actions = this.getInputData().map(({ json: input }, itemIndex) => {
		const call = { nodeName: TOOL, input, id: `call ${itemIndex}`, metadata: { itemIndex } };
		return { actionType: 'ExecutionNodeAction' as const, type: 'ai_tool' as const, ...call };
	});
	return { actions, metadata: {} } satisfies EngineRequest;
}

const createStart =
	(execute: INodeType['execute']): Start =>
	async ({ service: { url, token } }, parameters, items = [], more) => {
		const types: Record<string, INodeType> = {
			agent: { description, execute },
			[typeOf('formServiceTool')]: asTool,
		};
		const credentials = { formServiceApi: { id: '1', name: 'Account' } };
		const agent = workflowNode('Agent', 'agent');
		const tool = { parameters, credentials, ...more };
		const workflow = new n8n.Workflow({
			nodes: [
				...[workflowNode(SOURCE_NAME, 'agent'), agent],
				workflowNode(TOOL, typeOf('formServiceTool'), tool),
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
		const { items: output, error } = await startWorkflow(account, workflow, agent, items).done;
		return { outputs: [output.map(({ json }, item) => ({ json, pairedItem: { item } }))], error };
	};

/** Both run an agent over items, with the node as its tool. The output has what the tool gave for each item. */
export const agents = [createStart(executeTools), createStart(requestTools)];
