import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	PreSendAction,
} from 'n8n-workflow';
import { fillPath } from '../api/endpoints';
import { isRecord } from '../api/records';
import type { Input } from '../parameters/input';
import { isTool, prepareForModel } from './forModel';
import type { Item, Operation } from './operation';
import { createRun, runItems } from './run';
import type { Outcome, Run } from './run';

/**
 * The way of an item through n8n's routing (`RoutingNode`), which sends the request that the node declares:
 * n8n evaluates the parameters of each item and calls the item's `preSend`; after the `preSend` of all items
 * it calls the pagination function of each.
 *
 * @see https://github.com/n8n-io/n8n/blob/master/packages/core/src/execution-engine/routing-node.ts
 */

/** A run, and how far n8n has handed over its items. */
type RoutedRun = Run & {
	/** The items that n8n has handed over without a pause: all of them, or a batch of the request options. */
	batch: Batch;
	/** How many items n8n has handed over or left out. */
	handedOver: number;
	/** Resolves when n8n has handed over every item. */
	allHandedOver: Promise<void>;
	endHandingOver: () => void;
};

/** Items that are checked before any of them is sent, after the batch before has ended. */
type Batch = {
	items: Item[];
	before?: Batch['outcomes'];
	outcomes?: Promise<Map<Item, Outcome>>;
};

/**
 * The request options that n8n has composed for an item, with the item. n8n passes the options that
 * `preSend` returns to the pagination function as they are, so the item travels in them. n8n's HTTP helper
 * ignores the additional attribute.
 */
type RoutedOptions = IHttpRequestOptions & { routed: { run: RoutedRun; batch: Batch; item: Item } };

/**
 * Creates the first `preSend` of an operation: it checks the parameters of an item, fills the IDs into the
 * path and composes the body. It never throws, because n8n would then leave out this item alone and send the
 * others.
 */
export function createPreSend(operation: Operation): PreSendAction {
	return async function (options): Promise<RoutedOptions> {
		const run = joinRun(this);
		const item = prepareItem(this, operation, options);
		const { outcomes: before } = run.batch;
		if (before !== undefined) run.batch = { items: [], before };
		run.batch.items.push(item);
		return { ...item.composed, routed: { run, batch: run.batch, item } };
	};
}

/**
 * The pagination function of the node: gives the output of an item, paired with its input. The first item of
 * a batch starts them all.
 */
export async function sendRoutedItem(
	this: IExecutePaginationFunctions,
	{ options }: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const { run, batch, item } = (options as RoutedOptions).routed;
	if (!run.continues && needsMoreItems(run, readRequestOptions(this))) {
		// n8n itself reports the missing item
		run.getStop().controller.abort(new Error('An expression in another item failed'));
		return [];
	}
	batch.outcomes ??= runBatch(run, batch);
	const outcome = (await batch.outcomes).get(item) ?? { output: [] };
	const pairedItem = { item: item.index };
	if ('output' in outcome) return outcome.output.map((one) => ({ ...one, pairedItem }));
	if (run.continues) return [toFailedItem(this, outcome.error)];
	// n8n listens to no outcome before; an earlier failure would be an unhandled rejection
	await run.allHandedOver;
	throw outcome.error;
}

async function runBatch(run: RoutedRun, { items, before }: Batch): Promise<Map<Item, Outcome>> {
	await before;
	return await runItems(run, items);
}

function prepareItem(
	n8n: IExecuteSingleFunctions,
	{ endpoint, prepare }: Operation,
	options: IHttpRequestOptions,
): Item {
	const index = n8n.getItemIndex();
	const { row_number: given } = n8n.getInputData().json;
	const row = Number.isInteger(given) ? Number(given) : index + 1;
	// n8n puts 300 seconds where a person has set no Timeout; the request path has a default of its own
	const composed = { ...options, timeout: readRequestOptions(n8n).timeout };
	const item = { n8n, index, row, endpoint, composed };
	try {
		const input = readInput(n8n, index);
		const prepared = isTool(input.node) ? prepareForModel(prepare, input) : prepare(input);
		const { ids, body } = prepared;
		const url = fillPath(endpoint, ids);
		return { ...item, composed: { ...composed, url, body }, prepared };
	} catch (problem) {
		return { ...item, problem };
	}
}

function readInput(n8n: IExecuteSingleFunctions, itemIndex: number): Input {
	return {
		// n8n throws if it extracts the value of a hidden parameter
		parameter: (name, fallback) =>
			n8n.getNodeParameter(name, fallback, { extractValue: name.endsWith('Id') }),
		item: n8n.getInputData(),
		itemIndex,
		node: n8n.getNode(),
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
 * Whether an item is missing of the run, or of its batches so far: with Batching, n8n waits between batches.
 * n8n keeps an item back if one of its expressions throws.
 */
function needsMoreItems({ handedOver, total }: RoutedRun, { batching }: RequestOptions): boolean {
	const { batchSize = 1, batchInterval = 0 } = batching?.batch ?? {};
	const inBatch = batchInterval > 0 ? handedOver % Math.max(batchSize, 1) : handedOver;
	return handedOver < total && inBatch > 0;
}

/**
 * A failed item, with its input beside the error. For the error output n8n itself adds the input, if the
 * item has the error alone; for the regular output it does not. If the item had an `error` beside its
 * `json`, n8n would drop everything else.
 */
function toFailedItem(n8n: IExecutePaginationFunctions, { message }: Error): INodeExecutionData {
	const { onError, type } = n8n.getNode();
	const input =
		isTool({ type }) || onError === 'continueErrorOutput' ? {} : n8n.getInputData().json;
	return { json: { ...input, error: message }, pairedItem: { item: n8n.getItemIndex() } };
}

/** The latest try of each input, which is the only object that n8n gives to all items of a run. */
const latestRuns = new WeakMap<object, RoutedRun>();

/**
 * The run of an item. n8n hands over the items of a run in order; an item that does not come after the last
 * one begins the next try (Retry On Fail).
 */
function joinRun(n8n: IExecuteSingleFunctions): RoutedRun {
	const { input, total } = findInput(n8n);
	const index = n8n.getItemIndex();
	const latest = latestRuns.get(input);
	let run = latest;
	if (run === undefined || index < run.handedOver) {
		let endHandingOver = () => {};
		const allHandedOver = new Promise<void>((resolve) => (endHandingOver = resolve));
		const routing = { batch: { items: [] }, handedOver: 0, allHandedOver, endHandingOver };
		run = { ...createRun(n8n, total, latest), ...routing };
		latestRuns.set(input, run);
	}
	run.handedOver = index + 1;
	if (run.handedOver === total) run.endHandingOver();
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
