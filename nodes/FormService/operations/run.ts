import { isNil, memoize, omit, omitBy } from 'lodash';
import { NodeApiError } from 'n8n-workflow';
import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { getAccount } from '../api/account';
import type { Account } from '../api/account';
import { copyErrorForItem, mayHaveActed, NotSent } from '../api/errors';
import { isRecord } from '../api/records';
import { explainMissingForm, explainStop, isInvalidItem, listInvalidItems } from './itemErrors';
import type { CheckedItem, Item, ItemRequest, Outcome, Run, Stop } from './operation';

/**
 * A run of the node: all items are checked, then they are sent. In a node that stops on failure, nothing of
 * the run is sent if an item is invalid or one of its expressions throws, and nothing more is sent after a
 * failure. In a node that continues, each item has its own outcome.
 */

const GIVEN_UP: Outcome = { output: [] };

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
	return {
		total,
		continues,
		reads: new Map(),
		changes: earlier?.changes ?? new Map<number, Promise<Outcome>>(),
		lastByKey: new Map(),
		getStop,
		sent: 0,
		checked: Promise.resolve(),
	};
}

/** Checks and sends items of a run. Never rejects. */
export async function runItems(run: Run, items: readonly Item[]): Promise<Map<Item, Outcome>> {
	const invalid = run.continues ? [] : items.filter((item) => 'problem' in item);
	const checks = (invalid.length > 0 ? invalid : items).map(
		async (item) => [item, await checkItem(run, item)] as const,
	);
	run.checked = Promise.all([run.checked, ...checks]);
	await run.checked;
	const checked = new Map(await Promise.all(checks));
	const refusal = run.continues ? undefined : listInvalidItems(run, checked);
	if (refusal !== undefined) {
		run.getStop().controller.abort(refusal.error);
		checked.set(refusal.item, refusal);
	}
	const outcomes = items.map(async (item) => {
		const one = checked.get(item) ?? GIVEN_UP;
		return [item, 'send' in one ? await sendInOrder(run, item, one) : one] as const;
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
		const sendable = 'check' in prepared ? await prepared.check(request) : prepared;
		return {
			account,
			orderKey: `${account.key} ${sendable.orderKey ?? `item ${item.index}`}`,
			send: async () => {
				const sent = await sendable.send(request);
				const items = Array.isArray(sent) ? sent : sent.items;
				return prepared.present?.(sent) ?? items;
			},
		};
	} catch (error) {
		return await settleFailure(run, item, error, account, !isInvalidItem(error));
	}
}

/** Sends an item after the earlier items with the same order key. */
async function sendInOrder(run: Run, item: Item, checked: CheckedItem): Promise<Outcome> {
	const before = run.lastByKey.get(checked.orderKey) ?? Promise.resolve();
	const outcome = before.then(async () => await sendItem(run, item, checked));
	run.lastByKey.set(checked.orderKey, outcome);
	if (item.endpoint.effect.kind === 'safe') return await outcome;
	run.changes.set(item.index, outcome);
	const ended = await outcome;
	// the next try may do it again: it certainly did nothing, or it leaves the same
	const hasFailed = 'error' in ended && !mayHaveActed(ended.error);
	if (hasFailed || ended === GIVEN_UP) run.changes.delete(item.index);
	return ended;
}

async function sendItem(run: Run, item: Item, { account, send }: CheckedItem): Promise<Outcome> {
	try {
		if (run.getStop(account).signal.aborted) throw new NotSent(item.n8n.getNode(), item.index);
		run.sent++;
		return { output: await send() };
	} catch (error) {
		return await settleFailure(run, item, error, account, true);
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
	const { controller } = run.getStop(account);
	if (error instanceof NotSent && controller.signal.aborted) {
		return run.continues ? { error: explainStop(item, controller.signal.reason) } : GIVEN_UP;
	}
	const isRefused = error instanceof NodeApiError && error.failure?.cause === 'credential-invalid';
	if (run.continues ? isRefused : stopsRun) controller.abort(error);
	const explained = await explainMissingForm(run, item, error);
	return { error: copyErrorForItem(explained, item.n8n.getNode(), item.index) };
}
