import { omit } from 'lodash';
import { getAccount, type Account } from '../api/account';
import { createTarget } from '../api/endpoints';
import { hasReason, InputError, mayHaveActed } from '../api/errors';
import { createInvalidItemsError, toItemError } from './itemErrors';
import type { InputItem, ItemOutcome, ItemRequest, PendingWrite } from './operation';

/** What the items of a try share. Each time that n8n executes the node within a run is a try. */
export type TryContext = {
	total: number;
	continuesOnFail: boolean;
	stop: () => void;
	/** Aborts when the try stops or the execution is canceled. */
	signal: AbortSignal;
	run: Run;
};

/** What all tries of a run share. */
export type Run = {
	/** The outcomes that later tries keep, by the index of the item. These items are never sent again. */
	readonly finalOutcomes: Map<number, ItemOutcome>;
	readonly shared: ItemRequest['shared'];
	lastBatch: Promise<unknown>;
};

/** An outcome if there is nothing to send, otherwise the pending write of the checked item. */
type CheckedItem = ItemOutcome | PendingWrite;

const NOT_SENT: ItemOutcome = { kind: 'notSent' };

/**
 * Checks all items of a batch, then sends their writes in the order of the items. If the node stops on failure,
 * an invalid item prevents all writes, and a failed write prevents the later ones.
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
		return stopBeforeSending(items, checkedItems);
	}
	const outcomes: ItemOutcome[] = [];
	for (const [position, checked] of checkedItems.entries()) {
		const isPending = typeof checked === 'function';
		outcomes.push(isPending ? await sendWrite(items[position], checked, tryContext) : checked);
	}
	return outcomes;
}

/** Checks or reads all items at the same time. Sends no request for a read if the node stops anyway. */
async function checkItems(
	items: readonly InputItem[],
	tryContext: TryContext,
): Promise<CheckedItem[]> {
	const isReading = items.every(({ endpoint }) => endpoint.effect === 'safe');
	const isInvalid = items.some((item) => 'parameterError' in item);
	const fetchesNothing = isReading && isInvalid && !tryContext.continuesOnFail;
	return await Promise.all(
		items.map(async (item) => {
			const finalOutcome = tryContext.run.finalOutcomes.get(item.index);
			if (finalOutcome !== undefined) return finalOutcome;
			if (tryContext.signal.aborted) return NOT_SENT;
			if ('parameterError' in item) return { kind: 'invalid', error: item.parameterError };
			return fetchesNothing ? NOT_SENT : await readOrCheck(item, tryContext);
		}),
	);
}

type ValidItem = Extract<InputItem, { prepared: unknown }>;

async function readOrCheck(item: ValidItem, tryContext: TryContext): Promise<CheckedItem> {
	const { n8n, index, prepared } = item;
	try {
		const request = createItemRequest(item, await getAccount(n8n, index), tryContext);
		if ('check' in prepared) return await prepared.check(request);
		return { kind: 'done', output: await prepared.read(request), sent: 'no' };
	} catch (error) {
		// a web page with status 404 has another reason, which is about the address
		const isInvalid = error instanceof InputError || hasReason(error, 'notFound');
		if (isInvalid) return { kind: 'invalid', error: toItemError(error, item) };
		return stopAfterFailure(error, item, tryContext);
	}
}

/**
 * Uses the base URL of the item's own account, because n8n composes all requests with the credential of the
 * first item (`prepareCredentials`), and checks all hosts against its allowed domains.
 */
function createItemRequest(
	{ n8n, index, endpoint, options, prepared }: ValidItem,
	account: Account,
	{ run, signal }: TryContext,
): ItemRequest {
	const httpOptions = omit(options, 'baseURL', 'url', 'body');
	return {
		context: { n8n, account, priority: 'low', itemIndex: index, signal, httpOptions },
		target: createTarget(account, endpoint, prepared.ids, prepared.query),
		shared: run.shared,
	};
}

/** n8n reports only the error of the first item that fails, so the first invalid item lists all invalid items. */
function stopBeforeSending(
	items: readonly InputItem[],
	checkedItems: readonly CheckedItem[],
): ItemOutcome[] {
	const invalidItems = checkedItems.flatMap((checkedItem, position) =>
		'kind' in checkedItem && checkedItem.kind === 'invalid'
			? [{ item: items[position], error: checkedItem.error }]
			: [],
	);
	return checkedItems.map((checkedItem, position) => {
		if (typeof checkedItem === 'function') return NOT_SENT;
		if (items[position] !== invalidItems[0]?.item) return checkedItem;
		return { kind: 'invalid', error: createInvalidItemsError(invalidItems, items.length) };
	});
}

/** Sends the write of an item, and records the outcome for later tries if it is final. Never rejects. */
async function sendWrite(
	item: InputItem,
	write: PendingWrite,
	tryContext: TryContext,
): Promise<ItemOutcome> {
	if (tryContext.signal.aborted) return NOT_SENT;
	const outcome = await write().then(
		({ isSent, json }): ItemOutcome => {
			return { kind: 'done', output: [{ json }], sent: isSent ? 'yes' : 'no' };
		},
		(error: unknown) => stopAfterFailure(error, item, tryContext),
	);
	// a node that continues has sent the later items, so the failed item must not come after them
	const isFinal =
		outcome.kind === 'done' ||
		(outcome.kind === 'failed' && (outcome.sent === 'maybe' || tryContext.continuesOnFail));
	if (isFinal) tryContext.run.finalOutcomes.set(item.index, outcome);
	return outcome;
}

function stopAfterFailure(error: unknown, item: InputItem, tryContext: TryContext): ItemOutcome {
	// the request was still waiting when the try stopped
	if (hasReason(error, 'canceled') && tryContext.signal.aborted) return NOT_SENT;
	if (!tryContext.continuesOnFail) tryContext.stop();
	const sent = mayHaveActed(error) ? 'maybe' : 'no';
	return { kind: 'failed', error: toItemError(error, item), sent };
}
