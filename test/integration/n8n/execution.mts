import type {
	INode,
	INodeExecutionData,
	IRunExecutionData,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { container, core, workflow } from './core.mts';
import { OneAccount, type Account } from './credentials.mts';

export const WORKFLOW_ID = 'workflow-1';

/** What n8n hands to every execution. A node that asks for more than this fails loudly. */
export function createAdditionalData(
	account: Account,
	mode: WorkflowExecuteMode,
): IWorkflowExecuteAdditionalData {
	const unused = async () => {
		throw new Error('Not part of this test');
	};
	const url = 'http://127.0.0.1:5678/';
	return {
		executionId: 'execution-1',
		workflowId: WORKFLOW_ID,
		credentialsHelper: new OneAccount(account),
		hooks: new core.ExecutionLifecycleHooks(mode, 'execution-1', {
			id: WORKFLOW_ID,
			name: 'Test',
			active: false,
			isArchived: false,
			nodes: [],
			connections: {},
			createdAt: new Date(0),
			updatedAt: new Date(0),
			activeVersionId: null,
		}),
		externalSecretsProxy: container.get(core.ExternalSecretsProxy),
		variables: {},
		currentNodeExecutionIndex: 0,
		restApiUrl: url,
		instanceBaseUrl: url,
		webhookBaseUrl: url,
		webhookWaitingBaseUrl: url,
		webhookTestBaseUrl: url,
		formBaseUrl: url,
		formWaitingBaseUrl: url,
		formTestBaseUrl: url,
		mcpBaseUrl: url,
		mcpTestBaseUrl: url,
		logAiEvent: () => {},
		executeWorkflow: unused,
		getRunExecutionData: async () => undefined,
		getRuntimeCredential: async () => undefined,
		startRunnerTask: unused,
	};
}

/**
 * An execution that begins at a node with these input items.
 *
 * @param previousNode the node that they come from, if any
 */
export function beginningAt(
	node: INode,
	items: INodeExecutionData[],
	previousNode?: string,
): IRunExecutionData {
	const data = { main: [items] };
	const source = previousNode === undefined ? null : { main: [{ previousNode }] };
	const ran = { data, source: [], startTime: 0, executionIndex: 0, executionTime: 0 };
	return workflow.createRunExecutionData({
		resultData: { runData: previousNode === undefined ? {} : { [previousNode]: [ran] } },
		executionData: {
			contextData: {},
			metadata: {},
			waitingExecution: {},
			waitingExecutionSource: {},
			nodeExecutionStack: [{ node, data, source }],
		},
	});
}
