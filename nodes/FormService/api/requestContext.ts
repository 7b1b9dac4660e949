import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Account, N8nContext } from './account';
import type { Endpoint } from './endpoints';
import { ServiceError } from './errors';
import { endSentence } from './text';
import { createFailure, describeFailure, type RequestFailure } from './failures';
import type { Priority } from './request/requestQueue';

export type RequestContext = {
	n8n: N8nContext;
	account: Account;
	priority: Priority;
	itemIndex?: number;
	/** After the abort, a waiting request is not sent. A sent request continues. */
	signal?: AbortSignal;
	/** n8n's options for the item, such as headers, timeout and proxy. */
	httpOptions?: Partial<IHttpRequestOptions>;
	/** False if the caller itself sends the request again later, such as a trigger in its next poll. */
	retry?: boolean;
};

const CHECK_RESPONSES =
	"To avoid a duplicate, it was not sent again. Check the form's responses before you run this item again.";

export function createRequestError(
	{ n8n, account, itemIndex }: RequestContext,
	failure: RequestFailure,
	attempts = 1,
): ServiceError {
	let { message, description } = describeFailure(failure, account);
	if (failure.mayHaveActed) {
		message = `${endSentence(message)} The response may or may not have been added`;
		description = CHECK_RESPONSES;
	} else if (attempts > 1) {
		description += ` Tried ${attempts} times.`;
	}
	return new ServiceError(n8n.getNode(), failure, { message, description }, itemIndex);
}

/** @param found the names and types that came in place of a reply of docs/contract.md, without values */
export function createUnexpectedReplyError(
	context: RequestContext,
	{ method, url }: Endpoint,
	expected: string,
	found: string,
): ServiceError {
	const detail = `${method} ${url}: expected ${expected}, found ${found}`;
	return createRequestError(context, createFailure('unexpectedReply', { detail }));
}
