import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { getAccount, type Account } from '../api/account';
import { createTarget, type Endpoint } from '../api/endpoints';
import {
	hasReason,
	InputError,
	mayHaveActed,
	ServiceError,
	toNodeError,
	type NodeError,
} from '../api/errors';
import type { RequestContext } from '../api/requestContext';
import type { ItemRequest, PendingWrite, PreparedItem } from './operation';

/** An input item in a try, and what has become of it so far. */
export type InputItem = {
	readonly n8n: IExecuteSingleFunctions;
	readonly index: number;
	/** The `row_number` of Google Sheets. */
	readonly row?: number;
	readonly endpoint: Endpoint;
	/** The request options that n8n has composed, such as headers, Timeout and proxy. */
	readonly httpOptions: RequestContext['httpOptions'];
	prepared?: PreparedItem;
	/** The write that is sent when all items of the batch are checked. */
	write?: PendingWrite;
	/** Undefined for an item that is not sent, because another one failed or the execution was canceled. */
	outcome?: ItemOutcome;
};

export type ItemOutcome =
	| { output: INodeExecutionData[]; isSent: boolean }
	/** An item is invalid if its parameters, credential or answers are wrong, or its form or response is not found. */
	| { error: NodeError; isInvalid: boolean };

/** What all tries of a run share. */
export type Run = {
	/** The outcomes that later tries keep, by the index of the item. These items are never sent again. */
	readonly finalOutcomes: Map<number, ItemOutcome>;
	readonly shared: ItemRequest['shared'];
	lastBatch: Promise<void>;
};

/** One time that n8n executes the node within a run. */
export type NodeTry = {
	readonly run: Run;
	/** The items that n8n has passed so far, by their index. */
	readonly items: Map<number, InputItem>;
	/** The number of items that n8n passes. */
	readonly total: number;
	/** The number of items of a batch, except the last one. */
	readonly batchSize: number;
	readonly continuesOnFail: boolean;
	/** Aborts when the try stops or the execution is canceled. */
	readonly signal: AbortSignal;
	stop(): void;
	/** The batch to which n8n passes items now. */
	openBatch?: Promise<void>;
	/** Resolves when n8n has passed all items. */
	readonly allPassed: Promise<void>;
	markAllPassed(): void;
};

/**
 * Adds an item to the open batch, and waits until all its items have their outcomes. n8n passes the items of a
 * batch without waiting, so the batch starts in the next microtask, when all of them are added.
 */
export async function processItem(item: InputItem, nodeTry: NodeTry): Promise<void> {
	const { items } = nodeTry;
	nodeTry.openBatch ??= Promise.resolve(items.size).then(async (position) => {
		nodeTry.openBatch = undefined;
		await startBatch([...items.values()].slice(position), nodeTry);
	});
	items.set(item.index, item);
	if (items.size === nodeTry.total) nodeTry.markAllPassed();
	await nodeTry.openBatch;
}

/** Processes a batch after all earlier batches of the run, also after those of an earlier try. */
async function startBatch(items: readonly InputItem[], nodeTry: NodeTry): Promise<void> {
	const { run } = nodeTry;
	if (!isBatchComplete(nodeTry)) refuseBatch(items, nodeTry);
	run.lastBatch = run.lastBatch.then(async () => await processBatch(items, nodeTry));
	await run.lastBatch;
}

/** If n8n fails while it passes an item, such as with a wrong expression, nothing of the batch may be sent. */
function isBatchComplete({ items, total, batchSize, continuesOnFail }: NodeTry): boolean {
	return continuesOnFail || items.size === total || items.size % batchSize === 0;
}

/** Users see this error only if their n8n waits between the items of a batch. After a wrong expression, n8n shows its own. */
function refuseBatch(items: readonly InputItem[], nodeTry: NodeTry): void {
	nodeTry.stop();
	const message =
		'This version of n8n passes items to nodes in an order that this package does not support';
	for (const item of items) {
		const error = new InputError(item.n8n.getNode(), { message, itemIndex: item.index });
		item.outcome = { error, isInvalid: true };
	}
}

/**
 * Checks all items of a batch, then sends their writes in the order of the items. If the node stops on failure,
 * an invalid item prevents all writes, and a failed write prevents the later ones.
 */
async function processBatch(items: readonly InputItem[], nodeTry: NodeTry): Promise<void> {
	const { finalOutcomes } = nodeTry.run;
	// read now, because a batch of an earlier try could still send when n8n passed the items
	for (const item of items) item.outcome = finalOutcomes.get(item.index) ?? item.outcome;
	await checkItems(items, nodeTry);
	// outcomes of earlier tries count, because after a final failure no try of the run can succeed
	if (items.some(hasFailed) && !nodeTry.continuesOnFail) nodeTry.stop();
	for (const item of items) {
		const { write } = item;
		if (write !== undefined && !nodeTry.signal.aborted) await sendWrite(item, write, nodeTry);
	}
}

export function hasFailed({ outcome }: InputItem): boolean {
	return outcome !== undefined && 'error' in outcome;
}

/** Checks or reads all items at the same time. */
async function checkItems(items: readonly InputItem[], nodeTry: NodeTry): Promise<void> {
	const isReading = items.some(({ endpoint }) => endpoint.effect === 'safe');
	// do not wait for the other items, because the node stops and their output would be lost
	if (isReading && items.some(hasFailed) && !nodeTry.continuesOnFail) return;
	await Promise.all(
		items.map(async (item) => {
			const { prepared, outcome } = item;
			if (prepared === undefined || outcome !== undefined || nodeTry.signal.aborted) return;
			await checkItem(item, prepared, nodeTry);
		}),
	);
}

async function checkItem(item: InputItem, prepared: PreparedItem, nodeTry: NodeTry): Promise<void> {
	const { n8n, index } = item;
	try {
		const account = await getAccount(n8n, index);
		const request = createItemRequest(item, prepared, account, nodeTry);
		if ('check' in prepared) item.write = await prepared.check(request);
		else item.outcome = { output: await prepared.read(request), isSent: false };
	} catch (error) {
		// a web page with status 404 does not count, because its reason is `wrongAddress`
		const isInvalid = error instanceof InputError || hasReason(error, 'notFound');
		if (isInvalid) item.outcome = { error: toItemError(error, item), isInvalid };
		else recordFailure(error, item, nodeTry);
	}
}

/**
 * Creates the request of an item to its own account. n8n uses the credential of the first item for all items
 * (`prepareCredentials`), and checks all hosts against the allowed domains of that credential.
 */
function createItemRequest(
	{ n8n, index, endpoint, httpOptions }: InputItem,
	{ ids, query }: PreparedItem,
	account: Account,
	{ signal, run }: NodeTry,
): ItemRequest {
	return {
		context: { n8n, account, priority: 'low', itemIndex: index, signal, httpOptions },
		target: createTarget(account, endpoint, ids, query),
		shared: run.shared,
	};
}

/** Sends the write of an item, and records the outcome for later tries if it is final. */
async function sendWrite(item: InputItem, write: PendingWrite, nodeTry: NodeTry): Promise<void> {
	let isFinal = true;
	try {
		const { isSent, json } = await write();
		item.outcome = { output: [{ json }], isSent };
	} catch (error) {
		// a node that continues sends the later items now, and the failed item must not follow them in a later try
		isFinal = mayHaveActed(error) || nodeTry.continuesOnFail;
		recordFailure(error, item, nodeTry);
	}
	if (isFinal && item.outcome !== undefined) {
		nodeTry.run.finalOutcomes.set(item.index, item.outcome);
	}
}

/** Records the failure of an item. Unless the node continues, no further request is sent. */
function recordFailure(error: unknown, item: InputItem, nodeTry: NodeTry): void {
	// the request was still waiting when the try stopped, so the item was not sent
	if (hasReason(error, 'canceled') && nodeTry.signal.aborted) return;
	if (!nodeTry.continuesOnFail) nodeTry.stop();
	item.outcome = { error: toItemError(error, item), isInvalid: false };
}

/** Converts an error to the error of an item. Items can share a request, so each item gets a copy of the error. */
function toItemError(error: unknown, item: InputItem): NodeError {
	const { n8n, index } = item;
	if (!(error instanceof ServiceError)) return toNodeError(n8n.getNode(), error, index);
	const { message, description } = error;
	return error.withText({ message, description: description ?? '' }, index);
}
