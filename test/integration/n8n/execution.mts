import type {
	INode,
	INodeExecutionData,
	IRunExecutionData,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { core, workflow } from './core.mts';
import { createCredentialsHelper, type Account } from './credentials.mts';

export const WORKFLOW_ID = 'workflow-1';

export function createAdditionalData(
	account: Account,
	mode: WorkflowExecuteMode,
): IWorkflowExecuteAdditionalData {
	const executionId = 'execution-1';
	const data: Partial<IWorkflowExecuteAdditionalData> = {
		executionId,
		workflowId: WORKFLOW_ID,
		credentialsHelper: createCredentialsHelper(account),
		hooks: new core.ExecutionLifecycleHooks(mode, executionId, {} as never),
		webhookWaitingBaseUrl: 'http://127.0.0.1:5678/',
		formWaitingBaseUrl: 'http://127.0.0.1:5678/',
	};
	return data as IWorkflowExecuteAdditionalData;
}

/** An execution that begins at a node with these input items, which come from another node. */
export function beginExecution(
	node: INode,
	items: INodeExecutionData[],
	previousNode: string,
): IRunExecutionData {
	const data = { main: [items] };
	const source = { main: [{ previousNode }] };
	const ran = { data, source: [], startTime: 0, executionIndex: 0, executionTime: 0 };
	return workflow.createRunExecutionData({
		resultData: { runData: { [previousNode]: [ran] } },
		executionData: { nodeExecutionStack: [{ node, data, source }] },
	});
}
