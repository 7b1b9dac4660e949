import { isNil, omit, omitBy } from 'lodash';
import type {
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import type { Account } from '../api/account';
import type { Endpoint } from '../api/endpoints';
import { isRecord } from '../api/records';
import type { ItemRequest, Prepared } from './operation';

/** One item in one try of n8n. */
export type Item = {
	n8n: IExecuteSingleFunctions;
	index: number;
	/** The row of a sheet that the item comes from, if the item says so (`row_number` of Google Sheets). */
	row?: number;
	endpoint: Endpoint;
	/** The request as n8n has composed it, with its URL relative to the base URL. */
	composed: IHttpRequestOptions;
	/** Undefined if the parameters are invalid. */
	prepared?: Prepared;
	/** Undefined while the item waits, and if it was given up because another item failed. */
	outcome?: Outcome;
};

export type Outcome =
	| { output: INodeExecutionData[]; error?: undefined }
	| { error: NodeError; output?: undefined };

export type NodeError = NodeApiError | NodeOperationError;

/**
 * The request that n8n has composed, as the request path takes it. The base URL is the one of the item's
 * account: n8n composes the requests of all items with the credential of the first (`prepareCredentials`).
 */
export function createRequest(
	{ n8n, index, endpoint, composed }: Item,
	account: Account,
	{ signal, reads }: Pick<ItemRequest, 'reads'> & { signal: AbortSignal },
): ItemRequest {
	const { url, qs, body, ...options } = composed;
	const transport = omit(options, 'baseURL');
	const query = new URLSearchParams(omitBy(qs, isNil) as Record<string, string>);
	return {
		context: { n8n, account, urgency: 'bulk', itemIndex: index, signal, transport },
		target: {
			endpoint,
			url: `${account.baseUrl}${url}${query.size > 0 ? `?${query.toString()}` : ''}`,
			body: isRecord(body) ? body : undefined,
		},
		reads,
	};
}
