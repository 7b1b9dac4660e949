import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Account, N8nContext } from './account';
import { describeShape } from './envelope';
import { CHECK_REPLY, ServiceError, type RequestFailure } from './errors';

/** Who sends a request, and what the request queue and the errors need to know. */
export type RequestContext = {
	n8n: N8nContext;
	/** The account of the context's credential, see `getAccount`. */
	account: Account;
	/** A trigger or a person waiting at the editor (`prompt`) goes before items (`bulk`). */
	urgency: 'prompt' | 'bulk';
	/** The input item that the request belongs to. */
	itemIndex?: number;
	/** When it aborts, also because the execution is canceled, requests that wait are not sent. */
	signal?: AbortSignal;
	/**
	 * The request options that n8n has composed for the item: headers, timeout, proxy, allowed domains
	 * and the like. The target's method, URL and body override them; `qs` and `baseURL` are not used.
	 */
	transport?: Partial<IHttpRequestOptions>;
	/** False if the caller repeats by itself, as a polling trigger does with its next poll. */
	retry?: boolean;
};

/** Aborts when the caller gives up or the execution is canceled: what is waiting is then not sent. */
export function getAbortSignal({ n8n, signal }: RequestContext): AbortSignal | undefined {
	if (signal !== undefined) return signal;
	return 'getExecutionCancelSignal' in n8n ? n8n.getExecutionCancelSignal() : undefined;
}

/** A failed request as an error, without the token, should the service or a link repeat it. */
export function createRequestError(
	{ n8n, account: { conceal }, itemIndex }: RequestContext,
	{ message, description, ...rest }: RequestFailure,
): ServiceError {
	const shown = { ...rest, message: conceal(message), description: conceal(description) };
	return new ServiceError(n8n.getNode(), shown, itemIndex);
}

/** A reply that cannot be used, as an error: another try would bring the same. */
export function createReplyError(
	context: RequestContext,
	message: string,
	description = CHECK_REPLY,
): ServiceError {
	const failure = { cause: 'configuration-invalid' } as const;
	return createRequestError(context, { message, description, failure });
}

/** A reply without what was asked for, as an error that names the attributes of its data and never a value. */
export function createUnexpectedReplyError(
	context: RequestContext,
	expected: string,
	data: unknown,
	description?: string,
): ServiceError {
	const message = `Unexpected reply instead of ${expected}: ${describeShape(data)}`;
	return createReplyError(context, message, description);
}
