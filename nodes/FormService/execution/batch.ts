import { getAccount } from '../api/account';
import { isCanceled } from '../api/errors';
import { createItemRequest, type FinalItem, type InputItem, type ItemOutcome } from './inputItem';
import { createInvalidItemsError, isInvalidItemError, toItemError } from './itemErrors';
import type { PendingWrite, PreparedItem } from './operation';
import type { SharedData } from './sharedData';

/** The part of a try that a batch uses. */
export type BatchContext = {
	/** How many items the run has. */
	total: number;
	/** Whether the other items are sent after an item failed. */
	continuesOnFail: boolean;
	/** The items that earlier tries have sent or may have sent, by index. */
	finalItems: ReadonlyMap<number, FinalItem>;
	shared: SharedData;
	/** Stops the try. */
	controller: AbortController;
	/** Aborts when the try stops or the execution is canceled: requests that wait are then not sent. */
	signal: AbortSignal;
};

/** An item after its check: a write that can be sent, or the outcome if there is nothing to send. */
type CheckedItem = ItemOutcome | { kind: 'pending'; write: PendingWrite };

const NOT_SENT: ItemOutcome = { kind: 'notSent' };

/**
 * Checks all items of a batch, then sends their writes. In a node that stops on failure, nothing is sent if an item
 * is invalid, and nothing more after a failure. In a node that continues, no item depends on another.
 *
 * @returns the outcomes in the order of the items
 */
export async function processBatch(
	items: readonly InputItem[],
	context: BatchContext,
): Promise<ItemOutcome[]> {
	if (context.signal.aborted) return items.map(() => NOT_SENT);
	const checkedItems = await checkItems(items, context);
	const hasFailed = checkedItems.some(({ kind }) => kind === 'failed');
	if (hasFailed && !context.continuesOnFail) {
		context.controller.abort();
		return stopBeforeSending(items, checkedItems, context.total);
	}
	return await sendInOrder(items, checkedItems, context);
}

/**
 * Checks items at the same time. An operation that only reads fetches nothing if parameters are invalid. Before a
 * write, the other items are checked against the service as well, so that one error lists all invalid items.
 */
async function checkItems(
	items: readonly InputItem[],
	context: BatchContext,
): Promise<CheckedItem[]> {
	const isReading = items.every(({ endpoint }) => endpoint.effect.kind === 'safe');
	const isInvalid = items.some((item) => 'parameterError' in item);
	const fetchesNothing = isReading && isInvalid && !context.continuesOnFail;
	const checking = items.map(async (item): Promise<CheckedItem> => {
		const finalItem = context.finalItems.get(item.index);
		if (finalItem !== undefined) return finalItem.outcome;
		if ('parameterError' in item) return { kind: 'failed', error: item.parameterError };
		return fetchesNothing ? NOT_SENT : await checkItem(item, item.prepared, context);
	});
	return await Promise.all(checking);
}

/** Reads the output of an item, or checks the item and returns its write. */
async function checkItem(
	item: InputItem,
	prepared: PreparedItem,
	context: BatchContext,
): Promise<CheckedItem> {
	try {
		const account = await getAccount(item.n8n, item.index);
		const request = createItemRequest(item, account, context.shared, context.signal);
		if ('check' in prepared) return { kind: 'pending', write: await prepared.check(request) };
		return { kind: 'done', output: await prepared.read(request), isSent: false };
	} catch (error) {
		// if this item is invalid, the others are still checked, to list all that are
		if (!context.continuesOnFail && !isInvalidItemError(error)) context.controller.abort();
		return createFailedOutcome(item, error, context);
	}
}

/** Returns the outcomes of a batch that stops before its first write. The first invalid item lists all of them. */
function stopBeforeSending(
	items: readonly InputItem[],
	checkedItems: readonly CheckedItem[],
	total: number,
): ItemOutcome[] {
	const invalidItems = checkedItems.flatMap((checkedItem, position) => {
		if (checkedItem.kind !== 'failed' || !isInvalidItemError(checkedItem.error)) return [];
		return [{ item: items[position], error: checkedItem.error, position }];
	});
	return checkedItems.map((checkedItem, position) => {
		if (checkedItem.kind === 'pending') return NOT_SENT;
		if (position !== invalidItems[0]?.position) return checkedItem;
		return { kind: 'failed', error: createInvalidItemsError(invalidItems, total) };
	});
}

/** Sends writes at the same time, but writes with the same order key one after another. */
async function sendInOrder(
	items: readonly InputItem[],
	checkedItems: readonly CheckedItem[],
	context: BatchContext,
): Promise<ItemOutcome[]> {
	const lastByOrderKey = new Map<string, Promise<ItemOutcome>>();
	const sending = checkedItems.map(async (checkedItem, position) => {
		if (checkedItem.kind !== 'pending') return checkedItem;
		const { write } = checkedItem;
		if (write.orderKey === undefined) return await sendWrite(items[position], write, context);
		const previous = lastByOrderKey.get(write.orderKey) ?? Promise.resolve();
		const sent = previous.then(async () => await sendWrite(items[position], write, context));
		lastByOrderKey.set(write.orderKey, sent);
		return await sent;
	});
	return await Promise.all(sending);
}

async function sendWrite(
	item: InputItem,
	{ send }: PendingWrite,
	context: BatchContext,
): Promise<ItemOutcome> {
	if (context.signal.aborted) return NOT_SENT;
	try {
		const { json, isSent } = await send();
		return { kind: 'done', output: [{ json }], isSent };
	} catch (error) {
		if (!context.continuesOnFail) context.controller.abort();
		return createFailedOutcome(item, error, context);
	}
}

/** Returns the outcome of an item that failed. If its request was still waiting when the try stopped, it was not sent. */
function createFailedOutcome(
	item: InputItem,
	error: unknown,
	{ signal }: BatchContext,
): ItemOutcome {
	if (isCanceled(error) && signal.aborted) return NOT_SENT;
	return { kind: 'failed', error: toItemError(error, item) };
}
