import { isNil, omit, omitBy } from 'lodash';
import type {
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';
import type { Account } from '../api/account';
import type { Endpoint } from '../api/endpoints';
import { mayHaveActed, type NodeError } from '../api/errors';
import { isRecord } from '../api/records';
import type { ItemRequest, PreparedItem } from './operation';
import type { SharedData } from './sharedData';

/** An input item that n8n has handed over in a try, with what to do, or why its parameters are invalid. */
export type InputItem = {
	n8n: IExecuteSingleFunctions;
	index: number;
	/** The row of a sheet that the item comes from, if the item says so (`row_number` of Google Sheets). */
	row?: number;
	endpoint: Endpoint;
	/** The request as n8n has composed it, with its URL relative to the base URL. */
	composedRequest: IHttpRequestOptions;
} & ({ prepared: PreparedItem } | { parameterError: NodeError });

/** What became of an item in a try. */
export type ItemOutcome =
	/** `isSent` is false if the operation only reads, or if the item was skipped or previewed. */
	| { kind: 'done'; output: INodeExecutionData[]; isSent: boolean }
	| { kind: 'failed'; error: NodeError }
	/** Another item failed before, or the execution was canceled. */
	| { kind: 'notSent' };

/** An item that was sent if its outcome is done, and may have been sent if its outcome is failed. */
export type FinalItem = { item: InputItem; outcome: ItemOutcome };

/** Whether the service has taken the item, or may have: then no later try sends the item again. */
export function isFinal(outcome: ItemOutcome): boolean {
	if (outcome.kind === 'failed') return mayHaveActed(outcome.error);
	return outcome.kind === 'done' && outcome.isSent;
}

/**
 * Creates the request of an item from the request that n8n has composed. The base URL is the one of the item's
 * account: n8n composes the requests of all items with the credential of the first (`prepareCredentials`).
 */
export function createItemRequest(
	{ n8n, index, endpoint, composedRequest }: InputItem,
	account: Account,
	shared: SharedData,
	signal: AbortSignal,
): ItemRequest {
	const { url, qs, body, ...options } = composedRequest;
	const httpOptions = omit(options, 'baseURL');
	const query = new URLSearchParams(omitBy(qs, isNil) as Record<string, string>);
	return {
		context: { n8n, account, priority: 'low', itemIndex: index, signal, httpOptions },
		target: {
			endpoint,
			url: `${account.baseUrl}${url}${query.size > 0 ? `?${query.toString()}` : ''}`,
			body: isRecord(body) ? body : undefined,
		},
		shared,
	};
}

/** What n8n itself adds to the parameters of a declarative node. */
type RequestOptions = {
	timeout?: number;
	batching?: { batch?: { batchSize?: number; batchInterval?: number } };
};

export function readRequestOptions(n8n: IExecuteSingleFunctions): RequestOptions {
	return n8n.getNodeParameter('requestOptions', {}) as RequestOptions;
}
