import { isNil, memoize, omit, omitBy } from 'lodash';
import { NodeApiError } from 'n8n-workflow';
import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { getAccount } from '../api/account';
import type { Account } from '../api/account';
import { asNodeError, createInputError, NotSent } from '../api/errors';
import { isRecord } from '../api/records';
import { REQUESTS_PER_DAY } from '../api/request/limits';
import { explainMissingForm, isInvalidItem, listInvalidItems } from './itemErrors';
import type { NodeError } from './itemErrors';
import type { CheckResult, Item, ItemRequest, Reads } from './operation';
import { findUncertain, recordOutcome } from './run';
import type { Outcome, Run } from './run';

/**
 * One try of n8n to run the node: all items are checked, then they are sent. In a node that stops on failure,
 * nothing is sent if an item is invalid or one of its expressions throws, and nothing more is sent after a
 * failure. In a node that continues, each item has its own outcome.
 */
export type Attempt = {
	run: Run;
	reads: Reads;
	/** What stops the items of an account, in a node that continues, or else the whole attempt. */
	getStop: (account?: Account) => Stop;
};

/** When the signal aborts, what is waiting is not sent. */
type Stop = { controller: AbortController; signal: AbortSignal };

/** What became of items; undefined for an item that was given up, because another one failed. */
export type Outcomes = Map<Item, Outcome | undefined>;

/** An item that can be sent, after the earlier items with its order key. It never rejects. */
type CheckedItem = Pick<CheckResult, 'sendsNothing'> & {
	orderKey: string;
	send: () => Promise<Outcome | undefined>;
};

type Checked = Map<Item, CheckedItem | Outcome | undefined>;

export function createAttempt(n8n: IExecuteSingleFunctions, run: Run): Attempt {
	const canceled = n8n.getExecutionCancelSignal?.();
	// one for all items: a signal that follows others takes a large part of an item's time
	const getStop = memoize(
		(): Stop => {
			const controller = new AbortController();
			const signals = [controller.signal, canceled].filter((signal) => signal !== undefined);
			return { controller, signal: AbortSignal.any(signals) };
		},
		(account?: Account) => (run.continues ? account?.key : undefined),
	);
	return { run, reads: new Map(), getStop };
}

/** Checks and sends items of a run. Never rejects. */
export async function runItems(attempt: Attempt, items: readonly Item[]): Promise<Outcomes> {
	const checked = await checkItems(attempt, items);
	return await sendItems(checked);
}

/** Checks the items that no earlier attempt has sent; none, if the attempt was stopped. */
async function checkItems(attempt: Attempt, items: readonly Item[]): Promise<Checked> {
	const { run, getStop } = attempt;
	const checked = new Map(items.map((item) => [item, run.progress.get(item.index)?.final]));
	const stop = run.continues ? undefined : getStop();
	const uncertain = findUncertain(run);
	if (uncertain !== undefined) stop?.controller.abort(uncertain);
	if (stop?.signal.aborted) return checked;
	const open = items.filter((item) => checked.get(item) === undefined);
	const invalid = stop && open.filter((item) => 'problem' in item);
	const checks = (invalid?.length ? invalid : open).map(
		async (item) => [item, await checkItem(attempt, item)] as const,
	);
	const all = new Map([...checked, ...(await Promise.all(checks))]);
	const refusal = stop && (listInvalidItems(all, run.total) ?? refuseTooMany(all));
	if (refusal === undefined) return all;
	stop?.controller.abort(refusal.error);
	return new Map([[refusal.item, refusal]]);
}

/** The error of the first item if no day has enough requests for the changes of all. */
function refuseTooMany(checked: Checked): { item: Item; error: NodeError } | undefined {
	const sending = [...checked].filter(
		([{ endpoint }, one]) =>
			endpoint.effect.kind !== 'safe' && one && 'send' in one && !one.sendsNothing,
	);
	if (sending.length <= REQUESTS_PER_DAY) return undefined;
	const [[item]] = sending;
	const [needed, allowed] = [sending.length, REQUESTS_PER_DAY].map((count) =>
		count.toLocaleString('en-US'),
	);
	const message = `The items need ${needed} requests, but Form Service allows ${allowed} a day`;
	const description = 'Split the items into several runs, on different days.';
	const explanation = { message, description, itemIndex: item.index };
	return { item, error: createInputError(item.n8n.getNode(), explanation) };
}

/** Checks one item, or gives the outcome of an item that failed. */
async function checkItem(attempt: Attempt, item: Item): Promise<CheckedItem | Outcome | undefined> {
	let account: Account | undefined;
	try {
		if ('problem' in item) throw item.problem;
		const { n8n, index, prepared } = item;
		account = await getAccount(n8n, index);
		const request = createRequest(attempt, item, account);
		const result: CheckResult =
			'check' in prepared
				? await prepared.check(request)
				: { send: async () => ({ output: await prepared.send(request), hasChanged: false }) };
		const { orderKey = `item ${index}`, sendsNothing, send } = result;
		const sendUnlessStopped = async () => {
			if (request.context.signal?.aborted) throw new NotSent(n8n.getNode(), index);
			const { output, hasChanged } = await send(request);
			return { output: prepared.select?.(output) ?? output, hasChanged };
		};
		return {
			orderKey: `${account.key} ${orderKey}`,
			sendsNothing,
			async send() {
				const outcome = await sendUnlessStopped().catch(
					async (error: unknown) => await settleFailure(attempt, item, error, account, true),
				);
				recordOutcome(attempt.run, item, outcome);
				return outcome;
			},
		};
	} catch (error) {
		return await settleFailure(attempt, item, error, account, !isInvalidItem(error));
	}
}

/** Sends the items that were checked: one after another if they have the same order key, else at once. */
async function sendItems(checked: Checked): Promise<Outcomes> {
	const lastByKey = new Map<string, Promise<unknown>>();
	const outcomes = [...checked].map(async ([item, one]) => {
		if (one === undefined || !('send' in one)) return [item, one] as const;
		const outcome = (lastByKey.get(one.orderKey) ?? Promise.resolve()).then(one.send);
		lastByKey.set(one.orderKey, outcome);
		return [item, await outcome] as const;
	});
	return new Map(await Promise.all(outcomes));
}

/**
 * The request that n8n has composed, as the request path takes it. The base URL is the one of the item's
 * account: n8n composes the requests of all items with the credential of the first (`prepareCredentials`).
 */
function createRequest(attempt: Attempt, item: Item, account: Account): ItemRequest {
	const { n8n, index: itemIndex, endpoint } = item;
	const { url, qs, body, ...transport } = item.composed;
	const query = new URLSearchParams(omitBy(qs, isNil) as Record<string, string>);
	return {
		context: {
			n8n,
			account,
			urgency: 'bulk',
			itemIndex,
			signal: attempt.getStop(account).signal,
			transport: omit(transport, 'baseURL'),
		},
		target: {
			endpoint,
			url: `${account.baseUrl}${url}${query.size > 0 ? `?${query.toString()}` : ''}`,
			body: isRecord(body) ? body : undefined,
		},
		reads: attempt.reads,
		lastingReads: attempt.run.lastingReads,
	};
}

/**
 * The outcome of an item that failed; undefined if the item was not sent because another one failed, in a node
 * that stops on failure.
 *
 * @param stopsAttempt whether nothing more is sent, in a node that stops on failure. In a node that continues,
 * nothing more is sent of an account whose token is refused.
 */
async function settleFailure(
	{ run, getStop }: Attempt,
	item: Item,
	error: unknown,
	account: Account | undefined,
	stopsAttempt: boolean,
): Promise<Outcome | undefined> {
	const { controller, signal } = getStop(account);
	const node = item.n8n.getNode();
	if (error instanceof NotSent && signal.aborted) {
		if (!run.continues) return undefined;
		const message = `This item was not sent: ${(signal.reason as Error).message}`;
		return { error: createInputError(node, { message, itemIndex: item.index }) };
	}
	const isRefused = error instanceof NodeApiError && error.failure?.cause === 'credential-invalid';
	if (run.continues ? isRefused : stopsAttempt) controller.abort(error);
	const explained = explainMissingForm(item, error);
	return { error: asNodeError(node, explained, item.index) };
}
