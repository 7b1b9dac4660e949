import { getAccount } from '../api/account';
import { hasReason, InputError, mayHaveActed } from '../api/errors';
import { createInvalidItemsError, toItemError } from './itemErrors';
import {
	createItemRequest,
	mayHaveBeenSent,
	type InputItem,
	type ItemOutcome,
	type SentState,
	type TryContext,
} from './inputItem';
import type { PendingWrite, SendResult } from './operation';

/** The result of checking an item: an outcome if there is nothing to send, otherwise the pending write. */
type CheckedItem = ItemOutcome | PendingWrite;

const NOT_SENT: ItemOutcome = { kind: 'notSent' };

/**
 * Checks all items of a batch, then sends their writes.
 *
 * - If the node stops on failure and an item is invalid, no write is sent. If a write fails, no further write
 *   is sent.
 * - If the node continues on failure, the items are independent of one another.
 *
 * @returns the outcomes in the order of the items
 */
export async function processBatch(
	items: readonly InputItem[],
	tryContext: TryContext,
): Promise<ItemOutcome[]> {
	const checkedItems = await checkItems(items, tryContext);
	// also true after a final failure of an earlier try, because no later try of the run can succeed
	const hasError = checkedItems.some((checkedItem) => 'error' in checkedItem);
	if (hasError && !tryContext.continuesOnFail) {
		tryContext.stop();
		return stopBeforeSending(items, checkedItems, tryContext.total);
	}
	return await sendInOrder(items, checkedItems, tryContext);
}

/**
 * Checks all items at the same time. If the operation writes, checks all items with valid parameters against
 * the service, so that one error lists all invalid items.
 *
 * If the operation only reads, the node stops on failure, and an item has invalid parameters, sends no request.
 */
async function checkItems(
	items: readonly InputItem[],
	tryContext: TryContext,
): Promise<CheckedItem[]> {
	const isReading = items.every(({ endpoint }) => endpoint.effect === 'safe');
	const isInvalid = items.some((item) => 'parameterError' in item);
	const fetchesNothing = isReading && isInvalid && !tryContext.continuesOnFail;
	return await Promise.all(
		items.map(async (item) => await checkItem(item, fetchesNothing, tryContext)),
	);
}

/**
 * Returns the outcome or the pending write of an item. If an earlier try has sent the item, returns the
 * outcome of the earlier try, even if this try has stopped or the parameters are now invalid. Never rejects.
 * Otherwise, the batch would not wait for its other items.
 */
async function checkItem(
	item: InputItem,
	fetchesNothing: boolean,
	tryContext: TryContext,
): Promise<CheckedItem> {
	const finalOutcome = tryContext.run.finalOutcomes.get(item.index);
	if (finalOutcome !== undefined) return finalOutcome;
	if (tryContext.signal.aborted) return NOT_SENT;
	if ('parameterError' in item) return { kind: 'invalid', error: item.parameterError };
	return fetchesNothing ? NOT_SENT : await readOrCheck(item, tryContext);
}

/**
 * Fetches the output of the item if the operation only reads. Otherwise, checks the item against the service,
 * and returns the pending write of the item.
 */
async function readOrCheck(
	item: Extract<InputItem, { prepared: unknown }>,
	tryContext: TryContext,
): Promise<CheckedItem> {
	const { n8n, index, prepared } = item;
	try {
		const request = createItemRequest(item, await getAccount(n8n, index), tryContext);
		if ('check' in prepared) return await prepared.check(request);
		return { kind: 'done', output: await prepared.read(request), sent: 'no' };
	} catch (error) {
		// `notFound` is about the item; a web page with status 404 has another reason, which is about the URL
		const isInvalid = error instanceof InputError || hasReason(error, 'notFound');
		if (isInvalid) return { kind: 'invalid', error: toItemError(error, item) };
		return stopAfterFailure(error, item, tryContext);
	}
}

/**
 * Returns the outcomes of a batch whose writes are not sent, because an item is invalid or has failed. n8n
 * reports only the error of the first item that fails. So the error of the first invalid item lists all invalid
 * items.
 */
function stopBeforeSending(
	items: readonly InputItem[],
	checkedItems: readonly CheckedItem[],
	total: number,
): ItemOutcome[] {
	const invalidItems = checkedItems.flatMap((checkedItem, position) =>
		'kind' in checkedItem && checkedItem.kind === 'invalid'
			? [{ item: items[position], error: checkedItem.error }]
			: [],
	);
	return checkedItems.map((checkedItem, position) => {
		if ('send' in checkedItem) return NOT_SENT;
		if (items[position] !== invalidItems[0]?.item) return checkedItem;
		return { kind: 'invalid', error: createInvalidItemsError(invalidItems, items.length, total) };
	});
}

/**
 * Sends the writes of all items. Writes with the same order key are sent one after another. All other writes
 * are sent at the same time.
 */
async function sendInOrder(
	items: readonly InputItem[],
	checkedItems: readonly CheckedItem[],
	tryContext: TryContext,
): Promise<ItemOutcome[]> {
	const outcomes: Array<ItemOutcome | Promise<ItemOutcome>> = [];
	const lastByOrderKey = new Map<string | symbol, Promise<ItemOutcome>>();
	// the loop has no `await`, so each write follows the previous write with the same order key
	for (const [position, checkedItem] of checkedItems.entries()) {
		if (!('send' in checkedItem)) {
			outcomes.push(checkedItem);
			continue;
		}
		// a write without an order key gets its own key, and so waits for no other write
		const { orderKey = Symbol('no order') } = checkedItem;
		const previous = lastByOrderKey.get(orderKey) ?? Promise.resolve();
		const sent = previous.then(
			async () => await sendWrite(items[position], checkedItem, tryContext),
		);
		lastByOrderKey.set(orderKey, sent);
		outcomes.push(sent);
	}
	return await Promise.all(outcomes);
}

/**
 * Sends the write of an item. Records a final outcome for later tries. Never rejects. Otherwise, the batch
 * would not wait for its other items.
 */
async function sendWrite(
	item: InputItem,
	write: PendingWrite,
	tryContext: TryContext,
): Promise<ItemOutcome> {
	if (tryContext.signal.aborted) return NOT_SENT;
	const { finalOutcomes } = tryContext.run;
	try {
		const result = await write.send();
		// recorded immediately: even if the output cannot be created, no later try sends the item again
		const { isFinal, sent } = result;
		if (isFinal) finalOutcomes.set(item.index, { kind: 'done', output: [], sent });
		const outcome = createSentOutcome(result, item, tryContext);
		if (isFinal) finalOutcomes.set(item.index, outcome);
		return outcome;
	} catch (error) {
		// with Skip Duplicates By, the error can be the error of an equal item, which may have been sent
		const outcome = stopAfterFailure(error, item, tryContext);
		if (mayHaveBeenSent(outcome)) finalOutcomes.set(item.index, outcome);
		return outcome;
	}
}

/**
 * Returns the outcome of an item after its write has succeeded. If the output cannot be created, the outcome
 * is `failed`, and still says whether the item was sent.
 */
function createSentOutcome(
	{ sent, createOutput }: SendResult,
	item: InputItem,
	tryContext: TryContext,
): ItemOutcome {
	try {
		return { kind: 'done', output: [{ json: createOutput() }], sent };
	} catch (error) {
		return stopAfterFailure(error, item, tryContext, sent);
	}
}

/**
 * Returns the outcome of an item that failed. If the node stops on failure, stops the try.
 *
 * Only promise callbacks may run between the failure of a request and this function. A timer or I/O would
 * give the request queue time to send another item.
 */
function stopAfterFailure(
	error: unknown,
	item: InputItem,
	tryContext: TryContext,
	sent: SentState = mayHaveActed(error) ? 'maybe' : 'no',
): ItemOutcome {
	// the request was still waiting when the try stopped
	if (hasReason(error, 'canceled') && tryContext.signal.aborted) return NOT_SENT;
	if (!tryContext.continuesOnFail) tryContext.stop();
	return { kind: 'failed', error: toItemError(error, item), sent };
}
