import type { IExecuteData, INode } from 'n8n-workflow';
import { mayHaveActed } from '../api/errors';
import type { Run } from './operation';

/**
 * One execution of the node over its input items. n8n starts the items one after another without
 * waiting between them, so what they share can be told apart from other executions by the input
 * that they come from.
 */
export class ItemRun implements Run {
	private readonly controller = new AbortController();

	private readonly work = new Map<string, Promise<unknown>>();

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

	/**
	 * @param total the input items of the run
	 * @param done what came of items whose work must not be done twice, over all tries of n8n
	 */
	constructor(
		private readonly total: number,
		readonly done: Map<number, Promise<unknown>>,
	) {}

	/** Aborts when what still waits in the run is not to be sent any more. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** Why the rest of the run is not sent; undefined while it is. */
	get stopped(): unknown {
		return this.controller.signal.aborted ? this.controller.signal.reason : undefined;
	}

	/** Whether an item comes after those that the run has seen; else a new run has begun. */
	accepts(itemIndex: number): boolean {
		return itemIndex > this.lastItem;
	}

	start(itemIndex: number): void {
		this.lastItem = itemIndex;
		this.started++;
		if (this.isWhole) this.nowWhole();
	}

	/** Whether n8n has handed over every item; an expression that throws keeps one back. */
	get isWhole(): boolean {
		return this.started === this.total;
	}

	/** Sends nothing more of this run. */
	stop(reason: unknown): void {
		this.controller.abort(reason);
	}

	async once<T>(key: string, work: () => Promise<T>): Promise<T> {
		const known = this.work.get(key) as Promise<T> | undefined;
		if (known !== undefined) return await known;
		const promise = work();
		this.work.set(key, promise);
		return await promise;
	}

	async inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
		const before = this.turns.get(key);
		const promise = (before ?? Promise.resolve()).then(work, work);
		this.turns.set(key, promise);
		return await promise;
	}

	async onceOverTries<T>(itemIndex: number, work: () => Promise<T>): Promise<T> {
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

const runs = new WeakMap<IExecuteData, ItemRun>();

/**
 * The run that an item belongs to. A run that n8n repeats (Retry On Fail) is a new one, which knows
 * what its earlier tries have done.
 */
export function joinRun(executeData: IExecuteData, node: INode, itemIndex: number): ItemRun {
	const known = runs.get(executeData);
	// a tool of an AI agent runs on one item at a time, beside the input of the agent
	const isTool = executeData.node.name !== node.name;
	const done = isTool ? undefined : known?.done;
	const run = known?.accepts(itemIndex)
		? known
		: new ItemRun(isTool ? 1 : countItems(executeData, node), done ?? new Map());
	run.start(itemIndex);
	runs.set(executeData, run);
	return run;
}

/** The input items that n8n hands over: with Execute Once, a setting of every node, only the first. */
function countItems({ data }: IExecuteData, node: INode): number {
	if (node.executeOnce === true) return 1;
	const inputs = data.main ?? data.ai_tool ?? [];
	return inputs[0]?.length ?? 1;
}
