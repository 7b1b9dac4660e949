import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Account, N8nContext } from './account';
import type { Endpoint } from './endpoints';
import { ServiceError } from './errors';
import { addPeriod } from './errorTexts';
import { createFailure, describeFailure, type RequestFailure } from './failures';
import type { Priority } from './request/requestQueue';

/** Who sends a request, and how the request is sent. */
export type RequestContext = {
	n8n: N8nContext;
	account: Account;
	priority: Priority;
	/** The input item of the request. */
	itemIndex?: number;
	/** After the abort, a request that still waits for a slot is not sent. A sent request continues. */
	signal?: AbortSignal;
	/** The request options that n8n has composed for the item, such as headers, timeout and proxy. */
	httpOptions?: Partial<IHttpRequestOptions>;
	/** False if the caller itself sends the request again later, such as a trigger in its next poll. */
	retry?: boolean;
};

/** Returns a signal that aborts when the caller stops waiting or n8n cancels the execution. */
export function getAbortSignal({ n8n, signal }: RequestContext): AbortSignal | undefined {
	if (signal !== undefined) return signal;
	return 'getExecutionCancelSignal' in n8n ? n8n.getExecutionCancelSignal() : undefined;
}

const CHECK_RESPONSES =
	"To avoid a duplicate, it was not sent again. Check the form's responses before you run this item again.";

/**
 * Creates the error that n8n shows for a failed request.
 *
 * @param attempts how many times the request was sent
 */
export function createRequestError(
	{ n8n, account, itemIndex }: RequestContext,
	failure: RequestFailure,
	attempts = 1,
): ServiceError {
	let { message, description } = describeFailure(failure, account);
	if (failure.mayHaveActed) {
		message = `${addPeriod(message)} The response may or may not have been added`;
		description = CHECK_RESPONSES;
	} else if (attempts > 1) {
		description += ` Tried ${attempts} times.`;
	}
	return new ServiceError(n8n.getNode(), failure, { message, description }, itemIndex);
}

/**
 * Creates the error for a reply that docs/contract.md does not have.
 *
 * @param found what came instead, in names and types
 */
export function createUnexpectedReplyError(
	context: RequestContext,
	{ method, url }: Endpoint,
	expected: string,
	found: string,
): ServiceError {
	const detail = `${method} ${url}: expected ${expected}, found ${found}`;
	return createRequestError(context, createFailure('unexpectedReply', { detail }));
}
