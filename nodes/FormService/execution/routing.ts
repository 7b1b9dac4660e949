import {
	NodeConnectionTypes,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	type IHttpRequestOptions,
	type INodeExecutionData,
	type PreSendAction,
} from 'n8n-workflow';
import { fillPath } from '../api/endpoints';
import { asNodeError, createInputError, type NodeError } from '../api/errors';
import { isRecord } from '../api/records';
import type { ParameterContext } from '../parameters/parameterContext';
import { isTool, prepareTool } from './tool';
import type { InputItem } from './inputItem';
import { formatErrorText, createStopError } from './itemErrors';
import type { Operation } from './operation';
import { startBatch, startTry, type NodeTry } from './nodeTry';

/**
 * The way of an item through n8n's routing (`RoutingNode`), which sends the request that the node declares:
 * n8n evaluates the parameters of each item and calls the item's `preSend`; after the `preSend` of all items,
 * or of a batch, it calls the pagination function of each.
 *
 * @see https://github.com/n8n-io/n8n/blob/master/packages/core/src/execution-engine/routing-node.ts
 */

/**
 * The request options that n8n has composed for an item, with the item: n8n passes the options that `preSend`
 * returns to the pagination function as they are, and its HTTP helper ignores the additional attribute.
 */
type RoutedOptions = IHttpRequestOptions & { routed: { run: NodeTry; item: InputItem } };

/**
 * Creates the `preSend` of an operation: it checks the parameters of an item, fills the IDs into the path and
 * composes the body. It never throws, because n8n would then leave out this item alone and send the others.
 */
export function createPreSend(operation: Operation): PreSendAction {
	return async function (options): Promise<RoutedOptions> {
		const run = joinRun(this);
		const item = prepareItem(this, operation, options);
		run.waiting.push(item);
		return { ...item.composed, routed: { run, item } };
	};
}

/**
 * The pagination function of the node: gives the output of an item, paired with its input. The first item of
 * a batch begins it.
 */
export async function sendRoutedItem(
	this: IExecutePaginationFunctions,
	{ options }: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const { run, item } = (options as RoutedOptions).routed;
	if (run.waiting.includes(item)) {
		if (!isHandedOver(run, this)) run.controller.abort(UNKNOWN_ORDER);
		startBatch(run);
	}
	await run.done;
	const { outcome } = item;
	if (outcome === undefined) {
		// n8n takes an empty output for done, unless an item fails or n8n itself reports an error
		const isReported = run.signal.reason !== UNKNOWN_ORDER || run.seen.size < run.total;
		if (isReported) return [];
		throw createInputError(this.getNode(), UNKNOWN_ORDER);
	}
	const pairedItem = { item: item.index };
	if (outcome.output) return outcome.output.map((one) => ({ ...one, pairedItem }));
	if (run.continues) return [toFailedItem(this, outcome.error)];
	// n8n listens to no outcome before; an earlier failure would be an unhandled rejection
	await run.ended;
	const error = createStopError(outcome.error, item, run);
	// n8n gives a model nothing but the message
	if (isTool(this.getNode()))
		Object.assign(error, { message: formatErrorText(error), description: '' });
	throw error;
}

const UNKNOWN_ORDER = {
	message:
		'This version of n8n passes items to nodes in an order that this package does not support',
	description:
		'Nothing was sent.\nUpdate the package, or use a version of n8n that its README names.',
};

/**
 * Whether n8n has handed over all items, or a batch, so that they may be sent. If an expression of an item
 * throws in a node that stops, n8n reports the error by itself, and still calls the pagination function of the
 * items before.
 */
function isHandedOver({ continues, seen, total }: NodeTry, n8n: IExecuteSingleFunctions): boolean {
	const { batchSize = 1, batchInterval = 0 } = readRequestOptions(n8n).batching?.batch ?? {};
	const isBatch = batchInterval > 0 && seen.size % Math.max(batchSize, 1) === 0;
	return continues || isBatch || seen.size === total;
}

function prepareItem(
	n8n: IExecuteSingleFunctions,
	operation: Operation,
	options: IHttpRequestOptions,
): InputItem {
	const { endpoint } = operation;
	const index = n8n.getItemIndex();
	const { row_number: given } = n8n.getInputData().json;
	const row = Number.isInteger(given) ? Number(given) : undefined;
	// n8n puts 300 seconds where a person has set no Timeout; the request path has its own default
	const composed = { ...options, timeout: readRequestOptions(n8n).timeout };
	const item = { n8n, index, row, endpoint, composed };
	try {
		const input = createParameterContext(n8n, index);
		const prepared = input.isTool ? prepareTool(operation, input) : operation.prepare(input);
		const url = fillPath(endpoint, prepared.ids);
		return { ...item, composed: { ...composed, url, body: prepared.body }, prepared };
	} catch (error) {
		return { ...item, outcome: { error: asNodeError(n8n.getNode(), error, index) } };
	}
}

function createParameterContext(n8n: IExecuteSingleFunctions, itemIndex: number): ParameterContext {
	const node = n8n.getNode();
	return {
		parameter: (name, fallback) => n8n.getNodeParameter(name, fallback),
		// n8n throws if it extracts the value of a hidden parameter
		locator: (name) => n8n.getNodeParameter(name, '', { extractValue: true }),
		item: n8n.getInputData(),
		itemIndex,
		hasSeveralItems: findInput(n8n).total > 1,
		node,
		isTool: isTool(node),
		zone: n8n.getTimezone(),
	};
}

/** What n8n itself adds to the parameters of a declarative node. */
type RequestOptions = {
	timeout?: number;
	batching?: { batch?: { batchSize?: number; batchInterval?: number } };
};

function readRequestOptions(n8n: IExecuteSingleFunctions): RequestOptions {
	return n8n.getNodeParameter('requestOptions', {}) as RequestOptions;
}

/**
 * A failed item, with its input next to the error. For the error output n8n itself adds the `json` of the
 * input, if the item has the error alone; for the regular output it does not. If the item had an `error`
 * next to its `json`, n8n would drop everything else.
 */
function toFailedItem(n8n: IExecutePaginationFunctions, error: NodeError): INodeExecutionData {
	const { onError, type } = n8n.getNode();
	const failed = { error: formatErrorText(error) };
	const pairedItem = { item: n8n.getItemIndex() };
	// an agent takes no files
	if (isTool({ type })) return { json: failed, pairedItem };
	const { json, binary } = n8n.getInputData();
	const input = onError === 'continueErrorOutput' ? {} : json;
	return { json: { ...input, ...failed }, ...(binary && { binary }), pairedItem };
}

/** The latest try of each execution of the node, by the only object that n8n gives to all its items and tries. */
const latestTries = new WeakMap<object, NodeTry>();

/** The try of an item. An item that n8n hands over again begins the next one (Retry On Fail). */
function joinRun(n8n: IExecuteSingleFunctions): NodeTry {
	const { input, total } = findInput(n8n);
	const index = n8n.getItemIndex();
	const latest = latestTries.get(input);
	const isNext = latest === undefined || latest.seen.has(index);
	const run = isNext ? startTry(n8n, total, latest) : latest;
	latestTries.set(input, run);
	run.seen.add(index);
	return run;
}

/**
 * The object that n8n hands over again with each try (Retry On Fail), and the number of its items. Where
 * an agent runs its tools by itself, the execution data is the agent's and the same for all calls; there,
 * it is what the model gave for the call.
 *
 * @see https://github.com/n8n-io/n8n/blob/master/packages/core/src/execution-engine/node-execution-context/utils/get-input-connection-data.ts
 */
function findInput(n8n: IExecuteSingleFunctions): { input: object; total: number } {
	const node = n8n.getNode();
	const executeData = n8n.getExecuteData();
	if (executeData.node.name !== node.name) {
		const { json } = n8n.getInputData(0, NodeConnectionTypes.AiTool);
		return { input: isRecord(json) ? json : {}, total: 1 };
	}
	const { main, ai_tool } = executeData.data;
	const items = (main ?? ai_tool ?? [])[0] ?? [{}];
	// with the node's setting Execute Once, n8n hands over only the first item
	return { input: executeData, total: node.executeOnce === true ? 1 : items.length };
}
