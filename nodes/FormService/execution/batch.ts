import { compact, noop, omit } from 'lodash';
import { getAccount, type Account } from '../api/account';
import { createTarget } from '../api/endpoints';
import { hasReason, InputError, mayHaveActed } from '../api/errors';
import { toItemError } from './itemErrors';
import type { InputItem, ItemOutcome, ItemRequest, PendingWrite } from './operation';

/** What all tries of a run share. */
export type Run = {
	/** The outcomes that later tries keep, by the index of the item. These items are never sent again. */
	readonly finalOutcomes: Map<number, ItemOutcome>;
	readonly shared: ItemRequest['shared'];
	lastBatch: Promise<unknown>;
};

type TryOptions = {
	run: Run;
	total: number;
	/** Undefined if all items are one batch. */
	batchSize?: number;
	continuesOnFail: boolean;
	cancelSignal?: AbortSignal;
};

/**
 * One time that n8n executes the node within a run. n8n adds all items of a batch, and then asks for their
 * outcomes. Batches are processed one after another, also over tries.
 */
export class NodeTry {
	/** The items that n8n has added, by their index. If n8n adds an item again, the next try has begun. */
	readonly items = new Map<number, InputItem>();
	/** By the index of the item. A batch adds its outcomes when it starts. */
	private readonly outcomes = new Map<number, Promise<ItemOutcome>>();
	private readonly controller = new AbortController();
	/** Aborts when the try stops or the execution is canceled. */
	readonly signal: AbortSignal;
	private markAllStarted = noop;
	private readonly allStarted = new Promise<void>((resolve) => (this.markAllStarted = resolve));

	constructor(readonly options: TryOptions) {
		this.signal = AbortSignal.any(compact([this.controller.signal, options.cancelSignal]));
	}

	stop(): void {
		this.controller.abort();
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
		const { run, total } = this.options;
		const items = [...this.items.values()].filter(({ index }) => !this.outcomes.has(index));
		// decided now, because n8n adds further items while the batch waits
		const isComplete = this.isBatchComplete();
		const batch = run.lastBatch.then(async () => {
			return isComplete ? await processBatch(items, this) : failIncompleteBatch(items, this);
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
		const { total, batchSize, continuesOnFail } = this.options;
		const count = this.items.size;
		const isFull = batchSize !== undefined && count % batchSize === 0;
		return continuesOnFail || isFull || count === total;
	}
}

/** Users see this error only if their n8n asks for outcomes before it has added all items. */
function failIncompleteBatch(items: readonly InputItem[], nodeTry: NodeTry): ItemOutcome[] {
	nodeTry.stop();
	const message =
		'This version of n8n passes items to nodes in an order that this package does not support';
	return items.map(({ n8n, index }) => {
		const error = new InputError(n8n.getNode(), { message, itemIndex: index });
		return { kind: 'invalid', error };
	});
}

/** An outcome if there is nothing to send, otherwise the pending write of the checked item. */
type CheckedItem = ItemOutcome | PendingWrite;

const NOT_SENT: ItemOutcome = { kind: 'notSent' };

/**
 * Checks all items of a batch, then sends their writes in the order of the items. If the node stops on failure,
 * an invalid item prevents all writes, and a failed write prevents the later ones.
 */
async function processBatch(items: readonly InputItem[], nodeTry: NodeTry): Promise<ItemOutcome[]> {
	const checkedItems = await checkItems(items, nodeTry);
	// also true after a final failure of an earlier try, because no later try of the run can succeed
	const hasError = checkedItems.some((checkedItem) => 'error' in checkedItem);
	if (hasError && !nodeTry.options.continuesOnFail) nodeTry.stop();
	const outcomes: ItemOutcome[] = [];
	for (const [position, checked] of checkedItems.entries()) {
		const isPending = typeof checked === 'function';
		outcomes.push(isPending ? await sendWrite(items[position], checked, nodeTry) : checked);
	}
	return outcomes;
}

/** Checks or reads all items at the same time. Sends no request for a read if the node stops anyway. */
async function checkItems(items: readonly InputItem[], nodeTry: NodeTry): Promise<CheckedItem[]> {
	const isReading = items.every(({ endpoint }) => endpoint.effect === 'safe');
	const isInvalid = items.some((item) => 'parameterError' in item);
	const fetchesNothing = isReading && isInvalid && !nodeTry.options.continuesOnFail;
	return await Promise.all(
		items.map(async (item) => {
			const finalOutcome = nodeTry.options.run.finalOutcomes.get(item.index);
			if (finalOutcome !== undefined) return finalOutcome;
			if (nodeTry.signal.aborted) return NOT_SENT;
			if ('parameterError' in item) return { kind: 'invalid', error: item.parameterError };
			return fetchesNothing ? NOT_SENT : await readOrCheck(item, nodeTry);
		}),
	);
}

type ValidItem = Extract<InputItem, { prepared: unknown }>;

async function readOrCheck(item: ValidItem, nodeTry: NodeTry): Promise<CheckedItem> {
	const { n8n, index, prepared } = item;
	try {
		const request = createItemRequest(item, await getAccount(n8n, index), nodeTry);
		if ('check' in prepared) return await prepared.check(request);
		return { kind: 'done', output: await prepared.read(request), sent: 'no' };
	} catch (error) {
		// a web page with status 404 has another reason, which is about the address
		const isInvalid = error instanceof InputError || hasReason(error, 'notFound');
		if (isInvalid) return { kind: 'invalid', error: toItemError(error, item) };
		return stopAfterFailure(error, item, nodeTry);
	}
}

/**
 * Uses the base URL of the item's own account, because n8n composes all requests with the credential of the
 * first item (`prepareCredentials`), and checks all hosts against its allowed domains.
 */
function createItemRequest(
	{ n8n, index, endpoint, options, prepared }: ValidItem,
	account: Account,
	{ signal, options: { run } }: NodeTry,
): ItemRequest {
	const httpOptions = omit(options, 'baseURL', 'url', 'body');
	return {
		context: { n8n, account, priority: 'low', itemIndex: index, signal, httpOptions },
		target: createTarget(account, endpoint, prepared.ids, prepared.query),
		shared: run.shared,
	};
}

/** Sends the write of an item, and records the outcome for later tries if it is final. Never rejects. */
async function sendWrite(
	item: InputItem,
	write: PendingWrite,
	nodeTry: NodeTry,
): Promise<ItemOutcome> {
	if (nodeTry.signal.aborted) return NOT_SENT;
	const { run, continuesOnFail } = nodeTry.options;
	const outcome = await write().then(
		({ isSent, json }): ItemOutcome => {
			return { kind: 'done', output: [{ json }], sent: isSent ? 'yes' : 'no' };
		},
		(error: unknown) => stopAfterFailure(error, item, nodeTry),
	);
	// a node that continues has sent the later items, so the failed item must not come after them
	const isFinal =
		outcome.kind === 'done' ||
		(outcome.kind === 'failed' && (outcome.sent === 'maybe' || continuesOnFail));
	if (isFinal) run.finalOutcomes.set(item.index, outcome);
	return outcome;
}

function stopAfterFailure(error: unknown, item: InputItem, nodeTry: NodeTry): ItemOutcome {
	// the request was still waiting when the try stopped
	if (hasReason(error, 'canceled') && nodeTry.signal.aborted) return NOT_SENT;
	if (!nodeTry.options.continuesOnFail) nodeTry.stop();
	const sent = mayHaveActed(error) ? 'maybe' : 'no';
	return { kind: 'failed', error: toItemError(error, item), sent };
}
