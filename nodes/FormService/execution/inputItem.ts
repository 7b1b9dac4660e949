import { isNil, omit, omitBy } from 'lodash';
import type {
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';
import type { Account } from '../api/account';
import type { Endpoint } from '../api/endpoints';
import type { NodeError } from '../api/errors';
import type { ItemRequest, PreparedItem } from './operation';

/** An input item that n8n has handed over in a try, with the prepared item, or with the error of its parameters. */
export type InputItem = {
	n8n: IExecuteSingleFunctions;
	index: number;
	/** The row of a sheet that the item comes from, from the `row_number` of Google Sheets. */
	row?: number;
	endpoint: Endpoint;
	/** The request options that n8n has composed from the parameters, with a URL that starts after the base URL. */
	options: IHttpRequestOptions;
} & ({ prepared: PreparedItem } | { parameterError: NodeError });

/** Whether an item was sent: `maybe` if the service may have acted, for example because no reply came. */
export type SentState = 'yes' | 'maybe' | 'no';

/** The result of an item in a try. */
export type ItemOutcome =
	/** The operation has read or written, or the item was skipped or previewed. */
	| { kind: 'done'; output: INodeExecutionData[]; sent: 'yes' | 'no' }
	/** The item's parameters, credential or answers are invalid, or its form or response does not exist. */
	| { kind: 'invalid'; error: NodeError }
	/** Any other failure, such as a request that failed, or the output of an item that was sent. */
	| { kind: 'failed'; error: NodeError; sent: SentState }
	/** Nothing was sent, because another item failed before, or the execution was canceled. */
	| { kind: 'notSent' };

/**
 * Whether the service has accepted the item, or may have accepted it, so that no later try sends the item again.
 */
export function isFinal(outcome: ItemOutcome): boolean {
	return 'sent' in outcome && outcome.sent !== 'no';
}

/** The facts that the items of a try share. */
export type TryContext = {
	/** How many items n8n hands over. */
	total: number;
	/** How many items n8n hands over without a pause (Batching); undefined for all. */
	batchSize: number | undefined;
	/** Whether the other items are sent after an item failed. */
	continuesOnFail: boolean;
	/** Stops the try. */
	controller: AbortController;
	/** Aborts when the try stops or the execution is canceled. Requests that still wait are then not sent. */
	signal: AbortSignal;
	/** The run of the try: the facts that all tries of one execution of the node share (Retry On Fail). */
	run: {
		/** The outcomes that no later try can change, by the index of the item. */
		readonly finalOutcomes: Map<number, ItemOutcome>;
		/** Settles when all batches that have started are processed. */
		batches: Promise<unknown>;
	};
};

/**
 * Creates the request of an item from the request options that n8n has composed. Uses the base URL of the item's
 * account, because n8n composes the requests of all items with the credential of the first item
 * (`prepareCredentials`).
 */
export function createItemRequest(
	{ n8n, index, endpoint, options }: InputItem,
	account: Account,
	{ run, signal }: TryContext,
): ItemRequest {
	const { url, qs, ...composedOptions } = options;
	const httpOptions = omit(composedOptions, 'baseURL', 'body');
	const query = new URLSearchParams(omitBy(qs, isNil) as Record<string, string>);
	const urlQuery = query.size > 0 ? `?${query.toString()}` : '';
	return {
		context: { n8n, account, priority: 'low', itemIndex: index, signal, httpOptions },
		target: { endpoint, url: `${account.baseUrl}${url}${urlQuery}` },
		run,
	};
}

/** The request options, which n8n adds to the parameters of a declarative node. */
type RequestOptions = {
	timeout?: number;
	batching?: { batch?: { batchSize?: number; batchInterval?: number } };
};

export function readRequestOptions(n8n: IExecuteSingleFunctions): RequestOptions {
	return n8n.getNodeParameter('requestOptions', {}) as RequestOptions;
}
