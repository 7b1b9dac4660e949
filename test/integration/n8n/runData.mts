import type { INode, INodeExecutionData, IRunExecutionData } from 'n8n-workflow';
import { workflow } from './core.mts';

/** An execution that begins at a node with these input items. */
export function beginningAt(node: INode, items: INodeExecutionData[]): IRunExecutionData {
	return workflow.createRunExecutionData({
		executionData: {
			contextData: {},
			metadata: {},
			waitingExecution: {},
			waitingExecutionSource: {},
			nodeExecutionStack: [{ node, data: { main: [items] }, source: null }],
		},
	});
}
