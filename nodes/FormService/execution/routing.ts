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
import { createInputError } from '../api/errors';
import { isRecord } from '../api/records';
import type { Input } from '../parameters/input';
import { createAttempt, runItems } from './attempt';
import type { Attempt, Outcomes } from './attempt';
import { addDetails, isTool, prepareForModel } from './forModel';
import { explainStop } from './itemErrors';
import type { NodeError } from './itemErrors';
import { listExpressions } from './operation';
import type { Item, Operation } from './operation';
import { createRun, describeProgress, forgetFailedReads } from './run';

/**
 * The way of an item through n8n's routing (`RoutingNode`), which sends the request that the node declares:
 * n8n evaluates the parameters of each item and calls the item's `preSend`; after the `preSend` of all items
 * it calls the pagination function of each.
 *
 * @see https://github.com/n8n-io/n8n/blob/master/packages/core/src/execution-engine/routing-node.ts
 */

/** An attempt, and how far n8n has handed over its items. */
type RoutedAttempt = Attempt & {
	/** The items that n8n has handed over without a pause: all of them, or a batch of the request options. */
	batch: Batch;
	/** The indexes of the items that n8n has handed over. */
	handedOver: Set<number>;
	/** Why nothing is sent, although no item has failed. */
	obstacle?: unknown;
	/** Resolves when n8n has handed over all items and all of them have settled. */
	ended: Promise<void>;
	end: () => void;
};

/** Items that are checked before any of them is sent, after the batch before has settled. */
type Batch = {
	items: Item[];
	before?: Promise<unknown>;
	outcomes?: Promise<Outcomes>;
};

/**
 * The request options that n8n has composed for an item, with the item. n8n passes the options that
 * `preSend` returns to the pagination function as they are, so the item travels in them. n8n's HTTP helper
 * ignores the additional attribute.
 */
type RoutedOptions = IHttpRequestOptions & {
	routed: { attempt: RoutedAttempt; batch: Batch; item: Item };
};

/**
 * Creates the first `preSend` of an operation: it checks the parameters of an item, fills the IDs into the
 * path and composes the body. It never throws, because n8n would then leave out this item alone and send the
 * others.
 */
export function createPreSend(operation: Operation): PreSendAction {
	return async function (options): Promise<RoutedOptions> {
		const attempt = joinAttempt(this);
		const item = prepareItem(this, operation, options);
		const { outcomes: before } = attempt.batch;
		if (before !== undefined) attempt.batch = { items: [], before };
		attempt.batch.items.push(item);
		return { ...item.composed, routed: { attempt, batch: attempt.batch, item } };
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
	const { routed } = options as Partial<RoutedOptions>;
	if (routed === undefined) {
		const description = `Nothing was sent.\n${UNKNOWN_ORDER.description}`;
		throw createInputError(this.getNode(), { ...UNKNOWN_ORDER, description });
	}
	const { attempt, batch, item } = routed;
	const { run, handedOver } = attempt;
	batch.outcomes ??= runBatch(attempt, batch, this);
	const outcome = (await batch.outcomes).get(item);
	if (outcome === undefined) {
		// n8n takes an empty output for done, unless an item fails
		if (attempt.obstacle === undefined || handedOver.size < run.total) return [];
		throw explainStop(attempt.obstacle, item, describeProgress(run, item));
	}
	const pairedItem = { item: item.index };
	if ('output' in outcome) return outcome.output.map((one) => ({ ...one, pairedItem }));
	const present = (error: NodeError) => (isTool(this.getNode()) ? addDetails(error) : error);
	if (run.continues) return [toFailedItem(this, present(outcome.error))];
	// n8n listens to no outcome before; an earlier failure would be an unhandled rejection
	await attempt.ended;
	throw present(explainStop(outcome.error, item, describeProgress(run, item)));
}

async function runBatch(
	attempt: RoutedAttempt,
	batch: Batch,
	n8n: IExecutePaginationFunctions,
): Promise<Outcomes> {
	const { run, handedOver, getStop } = attempt;
	if (!run.continues) {
		attempt.obstacle ??= findObstacle(attempt, n8n);
		if (attempt.obstacle !== undefined) getStop().controller.abort(attempt.obstacle);
	}
	await batch.before;
	const outcomes = await runItems(attempt, batch.items);
	if (batch === attempt.batch && handedOver.size === run.total) attempt.end();
	return outcomes;
}

/**
 * Why not all items can be sent. If an expression of an item throws, n8n keeps back the item and reports the
 * error by itself, so the expressions of later batches are evaluated before the first batch is sent.
 */
function findObstacle(
	{ run, batch, handedOver }: RoutedAttempt,
	n8n: IExecutePaginationFunctions,
): unknown {
	const { batchSize = 1, batchInterval = 0 } = readRequestOptions(n8n).batching?.batch ?? {};
	const next = handedOver.size;
	if (next === run.total) return undefined;
	// with Batching, n8n waits between batches
	const isBatch = batchInterval > 0 && next % Math.max(batchSize, 1) === 0;
	// nobody reads this error if n8n reports one
	if (!isBatch) return createInputError(n8n.getNode(), UNKNOWN_ORDER);
	if (next > batch.items.length) return undefined;
	const expressions = listExpressions(n8n.getNode());
	try {
		for (let index = next; index < run.total; index++) {
			for (const expression of expressions) n8n.evaluateExpression(expression, index);
		}
		return undefined;
	} catch (error) {
		return error;
	}
}

const UNKNOWN_ORDER = {
	message:
		'This version of n8n passes items to nodes in an order that this package does not support',
	description: 'Update the package, or use a version of n8n that its README names.',
};

function prepareItem(
	n8n: IExecuteSingleFunctions,
	{ endpoint, prepare }: Operation,
	options: IHttpRequestOptions,
): Item {
	const index = n8n.getItemIndex();
	const { row_number: given } = n8n.getInputData().json;
	const row = Number.isInteger(given) ? Number(given) : index + 1;
	// n8n puts 300 seconds where a person has set no Timeout; the request path has its own default
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
 * A failed item, with its input next to the error. For the error output n8n itself adds the `json` of the
 * input, if the item has the error alone; for the regular output it does not. If the item had an `error`
 * next to its `json`, n8n would drop everything else.
 */
function toFailedItem(n8n: IExecutePaginationFunctions, { message }: Error): INodeExecutionData {
	const { onError, type } = n8n.getNode();
	const pairedItem = { item: n8n.getItemIndex() };
	// an agent takes no files
	if (isTool({ type })) return { json: { error: message }, pairedItem };
	const { json, binary } = n8n.getInputData();
	const input = onError === 'continueErrorOutput' ? {} : json;
	return { json: { ...input, error: message }, ...(binary && { binary }), pairedItem };
}

/** The latest attempt of each run, by the only object that n8n gives to all items of a run. */
const latestAttempts = new WeakMap<object, RoutedAttempt>();

/** The attempt of an item. An item that n8n hands over again begins the next one (Retry On Fail). */
function joinAttempt(n8n: IExecuteSingleFunctions): RoutedAttempt {
	const { input, total } = findInput(n8n);
	const index = n8n.getItemIndex();
	const latest = latestAttempts.get(input);
	const attempt =
		latest === undefined || latest.handedOver.has(index)
			? beginAttempt(n8n, total, latest)
			: latest;
	latestAttempts.set(input, attempt);
	attempt.handedOver.add(index);
	return attempt;
}

/** Begins an attempt that sends nothing before the earlier one has stopped and all its items have settled. */
function beginAttempt(
	n8n: IExecuteSingleFunctions,
	total: number,
	earlier: RoutedAttempt | undefined,
): RoutedAttempt {
	const run = earlier?.run ?? createRun(total, n8n.continueOnFail());
	// in a node that continues, all items of the earlier attempt have settled
	if (!run.continues) earlier?.getStop().controller.abort(new Error('n8n tries again'));
	const settled = earlier && (earlier.batch.outcomes ?? earlier.batch.before);
	const before = settled?.then(async () => await forgetFailedReads(run));
	let markEnd = () => {};
	const ended = new Promise<void>((resolve) => (markEnd = resolve));
	const batch = { items: [], before };
	return { ...createAttempt(n8n, run), batch, handedOver: new Set(), ended, end: markEnd };
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
