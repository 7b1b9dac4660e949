import {
	NodeConnectionTypes,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	type IHttpRequestOptions,
	type INodeExecutionData,
	type PreSendAction,
} from 'n8n-workflow';
import { toNodeError, type NodeError } from '../api/errors';
import { isRecord } from '../api/records';
import { parseNumber } from '../api/values';
import type { ParameterContext } from '../parameters/parameterContext';
import { NodeTry } from './batch';
import { createStopError, findFirstFailedItem, formatError } from './itemErrors';
import type { InputItem, Operation } from './operation';
import { isTool, prepareTool } from './tool';

/*
 * n8n's `RoutingNode` calls `preSend` for all items of a batch, then the pagination function for each item.
 *
 * @see https://github.com/n8n-io/n8n/blob/master/packages/core/src/execution-engine/routing-node.ts
 */

/** n8n passes the options from `preSend` to `sendRoutedItem` unchanged, so they carry the item. */
type RoutedOptions = IHttpRequestOptions & { routed: { nodeTry: NodeTry; item: InputItem } };

/**
 * Creates the `preSend` of an operation. It must not wait, or n8n would ask for an outcome before it has added
 * all items. It never throws, or n8n would leave out the item and send the others.
 */
export function createPreSend(operation: Operation): PreSendAction {
	return async function (options): Promise<RoutedOptions> {
		const nodeTry = joinTry(this);
		const item = prepareItem(this, operation, options, nodeTry.options.total);
		nodeTry.items.set(item.index, item);
		return await Promise.resolve({ ...item.options, routed: { nodeTry, item } });
	};
}

/** Returns the output of an item, or throws its error if the node stops. n8n calls this for pagination. */
export async function sendRoutedItem(
	this: IExecutePaginationFunctions,
	{ options }: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const { nodeTry, item } = (options as RoutedOptions).routed;
	const outcome = await nodeTry.getOutcome(item);
	// another item has the error, or the execution was canceled
	if (outcome.kind === 'notSent') return [];
	const pairedItem = { item: item.index };
	if (outcome.kind === 'done') return outcome.output.map((entry) => ({ ...entry, pairedItem }));
	if (nodeTry.options.continuesOnFail) return [createFailedItem(this, outcome.error)];
	const outcomes = await nodeTry.waitForOutcomes();
	// n8n reports only the error of the first item that fails
	if (findFirstFailedItem(outcomes) !== item) return [];
	const error = createStopError(item, outcome, outcomes);
	// a model gets only the message, and the editor shows the description as HTML
	const texts = isTool(this.getNode())
		? { message: formatError(error), description: '' }
		: { description: (error.description ?? '').replaceAll('\n', '<br>\n') };
	throw Object.assign(error, texts);
}

/** The latest try of each run, by the only object that all items and tries of the run share. */
const latestTries = new WeakMap<object, NodeTry>();

/** Returns the try of an item. If the latest try already has the item, starts the next try. */
function joinTry(n8n: IExecuteSingleFunctions): NodeTry {
	const { key, total } = findInput(n8n);
	const latestTry = latestTries.get(key);
	if (latestTry !== undefined && !latestTry.items.has(n8n.getItemIndex())) return latestTry;
	// the next try sends the items that still wait in the latest one, so the latest one must not
	latestTry?.stop();
	const nextTry = new NodeTry({
		total,
		batchSize: readBatchSize(n8n),
		continuesOnFail: n8n.continueOnFail(),
		cancelSignal: n8n.getExecutionCancelSignal?.(),
		run: latestTry?.options.run ?? {
			finalOutcomes: new Map(),
			shared: new Map(),
			lastBatch: Promise.resolve(),
		},
	});
	latestTries.set(key, nextTry);
	return nextTry;
}

/**
 * Returns the number of items, and the key of the run: n8n's execution data. All calls of an agent have the
 * agent's execution data, so the key of a call is the input that the model wrote (`getInputConnectionData`).
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

/** Reads and checks the parameters of an item. An invalid parameter becomes the error of the item. */
function prepareItem(
	n8n: IExecuteSingleFunctions,
	operation: Operation,
	options: IHttpRequestOptions,
	total: number,
): InputItem {
	const { endpoint, properties } = operation;
	const index = n8n.getItemIndex();
	const node = n8n.getNode();
	const inputItem = n8n.getInputData();
	const parsedRow = parseNumber(inputItem.json.row_number);
	const row = Number.isInteger(parsedRow) ? parsedRow : undefined;
	// if the user has set no Timeout, n8n sets 300 seconds, but `sendOnce` has its own default
	const { timeout } = readRequestOptions(n8n);
	const item = { n8n, index, row, endpoint, options: { ...options, timeout } };
	const input: ParameterContext = {
		parameter: (name, fallback) => n8n.getNodeParameter(name, fallback),
		item: inputItem,
		itemIndex: index,
		hasSeveralItems: total > 1,
		node,
		properties,
		isTool: isTool(node),
		zone: n8n.getTimezone(),
	};
	try {
		const prepared = input.isTool ? prepareTool(operation, input) : operation.prepare(input);
		return { ...item, prepared };
	} catch (error) {
		return { ...item, parameterError: toNodeError(node, error, index) };
	}
}

/** In n8n's own attribute `error`, n8n would drop all other attributes. In the error output, n8n adds the input. */
function createFailedItem(n8n: IExecutePaginationFunctions, error: NodeError): INodeExecutionData {
	const { onError, type } = n8n.getNode();
	const failed = { error: formatError(error) };
	const pairedItem = { item: n8n.getItemIndex() };
	// an agent cannot receive files
	if (isTool({ type })) return { json: failed, pairedItem };
	const { json, binary } = n8n.getInputData();
	const input = onError === 'continueErrorOutput' ? {} : json;
	return { json: { ...input, ...failed }, ...(binary && { binary }), pairedItem };
}
