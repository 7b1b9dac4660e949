import { compact, noop } from 'lodash';
import { NodeConnectionTypes, type IExecuteSingleFunctions } from 'n8n-workflow';
import { InputError } from '../api/errors';
import { isRecord } from '../api/records';
import { processBatch, type TryContext } from './batch';
import type { InputItem, ItemOutcome } from './operation';

/**
 * One time that n8n executes the node within a run. n8n adds all items of a batch, and then asks for their
 * outcomes. Batches are processed one after another, also over tries.
 */
export class NodeTry {
	private readonly items = new Map<number, InputItem>();
	/** By the index of the item. A batch adds its outcomes when it starts. */
	private readonly outcomes = new Map<number, Promise<ItemOutcome>>();
	private markAllStarted = noop;
	private readonly allStarted = new Promise<void>((resolve) => (this.markAllStarted = resolve));

	constructor(
		readonly context: TryContext,
		/** Undefined if all items are one batch. */
		private readonly batchSize: number | undefined,
	) {}

	/** Whether this try already has the item. If n8n adds the item again, a new try has begun. */
	hasReceived(index: number): boolean {
		return this.items.has(index);
	}

	add(item: InputItem): void {
		this.items.set(item.index, item);
	}

	/** Returns the outcome of an item. The first call for a batch starts the batch. */
	async getOutcome({ index }: InputItem): Promise<ItemOutcome> {
		if (!this.outcomes.has(index)) this.startBatch();
		return await this.outcomes.get(index)!;
	}

	/** Waits for all items. A caller must not throw earlier: n8n handles no rejection until it has added all items. */
	async waitForOutcomes(): Promise<ReadonlyMap<InputItem, ItemOutcome>> {
		await this.allStarted;
		const entries = [...this.items.values()].map(
			async (item) => [item, await this.getOutcome(item)] as const,
		);
		return new Map(await Promise.all(entries));
	}

	private startBatch(): void {
		const { run, total } = this.context;
		const items = [...this.items.values()].filter(({ index }) => !this.outcomes.has(index));
		// decided now, because n8n adds further items while the batch waits
		const isComplete = this.isBatchComplete();
		const batch = run.lastBatch.then(async () => {
			if (isComplete) return await processBatch(items, this.context);
			return items.map((item) => this.failIncompleteBatch(item));
		});
		run.lastBatch = batch.catch(noop);
		for (const [position, { index }] of items.entries()) {
			this.outcomes.set(
				index,
				batch.then((outcomes) => outcomes[position]),
			);
		}
		if (this.items.size === total) this.markAllStarted();
	}

	/** If n8n fails while it adds an item, such as with a wrong expression, nothing of the batch may be sent. */
	private isBatchComplete(): boolean {
		const { total, continuesOnFail } = this.context;
		const count = this.items.size;
		const isFull = this.batchSize !== undefined && count % this.batchSize === 0;
		return continuesOnFail || isFull || count === total;
	}

	/** Users see this error only if their n8n asks for outcomes before it has added all items. */
	private failIncompleteBatch({ n8n, index }: InputItem): ItemOutcome {
		this.context.stop();
		const error = new InputError(n8n.getNode(), {
			message:
				'This version of n8n passes items to nodes in an order that this package does not support',
			description: 'Update the package, or use a version of n8n that its README names.',
			itemIndex: index,
		});
		return { kind: 'failed', error, sent: 'no' };
	}
}

/** The latest try of each run, by the only object that all items and tries of the run share. */
const latestTries = new WeakMap<object, NodeTry>();

/** Returns the try of an item. If the latest try already has the item, starts the next try. */
export function joinTry(n8n: IExecuteSingleFunctions): NodeTry {
	const { key, total } = findInput(n8n);
	const latestTry = latestTries.get(key);
	if (latestTry !== undefined && !latestTry.hasReceived(n8n.getItemIndex())) return latestTry;
	// the next try sends the items that still wait in the latest try
	latestTry?.context.stop();
	const controller = new AbortController();
	const context: TryContext = {
		total,
		continuesOnFail: n8n.continueOnFail(),
		stop: () => controller.abort(),
		signal: AbortSignal.any(compact([controller.signal, n8n.getExecutionCancelSignal?.()])),
		run: latestTry?.context.run ?? {
			finalOutcomes: new Map(),
			shared: new Map(),
			lastBatch: Promise.resolve(),
		},
	};
	const nextTry = new NodeTry(context, readBatchSize(n8n));
	latestTries.set(key, nextTry);
	return nextTry;
}

type RequestOptions = {
	timeout?: number;
	batching?: { batch?: { batchSize?: number; batchInterval?: number } };
};

export function readRequestOptions(n8n: IExecuteSingleFunctions): RequestOptions {
	return n8n.getNodeParameter('requestOptions', {}) as RequestOptions;
}

/** Returns the number of items in a batch, as n8n's `RoutingNode` computes it from the option Batching. */
function readBatchSize(n8n: IExecuteSingleFunctions): number | undefined {
	const { batchSize = 1, batchInterval = 0 } = readRequestOptions(n8n).batching?.batch ?? {};
	return batchInterval > 0 ? Math.max(batchSize, 1) : undefined;
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
