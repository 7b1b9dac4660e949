import { isNil, omit, omitBy } from 'lodash';
import type {
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';
import type { Account } from '../api/account';
import type { Endpoint } from '../api/endpoints';
import type { NodeError } from '../api/errors';
import { isRecord } from '../api/records';
import type { ItemRequest, PreparedItem } from './operation';

/** One item in one try of n8n. */
export type InputItem = {
	n8n: IExecuteSingleFunctions;
	index: number;
	/** The row of a sheet that the item comes from, if the item says so (`row_number` of Google Sheets). */
	row?: number;
	endpoint: Endpoint;
	/** The request as n8n has composed it, with its URL relative to the base URL. */
	composed: IHttpRequestOptions;
	/** Undefined if the parameters are invalid. */
	prepared?: PreparedItem;
	/** Undefined while the item waits, and if it was given up because another item failed. */
	outcome?: ItemOutcome;
};

export type ItemOutcome =
	| { output: INodeExecutionData[]; error?: undefined }
	| { error: NodeError; output?: undefined };

/**
 * The request that n8n has composed, as the request path takes it. The base URL is the one of the item's
 * account: n8n composes the requests of all items with the credential of the first (`prepareCredentials`).
 */
export function createItemRequest(
	{ n8n, index, endpoint, composed }: InputItem,
	account: Account,
	{ signal, shared }: Pick<ItemRequest, 'shared'> & { signal: AbortSignal },
): ItemRequest {
	const { url, qs, body, ...options } = composed;
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
