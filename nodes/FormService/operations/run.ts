import { isNil, memoize, omit, omitBy } from 'lodash';
import { NodeApiError } from 'n8n-workflow';
import type {
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';
import { getAccount } from '../api/account';
import type { Account } from '../api/account';
import type { Endpoint } from '../api/endpoints';
import { forItem, mayHaveActed, NotSent } from '../api/errors';
import { isRecord } from '../api/records';
import { explainMissingForm, explainStop, isInvalidItem, listInvalidItems } from './itemErrors';
import type { NodeError } from './itemErrors';
import type { ItemRequest, Prepared, Reads, Sendable, Sent } from './operation';

/**
 * A run of the node: all items are checked, then they are sent. In a node that stops on failure, nothing of
 * the run is sent if an item is invalid or one of its expressions throws, and nothing more is sent after a
 * failure. In a node that continues, each item has its own outcome.
 */

/** One item of a run: what sends it, or what is wrong with its parameters. */
export type Item = {
	n8n: IExecuteSingleFunctions;
	/** The number by which errors name the item: its row, if a node such as Google Sheets gives one. */
	row: number;
	endpoint: Endpoint;
	/** The request as n8n has composed it, with its URL relative to the base URL. */
	composed: IHttpRequestOptions;
} & (
	| {
			prepared: Prepared;
			/** Makes the output of what was sent. */
			present: (sent: Sent) => Promise<INodeExecutionData[]>;
	  }
	| { problem: unknown }
);

/** What became of an item. An item that was given up because another one failed has no output. */
export type Outcome = { output: INodeExecutionData[] } | { error: NodeError };

const NO_OUTPUT: Outcome = { output: [] };

/** One try of n8n to run the node over its input items. */
export type Run = {
	/** The number of input items. */
	readonly total: number;
	/** Whether the other items are sent after an item failed. */
	readonly continues: boolean;
	readonly reads: Reads;
	/** What became of the items that may have changed something, over all tries of n8n (Retry On Fail). */
	readonly changes: Map<number, Promise<Outcome>>;
	/** The last item of each order key. Never rejects. */
	readonly lastByKey: Map<string, Promise<Outcome>>;
	/** What stops the items of an account, or of the whole run. */
	readonly stopFor: (scope: string) => Stop;
	/** How many items have begun to be sent. */
	sent: number;
	/** Resolves when the earlier batches are checked. */
	checked: Promise<unknown>;
};

/** When the signal aborts, what is waiting is not sent. */
type Stop = { controller: AbortController; signal: AbortSignal };

/**
 * @param total the number of input items
 * @param earlier the earlier try of n8n to run the same items
 */
export function createRun(n8n: IExecuteSingleFunctions, total: number, earlier?: Run): Run {
	const canceled = n8n.getExecutionCancelSignal?.();
	return {
		total,
		continues: n8n.continueOnFail(),
		reads: new Map(),
		changes: earlier?.changes ?? new Map<number, Promise<Outcome>>(),
		lastByKey: new Map(),
		// shared by the items: a signal that follows others takes a large part of an item's time
		stopFor: memoize(() => {
			const controller = new AbortController();
			const signals = [controller.signal, canceled].filter((signal) => signal !== undefined);
			return { controller, signal: AbortSignal.any(signals) };
		}),
		sent: 0,
		checked: Promise.resolve(),
	};
}

/** Checks and sends items of a run. Never rejects. */
export async function runItems(run: Run, items: readonly Item[]): Promise<Map<Item, Outcome>> {
	const invalid = items.filter((item) => 'problem' in item);
	const isRefused = invalid.length > 0 && !run.continues;
	const toCheck = isRefused ? invalid : items;
	const checks = Promise.all(toCheck.map(async (item) => await checkItem(run, item)));
	run.checked = Promise.all([run.checked, checks]);
	await run.checked;
	const checked = new Map((await checks).map((one, index) => [toCheck[index], one] as const));
	const refused = run.continues ? undefined : listInvalidItems(run, checked);
	if (refused !== undefined) {
		getStop(run).controller.abort(refused.error);
		checked.set(refused.item, { error: refused.error });
	}
	const outcomes = items.map(async (item) => {
		const one = checked.get(item) ?? NO_OUTPUT;
		return [item, 'request' in one ? await sendInOrder(run, item, one) : one] as const;
	});
	return new Map(await Promise.all(outcomes));
}

/** An item that can be sent. */
export type CheckedItem = {
	request: ItemRequest;
	sendable: Sendable;
	present: (sent: Sent) => Promise<INodeExecutionData[]>;
};

/** Checks one item; gives the outcome of an item that failed, or that an earlier try of n8n has sent. */
async function checkItem(run: Run, item: Item): Promise<CheckedItem | Outcome> {
	let account: Account | undefined;
	try {
		if ('problem' in item) throw item.problem;
		const earlier = run.changes.get(item.n8n.getItemIndex());
		if (earlier !== undefined) return await earlier;
		account = await getAccount(item.n8n, item.n8n.getItemIndex());
		const request = createRequest(run, item, account);
		const { prepared, present } = item;
		const sendable = 'check' in prepared ? await prepared.check(request) : prepared;
		return { request, sendable, present };
	} catch (error) {
		if (!isInvalidItem(error)) stopAfter(run, error, account);
		return await explainFailure(run, item, error, account);
	}
}

/** Sends an item after the earlier items of its account with the same order key. */
async function sendInOrder(run: Run, item: Item, checked: CheckedItem): Promise<Outcome> {
	const index = item.n8n.getItemIndex();
	const { request, sendable } = checked;
	const key = `${request.context.account.key} ${sendable.orderKey ?? `item ${index}`}`;
	const before = run.lastByKey.get(key) ?? Promise.resolve();
	const outcome = before.then(async () => await sendChecked(run, item, checked));
	run.lastByKey.set(key, outcome);
	if (item.endpoint.effect.kind !== 'safe') {
		run.changes.set(index, outcome);
		const ended = await outcome;
		// doing it again in the next try is fine: it certainly did nothing, or leaves the same
		if ('error' in ended && !mayHaveActed(ended.error)) run.changes.delete(index);
		if (ended === NO_OUTPUT) run.changes.delete(index);
	}
	return await outcome;
}

async function sendChecked(
	run: Run,
	item: Item,
	{ request, sendable, present }: CheckedItem,
): Promise<Outcome> {
	const { account, itemIndex } = request.context;
	try {
		if (getStop(run, account).signal.aborted) throw new NotSent(item.n8n.getNode(), itemIndex);
		run.sent++;
		return { output: await present(await sendable.send(request)) };
	} catch (error) {
		stopAfter(run, error, account);
		return await explainFailure(run, item, error, account);
	}
}

/**
 * The request that n8n has composed, as the request path takes it. The base URL is the one of the item's
 * account: n8n composes the requests of all items with the credential of the first (`prepareCredentials`).
 */
function createRequest(run: Run, item: Item, account: Account): ItemRequest {
	const { n8n, endpoint } = item;
	const { url, qs, body, ...transport } = item.composed;
	const query = new URLSearchParams(omitBy(qs, isNil) as Record<string, string>);
	const { signal } = getStop(run, account);
	return {
		context: {
			n8n,
			account,
			urgency: 'bulk',
			itemIndex: n8n.getItemIndex(),
			signal,
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

/** What stops an item: in a node that continues, only a failure of its account does. */
function getStop(run: Run, account?: Account): Stop {
	return run.stopFor(run.continues ? (account?.key ?? '') : '');
}

/** Sends nothing more of the run after a failure, or nothing more of an account whose token is refused. */
function stopAfter(run: Run, error: unknown, account: Account | undefined): void {
	const isTokenRefused =
		error instanceof NodeApiError && error.failure?.cause === 'credential-invalid';
	if (error instanceof NotSent || (run.continues && !isTokenRefused)) return;
	getStop(run, account).controller.abort(error);
}

/** The outcome of an item that failed, or that was not sent because another one failed. */
async function explainFailure(
	run: Run,
	item: Item,
	error: unknown,
	account: Account | undefined,
): Promise<Outcome> {
	const { n8n } = item;
	const reason: unknown = getStop(run, account).controller.signal.reason;
	if (error instanceof NotSent && reason !== undefined) {
		return run.continues ? { error: explainStop(n8n, reason) } : NO_OUTPUT;
	}
	const explained = await explainMissingForm(run, item, error);
	return { error: forItem(explained, n8n.getNode(), n8n.getItemIndex()) };
}
