import { NodeConnectionTypes, type IExecuteSingleFunctions } from 'n8n-workflow';
import { isRecord } from '../api/records';
import { readRequestOptions } from './inputItem';
import { NodeTry, type Run } from './nodeTry';
import { SharedData } from './sharedData';

/** Runs by the only object that n8n passes to all items and tries of one execution of the node. */
const runs = new WeakMap<object, Run>();

/** Returns the try of an item that n8n hands over. An item that n8n hands over again starts the next try. */
export function joinTry(n8n: IExecuteSingleFunctions): NodeTry {
	const { key, total } = findInput(n8n);
	const run = runs.get(key) ?? createRun();
	runs.set(key, run);
	const { latestTry } = run;
	if (latestTry !== undefined && !latestTry.hasReceived(n8n.getItemIndex())) return latestTry;
	latestTry?.abort();
	run.latestTry = new NodeTry(run, {
		total,
		batchSize: readBatchSize(n8n),
		continuesOnFail: n8n.continueOnFail(),
		cancelSignal: n8n.getExecutionCancelSignal?.(),
	});
	return run.latestTry;
}

function createRun(): Run {
	return { shared: new SharedData(), finalItems: new Map(), batchesSettled: Promise.resolve() };
}

/** Returns how many items n8n hands over without a pause (Batching); undefined for all. */
function readBatchSize(n8n: IExecuteSingleFunctions): number | undefined {
	const { batchSize = 1, batchInterval = 0 } = readRequestOptions(n8n).batching?.batch ?? {};
	return batchInterval > 0 ? Math.max(batchSize, 1) : undefined;
}

/**
 * Finds the object that n8n hands over again with each try, and the number of its items. If an agent runs its
 * own tools, the execution data is the agent's and the same for all calls; then the object is what the model
 * gave for the call.
 *
 * @see https://github.com/n8n-io/n8n/blob/master/packages/core/src/execution-engine/node-execution-context/utils/get-input-connection-data.ts
 */
function findInput(n8n: IExecuteSingleFunctions): { key: object; total: number } {
	const node = n8n.getNode();
	const executeData = n8n.getExecuteData();
	if (executeData.node.name !== node.name) {
		const { json } = n8n.getInputData(0, NodeConnectionTypes.AiTool);
		return { key: isRecord(json) ? json : {}, total: 1 };
	}
	const { main, ai_tool: toolInput } = executeData.data;
	const items = (main ?? toolInput ?? [])[0] ?? [{}];
	// with the node's setting Execute Once, n8n hands over only the first item
	return { key: executeData, total: node.executeOnce === true ? 1 : items.length };
}
