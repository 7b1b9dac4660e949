import { memoize } from 'lodash';
import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteSingleFunctions } from 'n8n-workflow';
import type { Account } from '../api/account';
import type { Target } from '../api/endpoints';
import { mayHaveActed } from '../api/errors';
import { isRecord } from '../api/records';
import type { RequestContext } from '../api/requestContext';

/** One item of a run, and how it shares work with the other items of the run. */
export class ItemRun {
	private readonly queued = newSignal();

	private readonly ended = newSignal();

	/** @param earlier resolves when all earlier items are in the queue of their key, or have ended */
	constructor(
		readonly run: Run,
		readonly itemIndex: number,
		private readonly earlier: Promise<unknown>,
	) {}

	/** Resolves when this item and all earlier ones are in the queue of their key, or have ended. */
	get allQueued(): Promise<unknown> {
		return Promise.all([this.earlier, this.queued.given]);
	}

	/**
	 * Reads a target once for all items of the run with the same account and request options. A failed
	 * read isn't repeated, because the other items would meet the same failure.
	 *
	 * @param detail what distinguishes two ways to read one target
	 */
	async readOnce<T>(
		{ target, context }: { target: Target; context: RequestContext },
		read: (context: RequestContext, target: Target) => Promise<T>,
		detail?: unknown,
	): Promise<T> {
		const { reads } = this.run;
		const key = JSON.stringify([context.account.key, target.url, context.transport, detail]);
		const reading = reads.get(key) ?? read(context, target);
		reads.set(key, reading);
		return await (reading as Promise<T>);
	}

	/**
	 * Resolves when the earlier items with the same key have ended, so that items with one key follow the
	 * order of the input.
	 */
	async turn(key: string): Promise<void> {
		const { lastInQueue } = this.run;
		await this.earlier;
		const before = lastInQueue.get(key);
		lastInQueue.set(key, this);
		this.queued.give();
		await before?.ended.given;
	}

	/**
	 * Resolves when every item that n8n has handed over is checked: the item waits here, is in the queue of its
	 * key, or has ended. An item that waits here before it acts does nothing if another item is invalid.
	 */
	async allChecked(): Promise<void> {
		this.queued.give();
		await this.run.allQueued;
	}

	/**
	 * Does work that changes something once for an item. If n8n tries the whole run again (Retry On Fail),
	 * the item has the outcome of the earlier try, see `once`.
	 */
	async oncePerItem<T>(work: () => Promise<T>): Promise<T> {
		return await once(this.run.outcomes as Map<number, Promise<T>>, this.itemIndex, work);
	}

	/** Lets the later items take their turns. */
	end(): void {
		this.queued.give();
		this.ended.give();
	}
}

/** One try of n8n to run the node over its input items, and what the items share. */
export class Run {
	/** The reads that were started, by `readOnce`'s keys. */
	readonly reads = new Map<string, Promise<unknown>>();

	/** The last item in the queue of each key. */
	readonly lastInQueue = new Map<string, ItemRun>();

	/** How many items have begun to be sent. */
	sent = 0;

	/** The problems of the invalid items, each with its row. */
	readonly invalid: Array<{ row: number; problem: unknown }> = [];

	private readonly items: ItemRun[] = [];

	private readonly handedOver = newSignal();

	private readonly stopped = new AbortController();

	private readonly stoppedAccount = memoize<(key: string) => AbortController>(
		() => new AbortController(),
	);

	/**
	 * @param total the input items of the run
	 * @param outcomes of work that must not be done twice, by item, over all tries of n8n
	 */
	constructor(
		readonly total: number,
		readonly outcomes: Map<number, Promise<unknown>>,
	) {}

	/** Whether an item comes after all items of this run; if not, the item begins the next try. */
	isFollowedBy(itemIndex: number): boolean {
		return itemIndex > (this.items.at(-1)?.itemIndex ?? -1);
	}

	/** Takes the next item, in the order of the input. */
	add(itemIndex: number): ItemRun {
		const item = new ItemRun(this, itemIndex, this.allQueued);
		this.items.push(item);
		if (this.isWhole()) this.handedOver.give();
		return item;
	}

	/** Resolves when every item handed over so far is in the queue of its key, or has ended. */
	get allQueued(): Promise<unknown> {
		return this.items.at(-1)?.allQueued ?? Promise.resolve();
	}

	/**
	 * Whether n8n has handed over every item, or every item of the batches so far. n8n keeps an item back
	 * if one of its expressions throws.
	 */
	isWhole(batchSize = Infinity): boolean {
		return this.items.length === this.total || this.items.length % batchSize === 0;
	}

	/**
	 * Resolves when n8n has handed over every item. Only then does n8n listen to their outcomes; an
	 * earlier failure would be an unhandled rejection.
	 */
	get whole(): Promise<void> {
		return this.handedOver.given;
	}

	/** Sends nothing more of this run, or of one account's items. */
	stop(reason: unknown, account?: Account): void {
		const stopped = account === undefined ? this.stopped : this.stoppedAccount(account.key);
		stopped.abort(reason);
	}

	/** Why nothing more is sent of the run or of this account; undefined while items are sent. */
	stopReason(account?: Account): unknown {
		const ofAccount = account && this.stoppedAccount(account.key).signal.reason;
		return this.stopped.signal.reason ?? ofAccount;
	}

	/**
	 * Aborts when the waiting items of an account are not to be sent. Each account has one signal, because a
	 * signal that follows others takes a large part of an item's time.
	 *
	 * @param canceled the signal of the execution
	 */
	readonly signalFor = memoize(
		({ key }: Account, canceled: AbortSignal | undefined): AbortSignal => {
			const stops = [this.stopped, this.stoppedAccount(key)].map(({ signal }) => signal);
			return AbortSignal.any(canceled === undefined ? stops : [...stops, canceled]);
		},
		({ key }) => key,
	);
}

/**
 * Adds an item to its run. n8n hands over the items of a run in order and without waiting between them
 * (`RoutingNode.runNode`); items of one run have the same input in common.
 *
 * @see https://github.com/n8n-io/n8n/blob/master/packages/core/src/execution-engine/routing-node.ts
 */
export function joinRun(n8n: IExecuteSingleFunctions): ItemRun {
	const { input, total } = inputOf(n8n);
	const itemIndex = n8n.getItemIndex();
	const latest = latestRuns.get(input);
	const run = latest?.isFollowedBy(itemIndex)
		? latest
		: new Run(total, latest?.outcomes ?? new Map<number, Promise<unknown>>());
	latestRuns.set(input, run);
	return run.add(itemIndex);
}

/** The latest try of each input, which is the only object that n8n gives to all items of a run. */
const latestRuns = new WeakMap<object, Run>();

/**
 * The object that n8n hands over again with each try (Retry On Fail), and the number of its items. Where
 * an agent runs its tools by itself, the execution data is the agent's and the same for all calls; there,
 * it is what the model gave for the call.
 *
 * @see https://github.com/n8n-io/n8n/blob/master/packages/core/src/execution-engine/node-execution-context/utils/get-input-connection-data.ts
 */
function inputOf(n8n: IExecuteSingleFunctions): { input: object; total: number } {
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

/**
 * The known outcome of a key, else the outcome of the work. A failure is forgotten if the work may be done
 * again: it certainly did nothing, or doing it twice leaves the same.
 */
export async function once<K, T>(
	outcomes: Map<K, T | Promise<T>>,
	key: K,
	work: () => Promise<T>,
): Promise<T> {
	const known = outcomes.get(key);
	if (known !== undefined) return await known;
	const outcome = work().catch((error: unknown) => {
		if (!mayHaveActed(error)) outcomes.delete(key);
		throw error;
	});
	outcomes.set(key, outcome);
	return await outcome;
}

/** Something that happens once and can be waited for. */
type Signal = { given: Promise<void>; give: () => void };

function newSignal(): Signal {
	let give = () => {};
	const given = new Promise<void>((resolve) => {
		give = resolve;
	});
	return { given, give };
}
