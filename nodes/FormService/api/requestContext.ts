import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Account, N8nContext } from './account';
import type { Endpoint } from './endpoints';
import { describeShape } from './envelope';
import { ServiceError } from './errors';
import { asSentence } from './errorTexts';
import type { Priority } from './request/requestQueue';
import { createFailure, describeFailure, type RequestFailure } from './requestFailure';

/** The sender of a request, with the facts that the request queue and the errors need. */
export type RequestContext = {
	n8n: N8nContext;
	/** The account of the context's credential, see `getAccount`. */
	account: Account;
	priority: Priority;
	/** The input item that the request belongs to. */
	itemIndex?: number;
	/** Aborts when the caller stops waiting or n8n cancels the execution. Waiting requests are then not sent. */
	signal?: AbortSignal;
	/**
	 * The request options that n8n has composed for the item, such as headers, timeout and proxy. The target's
	 * method, URL and body override them; `qs` and `baseURL` are not used.
	 */
	httpOptions?: Partial<IHttpRequestOptions>;
	/** False if the caller repeats the request itself, as a trigger does with its next poll. */
	retry?: boolean;
};

/** Returns the signal that aborts when the caller stops waiting or the execution is canceled. */
export function getAbortSignal({ n8n, signal }: RequestContext): AbortSignal | undefined {
	if (signal !== undefined) return signal;
	return 'getExecutionCancelSignal' in n8n ? n8n.getExecutionCancelSignal() : undefined;
}

/**
 * Creates the error that n8n shows for a failed request.
 *
 * @param attempts how often the request was sent
 * @param endpoint the endpoint of the request, if the service may have acted
 */
export function createRequestError(
	{ n8n, account, itemIndex }: RequestContext,
	failure: RequestFailure,
	{ attempts = 1, endpoint }: { attempts?: number; endpoint?: Endpoint } = {},
): ServiceError {
	let { message, description } = describeFailure(failure, account);
	if (endpoint?.effect === 'nonIdempotent' && failure.mayHaveActed) {
		message = `${asSentence(message)} ${endpoint.ifUncertain.message}`;
		description = endpoint.ifUncertain.description;
	} else if (attempts > 1) {
		description += ` Tried ${attempts} times.`;
	}
	return new ServiceError(n8n.getNode(), failure, { message, description }, itemIndex);
}

/** Creates the error for a reply without the expected data. The error names attributes of the data, never values. */
export function createUnexpectedReplyError(
	context: RequestContext,
	expected: string,
	data: unknown,
): ServiceError {
	const shape = describeShape(data);
	return createRequestError(context, createFailure('unexpectedReply', { expected, shape }));
}
