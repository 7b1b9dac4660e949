import { isNil, omit, omitBy } from 'lodash';
import { NodeApiError } from 'n8n-workflow';
import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	PreSendAction,
} from 'n8n-workflow';
import { getAccount } from '../api/account';
import type { Account } from '../api/account';
import { pathOf } from '../api/endpoints';
import type { Endpoint } from '../api/endpoints';
import { forItem, NotSent } from '../api/errors';
import { isRecord } from '../api/records';
import { isTool } from '../parameters/input';
import type { Input } from '../parameters/input';
import { prepareForModel } from './forModel';
import { aboutForm, invalidItem, notSent } from './itemErrors';
import { joinRun } from './itemRun';
import type { ItemRun } from './itemRun';
import type { ItemRequest, Operation, Prepared } from './operation';

/** An item that was checked: what sends it, or what is wrong with it. */
type CheckedItem = { itemRun: ItemRun; endpoint: Endpoint } & (
	| { prepared: Prepared }
	| { problem: unknown }
);

/**
 * The request options that n8n has composed for an item, with the checked item. n8n passes the options
 * that `preSend` returns to the pagination function as they are (`RoutingNode.makeRequest`), so the
 * checked item travels in them. Attributes beside it would reach n8n's HTTP helper, which ignores this one.
 *
 * @see https://github.com/n8n-io/n8n/blob/master/packages/core/src/execution-engine/routing-node.ts
 */
type CheckedOptions = IHttpRequestOptions & { checkedItem: CheckedItem };

/**
 * The first `preSend` of an operation, which n8n calls for each item before it sends any: checks the item,
 * fills the IDs into the path and composes the body. It never throws, because n8n would then leave out this
 * item alone and send the others.
 */
export function checkItem({ endpoint, prepare }: Operation): PreSendAction {
	return async function (options): Promise<CheckedOptions> {
		const itemRun = joinRun(this);
		try {
			const input = inputOf(this);
			const prepared = isTool(input.node) ? prepareForModel(prepare, input) : prepare(input);
			const { ids, body } = prepared;
			const url = pathOf(endpoint, ids);
			return { ...options, url, body, checkedItem: { itemRun, endpoint, prepared } };
		} catch (problem) {
			itemRun.run.invalid.push({ row: rowOf(this), problem });
			if (!this.continueOnFail()) itemRun.run.stop(problem);
			return { ...options, checkedItem: { itemRun, endpoint, problem } };
		}
	};
}

/** The number by which errors name an item: its row, if a node such as Google Sheets gives one. */
function rowOf(n8n: IExecuteSingleFunctions): number {
	const { row_number: row } = n8n.getInputData().json;
	return Number.isInteger(row) ? Number(row) : n8n.getItemIndex() + 1;
}

function inputOf(n8n: IExecuteSingleFunctions): Input {
	return {
		// n8n throws if it extracts the value of a hidden parameter
		parameter: <T>(name: string, fallback?: T) =>
			n8n.getNodeParameter(name, fallback, { extractValue: name.endsWith('Id') }) as T,
		item: n8n.getInputData(),
		itemIndex: n8n.getItemIndex(),
		node: n8n.getNode(),
		zone: n8n.getTimezone(),
	};
}

/**
 * The pagination function of the node, which n8n's routing calls for each item after all have been
 * checked: it sends the request that n8n has composed, in its turn.
 *
 * In a node that stops on failure, nothing of the run is sent if an item is invalid or one of its
 * expressions throws, and nothing more is sent after a failure. In a node that continues, each item has
 * its own outcome, paired with its input.
 */
export async function sendItem(
	this: IExecutePaginationFunctions,
	{ options }: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const { checkedItem, ...composed } = options as CheckedOptions;
	const { itemRun, endpoint } = checkedItem;
	const { run } = itemRun;
	const itemIndex = this.getItemIndex();
	const keepGoing = this.continueOnFail();
	let account: Account | undefined;
	try {
		const requestOptions = this.getNodeParameter('requestOptions', {}) as RequestOptions;
		if (!keepGoing && !run.isWhole(batchSizeIn(requestOptions))) run.stop(NOT_WHOLE);
		if ('problem' in checkedItem) throw await invalidItem(this, itemRun, checkedItem.problem);
		if (run.stopReason() !== undefined) return [];
		account = await getAccount(this, itemIndex);
		if (run.stopReason(account) !== undefined) throw new NotSent(this.getNode(), itemIndex);
		run.sent++;
		const { prepared } = checkedItem;
		// n8n puts 300 seconds where a person has set no Timeout; the request path has a default of its own
		const { timeout } = requestOptions;
		const request = requestOf(this, account, itemRun, endpoint, { ...composed, timeout });
		const send = async () => await sendPrepared(prepared, request);
		const isChange = endpoint.effect.kind !== 'safe';
		const items = isChange ? await itemRun.oncePerItem(send) : await send();
		return items.map((item) => ({ ...item, pairedItem: { item: itemIndex } }));
	} catch (error) {
		if (isTokenRefused(error)) run.stop(error, account);
		const isNotSent = error instanceof NotSent;
		// another item's error says why the run stopped
		if (isNotSent && run.stopReason() !== undefined) return [];
		const shown = isNotSent
			? notSent(this, run.stopReason(account))
			: forItem(error, this.getNode(), itemIndex);
		if (keepGoing) return [failedItem(this, shown)];
		run.stop(shown);
		await run.whole;
		throw shown;
	} finally {
		itemRun.end();
	}
}

async function sendPrepared(
	{ ids, send }: Prepared,
	request: ItemRequest,
): Promise<INodeExecutionData[]> {
	try {
		const sent = await send(request);
		if (Array.isArray(sent)) return sent;
		const items: INodeExecutionData[] = [];
		for await (const item of sent.items) items.push(item);
		return items;
	} catch (error) {
		throw await aboutForm(error, request, ids?.formId);
	}
}

/**
 * The request that n8n has composed, as the request path takes it. The base URL is the one of the item's
 * account: n8n composes the requests of all items with the credential of the first (`prepareCredentials`).
 */
function requestOf(
	n8n: IExecutePaginationFunctions,
	account: Account,
	itemRun: ItemRun,
	endpoint: Endpoint,
	{ url, qs, body, ...transport }: IHttpRequestOptions,
): ItemRequest {
	const query = new URLSearchParams(omitBy(qs, isNil) as Record<string, string>);
	return {
		context: {
			n8n,
			account,
			urgency: 'bulk',
			itemIndex: n8n.getItemIndex(),
			signal: itemRun.run.signalFor(account, n8n.getExecutionCancelSignal()),
			transport: omit(transport, 'baseURL'),
		},
		target: {
			endpoint,
			url: `${account.baseUrl}${url}${query.size > 0 ? `?${query.toString()}` : ''}`,
			body: isRecord(body) ? body : undefined,
		},
		run: itemRun,
	};
}

/** Why a run stops if n8n has not handed over all items. n8n itself reports the missing item. */
const NOT_WHOLE = new Error('An expression in another item failed');

/** What n8n itself adds to the parameters of a declarative node. */
type RequestOptions = {
	timeout?: number;
	batching?: { batch?: { batchSize?: number; batchInterval?: number } };
};

/** With Batching, n8n waits between batches, and the items of each batch are checked by themselves. */
function batchSizeIn({ batching }: RequestOptions): number {
	const { batchSize = 1, batchInterval = 0 } = batching?.batch ?? {};
	return batchInterval > 0 ? Math.max(batchSize, 1) : Infinity;
}

/**
 * A failed item, with its input beside the error. For the error output n8n itself adds the input, if the
 * item has the error alone; for the regular output it does not. If the item had an `error` beside its
 * `json`, n8n would drop everything else.
 */
function failedItem(n8n: IExecutePaginationFunctions, { message }: Error): INodeExecutionData {
	const { onError, type } = n8n.getNode();
	const hasInput = !isTool({ type }) && onError !== 'continueErrorOutput';
	const input = hasInput ? n8n.getInputData().json : {};
	return { json: { ...input, error: message }, pairedItem: { item: n8n.getItemIndex() } };
}

function isTokenRefused(error: unknown): boolean {
	return error instanceof NodeApiError && error.failure?.cause === 'credential-invalid';
}
