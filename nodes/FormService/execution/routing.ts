import { compact, noop, omit } from 'lodash';
import {
	NodeConnectionTypes,
	type IExecuteSingleFunctions,
	type IHttpRequestOptions,
	type INodeExecutionData,
	type IN8nRequestOperations,
} from 'n8n-workflow';
import { toNodeError, type NodeError } from '../api/errors';
import { isRecord } from '../api/records';
import { parseNumber } from '../api/values';
import { isTool, type ParameterContext } from '../parameters/parameterContext';
import { hasFailed, processItem, type InputItem, type NodeTry } from './batch';
import { createStopError, formatError } from './itemErrors';
import type { Operation } from './operation';
import { prepareTool } from './tool';

/**
 * Creates the function that n8n's `RoutingNode` calls for each item, in place of sending the request that it has
 * composed. n8n calls this function for pagination.
 *
 * @see https://github.com/n8n-io/n8n/blob/master/packages/core/src/execution-engine/routing-node.ts
 */
export function createPagination(operation: Operation): IN8nRequestOperations['pagination'] {
	return async function ({ options }): Promise<INodeExecutionData[]> {
		const nodeTry = joinTry(this);
		const item = createInputItem(this, operation, options as IHttpRequestOptions, nodeTry);
		await processItem(item, nodeTry);
		return await createOutput(item, nodeTry);
	};
}

/** The latest try of each run, by the only object that all items and tries of the run share. */
const latestTries = new WeakMap<object, NodeTry>();

/** Returns the try of an item. If the latest try already has the item, starts the next try. */
function joinTry(n8n: IExecuteSingleFunctions): NodeTry {
	const { key, total } = findInput(n8n);
	const latestTry = latestTries.get(key);
	if (latestTry !== undefined && !latestTry.items.has(n8n.getItemIndex())) return latestTry;
	// this is a new try, so the earlier one must not send the items that still wait
	latestTry?.stop();
	const controller = new AbortController();
	let markAllPassed = noop;
	const allPassed = new Promise<void>((resolve) => {
		markAllPassed = resolve;
	});
	const nextTry: NodeTry = {
		run: latestTry?.run ?? {
			finalOutcomes: new Map(),
			shared: new Map(),
			lastBatch: Promise.resolve(),
		},
		items: new Map(),
		total,
		batchSize: readBatchSize(n8n) ?? total,
		continuesOnFail: n8n.continueOnFail(),
		signal: AbortSignal.any(compact([controller.signal, n8n.getExecutionCancelSignal?.()])),
		stop: () => controller.abort(),
		allPassed,
		markAllPassed,
	};
	latestTries.set(key, nextTry);
	return nextTry;
}

/**
 * Returns the number of items, and the object that identifies the run: n8n's execution data. All calls of an agent
 * share the agent's execution data, so the key of a call is the input that the model wrote
 * (`getInputConnectionData`).
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

type RequestOptions = {
	timeout?: number;
	batching?: { batch?: { batchSize?: number; batchInterval?: number } };
};

function readRequestOptions(n8n: IExecuteSingleFunctions): RequestOptions {
	return n8n.getNodeParameter('requestOptions', {}) as RequestOptions;
}

/** Returns the number of items in a batch, as n8n's `RoutingNode` computes it from the option Batching. */
function readBatchSize(n8n: IExecuteSingleFunctions): number | undefined {
	const { batchSize = 1, batchInterval = 0 } = readRequestOptions(n8n).batching?.batch ?? {};
	return batchInterval > 0 ? Math.max(batchSize, 1) : undefined;
}

/** Creates an item, and reads its parameters. An invalid parameter becomes the outcome of the item. */
function createInputItem(
	n8n: IExecuteSingleFunctions,
	operation: Operation,
	options: IHttpRequestOptions,
	{ total }: NodeTry,
): InputItem {
	const index = n8n.getItemIndex();
	const { json } = n8n.getInputData();
	const row = parseNumber(json.row_number);
	// if the user has set no Timeout, n8n sets 300 seconds, but `sendOnce` has its own default
	const { timeout } = readRequestOptions(n8n);
	const item: InputItem = {
		n8n,
		index,
		row: Number.isInteger(row) ? row : undefined,
		endpoint: operation.endpoint,
		httpOptions: { ...omit(options, 'baseURL', 'url', 'body'), timeout },
	};
	const node = n8n.getNode();
	const input: ParameterContext = {
		parameter: (name, fallback) => n8n.getNodeParameter(name, fallback),
		json,
		itemIndex: index,
		hasSeveralItems: total > 1,
		node,
		properties: operation.properties,
		zone: n8n.getTimezone(),
	};
	try {
		item.prepared = isTool(node) ? prepareTool(operation, input) : operation.prepare(input);
	} catch (error) {
		item.outcome = { error: toNodeError(node, error, index), isInvalid: true };
	}
	return item;
}

/** Returns the output of an item, or throws its error if the node stops. */
async function createOutput(item: InputItem, nodeTry: NodeTry): Promise<INodeExecutionData[]> {
	const { index, outcome } = item;
	if (outcome === undefined) return [];
	if ('output' in outcome) {
		return outcome.output.map((entry) => ({ ...entry, pairedItem: { item: index } }));
	}
	if (nodeTry.continuesOnFail) return [createFailedItem(item, outcome.error)];
	// n8n handles no rejection until it has passed all items
	await nodeTry.allPassed;
	const items = [...nodeTry.items.values()];
	// one item throws for all, because n8n reports only the error of the first item that fails
	if (items.find(hasFailed) !== item) return [];
	throw createStopError(item, outcome, items);
}

/**
 * Adds the error to the data, because an item with n8n's own attribute `error` loses all other attributes. In the
 * error output, n8n itself adds the input.
 */
function createFailedItem({ n8n, index }: InputItem, error: NodeError): INodeExecutionData {
	const failed = { error: formatError(error) };
	const pairedItem = { item: index };
	const node = n8n.getNode();
	// an agent cannot receive files
	if (isTool(node)) return { json: failed, pairedItem };
	const { json, binary } = n8n.getInputData();
	const input = node.onError === 'continueErrorOutput' ? {} : json;
	return { json: { ...input, ...failed }, ...(binary && { binary }), pairedItem };
}
