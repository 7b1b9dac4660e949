import { isNil, memoize, omit, omitBy } from 'lodash';
import { NodeApiError } from 'n8n-workflow';
import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { getAccount } from '../api/account';
import type { Account } from '../api/account';
import { copyErrorForItem, createInputError, mayHaveActed, NotSent } from '../api/errors';
import { isRecord } from '../api/records';
import { explainMissingForm, isInvalidItem, listInvalidItems } from './itemErrors';
import type { NodeError } from './itemErrors';
import type { Item, ItemRequest, Reads } from './operation';

/**
 * A run of the node: all items are checked, then they are sent. In a node that stops on failure, nothing of
 * the run is sent if an item is invalid or one of its expressions throws, and nothing more is sent after a
 * failure. In a node that continues, each item has its own outcome.
 */

/** One try of n8n to run the node over its input items. */
export type Run = {
	/** The number of input items. */
	total: number;
	/** Whether the other items are sent after an item failed. */
	continues: boolean;
	reads: Reads;
	/** What became of the items that may have changed something, over all tries of n8n (Retry On Fail). */
	changes: Map<number, Promise<Outcome>>;
	/** What stops the items of an account, in a node that continues, or else the whole run. */
	getStop: (account?: Account) => Stop;
};

/** When the signal aborts, what is waiting is not sent. */
type Stop = { controller: AbortController; signal: AbortSignal };

/** What became of an item. An item that was given up because another one failed has no output. */
export type Outcome = { output: INodeExecutionData[] } | { error: NodeError };

/** An item that can be sent, after the earlier items with its key. It never rejects. */
type CheckedItem = { orderKey: string; send: () => Promise<Outcome> };

/**
 * @param total the number of input items
 * @param earlier the earlier try of n8n to run the same items
 */
export function createRun(n8n: IExecuteSingleFunctions, total: number, earlier?: Run): Run {
	const continues = n8n.continueOnFail();
	const canceled = n8n.getExecutionCancelSignal?.();
	// one for all items: a signal that follows others takes a large part of an item's time
	const getStop = memoize(
		(): Stop => {
			const controller = new AbortController();
			const signals = [controller.signal, canceled].filter((signal) => signal !== undefined);
			return { controller, signal: AbortSignal.any(signals) };
		},
		(account?: Account) => (continues ? account?.key : undefined),
	);
	return { total, continues, reads: new Map(), changes: earlier?.changes ?? new Map(), getStop };
}

/** Checks and sends items of a run. Never rejects. */
export async function runItems(run: Run, items: readonly Item[]): Promise<Map<Item, Outcome>> {
	const invalid = run.continues ? [] : items.filter((item) => 'problem' in item);
	const checks = (invalid.length > 0 ? invalid : items).map(
		async (item) => [item, await checkItem(run, item)] as const,
	);
	const checked = new Map<Item, CheckedItem | Outcome>(await Promise.all(checks));
	const refusal = run.continues ? undefined : listInvalidItems(checked, items[0].index, run.total);
	if (refusal !== undefined) {
		run.getStop().controller.abort(refusal.error);
		checked.set(refusal.item, refusal);
	}
	const lastByKey = new Map<string, Promise<Outcome>>();
	const outcomes = [...checked].map(async ([item, one]) => {
		if (!('send' in one)) return [item, one] as const;
		const outcome = (lastByKey.get(one.orderKey) ?? Promise.resolve()).then(one.send);
		lastByKey.set(one.orderKey, outcome);
		if (item.endpoint.effect.kind !== 'safe') run.changes.set(item.index, outcome);
		return [item, await outcome] as const;
	});
	return new Map(await Promise.all(outcomes));
}

/** Checks one item; gives the outcome of an item that failed, or that an earlier try of n8n has sent. */
async function checkItem(run: Run, item: Item): Promise<CheckedItem | Outcome> {
	let account: Account | undefined;
	try {
		if ('problem' in item) throw item.problem;
		const earlier = run.changes.get(item.index);
		if (earlier !== undefined) return await earlier;
		account = await getAccount(item.n8n, item.index);
		const request = createRequest(run, item, account);
		const { prepared } = item;
		const { orderKey = `item ${item.index}`, send } =
			'check' in prepared ? await prepared.check(request) : { send: prepared.send };
		return {
			orderKey: `${account.key} ${orderKey}`,
			async send() {
				try {
					if (request.context.signal?.aborted) throw new NotSent(item.n8n.getNode(), item.index);
					const output = await send(request);
					return { output: prepared.select?.(output) ?? output };
				} catch (error) {
					return await settleFailure(run, item, error, account, true);
				}
			},
		};
	} catch (error) {
		return await settleFailure(run, item, error, account, !isInvalidItem(error));
	}
}

/**
 * The request that n8n has composed, as the request path takes it. The base URL is the one of the item's
 * account: n8n composes the requests of all items with the credential of the first (`prepareCredentials`).
 */
function createRequest(run: Run, item: Item, account: Account): ItemRequest {
	const { n8n, index: itemIndex, endpoint } = item;
	const { url, qs, body, ...transport } = item.composed;
	const query = new URLSearchParams(omitBy(qs, isNil) as Record<string, string>);
	return {
		context: {
			n8n,
			account,
			urgency: 'bulk',
			itemIndex,
			signal: run.getStop(account).signal,
			transport: omit(transport, 'baseURL'),
		},
		target: {
			endpoint,
			url: `${account.baseUrl}${url}${query.size > 0 ? `?${query.toString()}` : ''}`,
			body: isRecord(body) ? body : undefined,
		},
		reads: run.reads,
	};
}

/**
 * The outcome of an item that failed, or that was not sent because another one failed.
 *
 * @param stopsRun whether nothing more of the run is sent, in a node that stops on failure. In a node that
 * continues, nothing more is sent of an account whose token is refused.
 */
async function settleFailure(
	run: Run,
	item: Item,
	error: unknown,
	account: Account | undefined,
	stopsRun: boolean,
): Promise<Outcome> {
	// the next try of n8n may do again what certainly did nothing, or leaves the same
	if (!mayHaveActed(error)) run.changes.delete(item.index);
	const { controller, signal } = run.getStop(account);
	const node = item.n8n.getNode();
	if (error instanceof NotSent && signal.aborted) {
		if (!run.continues) return { output: [] };
		const message = `This item was not sent: ${(signal.reason as Error).message}`;
		return { error: createInputError(node, { message, itemIndex: item.index }) };
	}
	const isRefused = error instanceof NodeApiError && error.failure?.cause === 'credential-invalid';
	if (run.continues ? isRefused : stopsRun) controller.abort(error);
	const explained = await explainMissingForm(run.reads, item, error);
	return { error: copyErrorForItem(explained, node, item.index) };
}
