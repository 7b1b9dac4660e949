import type {
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import type { Account } from './account';

/** The contexts of n8n from which a request can be sent with the credential. */
export type N8nContext = IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions;

/** Who sends a request, and what the rate limiter and the errors need to know of them. */
export type RequestContext = {
	n8n: N8nContext;
	/** Of the context's credential, see `getAccount`. */
	account: Account;
	/** A trigger or a person waiting at the editor (`prompt`) goes before items (`bulk`). */
	urgency: 'prompt' | 'bulk';
	/** The input item that the request belongs to. */
	itemIndex?: number;
	/**
	 * When it aborts, what still waits is not sent, and the call rejects. Of an execution, it aborts
	 * when that is cancelled as well.
	 */
	signal?: AbortSignal;
	/**
	 * The request options that n8n has composed for the item: headers, timeout, proxy, allowed domains
	 * and the like. The target's method, URL and body and the request path's own options go over them;
	 * `qs` and `baseURL` are not used. Without a `timeout`, replies have 30 seconds.
	 */
	transport?: Partial<IHttpRequestOptions>;
	/** False where the caller repeats by itself, as a polling trigger does with its next poll. */
	retry?: boolean;
	/** Told of each request that leaves for the service, so that a trigger can keep to its allowance. */
	onSend?: () => void;
};
