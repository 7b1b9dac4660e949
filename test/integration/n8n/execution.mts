import type {
	INode,
	INodeExecutionData,
	IRunExecutionData,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { core, workflow } from './core.mts';
import { credentialsHelperOf, type Account } from './credentials.mts';

export const WORKFLOW_ID = 'workflow-1';

export function createAdditionalData(
	account: Account,
	mode: WorkflowExecuteMode,
): IWorkflowExecuteAdditionalData {
	const executionId = 'execution-1';
	const workflow = { id: WORKFLOW_ID, name: 'Test', active: false, nodes: [], connections: {} };
	const hooks = new core.ExecutionLifecycleHooks(mode, executionId, workflow as never);
	const credentialsHelper = credentialsHelperOf(account);
	const url = 'http://127.0.0.1:5678/';
	const urls = { webhookWaitingBaseUrl: url, formWaitingBaseUrl: url };
	const given = { executionId, workflowId: WORKFLOW_ID, credentialsHelper, hooks };
	return { ...given, ...urls } as IWorkflowExecuteAdditionalData;
}

/** An execution that begins at a node with these input items, which come from another node. */
export function beginningAt(
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
