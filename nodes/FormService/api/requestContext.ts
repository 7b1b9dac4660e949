import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Account, N8nContext } from './account';

/** Who sends a request, and what the rate limiter and the errors need to know. */
export type RequestContext = {
	n8n: N8nContext;
	/** The account of the context's credential, see `getAccount`. */
	account: Account;
	/** A trigger or a person waiting at the editor (`prompt`) goes before items (`bulk`). */
	urgency: 'prompt' | 'bulk';
	/** The input item that the request belongs to. */
	itemIndex?: number;
	/**
	 * When it aborts, requests that are waiting are not sent, and the call rejects. The signal of an
	 * execution also aborts when the execution is canceled.
	 */
	signal?: AbortSignal;
	/**
	 * The request options that n8n has composed for the item: headers, timeout, proxy, allowed domains
	 * and the like. The target's method, URL and body and the request path's own options override them;
	 * `qs` and `baseURL` are not used. Without a `timeout`, a reply may take 30 seconds.
	 */
	transport?: Partial<IHttpRequestOptions>;
	/** False if the caller repeats by itself, as a polling trigger does with its next poll. */
	retry?: boolean;
};
