import { createInputError } from '../api/errors';
import { processBatch } from './batch';
import { isFinal, type FinalItem, type InputItem, type ItemOutcome } from './inputItem';
import type { SharedData } from './sharedData';

/** The state that all tries of one execution of the node share (Retry On Fail). */
export type Run = {
	readonly shared: SharedData;
	/** The items that were or may have been sent, by index. No later try sends them again. */
	readonly finalItems: Map<number, FinalItem>;
	/** Resolves when all batches that have started are settled. */
	batchesSettled: Promise<void>;
	latestTry?: NodeTry;
};

/** How n8n hands over the items of a try. */
export type TrySettings = {
	/** How many items n8n hands over. */
	total: number;
	/** How many items n8n hands over without a pause (Batching); undefined for all. */
	batchSize: number | undefined;
	/** Whether the other items are sent after an item failed. */
	continuesOnFail: boolean;
	/** Aborts when the execution is canceled. */
	cancelSignal: AbortSignal | undefined;
};

/**
 * One time that n8n executes the node within a run. `add` takes the items that n8n hands over, and `getOutcome`
 * returns the outcome of an item. Batches are processed one after another, after those of earlier tries.
 */
export class NodeTry {
	private readonly receivedIndexes = new Set<number>();
	/** The items that n8n has handed over since the last batch started. */
	private waitingItems: InputItem[] = [];
	private readonly outcomes = new Map<InputItem, ItemOutcome>();
	private readonly controller = new AbortController();
	private readonly signal: AbortSignal;
	private readonly allSettled: Promise<void>;
	private resolveAllSettled: (batchesSettled: Promise<void>) => void = () => {};

	constructor(
		private readonly run: Run,
		readonly settings: TrySettings,
	) {
		const { cancelSignal } = settings;
		const { signal } = this.controller;
		this.signal = cancelSignal === undefined ? signal : AbortSignal.any([signal, cancelSignal]);
		this.allSettled = new Promise((resolve) => (this.resolveAllSettled = resolve));
	}

	/** Whether n8n has handed over the item with this index in this try. */
	hasReceived(index: number): boolean {
		return this.receivedIndexes.has(index);
	}

	/** Takes an item that n8n hands over. */
	add(item: InputItem): void {
		this.receivedIndexes.add(item.index);
		this.waitingItems.push(item);
	}

	/** Stops the try, because n8n has started the next one. */
	abort(): void {
		this.controller.abort();
	}

	/** Returns the outcome of an item. n8n asks for the first one when it has handed over the batch, which then starts. */
	async getOutcome(item: InputItem): Promise<ItemOutcome> {
		if (this.waitingItems.includes(item)) this.startBatch(item);
		await this.run.batchesSettled;
		return this.outcomes.get(item) ?? { kind: 'notSent' };
	}

	/**
	 * Waits until n8n has handed over all items, and each has an outcome. n8n listens to failures only then: an
	 * earlier one would be an unhandled rejection. If n8n itself fails with an item, it hands over no further item,
	 * listens to no failure, and nothing waits any longer.
	 *
	 * @returns the items that were or may have been sent
	 */
	async waitForAll(): Promise<FinalItem[]> {
		await this.allSettled;
		return [...this.run.finalItems.values()];
	}

	private startBatch({ n8n }: InputItem): void {
		const items = this.waitingItems;
		this.waitingItems = [];
		if (this.isBatchComplete()) {
			this.run.batchesSettled = this.run.batchesSettled.then(async () => await this.process(items));
		} else {
			const error = createInputError(n8n.getNode(), UNSUPPORTED_ORDER);
			for (const item of items) this.outcomes.set(item, { kind: 'failed', error });
			this.controller.abort();
		}
		if (this.receivedIndexes.size === this.settings.total) {
			this.resolveAllSettled(this.run.batchesSettled);
		}
	}

	/** Whether n8n has handed over all items, or a whole batch. In a node that continues, items are independent. */
	private isBatchComplete(): boolean {
		const { total, batchSize, continuesOnFail } = this.settings;
		const count = this.receivedIndexes.size;
		const isWholeBatch = batchSize !== undefined && count % batchSize === 0;
		return continuesOnFail || isWholeBatch || count === total;
	}

	private async process(items: readonly InputItem[]): Promise<void> {
		const { total, continuesOnFail } = this.settings;
		const { shared, finalItems } = this.run;
		const { controller, signal } = this;
		const context = { total, continuesOnFail, finalItems, shared, controller, signal };
		const outcomes = await processBatch(items, context);
		for (const [position, item] of items.entries()) {
			const outcome = outcomes[position];
			this.outcomes.set(item, outcome);
			if (isFinal(outcome)) finalItems.set(item.index, { item, outcome });
		}
	}
}

/** The error for an item that n8n asks for before it has handed over the other items. */
const UNSUPPORTED_ORDER = {
	message:
		'This version of n8n passes items to nodes in an order that this package does not support',
	description: 'Update the package, or use a version of n8n that its README names.',
};
