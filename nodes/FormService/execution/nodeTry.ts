import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { getAccount } from '../api/account';
import { isCanceled, mayHaveActed } from '../api/errors';
import { createItemRequest, type InputItem } from './inputItem';
import { toItemError, isInvalidItemError, createInvalidItemsError } from './itemErrors';
import type { PendingWrite } from './operation';
import { SharedData } from './sharedData';

/**
 * The items of one execution of the node in one try of n8n (Retry On Fail), with what the tries have in common.
 * n8n hands over all of them without a pause, or a batch of the request options. All of these are checked before
 * the first change is sent. In a node that stops on failure, no change is sent if an item is invalid, and nothing
 * more is sent after a failure. In a node that continues, each item has its own outcome.
 */
export type NodeTry = {
	total: number;
	/** Whether the other items are sent after an item failed. */
	continues: boolean;
	/** The items that were or may have been sent, by index, in all tries: none is sent again. */
	sent: Map<number, InputItem>;
	/** In all tries, so that an item finds the equal one that an earlier try has added. */
	shared: SharedData;
	/** The indexes of the items that n8n has handed over. */
	seen: Set<number>;
	/** The items that n8n has handed over since the last batch began. */
	waiting: InputItem[];
	/** Resolves when all batches that have begun are settled, also those of earlier tries. */
	done: Promise<void>;
	/** Resolves when all items have settled. */
	ended: Promise<void>;
	end: () => void;
	controller: AbortController;
	/** Follows the controller and n8n's cancellation. When it aborts, what waits is not sent. */
	signal: AbortSignal;
};

/** Begins a try of n8n, which sends nothing before the items of the earlier try have settled. */
export function startTry(n8n: IExecuteSingleFunctions, total: number, earlier?: NodeTry): NodeTry {
	earlier?.controller.abort(new Error('n8n tries again'));
	const controller = new AbortController();
	const canceled = n8n.getExecutionCancelSignal?.();
	const signals = [controller.signal, canceled].filter((signal) => signal !== undefined);
	let end = () => {};
	const ended = new Promise<void>((resolve) => (end = resolve));
	return {
		total,
		continues: n8n.continueOnFail(),
		sent: earlier?.sent ?? new Map(),
		shared: earlier?.shared ?? new SharedData(),
		seen: new Set(),
		waiting: [],
		done: earlier?.done ?? Promise.resolve(),
		ended,
		end,
		controller,
		signal: AbortSignal.any(signals),
	};
}

/** Begins to check and send the items that wait, after the batches before them. */
export function startBatch(run: NodeTry): void {
	const batch = run.waiting.splice(0);
	const done = run.done.then(async () => {
		await runBatch(run, batch);
		if (run.done === done && run.seen.size === run.total) run.end();
	});
	run.done = done;
}

async function runBatch(run: NodeTry, batch: readonly InputItem[]): Promise<void> {
	for (const item of batch) item.outcome = run.sent.get(item.index)?.outcome ?? item.outcome;
	// before a change, the other items are checked as well, so that one error lists all that are invalid
	const isReading = batch.every(({ endpoint }) => endpoint.effect.kind === 'safe');
	if (isReading && stopAfterFailure(run, batch)) return;
	const open = batch.filter(({ outcome }) => outcome === undefined);
	const changes = await Promise.all(open.map(async (item) => await readItem(run, item)));
	if (stopAfterFailure(run, batch)) return;
	const lastByKey = new Map<unknown, Promise<void>>();
	const sending = open.map(async (item, place) => {
		const change = changes[place];
		if (change === undefined) return;
		const key = change.orderKey ?? item;
		const before = lastByKey.get(key) ?? Promise.resolve();
		const sent = before.then(async () => await sendChange(run, item, change));
		lastByKey.set(key, sent);
		await sent;
	});
	await Promise.all(sending);
}

/**
 * Stops a run that does not continue if an item has failed, also in an earlier try. The error of the first invalid
 * item lists all.
 *
 * @returns whether the run has stopped
 */
function stopAfterFailure(run: NodeTry, batch: readonly InputItem[]): boolean {
	if (run.continues) return false;
	const failed = batch.flatMap((item) => {
		const { error } = item.outcome ?? {};
		return error === undefined ? [] : [{ item, error }];
	});
	const invalid = failed.filter(({ error }) => isInvalidItemError(error));
	if (invalid.length > 0)
		invalid[0].item.outcome = { error: createInvalidItemsError(invalid, run.total) };
	if (failed.length > 0) run.controller.abort(failed[0].error);
	return run.signal.aborted;
}

/** Reads what an item needs, and gives its change, if it has one to send. */
async function readItem(run: NodeTry, item: InputItem): Promise<PendingWrite | undefined> {
	try {
		const account = await getAccount(item.n8n, item.index);
		const request = createItemRequest(item, account, run);
		const prepared = item.prepared!;
		if ('check' in prepared) return await prepared.check(request);
		item.outcome = { output: await prepared.read(request) };
	} catch (error) {
		settleFailure(run, item, error, !isInvalidItemError(error));
	}
	return undefined;
}

async function sendChange(run: NodeTry, item: InputItem, { send }: PendingWrite): Promise<void> {
	if (run.signal.aborted) return;
	try {
		const { json, isSent } = await send();
		item.outcome = { output: [{ json }] };
		if (isSent) run.sent.set(item.index, item);
	} catch (error) {
		settleFailure(run, item, error, true);
	}
}

/**
 * Settles an item that failed, unless it was given up.
 *
 * @param stops whether nothing more is sent, in a node that stops on failure
 */
function settleFailure(run: NodeTry, item: InputItem, error: unknown, stops: boolean): void {
	if (isCanceled(error) && run.signal.aborted) return;
	if (stops && !run.continues) run.controller.abort(error);
	item.outcome = { error: toItemError(error, item) };
	if (mayHaveActed(error)) run.sent.set(item.index, item);
}
