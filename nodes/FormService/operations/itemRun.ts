import { sleep } from 'n8n-workflow';
import type { IExecuteData, INode } from 'n8n-workflow';
import type { Target } from '../api/endpoints';
import { mayHaveActed } from '../api/errors';
import type { RequestContext } from '../api/requestContext';
import { TtlCache } from '../api/ttlCache';
import type { ItemRequest } from './operation';

/**
 * One execution of the node over its input items, and the work that they share. n8n starts the items
 * one after another without waiting between them, so they can be told apart from those of other
 * executions by the input that they come from.
 */
export class ItemRun {
	private readonly controller = new AbortController();

	private signal?: AbortSignal;

	private readonly reads = new TtlCache<unknown>();

	private readonly turns = new Map<string, Promise<unknown>>();

	private lastItem = -1;

	private started = 0;

	private nowWhole = () => {};

	/**
	 * Resolves when n8n has handed over every item. Until then it does not listen to what comes of
	 * them, and a failure would meet nobody.
	 */
	readonly whole = new Promise<void>((resolve) => {
		this.nowWhole = resolve;
	});

	/** How many items have begun to be sent. */
	sent = 0;

	/**
	 * @param isTool whether an AI agent asks, for one item at a time
	 * @param total the input items of the run
	 * @param done what came of items whose work must not be done twice, over all tries of n8n
	 */
	constructor(
		readonly isTool: boolean,
		readonly total: number,
		private readonly done: Map<number | undefined, Promise<unknown>>,
	) {}

	/**
	 * The run that an item belongs to. A run that n8n repeats (Retry On Fail) is a new one, which knows
	 * what its earlier tries have done.
	 */
	static join(executeData: IExecuteData, node: INode, itemIndex: number): ItemRun {
		const known = runs.get(executeData);
		// a tool of an AI agent runs on one item at a time, beside the input of the agent
		const isTool = executeData.node.name !== node.name;
		const total = isTool ? 1 : countItems(executeData, node);
		const done = isTool ? undefined : known?.done;
		const run =
			known !== undefined && itemIndex > known.lastItem
				? known
				: new ItemRun(isTool, total, done ?? new Map<number | undefined, Promise<unknown>>());
		run.start(itemIndex);
		runs.set(executeData, run);
		return run;
	}

	private start(itemIndex: number): void {
		this.lastItem = itemIndex;
		this.started++;
		if (this.isWhole()) this.nowWhole();
	}

	/**
	 * Whether n8n has handed over every item, or every item of the batches so far; an expression that
	 * throws keeps one back.
	 */
	isWhole(batchSize = Infinity): boolean {
		return this.started === this.total || this.started % batchSize === 0;
	}

	/** Sends nothing more of this run. */
	stop(reason: unknown): void {
		this.controller.abort(reason);
	}

	/**
	 * Aborts when what still waits in the run is not to be sent any more; the same for all items, as
	 * each signal that follows others costs as much as a good part of an item.
	 *
	 * @param cancelled of the execution
	 */
	signalWith(cancelled: AbortSignal | undefined): AbortSignal {
		const signals = [this.controller.signal, cancelled].filter((one) => one !== undefined);
		return (this.signal ??= AbortSignal.any(signals));
	}

	/** Why the rest of the run is not sent; undefined while it is. */
	get stopped(): unknown {
		return this.controller.signal.aborted ? this.controller.signal.reason : undefined;
	}

	/**
	 * Reads a target once for all items of the run that ask for it with the same request options.
	 *
	 * @param detail what else tells one reading of the target from another
	 */
	async once<T>(
		{ target, context }: Pick<ItemRequest, 'target' | 'context'>,
		read: (context: RequestContext, target: Target) => Promise<T>,
		detail?: unknown,
	): Promise<T> {
		const key = JSON.stringify([target.url, context.transport, detail]);
		const reading = this.reads.get(key, FOR_THE_RUN, async () => await read(context, target));
		return await (reading as Promise<T>);
	}

	/** Does the work once what was given before it under the same key has ended, in the order of the items. */
	async inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
		const before = this.turns.get(key) ?? Promise.resolve();
		const promise = before.then(work, async () => {
			// a moment later: the failure may now stop the run
			await sleep(0);
			return await work();
		});
		this.turns.set(key, promise);
		return await promise;
	}

	/**
	 * Does the work of an item that must not be done twice. Where n8n runs the node again as a whole
	 * (Retry On Fail), what was done, or may have been done, at an earlier try is not done again: what
	 * came of it then comes of it now.
	 */
	async onceOverTries<T>(itemIndex: number | undefined, work: () => Promise<T>): Promise<T> {
		const known = this.done.get(itemIndex) as Promise<T> | undefined;
		if (known !== undefined) return await known;
		const promise = work().catch((error: unknown) => {
			if (!mayHaveActed(error)) this.done.delete(itemIndex);
			throw error;
		});
		this.done.set(itemIndex, promise);
		return await promise;
	}
}

/** What has failed is not asked for again: the other items would wait for the same. */
const FOR_THE_RUN = { found: Infinity, failed: Infinity };

const runs = new WeakMap<IExecuteData, ItemRun>();

/** The input items that n8n hands over: with Execute Once, a setting of every node, only the first. */
function countItems({ data }: IExecuteData, node: INode): number {
	if (node.executeOnce === true) return 1;
	const inputs = data.main ?? data.ai_tool ?? [];
	return inputs[0]?.length ?? 1;
}
