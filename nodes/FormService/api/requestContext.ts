import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Account, N8nContext } from './account';
import type { Endpoint } from './endpoints';
import { describeShape } from './envelope';
import { ServiceError } from './errors';
import { addPeriod } from './errorTexts';
import type { Priority } from './request/requestQueue';
import { createFailure, describeFailure, type RequestFailure } from './requestFailure';

/** Who sends a request, and how the request is sent. */
export type RequestContext = {
	n8n: N8nContext;
	/** The account of the node's credential, see `getAccount`. */
	account: Account;
	priority: Priority;
	/** The input item of the request. */
	itemIndex?: number;
	/**
	 * Aborts when the caller stops waiting or n8n cancels the execution. After the abort, a request that
	 * still waits for a slot is not sent. A request that was already sent continues, because the error for an
	 * abort says that the request was not sent.
	 */
	signal?: AbortSignal;
	/**
	 * The request options that n8n has composed for the item, such as headers, timeout and proxy. The method, URL
	 * and body always come from the request's `Target`. `qs` and `baseURL` are ignored.
	 */
	httpOptions?: Partial<IHttpRequestOptions>;
	/**
	 * False if the caller itself sends the request again later. For example, a trigger sends the request again in
	 * its next poll.
	 */
	retry?: boolean;
};

/** Returns a signal that aborts when the caller stops waiting or n8n cancels the execution. */
export function getAbortSignal({ n8n, signal }: RequestContext): AbortSignal | undefined {
	if (signal !== undefined) return signal;
	return 'getExecutionCancelSignal' in n8n ? n8n.getExecutionCancelSignal() : undefined;
}

/**
 * Creates the error that n8n shows for a failed request.
 *
 * @param attempts how many times the request was sent
 * @param endpoint the endpoint of the request; if the service may have acted, the error shows the endpoint's
 * `ifUncertain`
 */
export function createRequestError(
	{ n8n, account, itemIndex }: RequestContext,
	failure: RequestFailure,
	{ attempts = 1, endpoint }: { attempts?: number; endpoint?: Endpoint } = {},
): ServiceError {
	let { message, description } = describeFailure(failure, account);
	if (endpoint?.effect === 'nonIdempotent' && failure.mayHaveActed) {
		message = `${addPeriod(message)} ${endpoint.ifUncertain.message}`;
		description = endpoint.ifUncertain.description;
	} else if (attempts > 1) {
		description += ` Tried ${attempts} times.`;
	}
	return new ServiceError(n8n.getNode(), failure, { message, description }, itemIndex);
}

/**
 * Creates the error for a reply that does not have the expected data. The error contains names of attributes
 * and no values.
 */
export function createUnexpectedReplyError(
	context: RequestContext,
	expected: string,
	data: unknown,
): ServiceError {
	const shape = describeShape(data, context.account.redact);
	return createRequestError(context, createFailure('unexpectedReply', { expected, shape }));
}
