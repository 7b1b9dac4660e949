import { compact, noop } from 'lodash';
import { NodeConnectionTypes, type IExecuteSingleFunctions } from 'n8n-workflow';
import { toNodeError, InputError, type NodeError } from '../api/errors';
import { isRecord } from '../api/records';
import { processBatch } from './batch';
import {
	readRequestOptions,
	type InputItem,
	type ItemOutcome,
	type Run,
	type TryContext,
} from './inputItem';

/**
 * A try: one time that n8n executes the node within a run. n8n's routing first adds all items of a batch with
 * `add`, and then asks for their outcomes with `getOutcome`. Batches are processed one after another. The first
 * batch waits for the batches of earlier tries.
 */
export class NodeTry {
	/** The items of this try so far, by index. */
	private readonly items = new Map<number, InputItem>();
	/** The promised outcomes, by the index of the item. A promise is added when the batch of the item starts. */
	private readonly outcomes = new Map<number, Promise<ItemOutcome>>();
	/** Resolves when the last batch has started. */
	private readonly allStarted = createDeferred();

	constructor(readonly context: TryContext) {}

	/** Whether this try already has the item with this index. If n8n adds the item again, a new try has begun. */
	hasReceived(index: number): boolean {
		return this.items.has(index);
	}

	/** Adds an item to the try. */
	add(item: InputItem): void {
		this.items.set(item.index, item);
	}

	/**
	 * Returns the outcome of an item. n8n first adds all items of a batch, and then asks for the outcome of each
	 * item. So the first call for a batch starts the batch.
	 */
	async getOutcome({ index }: InputItem): Promise<ItemOutcome> {
		if (!this.outcomes.has(index)) this.startBatch();
		return await this.outcomes.get(index)!;
	}

	/**
	 * Waits until all items have an outcome. A caller must not throw an error earlier, because n8n handles
	 * rejections only after n8n has added all items. If n8n itself fails while adding an item, n8n adds no
	 * further items, and this function never returns.
	 */
	async waitForOutcomes(): Promise<ReadonlyMap<InputItem, ItemOutcome>> {
		await this.allStarted.promise;
		const entries = [...this.items.values()].map(
			async (item) => [item, await this.getOutcome(item)] as const,
		);
		return new Map(await Promise.all(entries));
	}

	/** Starts a batch with the items that n8n has added since the last batch. */
	private startBatch(): void {
		const { run, total } = this.context;
		const items = [...this.items.values()].filter(({ index }) => !this.outcomes.has(index));
		// decided now, because n8n adds further items while the batch waits
		const mayStart = this.mayStartBatch();
		// the next batch waits for this batch, so this batch never rejects
		const batch = run.batches
			.then(async () => {
				if (mayStart) return await processBatch(items, this.context);
				return failItems(items, this.context, createIncompleteBatchError);
			})
			.catch((error: unknown) =>
				failItems(items, this.context, ({ n8n, index }) =>
					toNodeError(n8n.getNode(), error, index),
				),
			);
		run.batches = batch;
		for (const [position, { index }] of items.entries()) {
			const outcome = batch.then((outcomes) => outcomes[position]);
			this.outcomes.set(index, outcome);
		}
		if (this.items.size === total) this.allStarted.resolve();
	}

	/**
	 * Whether the next batch may start. In a node that stops on failure, a batch starts only with all its
	 * items. If n8n fails while adding an item, for example because of a wrong expression, n8n adds no further
	 * items, and no item of the batch is sent.
	 */
	private mayStartBatch(): boolean {
		const { total, batchSize, continuesOnFail } = this.context;
		const count = this.items.size;
		const isWholeBatch = batchSize !== undefined && count % batchSize === 0;
		return continuesOnFail || isWholeBatch || count === total;
	}
}

/** Stops a try, and returns the outcomes of items. An item without a final outcome fails with a new error. */
function failItems(
	items: readonly InputItem[],
	{ stop, run }: TryContext,
	createError: (item: InputItem) => NodeError,
): ItemOutcome[] {
	stop();
	return items.map((item) => {
		const finalOutcome = run.finalOutcomes.get(item.index);
		return finalOutcome ?? { kind: 'failed', error: createError(item), sent: 'no' };
	});
}

/** Creates a promise, and the function that resolves the promise. */
function createDeferred(): { promise: Promise<void>; resolve: () => void } {
	let resolve: () => void = noop;
	const promise = new Promise<void>((resolvePromise) => (resolve = resolvePromise));
	return { promise, resolve };
}

/**
 * Creates the error of the items of an incomplete batch. A batch is incomplete for one of two reasons:
 *
 * - n8n has failed while adding a later item. In this case, n8n reports its own error and not this error.
 * - This version of n8n asks for the outcome of an item before n8n has added all items of the batch. The
 *   message is about this reason.
 */
function createIncompleteBatchError({ n8n, index }: InputItem): NodeError {
	return new InputError(n8n.getNode(), {
		message:
			'This version of n8n passes items to nodes in an order that this package does not support',
		description: 'Update the package, or use a version of n8n that its README names.',
		itemIndex: index,
	});
}

/** The latest try of each run. The key is the only object that all items and tries of a run share. */
const latestTries = new WeakMap<object, NodeTry>();

/** Returns the try of an item. If the latest try already has the item, starts the next try. */
export function joinTry(n8n: IExecuteSingleFunctions): NodeTry {
	const { key, total } = findInput(n8n);
	const latestTry = latestTries.get(key);
	if (latestTry !== undefined && !latestTry.hasReceived(n8n.getItemIndex())) return latestTry;
	// the next try sends the items that still wait in the latest try
	latestTry?.context.stop();
	const controller = new AbortController();
	const nextTry = new NodeTry({
		total,
		batchSize: readBatchSize(n8n),
		continuesOnFail: n8n.continueOnFail(),
		stop: () => controller.abort(),
		signal: AbortSignal.any(compact([controller.signal, n8n.getExecutionCancelSignal?.()])),
		run: latestTry?.context.run ?? createRun(),
	});
	latestTries.set(key, nextTry);
	return nextTry;
}

function createRun(): Run {
	return { finalOutcomes: new Map(), batches: Promise.resolve() };
}

/**
 * Returns the number of items in a batch, from the request option Batching. Undefined if all items are one batch.
 * n8n's `RoutingNode` computes the number in the same way.
 */
function readBatchSize(n8n: IExecuteSingleFunctions): number | undefined {
	const { batchSize = 1, batchInterval = 0 } = readRequestOptions(n8n).batching?.batch ?? {};
	return batchInterval > 0 ? Math.max(batchSize, 1) : undefined;
}

/**
 * Returns the number of items, and a key that all tries of a run share. Usually, the key is n8n's execution
 * data. But if an agent calls the node as a tool, all calls have the agent's execution data, so the key is
 * the input that the model wrote for this call.
 *
 * @see
 * https://github.com/n8n-io/n8n/blob/master/packages/core/src/execution-engine/node-execution-context/utils/get-input-connection-data.ts
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
