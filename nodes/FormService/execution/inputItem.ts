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

/**
 * An input item in one try, see `TryContext`. If the parameters are valid, the item has `prepared`.
 * Otherwise, the item has `parameterError`.
 */
export type InputItem = {
	n8n: IExecuteSingleFunctions;
	index: number;
	/** The row of the sheet that the item comes from: the `row_number` of Google Sheets. */
	row?: number;
	endpoint: Endpoint;
	/** The request options that n8n has composed from the parameters. The URL is relative to the base URL. */
	options: IHttpRequestOptions;
} & ({ prepared: PreparedItem } | { parameterError: NodeError });

/**
 * Whether an item was sent. `maybe` means that the service may have acted, for example if no reply came. If
 * an item fails with `maybe`, later items with the same duplicate key fail with the same error, and are also
 * `maybe`.
 */
export type SentState = 'yes' | 'maybe' | 'no';

/** The outcome of an item in a try. */
export type ItemOutcome =
	/** The item succeeded: the operation has read or written, or the item was skipped or previewed. */
	| { kind: 'done'; output: INodeExecutionData[]; sent: 'yes' | 'no' }
	/** The item is invalid: its parameters, credential or answers are wrong, or its form or response does not exist. */
	| { kind: 'invalid'; error: NodeError }
	/** The item failed for another reason: a request failed, or the output of a sent item could not be created. */
	| { kind: 'failed'; error: NodeError; sent: SentState }
	/** Nothing was sent for the item, because another item failed earlier, or the execution was canceled. */
	| { kind: 'notSent' };

/** Whether the item was sent or may have been sent. If so, no later try may send the item again. */
export function mayHaveBeenSent(outcome: ItemOutcome): boolean {
	return 'sent' in outcome && outcome.sent !== 'no';
}

/** The values that the items of a try share. A try is one time that n8n executes the node within a run. */
export type TryContext = {
	/** The number of items in the try. */
	total: number;
	/** The number of items in a batch, from the request option Batching. Undefined if all items are one batch. */
	batchSize: number | undefined;
	/** Whether the node sends the other items after an item has failed. */
	continuesOnFail: boolean;
	/** Stops the try: aborts `signal`. */
	stop: () => void;
	/**
	 * Aborts when the try stops or the execution is canceled. Requests that are still in the queue are not
	 * sent.
	 */
	signal: AbortSignal;
	run: Run;
};

/** The values that all tries of a run share. The object also identifies the run, see `ItemRequest`. */
export type Run = {
	/** The outcomes that later tries keep, by the index of the item. An item that may have been sent is never sent again. */
	readonly finalOutcomes: Map<number, ItemOutcome>;
	/** Settles when all batches so far have been processed. */
	batches: Promise<unknown>;
};

/**
 * Creates the request of an item from the request options that n8n has composed. Uses the base URL of the
 * item's own account, because n8n composes all requests with the credential of the first item
 * (`prepareCredentials`). n8n checks all requests against the allowed domains of the first item. If these
 * domains do not include the host of an item, the item fails, and nothing is sent to the host.
 */
export function createItemRequest(
	{ n8n, index, endpoint, options }: InputItem,
	account: Account,
	{ run, signal }: TryContext,
): ItemRequest {
	const { url, qs, ...composedOptions } = options;
	// `createSharedFetch` compares these options, so items with the same options share what they fetch
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
